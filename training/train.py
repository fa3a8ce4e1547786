"""Trains the static model.  python train.py TOKENS.npz OUT.npz [--steps N] …

A text's vector is the weighted mean of its parts' vectors; queries and names have separate weights.
The loss is InfoNCE over batches from few repositories, with neighbours of a file side by side, so
that negatives are close to the right answer (hard negatives).
"""

import argparse
import pickle
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
import torch.nn.functional as fn
from frequent_words import VALIDATION
from sparse import Vocabulary, counts, stack
from tables import word_vectors

from feeder.embedding.static_tokenizer import split_tokens, split_words

DIMENSIONS = 256
WORDS, BUCKETS = 28_000, 4_000
FIELDS = ("question", "name", "body")
QUERY_OPENINGS = [
    *("how to", "how do i", "how can i", "what is", "where is", "where are", "how does it", "what"),
    *("which function", "find the code that", "show me where", "best way to", "how to in python"),
    *("python", "javascript", "java", "go", "rust", "c", "in python", "in java", "js", "example"),
    *("code for", "is there a way to", "why does", "when", "the", "function to", "method that"),
]


class WeightedSum(torch.autograd.Function):
    """Multiplies weighted sparse counts by the vectors.

    The gradient is added to `grad` only for the rows that occur: dense gradients would take longer
    than all other work.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, text_counts: sp.csr_matrix, vectors: torch.Tensor, weights: torch.Tensor | None
    ) -> torch.Tensor:
        if weights is not None:
            by_row = np.exp(weights.detach().numpy())
            data = text_counts.data * by_row[text_counts.indices]
            text_counts = sp.csr_matrix(
                (data, text_counts.indices, text_counts.indptr), shape=text_counts.shape
            )
        ctx.counts, ctx.vectors, ctx.weights = text_counts, vectors, weights
        return torch.from_numpy(text_counts @ vectors.detach().numpy())

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[None, None, None]:  # type: ignore[override]
        columns = ctx.counts.tocsc()
        rows = np.flatnonzero(np.diff(columns.indptr))
        learned = columns[:, rows].T.tocsr() @ gradient.numpy()
        ctx.vectors.grad.numpy()[rows] += learned
        if ctx.weights is not None:
            ctx.weights.grad.numpy()[rows] += (learned * ctx.vectors.detach().numpy()[rows]).sum(1)
        return None, None, None


class Teacher(NamedTuple):
    """Texts with another model's vectors and their nearest neighbours, for distillation."""

    counts: sp.csr_matrix
    vectors: npt.NDArray[np.float32]
    nearest: npt.NDArray[np.int64]
    sampled: int


class Model(torch.nn.Module):
    def __init__(self, initial: npt.NDArray[np.float32], name_share: float) -> None:
        super().__init__()
        self.vectors = torch.nn.Parameter(torch.from_numpy(initial))
        self.query_weights = torch.nn.Parameter(torch.zeros(len(initial)))
        self.name_weights = torch.nn.Parameter(torch.zeros(len(initial)))
        self.log_name_share = torch.nn.Parameter(torch.tensor(float(np.log(name_share))))

    def query(self, text_counts: sp.csr_matrix) -> torch.Tensor:
        return fn.normalize(WeightedSum.apply(text_counts, self.vectors, self.query_weights), dim=1)

    def document(self, name: sp.csr_matrix, body: sp.csr_matrix) -> torch.Tensor:
        name_vectors = fn.normalize(WeightedSum.apply(name, self.vectors, self.name_weights), dim=1)
        body_vectors = fn.normalize(WeightedSum.apply(body, self.vectors, None), dim=1)
        return fn.normalize(body_vectors + self.log_name_share.exp() * name_vectors, dim=1)


def validation_mask(data: Any) -> npt.NDArray[np.bool_]:
    """Returns a mask of the pairs of the validation repositories."""
    mask: npt.NDArray[np.bool_] = np.isin(data["repos"], list(VALIDATION))[data["repo"]]
    return mask


