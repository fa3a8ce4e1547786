"""Reads what an index contains: repositories, files, documents and their statistics."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from feeder.errors import UserError
from feeder.escaping import size_of
from feeder.notes import sync_command, unparsed_text
from feeder.store import Database, Statement, sql, stored_descriptions
from feeder.store.batch import Batch, read, read_number, read_texts
from feeder.store.index_counts import (
    count_statements,
    counts_by_kind,
    counts_from_json,
    counts_from_rows,
    known_counts,
)
from feeder.store.index_state import meta_from_rows, static_model_name
from feeder.store.scope import Scope, scope_params
from feeder.store.scope_sql import FILES_IN_SCOPE, IN_SCOPE
from feeder.suggestions import unknown_name_error

# steps from the first key of a repository to the first one after it: other keys are not read
REPOSITORIES = """
WITH RECURSIVE place(key) AS (
  SELECT min(key) FROM meta
  UNION ALL SELECT (SELECT min(m.key) FROM meta m WHERE m.key > iif(
    EXISTS (SELECT 1 FROM meta r WHERE r.key = substr(p.key, 1, instr(p.key, ':')) || 'run'),
    substr(p.key, 1, instr(p.key, ':') - 1) || ';', p.key))
  FROM place p WHERE p.key IS NOT NULL
)
SELECT DISTINCT substr(m.key, 1, length(m.key) - 4) AS repo FROM place p CROSS JOIN meta m
ON m.key = iif(p.key LIKE '%:run', p.key, substr(p.key, 1, instr(p.key, ':')) || 'run')
ORDER BY repo
"""

BLOBS_OF_FILES = """
SELECT f.path, f.blob FROM json_each(?2) j CROSS JOIN files f ON f.repo = ?1 AND f.path = j.value
"""


def indexed_repositories(database: Database) -> list[str]:
    """Returns the names of all indexed repositories."""
    return read_texts(database, Statement(REPOSITORIES))


def resolve_repository(name: str, existing: Sequence[str]) -> str:
    """Returns the repository of exactly this name, else the only one that ends with `/` and it.

    Raises UserError if several do, or, with the nearest names, if none does.
    """
    matches = matching_repositories(name, existing)
    if len(matches) > 1:
        raise UserError(
            f"The name {name} matches several repositories: {', '.join(matches)}.",
            "Use a full name.",
        )
    if not matches:
        raise unknown_name_error("repository", name, existing)
    return matches[0]


class MissingRepository(NamedTuple):
    """Says that the index does not have a repository; `problem` and `remedy` are sentences."""

    problem: str
    remedy: str


def missing_repository(database: Database, name: str) -> MissingRepository | None:
    """Returns None if the index has the repository, also one without files."""
    existing = indexed_repositories(database)
    if name in existing:
        return None
    others = f" It has {', '.join(existing)}; choose one with --repo." if existing else ""
    problem = f"The index has no repository '{name}'."
    return MissingRepository(problem, f"Add it: feeder sync.{others}")


def matching_repositories(name: str, existing: Sequence[str]) -> list[str]:
    """Returns the repository of exactly this name, else all that end with `/` and it."""
    return [name] if name in existing else [repo for repo in existing if repo.endswith(f"/{name}")]


# starts from the files, because there are ten times as many nodes
_DOCUMENT_COUNT = f"""
WITH extension(value) AS MATERIALIZED (SELECT '.' || value FROM json_each(?1))
SELECT count(*) FROM files f WHERE f.repo = ?14 AND f.state <> 'skipped'
AND (lower(substr(f.path, -4)) IN (SELECT value FROM extension)
  OR lower(substr(f.path, -5)) IN (SELECT value FROM extension)
  OR lower(substr(f.path, -6)) IN (SELECT value FROM extension))
