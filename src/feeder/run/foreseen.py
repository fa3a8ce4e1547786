"""What would a run write and embed? As it would do it, but only reading."""

from collections.abc import Collection, Iterator

from feeder.nodes import embedding_input, text_sha
from feeder.run.feed import Feed, Work, count_file, indexed
from feeder.store import vector_lines
from feeder.store.rows import IndexedFile, node_keys
from feeder.store.state import IndexState


def foresee(feed: Feed, state: IndexState, work: Work) -> None:
    """Counts into the report what `write_words` and `send_vectors` would do; only reads."""
    known = feed.index.node_keys([*(entry.path for entry in work.process), *work.gone])
    to_embed: list[tuple[str, int]] = []
    gone = set(known)
    for file in indexed(feed, work.process):
        new = {id_ for id_, key in node_keys(file) if known.get(id_) != key}
        to_embed += _sizes(file, file.ids if file.path in work.unvectored else new)
        gone.difference_update(file.ids)
        count_file(feed.report, file, new)
    feed.report.nodes_deleted = len(gone)
    if not feed.semantics:
        feed.report.texts_waiting = len(to_embed) if "model" in state.meta else 0
        return
    for file in indexed(feed, work.waiting):
        to_embed += _sizes(file, file.ids)
    if feed.index.has_descriptions:
        to_embed += _stale(feed, work)
    feed.report.texts_embedded = feed.semantics.embedder.plan(dict(to_embed))
    feed.report.texts_cached = len(to_embed) - feed.report.texts_embedded


def _stale(feed: Feed, work: Work) -> Iterator[tuple[str, int]]:
    """The same of vectors that are of another line than their node's; of texts and of lines.

    What has no line yet is not among them.
    """
    database = feed.index.database
    due = {
        file.path: set(file.ids)
        for file in vector_lines.stale_model_vectors(database, feed.index.repo)
    }
    entries = [entry for entry in work.unchanged if entry.path in due]
    for file in indexed(feed, entries):
        yield from _sizes(file, due[file.path])
        lines = vector_lines.descriptions_of(database, due[file.path])
        yield from ((text_sha(line.text), len(line.text.encode())) for line in lines.values())


def _sizes(file: IndexedFile, due: Collection[str]) -> Iterator[tuple[str, int]]:
    """The `text_sha` and the bytes of what is to be embedded of a file."""
    for id_, sha, node in zip(file.ids, file.text_shas, file.nodes, strict=True):
        if id_ in due:
            yield sha, len(embedding_input(file.path, node).encode(errors="replace"))
