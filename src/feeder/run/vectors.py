"""What a run does to the vectors: those of new texts in, those of nodes that are gone out."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from feeder.embed.blending import blended
from feeder.nodes import Node, embedding_input, node_ids, text_sha
from feeder.run.feed import Feed, Semantics, Texts, Work, parsed_files
from feeder.run.report import Step
from feeder.run.sharing import is_own
from feeder.store import NodeVector, Value, vector_lines
from feeder.store.rows import batched
from feeder.store.settling import VectorProgress
from feeder.store.state import IndexState
from feeder.store.vector_lines import NO_DESCRIPTION, DescriptionText
from feeder.tree import Entry

BATCH_VECTORS = 1000
"""Vectors after which their files are clean: what a run that dies embeds again, cache aside."""
OUTBOX_PIECE = 100
"""Vectors that are removed before a run asks whether it may go on: what Vectorize takes at once."""


class Text(NamedTuple):
    """A node on its way to its vector, with the line on it."""

    path: str
    id: str
    node: Node
    ends_file: bool
    line: DescriptionText = NO_DESCRIPTION

    @property
    def bodies(self) -> list[str]:
        """What is embedded of it: its text, and its line where it has one."""
        text = embedding_input(self.path, self.node)
        return [text, self.line.text] if self.line.text else [text]


def send_vectors(feed: Feed, work: Work, wanted: dict[str, Texts]) -> VectorProgress:
    """Makes and keeps the vectors of these texts and of the files that waited.

    What is settled by that, and the index does not say yet.
    """
    if not feed.semantics:
        return VectorProgress()
    blobs = {entry.path: entry.blob for entry in work.waiting}
    waiting = {path: Texts.of(blobs[path], ids) for path, ids in feed.index.node_ids(blobs)}
    wanted = wanted | waiting
    entries = [*work.process, *work.waiting]
    clean = [entry.path for entry in entries if entry.path not in wanted]
    entries = [entry for entry in entries if entry.path in wanted]
    return _send(feed, feed.semantics, entries, wanted, VectorProgress(clean))


def send_stale(feed: Feed) -> VectorProgress:
    """The same of what lacks a vector by now, or has one of another line than its own.

    A file that has changed since it was indexed is another run's.
    """
    if not feed.semantics:
        return VectorProgress()
    found = vector_lines.stale_model_vectors(feed.index.database, feed.index.repo)
    wanted = {file.path: Texts.of(file.blob, file.ids) for file in found}
    entries = [entry for entry in feed.tree.entries() if _is_wanted(feed, entry, wanted)]
    wanted = {entry.path: wanted[entry.path] for entry in entries}
    return _send(feed, feed.semantics, entries, wanted, VectorProgress())


def _is_wanted(feed: Feed, entry: Entry, wanted: Mapping[str, Texts]) -> bool:
    is_there = entry.path in wanted and wanted[entry.path].blob == entry.blob
    return is_there and not entry.skip and is_own(feed, entry.path)


def _send(
    feed: Feed,
    semantics: Semantics,
    entries: Sequence[Entry],
    wanted: Mapping[str, Texts],
    settled: VectorProgress,
) -> VectorProgress:
    total = sum(texts.size for texts in wanted.values())
    texts = _with_lines(feed, _texts(feed, entries, wanted))
    if feed.budget.is_set:
        texts = _affordable(feed, semantics, texts, total)
    with feed.talk.step("vectors", total) as step:
        for number, batch in enumerate(batched(texts, BATCH_VECTORS)):
            vectors = _embedded(feed, semantics, batch, step)
            if number:
                feed.index.record_vectors(settled)
                settled = VectorProgress()
            semantics.vectors.upsert(vectors, feed.index.fencing_token)
            settled.clean_paths += [text.path for text in batch if text.ends_file]
            if feed.index.has_descriptions:
                settled.description_shas |= {text.id: text.line.sha for text in batch}
    return settled


def _affordable(
    feed: Feed, semantics: Semantics, texts: Iterable[Text], total: int
) -> Iterator[Text]:
    """Of these `total` texts those of one file after the other, as the budget allows whole files.

    The rest is counted as waiting.
    """
    seen: set[str] = set()
    new = semantics.embedder.embedded
    for _, group in groupby(texts, key=lambda text: text.path):
        file = list(group)
        shas = {text_sha(body) for text in file for body in text.bodies} - seen
        new += semantics.embedder.missing(shas)
        unsent = new - semantics.embedder.embedded
        # besides the embeddings: an upsert, and the note of it
        if not feed.budget.allows(2, unsent, new):
            break
        seen |= shas
        total -= len(file)
        yield from file
    if feed.budget.stopped:
        feed.report.texts_waiting += total


def _with_lines(feed: Feed, texts: Iterable[Text]) -> Iterator[Text]:
    """The same, each with its line of now; a request for every 1,000."""
    if not feed.index.has_descriptions:
        yield from texts
        return
    for some in batched(texts, BATCH_VECTORS):
        lines = vector_lines.descriptions_of(feed.index.database, [text.id for text in some])
        yield from (text._replace(line=lines.get(text.id, NO_DESCRIPTION)) for text in some)


def _texts(feed: Feed, entries: Sequence[Entry], wanted: Mapping[str, Texts]) -> Iterator[Text]:
    """The wanted nodes of each file, which is parsed once more.

    A file of which not all are there is parsed anew by the next run: it has changed meanwhile, or
    one of the two times its parser was stopped.
    """
    for entry, parsed in parsed_files(feed, entries):
        due = wanted[entry.path].ids
        ids = node_ids(feed.index.repo, entry.path, parsed.nodes)
        found = [(id_, node) for id_, node in zip(ids, parsed.nodes, strict=True) if id_ in due]
        if entry.blob != wanted[entry.path].blob or len(found) < len(due):
            feed.report.texts_waiting += len(due)
            feed.index.invalidate_files([entry.path])
            continue
        for position, (id_, node) in enumerate(found, start=1):
            yield Text(entry.path, id_, node, ends_file=position == len(found))


def _embedded(
    feed: Feed, semantics: Semantics, texts: Sequence[Text], step: Step
) -> list[NodeVector]:
    vectors: list[NodeVector] = []
    for part in batched(texts, semantics.embedder.batch):
        bodies = [text.bodies for text in part]
        values = iter(semantics.embedder.embed([body for some in bodies for body in some]))
        for text, (body, *lines) in zip(part, bodies, strict=True):
            value = next(values)
            value = blended(value, next(values)) if lines else value
            vectors.append(NodeVector(text.id, text_sha(body), value, _metadata(feed, text)))
        feed.report.texts_embedded = semantics.embedder.embedded
        feed.report.texts_cached = semantics.embedder.hits
        step(len(part))
    return vectors


def clear_outbox(
    feed: Feed, state: IndexState, wanted: dict[str, Texts], gone: Collection[str]
) -> list[str]:
    """Removes the vectors of nodes that are gone; the ids that may leave the outbox."""
    leaving = {*state.outbox, *gone}
    for texts in wanted.values() if leaving else ():
        leaving -= texts.ids  # they have come back
    if not feed.semantics or not leaving:
        return []
    removed = _removed(feed, feed.semantics, sorted(leaving))
    # a write of the run that this one overtook may still arrive: the next run deletes once more
    late = feed.semantics.vectors.has_late_writes and feed.index.has_superseded(state, feed.token)
    return [] if late else removed


def _removed(feed: Feed, semantics: Semantics, ids: list[str]) -> list[str]:
    """Those of the vectors that the budget allowed to remove."""
    removed: list[str] = []
    for piece in batched(ids, OUTBOX_PIECE):
        if not feed.budget.allows(1):
            break
        semantics.vectors.delete(piece, feed.index.fencing_token)
        removed += piece
    return removed


def _metadata(feed: Feed, text: Text) -> dict[str, Value]:
    """What a search of the vectors alone wants to know of a node."""
    facts = {
        "repo": feed.index.repo,
        "branch": feed.index.branch,
        "sha_head": feed.tree.commit,
        "path": text.path,
        **text.node._asdict(),
    }
    left_out = {"text", "members"}
    return {
        name: value for name, value in facts.items() if name not in left_out and value is not None
    }