def frequent_vocabulary(
    data: Any, of_training: npt.NDArray[np.bool_], limit: int, buckets: int
) -> Vocabulary:
    """Returns the parts that at least two repositories use, the most frequent first."""
    parts = data["parts"]
    total = np.zeros(len(parts), np.int64)
    repo_users = np.zeros(len(parts), np.int64)
    for repo in np.unique(data["repo"][of_training]):
        repo_counts = np.zeros(len(parts), np.int64)
        [pairs] = np.nonzero(data["repo"] == repo)  # a repository's pairs are contiguous
        for field in FIELDS:
            starts = data[f"{field}_starts"]
            repo_parts = data[field][starts[pairs[0]] : starts[pairs[-1] + 1]]
            repo_counts += np.bincount(repo_parts, minlength=len(parts))
        total += repo_counts
        repo_users += repo_counts > 0
    frequent = [
        str(parts[at]) for at in np.argsort(-total, kind="stable")
        if repo_users[at] >= 2 and total[at] >= 6
        and not (parts[at].isdigit() and len(parts[at]) > 4)
    ]  # fmt: skip
    return Vocabulary(frequent[:limit], buckets)


def initial_vectors(
    vocabulary: Vocabulary, tables: str, rarity: npt.NDArray[np.float32], seed: int
) -> Any:
    """Returns the initial vectors: principal components of the tables', or random, by rarity."""
    draw = np.random.default_rng(seed)
    vectors = draw.standard_normal((vocabulary.rows, DIMENSIONS)).astype(np.float32)
    vectors *= 0.3 / np.sqrt(DIMENSIONS)
    words, word_table = word_vectors(tables)
    row_of = {name: source_row for source_row, name in enumerate(words)}
    _, _, axes = np.linalg.svd(word_table.T @ word_table)
    projected = word_table @ axes[:DIMENSIONS].T
    projected /= np.linalg.norm(projected, axis=1, keepdims=True) + 1e-9
    matches = [(row, row_of[word]) for row, word in enumerate(vocabulary.words) if word in row_of]
    for row, source_row in matches:
        vectors[row] = projected[source_row]
    # a bucket starts as the mean of the words that hash into it
    spread = Vocabulary([], vocabulary.buckets).spread(
        [vocabulary.words[row] for row, _ in matches]
    )
    bucket_vectors = spread.T @ projected[[source_row for _, source_row in matches]]
    norm = np.linalg.norm(bucket_vectors, axis=1, keepdims=True) + 1e-9
    vectors[len(vocabulary.words) :] = 0.5 * bucket_vectors / norm
    vectors[: len(vocabulary.words)] *= rarity[:, None]
    print(len(matches), "of", len(vocabulary.words), "words have a first vector")
    return vectors


def make_teacher(texts: list[str], vectors: Any, vocabulary: Vocabulary, sampled: int) -> Teacher:
    ids: dict[str, int] = {}
    rows = [
        [
            ids.setdefault(part, len(ids))
            for word in split_words(text)
            for part in split_tokens(word)
        ]
        for text in texts
    ]
    text_counts = counts(*stack(rows), vocabulary.spread(list(ids)))
    vectors = vectors.astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    nearest = []
    for at in range(0, len(texts), 1000):
        similarities = vectors[at : at + 1000] @ vectors.T
        nearest.append(np.argpartition(-similarities, 9, axis=1)[:, :9])
    return Teacher(text_counts, vectors, np.concatenate(nearest), sampled)


def distillation_loss(model: Model, teacher: Teacher, draw: np.random.Generator) -> torch.Tensor:
    """Returns the distillation loss: squared differences of similarities to the teacher's."""
    sample = draw.choice(len(teacher.vectors), teacher.sampled, replace=False)
    sample = np.unique(teacher.nearest[sample].ravel())
    own = model.query(teacher.counts[sample])
    targets = torch.from_numpy(teacher.vectors[sample])
    difference = (own @ own.T - targets @ targets.T).fill_diagonal_(0)
    return (difference * difference).sum() / len(sample)


