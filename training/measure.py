"""Measures the search quality of models.  python measure.py POOLS.pkl MODEL.bin...

`minilm` names MiniLM. Prints for each pool the results by words, by the model, and by fusion: half
BM25 divided by its best, half cosine similarity scaled between the first and the hundredth
document. Measures: MRR and hit@10, NDCG@10 for repositories, Pass@10 for `contextual`.
"""

import hashlib
import pickle
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pools import Pool

from feeder.embedding.static_model import StaticEmbedder

Rows = npt.NDArray[np.float32]


def fuse(word_scores: dict[int, float], similarities: Rows, vector_share: float = 0.5) -> list[int]:
    """Returns document indices by the fused score, the best first."""
    scores: dict[int, float] = defaultdict(float)
    best = max(word_scores.values(), default=1) or 1
    for document, score in word_scores.items():
        scores[document] += (1 - vector_share) * score / best
    candidates = nearest(similarities)
    highest, lowest = float(similarities[candidates[0]]), float(similarities[candidates[-1]])
    for document in candidates:
        scores[document] += (
            vector_share * (float(similarities[document]) - lowest) / ((highest - lowest) or 1)
        )
    return sorted(scores, key=scores.__getitem__, reverse=True)


def nearest(similarities: Rows, limit: int = 100) -> list[int]:
    count = min(limit, len(similarities))
    candidates = np.argpartition(-similarities, count - 1)[:count]
    return [int(at) for at in candidates[np.argsort(-similarities[candidates], kind="stable")]]


def figures(pool: Pool, answer: Any, ranked: list[int]) -> dict[str, float]:
    if pool.name == "repositories-small":
        return {"NDCG@10": _ndcg(pool, answer, ranked)}
    if pool.name == "contextual":
        hits = [
            any(_overlaps(pool.places[document], target) for document in ranked[:10])
            for target in answer
        ]
        return {"Pass@10": sum(hits) / len(hits)}
    if pool.name == "vue":
        correct = {
            document
            for document in ranked
            if any(_is_near_exact(pool.places[document], target) for target in answer)
        }
    else:
        correct = {answer}
    rank = next((rank for rank, document in enumerate(ranked, 1) if document in correct), 0)
    return {"MRR": 1 / rank if rank else 0.0, "hit@10": float(0 < rank <= 10)}


def _same_path(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _overlaps(place: tuple[str, int, int], target: Any) -> bool:
    path, start, end = target[:3]
    return _same_path(place[0], path) and (
        start is None or not (place[2] < start or place[1] > end)
    )


def _is_near_exact(place: tuple[str, int, int], target: Any) -> bool:
    size = target[2] - target[1] + 1
    return _overlaps(place, target) and place[2] - place[1] + 1 <= max(40, 2 * size)


def _ndcg(pool: Pool, answer: Any, ranked: list[int]) -> float:
    ranks = {
        next(
            (
                rank
                for rank, document in enumerate(ranked[:10], 1)
                if _overlaps(pool.places[document], target)
            ),
            None,
        )
        for target in answer
    }
    ideal = sum(1 / np.log2(position + 2) for position in range(min(10, len(answer))))
    return float(sum(1 / np.log2(rank + 1) for rank in ranks if rank) / ideal)


def minilm_vectors(pool: Pool, cache_folder: Path) -> tuple[Rows, Rows]:
    """Returns MiniLM's vectors of a pool, cached in a folder."""
    key = hashlib.sha256(repr((pool.queries, len(pool.documents))).encode()).hexdigest()[:16]
    cache_file = cache_folder / f"{key}.npz"
    if not cache_file.exists():
        from feeder.embedding.onnx import OnnxEmbedder

        embedder = OnnxEmbedder(threads=1)
        documents = embedder.embed([f"{name}\n{body}" for name, body in pool.documents])
        np.savez(cache_file, documents=documents, questions=embedder.embed(pool.queries))
        embedder.close()
    cached = np.load(cache_file)
    return cached["documents"], cached["questions"]


def measure(model: str, pools: list[Pool]) -> None:
    by_model: dict[tuple[str, str], list[float]] = defaultdict(list)
    by_both: dict[tuple[str, str], list[float]] = defaultdict(list)
    by_words: dict[tuple[str, str], list[float]] = defaultdict(list)
    started, texts = time.process_time(), 0
    digest = "" if model == "minilm" else hashlib.sha256(Path(model).read_bytes()).hexdigest()
    embedder = StaticEmbedder(Path(model), digest) if digest else None
    for pool in pools:
        if not pool.queries:
            continue
        if embedder:
            documents = np.array(embedder.embed_fields(pool.documents))
            query_vectors = np.array([embedder.embed_query(query) for query in pool.queries])
        else:
            documents, query_vectors = minilm_vectors(pool, Path("minilm"))
        texts += len(documents)
        for number, answer in enumerate(pool.answers):
            similarities = documents @ query_vectors[number]
            word_scores = pool.by_words[number]
            for results, order in (
                (by_model, nearest(similarities)),
                (by_both, fuse(word_scores, similarities)),
                (by_words, list(word_scores)),
            ):  # fmt: skip
                for figure, value in figures(pool, answer, order).items():
                    results[pool.name, figure].append(value)
    print(f"\n{model}: {texts} texts, {time.process_time() - started:.0f} s of one core")
    print(f"{'':30}{'n':>6}{'words':>8}{'model':>8}{'both':>8}")
    for (name, figure), values in by_model.items():
        rows = (by_words[name, figure], values, by_both[name, figure])
        print(f"{name + ' ' + figure:30}{len(values):>6}"
              + "".join(f"{statistics.fmean(row):>8.3f}" for row in rows), flush=True)  # fmt: skip


def main() -> None:
    pools = [Pool(*pool) for pool in pickle.loads(Path(sys.argv[1]).read_bytes())]
    for model in sys.argv[2:]:
        measure(model, pools)


if __name__ == "__main__":
    main()
