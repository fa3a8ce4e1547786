"""State of the index as a run reads it, and the vector progress that a run records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from feeder.nodes import STATIC_MODEL_PREFIX
from feeder.store import Row, Statement, sql
from feeder.store.description_vectors import record_description_statements
from feeder.store.rows import json_pages


class FileRow(NamedTuple):
    """A row of `files`; `state` is `clean`, `pending` or `skipped`.

    `stopped` is 1 if the parser was stopped by a limit. `parser` identifies the parser and static
    model by which the file was read; it is empty if the file was not read, and in rows of earlier
    versions, for which the parser in `meta` is valid. `unparsed` are the lines that the file's
    grammar could not parse, in the form of `line_ranges`; None without any.
    """

    path: str
    blob: str
    state: str
    reason: str | None
    stopped: int = 0
    parser: str = ""
    unparsed: str | None = None


class UnchangedFiles(NamedTuple):
    """Files of an index whose `meta` is as expected: the number of indexed ones, those with a
    reason or with unparsed lines.
    """

    indexed: int = 0
    reasons: Mapping[str, FileRow] = {}


class IndexState(NamedTuple):
    """The state of the index; `files` is None if `meta` is as expected."""

    meta: dict[str, str]
    files: dict[str, FileRow] | None
    outbox: dict[str, str]
    """Path of each deleted node whose vector may still exist, by id."""
    unchanged: UnchangedFiles = UnchangedFiles()
    """Set if `files` is None."""


class Sharding(NamedTuple):
    """A run's part of a sync that several runs share, as `meta` records it.

    `own_key` records that this run has completed its part, `all_keys` maps the keys of all to their
    values when all have.
    """

    own_key: str
    all_keys: Mapping[str, str]


UNSHARDED = Sharding("", {})


class NodeChanges(NamedTuple):
    """Ids of the nodes that a write really changed; `added` have no vector of their text yet."""

    added: set[str]
    removed: set[str]


def meta_from_rows(rows: Iterable[Row]) -> dict[str, str]:
    return {str(key): str(value) for key, value in rows}


def files_from_rows(rows: Iterable[Row]) -> dict[str, FileRow]:
    """Returns the files by path."""
    return {file.path: file for file in map(FileRow._make, rows)}


def outbox_from_rows(rows: Iterable[Row]) -> dict[str, str]:
    """Returns paths by node id."""
    return {str(id_): str(path) for id_, path in rows}


def static_model_name(parser_identity: str) -> str:
    """Returns the static model in `meta`'s parser identity; empty if there is none."""
    return next(
        (word for word in parser_identity.split() if word.startswith(STATIC_MODEL_PREFIX)), ""
    )


MODEL_VECTORS_KEY, STATIC_VECTORS_KEY = "vectors", "lined"
"""Keys of a repository in `meta` that say that all vectors are current.

The first covers model vectors: none is missing, and each contains its node's present description.
The second covers the descriptions in static vectors.
"""


@dataclass
class VectorProgress:
    """Vector changes that a run records.

    Files at `clean_paths` have all their vectors, vectors of `deleted_ids` are deleted, and
    `description_shas` tells the description in each vector by node id.
    """

    clean_paths: list[str] = field(default_factory=list)
    deleted_ids: list[str] = field(default_factory=list)
    description_shas: dict[str, str] = field(default_factory=dict)


def progress_statements(repo: str, progress: VectorProgress) -> list[Statement]:
    """Returns the statements that record the progress."""
    return [
        *record_description_statements(repo, progress.description_shas.items()),
        *(Statement(sql.MARK_CLEAN, (repo, page)) for page in json_pages(progress.clean_paths)),
        *(Statement(sql.DELETE_FROM_OUTBOX, (page,)) for page in json_pages(progress.deleted_ids)),
    ]
