"""State of the index as a run reads it, and the vector progress that a run records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from feeder.store import Row, Statement, sql
from feeder.store.description_vectors import record_description_statements
from feeder.store.rows import json_pages

STATIC_MODEL_PREFIX = "feeder-static-"
"""So begin the names of models whose vectors come with the words."""


class FileRow(NamedTuple):
    """A file as the index holds it: `clean`, `pending` (vectors to come) or `skipped`.

    Whether its parser was `stopped` is 0 or 1.
    """

    path: str
    blob: str
    state: str
    reason: str | None
    stopped: int = 0


class UnchangedFiles(NamedTuple):
    """The files of an index that is as expected: how many are indexed, and those with a reason."""

    indexed: int = 0
    reasons: Mapping[str, FileRow] = {}


class IndexState(NamedTuple):
    """What the index says of itself; `files` is None when all that was expected of it is met."""

    meta: dict[str, str]
    files: dict[str, FileRow] | None
    outbox: dict[str, str]
    """The path of each node that is gone and whose vector may not be, by id."""
    unchanged: UnchangedFiles = UnchangedFiles()
    """Where `files` is None."""


class Sharding(NamedTuple):
    """What a run does of a work that several do at once, as `meta` knows it.

    `own` is the key that says that this one has done its part, `whole` what the keys of all say
    when the work is done.
    """

    own_key: str
    all_keys: Mapping[str, str]


UNSHARDED = Sharding("", {})


class NodeChanges(NamedTuple):
    """What a write really changed, as node ids: `new` ones have no vector of their text yet."""

    added: set[str]
    removed: set[str]


def meta_from_rows(rows: Iterable[Row]) -> dict[str, str]:
    """What the rows of `meta` say."""
    return {str(key): str(value) for key, value in rows}


def files_from_rows(rows: Iterable[Row]) -> dict[str, FileRow]:
    """What the rows of `files` say, by path."""
    return {str(row[0]): FileRow(*row) for row in rows}  # type: ignore[arg-type]  # as selected


def outbox_from_rows(rows: Iterable[Row]) -> dict[str, str]:
    """What the rows of `outbox` say: paths by id."""
    return {str(id_): str(path) for id_, path in rows}


def static_model_name(parser_identity: str) -> str:
    """The model whose vectors come with the words, of what `meta` says of the parser; else ""."""
    return next(
        (word for word in parser_identity.split() if word.startswith(STATIC_MODEL_PREFIX)), ""
    )


MODEL_VECTORS_KEY, STATIC_VECTORS_KEY = "vectors", "lined"
"""In `meta`, of a repository: no vector beside the words lacks, nor is of another line than its
node's; and none of those with the words is."""


@dataclass
class VectorProgress:
    """What a run notes of vectors: the files at the paths `clean` have theirs, and the ids `sent`
    have left. `lines` says by id of which line each is, by the line's hash."""

    clean_paths: list[str] = field(default_factory=list)
    deleted_ids: list[str] = field(default_factory=list)
    description_shas: dict[str, str] = field(default_factory=dict)


def progress_statements(repo: str, progress: VectorProgress) -> list[Statement]:
    """What notes it of a repository."""
    return [
        *record_description_statements(repo, progress.description_shas.items()),
        *(Statement(sql.MARK_CLEAN, (repo, page)) for page in json_pages(progress.clean_paths)),
        *(Statement(sql.DELETE_FROM_OUTBOX, (page,)) for page in json_pages(progress.deleted_ids)),
    ]
