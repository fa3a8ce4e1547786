"""Trains the static model.  python train.py NUMBERS.npz OUT.npz [--steps N] …

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
_OPENINGS = [
    *("how to", "how do i", "how can i", "what is", "where is", "where are", "how does it", "what"),
    *("which function", "find the code that", "show me where", "best way to", "how to in python"),
    *("python", "javascript", "java", "go", "rust", "c", "in python", "in java", "js", "example"),
    *("code for", "is there a way to", "why does", "when", "the", "function to", "method that"),
]


class Bag(torch.autograd.Function):
    """Multiplies weighted sparse counts by the vectors.

    The gradient is added to `grad` only for the rows that occur: dense gradients would take longer
    than all other work.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, found: sp.csr_matrix, vectors: torch.Tensor, weights: torch.Tensor | None
    ) -> torch.Tensor:
        if weights is not None:
            by_row = np.exp(weights.detach().numpy())
            data = found.data * by_row[found.indices]
            found = sp.csr_matrix((data, found.indices, found.indptr), shape=found.shape)
        ctx.found, ctx.vectors, ctx.weights = found, vectors, weights
        return torch.from_numpy(found @ vectors.detach().numpy())

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[None, None, None]:  # type: ignore[override]
        columns = ctx.found.tocsc()
        rows = np.flatnonzero(np.diff(columns.indptr))
        learned = columns[:, rows].T.tocsr() @ gradient.numpy()
        ctx.vectors.grad.numpy()[rows] += learned
        if ctx.weights is not None:
            ctx.weights.grad.numpy()[rows] += (learned * ctx.vectors.detach().numpy()[rows]).sum(1)
        return None, None, None


class Teacher(NamedTuple):
    """Texts with another model's vectors and their nearest neighbours, for distillation."""

    found: sp.csr_matrix
    vectors: npt.NDArray[np.float32]
    nearest: npt.NDArray[np.int64]
    sampled: int


class Model(torch.nn.Module):
    def __init__(self, begun: npt.NDArray[np.float32], name_share: float) -> None:
        super().__init__()
        self.vectors = torch.nn.Parameter(torch.from_numpy(begun))
        self.question = torch.nn.Parameter(torch.zeros(len(begun)))
        self.name = torch.nn.Parameter(torch.zeros(len(begun)))
        self.share = torch.nn.Parameter(torch.tensor(float(np.log(name_share))))

    def ask(self, found: sp.csr_matrix) -> torch.Tensor:
        return fn.normalize(Bag.apply(found, self.vectors, self.question), dim=1)

    def document(self, name: sp.csr_matrix, body: sp.csr_matrix) -> torch.Tensor:
        named = fn.normalize(Bag.apply(name, self.vectors, self.name), dim=1)
        told = fn.normalize(Bag.apply(body, self.vectors, None), dim=1)
        return fn.normalize(told + self.share.exp() * named, dim=1)


def held(data: Any) -> npt.NDArray[np.bool_]:
    """Returns a mask of the pairs of the validation repositories."""
    own: npt.NDArray[np.bool_] = np.isin(data["repos"], list(VALIDATION))[data["repo"]]
    return own


def vocabulary(
    data: Any, of_training: npt.NDArray[np.bool_], most: int, buckets: int
) -> Vocabulary:
    """Returns the parts that at least two repositories use, the most frequent first."""
    names = data["parts"]
    total = np.zeros(len(names), np.int64)
    users = np.zeros(len(names), np.int64)
    for repo in np.unique(data["repo"][of_training]):
        own = np.zeros(len(names), np.int64)
        [at] = np.nonzero(data["repo"] == repo)  # a repository's pairs are contiguous
        for field in FIELDS:
            starts = data[f"{field}_starts"]
            stretch = data[field][starts[at[0]] : starts[at[-1] + 1]]
            own += np.bincount(stretch, minlength=len(names))
        total += own
        users += own > 0
    kept = [
        str(names[at]) for at in np.argsort(-total, kind="stable")
        if users[at] >= 2 and total[at] >= 6 and not (names[at].isdigit() and len(names[at]) > 4)
    ]  # fmt: skip
    return Vocabulary(kept[:most], buckets)


