"""What a run does to the stores: words in and out, then vectors in and out."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, zip_longest
from typing import NamedTuple, TypeVar

from feeder.budget import Budget
from feeder.embed.cache import CachedEmbedder
from feeder.errors import TooLargeError
from feeder.event import Event
from feeder.nodes import HEADER_VERSION, Node, embedding_text, node_ids, text_sha
from feeder.parse import Parsed, Parser
from feeder.report import Report, Step, Talk
from feeder.shards import Shard
from feeder.store import NodeVector, Value, Vectors
from feeder.store.index import Changes, Index, State
from feeder.store.rows import IndexedFile
from feeder.tree import Entry, Tree

BATCH_NODES = 2000
BATCH_CHARS = 3_000_000
"""What one transaction takes: a few of D1's parameters, and a few seconds of its time."""
BATCH_GONE = 2000
"""Files that one transaction removes."""
BATCH_VECTORS = 1000
"""Vectors after which their files are clean: what a run that dies embeds again, cache aside."""
OUTBOX_PIECE = 100
"""Vectors that are removed before a run asks whether it may go on: what Vectorize takes at once."""


class Semantics(NamedTuple):
    """What makes vectors and what keeps them; they belong to one model."""

    embedder: CachedEmbedder
    vectors: Vectors

    def identity(self) -> dict[str, str]:
        """What `meta` keeps of the model: vectors of another one, or elsewhere, are made again."""
        place = {"index": self.vectors.index} if self.vectors.index else {}
        return {
            **place,
            "model": self.embedder.model,
            "dimensions": str(self.embedder.dimensions),
            "header": HEADER_VERSION,
        }


@dataclass
class Feed:
    """The seams of a run, and its account.

    `token` names the run; several that share it share the work, by `shard`. `event` is what it
    answers to in a workflow. With `force` an index may go back, and become another folder's.
    """

    tree: Tree
    parser: Parser
    index: Index
    semantics: Semantics | None
    report: Report
    talk: Talk
    token: str
    budget: Budget = field(default_factory=Budget)
    shard: Shard | None = None
    event: Event | None = None
    force: bool = False


class Work(NamedTuple):
    """What separates the index from the tree.

    `waiting` files are right but for their vectors; at the paths `unvectored` no node can be
    trusted to have one, whether or not it has changed.
    """

    process: list[Entry]
    gone: list[str]
    waiting: list[Entry]
    unchanged: list[Entry]
    unvectored: set[str]


class Text(NamedTuple):
    """A node on its way to its vector."""

    path: str
    id: str
    node: Node
    ends_file: bool


class Texts(NamedTuple):
    """The nodes of a file whose texts are to be embedded, and the blob that they are from."""

    blob: str
    ids: set[str]


def write_words(
    feed: Feed, state: State, work: Work, *, whole: bool
) -> tuple[dict[str, Texts], set[str]]:
    """Rows and postings of what has changed; the texts to embed by path, and the ids that went.

    Without a model texts are only counted: a first feed has as many as the repository has nodes.
    Where the budget ends it, `work` is cut down to what is done; `whole` goes through all of it.
    """
    written: set[str] = set()
    pending = bool(feed.semantics) or "model" in state.meta
    texts: dict[str, Texts] = {}
    gone: set[str] = set()
    batches = _batches(indexed(feed, work.process))
    with feed.talk.step("words", len(work.process)) as step:
        for files, paths in zip_longest(batches, _chunks(work.gone, BATCH_GONE), fillvalue=()):
            if not whole and not feed.budget.allows(1):
                _keep_only(work, written)
                break
            written.update(file.path for file in files)
            changes = _write(feed, files, paths, pending=pending)
            gone |= changes.gone
            for file in files:
                _count(feed.report, file, changes.new)
                unvectored = file.path in work.unvectored
                ids = set(file.ids) if unvectored else changes.new.intersection(file.ids)
                if ids and feed.semantics:
                    texts[file.path] = Texts(file.blob, ids)
                elif pending:
                    feed.report.texts_waiting += len(ids)
            step(len(files))
    feed.report.nodes_deleted = len(gone)
    return texts, gone


def _keep_only(work: Work, written: Collection[str]) -> None:
    work.process[:] = [entry for entry in work.process if entry.path in written]
    work.waiting.clear()