class BatchShape(NamedTuple):
    """Composition of batches: `group` pairs of a repository in blocks of `block` neighbours."""

    size: int
    group: int
    block: int


def batches(repo: Any, usable: Any, shape: BatchShape, draw: np.random.Generator) -> Iterator[Any]:
    """Yields batches from few repositories, with neighbouring pairs of a file together."""
    by_repo = [usable[repo[usable] == repo_id] for repo_id in np.unique(repo[usable])]
    while True:
        groups = []
        for pairs in by_repo:
            cuts = np.arange(int(draw.integers(shape.block)), len(pairs), shape.block)
            blocks = [block for block in np.split(pairs, cuts) if len(block)]
            shuffled = np.concatenate([blocks[at] for at in draw.permutation(len(blocks))])
            last = max(1, len(pairs) - shape.group // 2)
            groups += [shuffled[at : at + shape.group] for at in range(0, last, shape.group)]
        batch: list[Any] = []
        for at in draw.permutation(len(groups)):
            batch.append(groups[at])
            if sum(map(len, batch)) >= shape.size:
                yield np.concatenate(batch)[: shape.size]
                batch = []


def synonym_rows(path: str, vocabulary: Vocabulary) -> tuple[Any, Any]:
    """Returns the synonyms of each row as a flat array, and the offsets."""
    synonyms = pickle.loads(Path(path).read_bytes())
    row_of = {word: at for at, word in enumerate(vocabulary.words)}
    lists = []
    for word in vocabulary.words:
        bases = [
            word,
            *(word[: -len(ending)] for ending in ("s", "es", "ed", "ing") if word.endswith(ending)),
        ]
        bases += [word[:-1]] if word.endswith("ed") else []
        bases += [word[:-3] + "e"] if word.endswith("ing") else []
        of_word = next((synonyms[base] for base in bases if base in synonyms), [])
        lists.append([row_of[synonym] for synonym in of_word if synonym in row_of])
    return stack([*lists, *([[]] * vocabulary.buckets)])


def replace_by_synonyms(
    texts: sp.csr_matrix, synonyms: Any, starts: Any, share: float, draw: Any
) -> sp.csr_matrix:
    """Replaces a share of the queries' words by synonyms."""
    synonym_counts = np.diff(starts)
    replaced = np.flatnonzero(
        (draw.random(texts.nnz) < share) & (synonym_counts[texts.indices] > 0)
    )
    rows = texts.indices[replaced]
    texts.indices[replaced] = synonyms[
        starts[rows] + (draw.random(len(rows)) * synonym_counts[rows]).astype(int)
    ]
    texts.sum_duplicates()
    return texts


def remove_query_words(
    documents: sp.csr_matrix, query_counts: sp.csr_matrix, draw: Any
) -> sp.csr_matrix:
    """Removes most of the words that occur in a query from its document."""
    removed = query_counts.copy()
    removed.data[:] = draw.random(removed.nnz) < 0.85
    removed.eliminate_zeros()
    remaining = sp.csr_matrix(documents - documents.multiply(removed))
    remaining.eliminate_zeros()
    return remaining


def drop_words(texts: sp.csr_matrix, share: float, draw: Any) -> sp.csr_matrix:
    texts.data *= draw.random(texts.nnz) > share
    return texts


def mask_texts(texts: sp.csr_matrix, is_included: Any) -> sp.csr_matrix:
    """Sets the counts of the texts to zero where `is_included` is zero."""
    texts.data *= np.repeat(is_included, np.diff(texts.indptr))
    return texts


def info_nce(
    queries: torch.Tensor, documents: torch.Tensor, keys: Any, temperature: float
) -> torch.Tensor:
    """Returns the InfoNCE loss in both directions: query to document and document to query."""
    similarities = queries @ documents.T / temperature
    # equal queries: neither document is a negative
    is_equal_query = torch.from_numpy(keys[:, None] == keys[None, :]).fill_diagonal_(False)
    similarities = similarities.masked_fill(is_equal_query, -1e4)
    diagonal = torch.arange(len(queries))
    to_document = fn.cross_entropy(similarities, diagonal)
    to_query = fn.cross_entropy(similarities.T, diagonal)
    return 0.65 * to_document + 0.35 * to_query


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("tokens")
    parser.add_argument("out")
    parser.add_argument("--tables", default="nomic.npz,minilm.npz")
    parser.add_argument("--texts", default="")
    parser.add_argument("--synonyms", default="")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--group", type=int, default=512)
    parser.add_argument("--block", type=int, default=8)
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--buckets", type=int, default=BUCKETS)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--firm", type=float, default=1e-8, help="Adam's epsilon: rare words stay")
    parser.add_argument("--back", type=float, default=0.0, help="share of the way to first vectors")
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--name-share", type=float, default=0.5)
    parser.add_argument("--name-dropped", type=float, default=0.15)
    parser.add_argument("--hidden", type=float, default=0.3)
    parser.add_argument("--dropped", type=float, default=0.1)
    parser.add_argument("--swapped", type=float, default=0.15)
    parser.add_argument("--opened", type=float, default=0.2)
    parser.add_argument("--imitation", type=float, default=0.3)
    parser.add_argument("--word-imitation", type=float, default=0.3)
    parser.add_argument("--without", default="", help="kinds of pairs to leave out, with commas")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Corpus:
    """The training pairs as sparse counts, and their augmented batches."""

    def __init__(self, args: argparse.Namespace, draw: np.random.Generator) -> None:
        data = dict(np.load(args.tokens))
        excluded = np.isin(
            data["kind"], np.flatnonzero(np.isin(data["kinds"], args.without.split(",")))
        )
        query_lengths, _, body_lengths = (np.diff(data[f"{field}_starts"]) for field in FIELDS)
        self.args, self.draw = args, draw
        self.usable = np.flatnonzero(
            ~validation_mask(data) & ~excluded & (query_lengths >= 1) & (body_lengths >= 3)
        )
        self.vocabulary = frequent_vocabulary(
            data, ~validation_mask(data), args.words, args.buckets
        )
        spread = self.vocabulary.spread([str(part) for part in data["parts"]])
        self.fields = {
            field: counts(data[field], data[f"{field}_starts"], spread) for field in FIELDS
        }
        starts = data["question_starts"]
        self.keys = np.array([
            hash(data["question"][start:end].tobytes()) for start, end in pairwise(starts)
        ])  # fmt: skip
        self.synonyms = synonym_rows(args.synonyms, self.vocabulary) if args.synonyms else None
        self.openings = _query_openings(self.vocabulary)
        shape = BatchShape(args.batch, args.group, args.block)
        self.batches = batches(data["repo"], self.usable, shape, draw)

    def rarity(self) -> npt.NDArray[np.float32]:
        """Returns the inverse document frequency of each word, divided by the mean: (words,)."""
        sample = self.draw.choice(self.usable, min(len(self.usable), 100_000), replace=False)
        occurrences = np.bincount(
            self.fields["body"][sample].indices, minlength=self.vocabulary.rows
        )
        occurrences = np.maximum(1, occurrences[: len(self.vocabulary.words)])
        rarity = np.maximum(np.log(len(sample) / occurrences), 0.05).astype(np.float32)
        return np.asarray(rarity / rarity.mean())

    def batch(self) -> tuple[sp.csr_matrix, sp.csr_matrix, sp.csr_matrix, Any]:
        """Returns queries, names, bodies, and the hashes that identify equal queries."""
        args, draw, at = self.args, self.draw, next(self.batches)
        query, name, body = (self.fields[field][at] for field in FIELDS)
        if self.synonyms:
            query = replace_by_synonyms(query, *self.synonyms, args.swapped, draw)
        if args.hidden:
            query_words = mask_texts(query.copy(), draw.random(len(at)) < args.hidden)
            query_words.eliminate_zeros()
            name, body = (
                remove_query_words(field_counts, query_words, draw) for field_counts in (name, body)
            )
        if args.opened:
            openings = self.openings[draw.integers(self.openings.shape[0], size=len(at))]
            query = sp.csr_matrix(query + mask_texts(openings, draw.random(len(at)) < args.opened))
        name = mask_texts(name, draw.random(len(at)) > args.name_dropped)
        return query, name, drop_words(body, args.dropped, draw), self.keys[at]