AND EXISTS (SELECT 1 FROM docs d WHERE d.repo = f.repo AND d.path = f.path AND {IN_SCOPE})
"""


def count_documents(database: Database, scope: Scope, repo: str, extensions: Iterable[str]) -> int:
    """Counts a repository's files in the scope with these extensions, of three to five letters."""
    params = json.dumps(sorted(extensions)), *scope_params(scope), repo
    return read_number(database, Statement(_DOCUMENT_COUNT, params))


_INDEX_SIZE = "SELECT count(*), CAST(total(nodes) AS INTEGER) FROM files WHERE nodes > 0"


class IndexSize(NamedTuple):
    """Numbers of files with nodes and of nodes, of all repositories of a database."""

    files: int = 0
    nodes: int = 0


def index_size(database: Database) -> IndexSize:
    """Counts the files and nodes from the manifest, which has a row for each file."""
    [size] = read(database, IndexSize, Statement(_INDEX_SIZE))
    return size


@dataclass
class Statistics:
    """The contents of the index for a repository; counts by state, type and language.

    `texts` has the `rows` of stored source and their `bytes`, compressed; `descriptions` the number
    of described nodes, by model; `unparsed` the `files` with lines that their grammar does not
    know, and these `lines`.
    """

    repo: str
    meta: dict[str, str]
    files: dict[str, int]
    node_types: dict[str, int]
    languages: dict[str, int]
    skipped: dict[str, int]
    texts: dict[str, int]
    descriptions: dict[str, int]
    unparsed: dict[str, int]

    @property
    def models(self) -> list[str]:
        """The models whose vectors the index has: the static model, and another one."""
        models = static_model_name(self.meta.get("parser", "")), self.meta.get("model", "")
        return [model for model in models if model]

    @property
    def dimensions(self) -> int:
        """Stored dimensions: nodes times dimensions of the model."""
        return sum(self.node_types.values()) * int(self.meta.get("dimensions", 0))

    @property
    def is_unfinished(self) -> bool:
        """True after an interrupted run: some files already have the contents of a later commit."""
        return "tree" not in self.meta and self.meta.get("run") != self.meta.get("done")

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def _indexed_state(self) -> str:
        """What was indexed, after the repository's name: " at 2f1c…", ", no commit yet"."""
        head = self.meta.get("head")
        if head is None:
            return ", no sync has finished" if self.is_unfinished else ", files indexed one by one"
        if not head:
            return ", no commit yet"
        return f", working tree on {head}" if self.meta.get("working") else f" at {head}"

    def lines(self) -> Iterator[str]:
        """Formats the statistics for a terminal."""
        below = self.meta.get("below", "")
        yield f"{self.repo}{self._indexed_state()}{f', folder {below} only' if below else ''}"
        if self.is_unfinished and "head" in self.meta:
            yield (
                "A later update has not finished, so some files are newer. To continue: "
                f"{sync_command(below)}"
            )
        yield f"model: {' and '.join(self.models) or 'none, words only'}"
        for name, label in (
            ("files", "files"),
            ("node_types", "nodes by type"),
            ("languages", "nodes by language"),
            ("skipped", "skipped"),
        ):
            counts: dict[str, int] = getattr(self, name)
            # a reason is a phrase, before which a number reads wrongly: `60 a symbolic link`
            form, between = ("{1}: {0}", "; ") if name == "skipped" else ("{0} {1}", ", ")
            parts = between.join(form.format(count, kind) for kind, count in counts.items())
            yield f"{label}: {sum(counts.values())} ({parts or 'none'})"
        if self.unparsed["files"]:
            yield unparsed_text(self.unparsed["files"], self.unparsed["lines"])
        if self.texts["rows"]:
            size = f"{size_of(self.texts['bytes'])} compressed"
            yield f"texts: {self.texts['rows']:,} rows, {size}"
        for model, nodes in self.descriptions.items():
            yield f"descriptions: {nodes:,} nodes, by {model}"