def _write(
    feed: Feed, files: Sequence[IndexedFile], gone: Sequence[str], *, pending: bool
) -> Changes:
    """One transaction, or smaller ones where the database wants that, down to a file's."""
    try:
        return feed.index.write(files, gone, feed.tree.commit, pending=pending)
    except TooLargeError:
        if len(files) + len(gone) < 2:
            raise
    some, others = len(files) // 2, (len(gone) + 1) // 2
    first = _write(feed, files[:some], gone[:others], pending=pending)
    second = _write(feed, files[some:], gone[others:], pending=pending)
    return Changes(first.new | second.new, first.gone | second.gone)


def _count(report: Report, file: IndexedFile, new: Collection[str]) -> None:
    report.files_processed += not file.skipped
    if file.reason:
        reasons = report.skipped if file.skipped else report.as_plain_text
        reasons[file.path] = file.reason
    if file.masked:
        report.secrets_masked[file.path] = file.masked
    types = [node.node_type for id_, node in zip(file.ids, file.nodes, strict=True) if id_ in new]
    report.nodes_by_type.update(types)
    report.nodes_new += len(types)


def indexed(feed: Feed, entries: Sequence[Entry]) -> Iterator[IndexedFile]:
    """The files as the index shall hold them, what is kept out first: it need not be read."""
    for entry in entries:
        if entry.skip:
            yield IndexedFile(entry.path, entry.blob, skipped=True, reason=entry.skip)
    for entry, parsed in _parsed(feed, [entry for entry in entries if not entry.skip]):
        skip = entry.skip or parsed.skip
        yield IndexedFile(
            entry.path,
            entry.blob,
            parsed.nodes,
            node_ids(feed.index.repo, entry.path, parsed.nodes),
            parsed.shas,
            parsed.compounds,
            skipped=skip is not None,
            reason=skip or parsed.reason,
            masked=parsed.masked,
        )


def _parsed(feed: Feed, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Parsed]]:
    """Each file with its nodes, as many in memory as the parser has under way."""
    under_way: deque[Entry] = deque()

    def contents() -> Iterator[tuple[str, bytes]]:
        for entry, content in feed.tree.read(entries):
            under_way.append(entry)
            yield entry.path, content

    for parsed in feed.parser.parse(contents()):
        yield under_way.popleft(), parsed


def _batches(files: Iterable[IndexedFile]) -> Iterator[list[IndexedFile]]:
    batch: list[IndexedFile] = []
    nodes = chars = 0
    for file in files:
        batch.append(file)
        nodes += len(file.nodes) + 1
        chars += sum(len(node.text) for node in file.nodes)
        if nodes >= BATCH_NODES or chars >= BATCH_CHARS:
            yield batch
            batch, nodes, chars = [], 0, 0
    if batch:
        yield batch


def send_vectors(feed: Feed, work: Work, wanted: dict[str, Texts]) -> list[str]:
    """Makes and keeps the vectors of these texts and of the files that waited.

    The paths of files that are clean by now, but for the note of it in the index.
    """
    if not feed.semantics:
        return []
    clean = [entry.path for entry in work.process if entry.path not in wanted]
    ids = feed.index.node_ids([entry.path for entry in work.waiting])
    clean += [entry.path for entry in work.waiting if entry.path not in ids]
    waiting = {e.path: Texts(e.blob, ids[e.path]) for e in work.waiting if e.path in ids}
    wanted = wanted | waiting
    entries = [entry for entry in (*work.process, *work.waiting) if entry.path in wanted]
    total = sum(len(texts.ids) for texts in wanted.values())
    texts = _texts(feed, entries, wanted)
    if feed.budget.is_set:
        texts = _affordable(feed, feed.semantics, texts, total)
    with feed.talk.step("vectors", total) as step:
        for number, batch in enumerate(_chunks(texts, BATCH_VECTORS)):
            vectors = _embedded(feed, feed.semantics, batch, step)
            if number:
                feed.index.settle(clean, [])
                clean = []
            feed.semantics.vectors.upsert(vectors, feed.index.permit)
            clean += [text.path for text in batch if text.ends_file]
    return clean


def _affordable(
    feed: Feed, semantics: Semantics, texts: Iterable[Text], total: int
) -> Iterator[Text]:
    """Of these `total` texts those of one file after the other, as the budget allows whole files.

    The rest is counted as waiting.
    """
    seen: set[str] = set()
    new = 0
    for _, group in groupby(texts, key=lambda text: text.path):
        file = list(group)
        shas = {text_sha(embedding_text(text.path, text.node)) for text in file} - seen
        new += semantics.embedder.missing(shas)
        unsent = new - semantics.embedder.embedded
        # besides the embeddings: an upsert, and the note of it
        if not feed.budget.allows(feed.budget.requests_for(unsent) + 2, new):
            break
        seen |= shas
        total -= len(file)
        yield from file
    if feed.budget.stopped:
        feed.report.texts_waiting += total