def read_teachers(args: argparse.Namespace, vocabulary: Vocabulary) -> list[tuple[float, Teacher]]:
    """Returns the teachers of the distillation loss with their weights."""
    weighted = []
    if args.word_imitation:
        names, vectors = word_vectors(args.tables)
        row_of = {name: at for at, name in enumerate(names)}
        words = [word for word in vocabulary.words if word in row_of and len(word) > 2][:14000]
        teacher = make_teacher(words, vectors[[row_of[word] for word in words]], vocabulary, 40)
        weighted.append((args.word_imitation, teacher))
    if args.texts:
        file = np.load(args.texts)
        teacher = make_teacher(
            [str(text) for text in file["texts"]], file["vectors"], vocabulary, 48
        )
        weighted.append((args.imitation, teacher))
    return weighted


def train(model: Model, corpus: Corpus, teachers: list[tuple[float, Teacher]]) -> None:
    args = corpus.args
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer = torch.optim.Adam(model.parameters(), args.rate, (0.9, 0.99), args.firm, fused=True)
    started, losses = time.monotonic(), list[float]()
    for step in range(args.steps):
        rate = args.rate * min(1, (step + 1) / 50) * (1 - step / args.steps)
        optimizer.param_groups[0]["lr"] = rate
        query, name, body, keys = corpus.batch()
        document_vectors = model.document(name, body)
        loss = info_nce(model.query(query), document_vectors, keys, args.temperature)
        losses.append(float(loss.detach()))
        for weight, teacher in teachers:
            loss = loss + weight * distillation_loss(model, teacher, corpus.draw)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        if step % 50 == 49:
            spent = f"{time.monotonic() - started:.0f} s ({time.process_time():.0f} s of one core)"
            share = float(model.log_name_share.exp().detach())
            print(f"{step + 1} {spent} {np.mean(losses[-50:]):.3f} {share:.3f}", flush=True)


def main() -> None:
    args = arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    corpus = Corpus(args, np.random.default_rng(args.seed))
    vocabulary = corpus.vocabulary
    initial = initial_vectors(vocabulary, args.tables, corpus.rarity(), args.seed)
    model = Model(initial.copy(), args.name_share)
    print(len(corpus.usable), "pairs", vocabulary.rows, "rows", flush=True)
    train(model, corpus, read_teachers(args, vocabulary))
    weights = {name: weight.detach().numpy() for name, weight in model.state_dict().items()}
    vectors = weights["vectors"] + args.back * (initial - weights["vectors"])
    np.savez(
        args.out, vectors=vectors, share=np.exp(weights["log_name_share"]),
        question=np.exp(weights["query_weights"]), name=np.exp(weights["name_weights"]),
        words=np.array(vocabulary.words), buckets=vocabulary.buckets, arguments=str(vars(args)),
    )  # fmt: skip


def _query_openings(vocabulary: Vocabulary) -> sp.csr_matrix:
    ids: dict[str, int] = {}
    rows = [[ids.setdefault(part, len(ids)) for part in text.split()] for text in QUERY_OPENINGS]
    return counts(*stack(rows), vocabulary.spread(list(ids)))


if __name__ == "__main__":
    main()
