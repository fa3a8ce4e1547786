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


def fused(words: dict[int, float], alike: Rows, weight: float = 0.5) -> list[int]:
    """Returns document indices by the fused score, the best first."""
    score: dict[int, float] = defaultdict(float)
    best = max(words.values(), default=1) or 1
    for at, points in words.items():
        score[at] += (1 - weight) * points / best
    some = nearest(alike)
    top, low = float(alike[some[0]]), float(alike[some[-1]])
    for at in some:
        score[at] += weight * (float(alike[at]) - low) / ((top - low) or 1)
    return sorted(score, key=score.__getitem__, reverse=True)


def nearest(alike: Rows, most: int = 100) -> list[int]:
    count = min(most, len(alike))
    some = np.argpartition(-alike, count - 1)[:count]
    return [int(at) for at in some[np.argsort(-alike[some], kind="stable")]]


def figures(pool: Pool, answer: Any, found: list[int]) -> dict[str, float]:
    if pool.name == "repositories-small":
        return {"NDCG@10": _ndcg(pool, answer, found)}
    if pool.name == "contextual":
        met = [any(_met(pool.places[at], t) for at in found[:10]) for t in answer]
        return {"Pass@10": sum(met) / len(met)}
    if pool.name == "vue":
        right = {at for at in found if any(_exactly(pool.places[at], t) for t in answer)}
    else:
        right = {answer}
    rank = next((rank for rank, at in enumerate(found, 1) if at in right), 0)
    return {"MRR": 1 / rank if rank else 0.0, "hit@10": float(0 < rank <= 10)}


def _same(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _met(place: tuple[str, int, int], target: Any) -> bool:
    path, start, end = target[:3]
    return _same(place[0], path) and (start is None or not (place[2] < start or place[1] > end))


def _exactly(place: tuple[str, int, int], target: Any) -> bool:
    size = target[2] - target[1] + 1
    return _met(place, target) and place[2] - place[1] + 1 <= max(40, 2 * size)


def _ndcg(pool: Pool, answer: Any, found: list[int]) -> float:
    ranks = {
        next((r for r, at in enumerate(found[:10], 1) if _met(pool.places[at], t)), None)
        for t in answer
    }
    ideal = sum(1 / np.log2(place + 2) for place in range(min(10, len(answer))))
    return float(sum(1 / np.log2(rank + 1) for rank in ranks if rank) / ideal)


def minilm(pool: Pool, kept: Path) -> tuple[Rows, Rows]:
    """Returns MiniLM's vectors of a pool, cached in a folder."""
    key = hashlib.sha256(repr((pool.questions, len(pool.documents))).encode()).hexdigest()[:16]
    path = kept / f"{key}.npz"
    if not path.exists():
        from feeder.embedding.onnx import OnnxEmbedder

        embedder = OnnxEmbedder(threads=1)
        documents = embedder.embed([f"{name}\n{body}" for name, body in pool.documents])
        np.savez(path, documents=documents, questions=embedder.embed(pool.questions))
        embedder.close()
    file = np.load(path)
    return file["documents"], file["questions"]


def measure(model: str, pools: list[Pool]) -> None:
    alone: dict[tuple[str, str], list[float]] = defaultdict(list)
    both: dict[tuple[str, str], list[float]] = defaultdict(list)
    words: dict[tuple[str, str], list[float]] = defaultdict(list)
    began, texts = time.process_time(), 0
    digest = "" if model == "minilm" else hashlib.sha256(Path(model).read_bytes()).hexdigest()
    embedder = StaticEmbedder(Path(model), digest) if digest else None
    for pool in pools:
        if not pool.questions:
            continue
        if embedder:
            documents = np.array(embedder.embed_fields(pool.documents))
            asked = np.array([embedder.embed_query(one) for one in pool.questions])
        else:
            documents, asked = minilm(pool, Path("minilm"))
        texts += len(documents)
        for at, answer in enumerate(pool.answers):
            alike = documents @ asked[at]
            found = pool.by_words[at]
            for kept, order in (
                (alone, nearest(alike)), (both, fused(found, alike)), (words, list(found)),
            ):  # fmt: skip
                for figure, value in figures(pool, answer, order).items():
                    kept[pool.name, figure].append(value)
    print(f"\n{model}: {texts} texts, {time.process_time() - began:.0f} s of one core")
    print(f"{'':30}{'n':>6}{'words':>8}{'model':>8}{'both':>8}")
    for (name, figure), values in alone.items():
        rows = (words[name, figure], values, both[name, figure])
        print(f"{name + ' ' + figure:30}{len(values):>6}"
              + "".join(f"{statistics.fmean(row):>8.3f}" for row in rows), flush=True)  # fmt: skip


def main() -> None:
    pools = [Pool(*pool) for pool in pickle.loads(Path(sys.argv[1]).read_bytes())]
    for model in sys.argv[2:]:
        measure(model, pools)


if __name__ == "__main__":
    main()