def begun(known: Vocabulary, tables: str, rarity: npt.NDArray[np.float32], seed: int) -> Any:
    """Returns the initial vectors: principal components of the tables', or random, by rarity."""
    draw = np.random.default_rng(seed)
    vectors = draw.standard_normal((known.rows, DIMENSIONS)).astype(np.float32)
    vectors *= 0.3 / np.sqrt(DIMENSIONS)
    names, given = word_vectors(tables)
    of = {name: at for at, name in enumerate(names)}
    _, _, axes = np.linalg.svd(given.T @ given)
    pressed = given @ axes[:DIMENSIONS].T
    pressed /= np.linalg.norm(pressed, axis=1, keepdims=True) + 1e-9
    hits = [(row, of[word]) for row, word in enumerate(known.words) if word in of]
    for row, at in hits:
        vectors[row] = pressed[at]
    # a bucket starts as the mean of the words that hash into it
    spread = Vocabulary([], known.buckets).spread([known.words[row] for row, _ in hits])
    shared = spread.T @ pressed[[at for _, at in hits]]
    norm = np.linalg.norm(shared, axis=1, keepdims=True) + 1e-9
    vectors[len(known.words) :] = 0.5 * shared / norm
    vectors[: len(known.words)] *= rarity[:, None]
    print(len(hits), "of", len(known.words), "words have a first vector")
    return vectors


def teacher(texts: list[str], vectors: Any, known: Vocabulary, sampled: int) -> Teacher:
    numbers: dict[str, int] = {}
    rows = [
        [numbers.setdefault(p, len(numbers)) for w in split_words(t) for p in split_tokens(w)]
        for t in texts
    ]
    found = counts(*stack(rows), known.spread(list(numbers)))
    vectors = vectors.astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    nearest = []
    for at in range(0, len(texts), 1000):
        alike = vectors[at : at + 1000] @ vectors.T
        nearest.append(np.argpartition(-alike, 9, axis=1)[:, :9])
    return Teacher(found, vectors, np.concatenate(nearest), sampled)


def imitation(model: Model, told: Teacher, draw: np.random.Generator) -> torch.Tensor:
    """Returns the distillation loss: squared differences of similarities to the teacher's."""
    some = draw.choice(len(told.vectors), told.sampled, replace=False)
    some = np.unique(told.nearest[some].ravel())
    mine = model.ask(told.found[some])
    theirs = torch.from_numpy(told.vectors[some])
    off = (mine @ mine.T - theirs @ theirs.T).fill_diagonal_(0)
    return (off * off).sum() / len(some)


class Draw(NamedTuple):
    """Composition of batches: `group` pairs of a repository in blocks of `block` neighbours."""

    size: int
    group: int
    block: int