def _texts(feed: Feed, entries: Sequence[Entry], wanted: dict[str, Texts]) -> Iterator[Text]:
    """The wanted nodes of each file, which is parsed once more.

    A file of which not all are there is parsed anew by the next run: it has changed meanwhile, or
    one of the two times its parser was stopped.
    """
    for entry, parsed in _parsed(feed, entries):
        texts = wanted[entry.path]
        ids = node_ids(feed.index.repo, entry.path, parsed.nodes)
        found = [
            (id_, node) for id_, node in zip(ids, parsed.nodes, strict=True) if id_ in texts.ids
        ]
        if entry.blob != texts.blob or len(found) < len(texts.ids):
            feed.report.texts_waiting += len(texts.ids)
            feed.index.doubt([entry.path])
            continue
        for position, (id_, node) in enumerate(found, start=1):
            yield Text(entry.path, id_, node, ends_file=position == len(found))


def _embedded(
    feed: Feed, semantics: Semantics, texts: Sequence[Text], step: Step
) -> list[NodeVector]:
    vectors: list[NodeVector] = []
    for part in _chunks(texts, semantics.embedder.batch):
        bodies = [embedding_text(text.path, text.node) for text in part]
        values = semantics.embedder.embed(bodies)
        vectors += [
            NodeVector(text.id, text_sha(body), value, _metadata(feed, text))
            for text, body, value in zip(part, bodies, values, strict=True)
        ]
        feed.report.texts_embedded = semantics.embedder.embedded
        feed.report.texts_cached = semantics.embedder.hits
        step(len(part))
    return vectors


def clear_outbox(
    feed: Feed, state: State, wanted: dict[str, Texts], gone: Collection[str]
) -> list[str]:
    """Removes the vectors of nodes that are gone; the ids that may leave the outbox."""
    back = {id_ for texts in wanted.values() for id_ in texts.ids}
    leaving = sorted({*state.outbox, *gone} - back)
    if not feed.semantics or not leaving:
        return []
    leaving = _removed(feed, feed.semantics, leaving)
    # a write of the run that this one overtook may still arrive: the next run deletes once more
    late = feed.semantics.vectors.late_writes and feed.index.has_overtaken(state, feed.token)
    return [] if late else leaving


def _removed(feed: Feed, semantics: Semantics, ids: list[str]) -> list[str]:
    """Those of the vectors that the budget allowed to remove."""
    removed: list[str] = []
    for piece in _chunks(ids, OUTBOX_PIECE):
        if not feed.budget.allows(1):
            break
        semantics.vectors.delete(piece, feed.index.permit)
        removed += piece
    return removed


def foresee(feed: Feed, state: State, work: Work) -> None:
    """Counts into the report what `write_words` and `send_vectors` would do; only reads."""
    known = feed.index.node_texts([*(entry.path for entry in work.process), *work.gone])
    to_embed: list[str] = []
    gone = set(known)
    for file in indexed(feed, work.process):
        new = {
            id_: sha for id_, sha in zip(file.ids, file.shas, strict=True) if known.get(id_) != sha
        }
        to_embed += file.shas if file.path in work.unvectored else new.values()
        gone.difference_update(file.ids)
        _count(feed.report, file, new)
    feed.report.nodes_deleted = len(gone)
    if not feed.semantics:
        feed.report.texts_waiting = len(to_embed) if "model" in state.meta else 0
        return
    for file in indexed(feed, work.waiting):
        to_embed += file.shas
    feed.report.texts_embedded = feed.semantics.embedder.missing(to_embed)
    feed.report.texts_cached = len(to_embed) - feed.report.texts_embedded


def _metadata(feed: Feed, text: Text) -> dict[str, Value]:
    """What a search of the vectors alone wants to know of a node."""
    facts = {
        "repo": feed.index.repo,
        "branch": feed.index.branch,
        "sha_head": feed.tree.commit,
        "path": text.path,
        **text.node._asdict(),
    }
    return {name: value for name, value in facts.items() if name != "text" and value is not None}


Item = TypeVar("Item")


def _chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
