"""Finds the lines of indexed files whose secrets were masked."""

from collections.abc import Iterator
from typing import NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.file_contents import indexed_texts, snapshot_repositories
from feeder.parse.secrets import UNMASKED, mask_text
from feeder.store.inventory import blobs_by_path, files_below
from feeder.store.rows import batched

_BATCH_FILES = 200
"""Files whose contents are in memory at once."""


class MaskedLine(NamedTuple):
    """A line, counted from 1, in which at least one secret was masked."""

    path: str
    line: int


def masked_lines(corpus: Corpus) -> Iterator[MaskedLine]:
    """Yields the lines with a masked secret, by path; reads the contents of all indexed files.

    Contents that neither the files nor git have any more are left out. Of an index whose secrets
    are not masked there are none.
    """
    if UNMASKED in corpus.meta.get(f"{corpus.repo}:parser", "").split():
        return
    base, database = corpus.base, corpus.database
    snapshots = snapshot_repositories(database)
    for paths in batched(files_below(database, corpus.repo, ""), _BATCH_FILES):
        blobs = blobs_by_path(database, corpus.repo, paths)
        texts = indexed_texts(base, blobs, other_repositories=snapshots)
        for path in paths:
            for line in _masked_in(path, texts.get(path) or ""):
                yield MaskedLine(path, line)


def _masked_in(path: str, text: str) -> Iterator[int]:
    content = text.encode()
    masked = mask_text(path, content)
    if masked.secret_count:
        pairs = zip(content.split(b"\n"), masked.content.split(b"\n"), strict=True)
        yield from (number for number, (line, shown) in enumerate(pairs, 1) if line != shown)