def batches(repo: Any, usable: Any, how: Draw, draw: np.random.Generator) -> Iterator[Any]:
    """Yields batches from few repositories, with neighbouring pairs of a file together."""
    own = [usable[repo[usable] == one] for one in np.unique(repo[usable])]
    while True:
        groups = []
        for pairs in own:
            cuts = np.arange(int(draw.integers(how.block)), len(pairs), how.block)
            runs = [run for run in np.split(pairs, cuts) if len(run)]
            mixed = np.concatenate([runs[at] for at in draw.permutation(len(runs))])
            last = max(1, len(pairs) - how.group // 2)
            groups += [mixed[at : at + how.group] for at in range(0, last, how.group)]
        batch: list[Any] = []
        for at in draw.permutation(len(groups)):
            batch.append(groups[at])
            if sum(map(len, batch)) >= how.size:
                yield np.concatenate(batch)[: how.size]
                batch = []


def synonym_rows(path: str, known: Vocabulary) -> tuple[Any, Any]:
    """Returns the synonyms of each row as a flat array, and the offsets."""
    synonyms = pickle.loads(Path(path).read_bytes())
    of = {word: at for at, word in enumerate(known.words)}
    lists = []
    for word in known.words:
        bases = [
            word,
            *(word[: -len(end)] for end in ("s", "es", "ed", "ing") if word.endswith(end)),
        ]
        bases += [word[:-1]] if word.endswith("ed") else []
        bases += [word[:-3] + "e"] if word.endswith("ing") else []
        found = next((synonyms[base] for base in bases if base in synonyms), [])
        lists.append([of[one] for one in found if one in of])
    return stack([*lists, *([[]] * known.buckets)])


def swapped(found: sp.csr_matrix, flat: Any, starts: Any, share: float, draw: Any) -> sp.csr_matrix:
    """Replaces a share of the queries' words by synonyms."""
    have = np.diff(starts)
    picked = np.flatnonzero((draw.random(found.nnz) < share) & (have[found.indices] > 0))
    rows = found.indices[picked]
    found.indices[picked] = flat[starts[rows] + (draw.random(len(rows)) * have[rows]).astype(int)]
    found.sum_duplicates()
    return found


def hidden(found: sp.csr_matrix, marked: sp.csr_matrix, draw: Any) -> sp.csr_matrix:
    """Removes most of the marked rows, which occur in the queries, from the documents."""
    marks = marked.copy()
    marks.data[:] = draw.random(marks.nnz) < 0.85
    marks.eliminate_zeros()
    left = sp.csr_matrix(found - found.multiply(marks))
    left.eliminate_zeros()
    return left


def dropped(found: sp.csr_matrix, share: float, draw: Any) -> sp.csr_matrix:
    found.data *= draw.random(found.nnz) > share
    return found


def of_rows(found: sp.csr_matrix, kept: Any) -> sp.csr_matrix:
    """Sets the counts of the texts to zero where `kept` is zero."""
    found.data *= np.repeat(kept, np.diff(found.indptr))
    return found


def info_nce(asked: torch.Tensor, told: torch.Tensor, keys: Any, heat: float) -> torch.Tensor:
    """Returns the InfoNCE loss in both directions: query to document and document to query."""
    alike = asked @ told.T / heat
    # equal queries: neither document is a negative
    same = torch.from_numpy(keys[:, None] == keys[None, :]).fill_diagonal_(False)
    alike = alike.masked_fill(same, -1e4)
    right = torch.arange(len(asked))
    return 0.65 * fn.cross_entropy(alike, right) + 0.35 * fn.cross_entropy(alike.T, right)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("numbers")
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
        data = dict(np.load(args.numbers))
        left = np.isin(
            data["kind"], np.flatnonzero(np.isin(data["kinds"], args.without.split(",")))
        )
        asked, _, told = (np.diff(data[f"{field}_starts"]) for field in FIELDS)
        self.args, self.draw = args, draw
        self.usable = np.flatnonzero(~held(data) & ~left & (asked >= 1) & (told >= 3))
        self.known = vocabulary(data, ~held(data), args.words, args.buckets)
        spread = self.known.spread([str(part) for part in data["parts"]])
        self.fields = {f: counts(data[f], data[f"{f}_starts"], spread) for f in FIELDS}
        starts = data["question_starts"]
        self.keys = np.array([
            hash(data["question"][a:b].tobytes()) for a, b in pairwise(starts)
        ])  # fmt: skip
        self.synonyms = synonym_rows(args.synonyms, self.known) if args.synonyms else None
        self.openings = _openings(self.known)
        how = Draw(args.batch, args.group, args.block)
        self.taken = batches(data["repo"], self.usable, how, draw)

    def rarity(self) -> npt.NDArray[np.float32]:
        """Returns the inverse document frequency of each word, divided by the mean: (words,)."""
        some = self.draw.choice(self.usable, min(len(self.usable), 100_000), replace=False)
        seen = np.bincount(self.fields["body"][some].indices, minlength=self.known.rows)
        seen = np.maximum(1, seen[: len(self.known.words)])
        rarity = np.maximum(np.log(len(some) / seen), 0.05).astype(np.float32)
        return np.asarray(rarity / rarity.mean())

    def batch(self) -> tuple[sp.csr_matrix, sp.csr_matrix, sp.csr_matrix, Any]:
        """Returns queries, names, bodies, and the hashes that identify equal queries."""
        args, draw, at = self.args, self.draw, next(self.taken)
        question, name, body = (self.fields[field][at] for field in FIELDS)
        if self.synonyms:
            question = swapped(question, *self.synonyms, args.swapped, draw)
        if args.hidden:
            marked = of_rows(question.copy(), draw.random(len(at)) < args.hidden)
            marked.eliminate_zeros()
            name, body = (hidden(one, marked, draw) for one in (name, body))
        if args.opened:
            some = self.openings[draw.integers(self.openings.shape[0], size=len(at))]
            question = sp.csr_matrix(question + of_rows(some, draw.random(len(at)) < args.opened))
        name = of_rows(name, draw.random(len(at)) > args.name_dropped)
        return question, name, dropped(body, args.dropped, draw), self.keys[at]


def teachers(args: argparse.Namespace, known: Vocabulary) -> list[tuple[float, Teacher]]:
    """Returns the teachers of the distillation loss with their weights."""
    found = []
    if args.word_imitation:
        names, vectors = word_vectors(args.tables)
        of = {name: at for at, name in enumerate(names)}
        some = [word for word in known.words if word in of and len(word) > 2][:14000]
        shown = teacher(some, vectors[[of[word] for word in some]], known, 40)
        found.append((args.word_imitation, shown))
    if args.texts:
        file = np.load(args.texts)
        shown = teacher([str(text) for text in file["texts"]], file["vectors"], known, 48)
        found.append((args.imitation, shown))
    return found


def trained(model: Model, corpus: Corpus, shown: list[tuple[float, Teacher]]) -> None:
    args = corpus.args
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer = torch.optim.Adam(model.parameters(), args.rate, (0.9, 0.99), args.firm, fused=True)
    began, losses = time.monotonic(), list[float]()
    for step in range(args.steps):
        rate = args.rate * min(1, (step + 1) / 50) * (1 - step / args.steps)
        optimizer.param_groups[0]["lr"] = rate
        question, name, body, keys = corpus.batch()
        told = model.document(name, body)
        loss = info_nce(model.ask(question), told, keys, args.temperature)
        losses.append(float(loss.detach()))
        for weight, one in shown:
            loss = loss + weight * imitation(model, one, corpus.draw)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        if step % 50 == 49:
            spent = f"{time.monotonic() - began:.0f} s ({time.process_time():.0f} s of one core)"
            share = float(model.share.exp().detach())
            print(f"{step + 1} {spent} {np.mean(losses[-50:]):.3f} {share:.3f}", flush=True)


def main() -> None:
    args = arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    corpus = Corpus(args, np.random.default_rng(args.seed))
    known = corpus.known
    first = begun(known, args.tables, corpus.rarity(), args.seed)
    model = Model(first.copy(), args.name_share)
    print(len(corpus.usable), "pairs", known.rows, "rows", flush=True)
    trained(model, corpus, teachers(args, known))
    weights = {name: one.detach().numpy() for name, one in model.state_dict().items()}
    vectors = weights["vectors"] + args.back * (first - weights["vectors"])
    np.savez(
        args.out, vectors=vectors, share=np.exp(weights["share"]),
        question=np.exp(weights["question"]), name=np.exp(weights["name"]),
        words=np.array(known.words), buckets=known.buckets, arguments=str(vars(args)),
    )  # fmt: skip


def _openings(known: Vocabulary) -> sp.csr_matrix:
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(p, len(numbers)) for p in text.split()] for text in _OPENINGS]
    return counts(*stack(rows), known.spread(list(numbers)))


if __name__ == "__main__":
    main()