def statistics(database: Database, repo: str) -> Statistics:
    """Returns the counts of the last run; while one is unfinished, counts every node and file.

    One request, and another one if all is counted.
    """
    batch = Batch()
    meta_read = batch.add(Statement(sql.READ_META, (json.dumps([repo]),)))
    described = batch.add(Statement(stored_descriptions.COUNTS_BY_MODEL, (repo,)))
    batch.run(database)
    meta = meta_from_rows(meta_read.rows)
    recorded = known_counts(meta, repo)
    counts = (
        counts_from_json(recorded)
        if recorded
        else counts_from_rows(database.run(count_statements(repo)))
    )
    own = {key.removeprefix(f"{repo}:"): value for key, value in meta.items()}
    in_rows, in_bytes = counts.texts
    files, lines = counts.unparsed
    return Statistics(
        repo,
        own,
        counts.files,
        counts.node_types,
        counts.languages,
        counts.skipped,
        {"rows": in_rows, "bytes": in_bytes},
        counts_by_kind(described.rows),
        {"files": files, "lines": lines},
    )


# of the folder ?2, all for an empty one, the paths after ?3
_IN_FOLDER = """path > max(?3, iif(?2 = '', '', ?2 || '/'))
  AND path < iif(?2 = '', char(1114111), ?2 || '0')"""

# at most ?4 paths, which are the only rows read
FILES_BELOW = f"""
SELECT path FROM files WHERE repo = ?1 AND state <> 'skipped' AND path = ?2 AND path > ?3
UNION ALL SELECT path FROM files WHERE repo = ?1 AND state <> 'skipped' AND {_IN_FOLDER}
ORDER BY path LIMIT ?4
"""

# at most ?4 files, which are the only rows read
FILE_OVERVIEW = f"""
SELECT path, language, lines, nodes, state, reason FROM files
WHERE repo = ?1 AND {_IN_FOLDER} ORDER BY path LIMIT ?4
"""

NO_LIMIT = -1
"""A limit of rows that SQLite takes for none."""

# ?2 are paths, ?3 endings of paths; without ?3 only the rows of ?2 are read
SKIPPED_FILES = """
SELECT path, reason FROM files
WHERE repo = ?1 AND state = 'skipped' AND path IN (SELECT value FROM json_each(?2))
UNION SELECT f.path, f.reason FROM json_each(?3) j CROSS JOIN files f
WHERE f.repo = ?1 AND f.state = 'skipped' AND substr(f.path, -length(j.value)) = j.value
"""


FILE_AT = "SELECT path FROM files WHERE repo = ?1 AND path = ?2 AND state <> 'skipped'"


def files_at(database: Database, repo: str, path: str) -> list[str]:
    """Returns the path if the index has a file there."""
    return read_texts(database, Statement(FILE_AT, (repo, path)))


FILES_NAMED = """
SELECT path FROM files
WHERE repo = ?1 AND state <> 'skipped' AND substr(path, -length(?2) - 1) = '/' || ?2
LIMIT 2
"""


def files_named(database: Database, repo: str, path: str) -> list[str]:
    """Returns the files in any folder whose path ends with this name or path, at most two."""
    return read_texts(database, Statement(FILES_NAMED, (repo, path)))


FILES_WITH_CODE = """
SELECT j.value FROM json_each(?2) j WHERE EXISTS (
  SELECT 1 FROM docs d
  WHERE d.repo = ?1 AND d.path = j.value AND d.node_type IN ('method', 'class')
)
"""


def files_with_code(database: Database, repo: str, paths: Sequence[str]) -> set[str]:
    """Returns those of the files that have a class, a method or a function."""
    return set(read_texts(database, Statement(FILES_WITH_CODE, (repo, json.dumps(paths)))))


METHODS_OF_FILES = """
SELECT d.path, d.node_type, d.symbol, d.signature FROM json_each(?2) j CROSS JOIN docs d
WHERE d.repo = ?1 AND d.path = j.value AND d.node_type = 'method'
"""


class Method(NamedTuple):
    """A method or function of a file."""

    path: str
    node_type: str
    symbol: str | None
    signature: str | None


def methods_of_files(database: Database, repo: str, paths: Sequence[str]) -> list[Method]:
    """Returns the methods and functions of the files."""
    return read(database, Method, Statement(METHODS_OF_FILES, (repo, json.dumps(paths))))


def files_below(database: Database, repo: str, folder: str) -> list[str]:
    """Returns the paths at or below a file or folder; of the whole repository if it is empty.

    Skipped files, such as names that may contain secrets, are left out.
    """
    return read_texts(database, Statement(FILES_BELOW, (repo, folder, "", NO_LIMIT)))


class FileSummary(NamedTuple):
    """A file: language and last line of its nodes, their number, and state with its reason."""

    path: str
    language: str | None
    lines: int | None
    nodes: int
    state: str
    reason: str | None


def file_summaries(
    database: Database, repo: str, folder: str = "", after: str = "", limit: int = NO_LIMIT
) -> list[FileSummary]:
    """Returns the files of the manifest in a folder, skipped ones too, that follow the path `after`
    in the order of paths.
    """
    return read(database, FileSummary, Statement(FILE_OVERVIEW, (repo, folder, after, limit)))


def skipped_files(
    database: Database, repo: str, paths: Iterable[str], endings: Iterable[str]
) -> dict[str, str]:
    """Returns the skip reasons, by path, of the files at `paths` or whose paths end with one of
    `endings`.
    """
    params = repo, json.dumps(list(paths)), json.dumps(list(endings))
    [rows] = database.run([Statement(SKIPPED_FILES, params)])
    return {str(path): str(reason) for path, reason in rows}


_ALL_SKIPPED = """SELECT path, reason FROM files
WHERE repo = ? AND state = 'skipped' ORDER BY reason, path"""


def all_skipped_files(database: Database, repo: str) -> list[tuple[str, str]]:
    """Returns the path and the reason of each file that is not indexed, by reason; one request."""
    [rows] = database.run([Statement(_ALL_SKIPPED, (repo,))])
    return [(str(path), str(reason)) for path, reason in rows]


_BLOBS_BY_PATH = (
    "SELECT path, blob FROM files WHERE repo = ? AND path IN (SELECT value FROM json_each(?))"
)


def blobs_by_path(database: Database, repo: str, paths: Iterable[str]) -> dict[str, str]:
    """Returns git's blob ids of the indexed contents, by path; one request."""
    [rows] = database.run([Statement(_BLOBS_BY_PATH, (repo, json.dumps(list(paths))))])
    return {str(path): str(blob) for path, blob in rows}


_FILES_AT_PATHS = f"""
SELECT f.path, f.blob, f.state, f.reason
FROM json_each(?1) j CROSS JOIN files f ON f.repo = ?14 AND f.path = j.value
WHERE coalesce(?3, ?4, ?5) IS NULL OR f.path IN ({FILES_IN_SCOPE})
"""


class FileEntry(NamedTuple):
    """A file of the manifest: the blob id of its contents, and its state with the reason."""

    path: str
    blob: str
    state: str
    reason: str | None


def files_in_scope(
    database: Database, scope: Scope, repo: str, paths: Iterable[str]
) -> dict[str, FileEntry]:
    """Returns those of a repository's files, skipped ones too, that match the scope's filters of
    paths and tests; by path, one request.
    """
    params = json.dumps(list(paths)), *scope_params(scope), repo
    entries = read(database, FileEntry, Statement(_FILES_AT_PATHS, params))
    return {entry.path: entry for entry in entries}


def file_blobs(database: Database, repo: str, paths: Sequence[str]) -> dict[str, str]:
    """Returns the blob ids of indexed files by path."""
    [rows] = database.run([Statement(BLOBS_OF_FILES, (repo, json.dumps(paths)))])
    return {str(path): str(blob) for path, blob in rows}
