"""Builds the SQL condition of a query's filters: repositories, paths, tests, languages, node
types, symbols and words.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from typing import NamedTuple

from feeder.errors import UserError
from feeder.store import Value
from feeder.text import normalize_symbol

# of the path with a slash before it; `*` crosses folders, so these find a folder of that name too
TEST_PATH_GLOBS = (
    *("*/test/*", "*/tests/*", "*/spec/*", "*/specs/*", "*/__tests__/*", "*/__test__/*"),
    *("*/Test/*", "*/Tests/*", "*[a-z]Test/*", "*[a-z]Tests/*", "*[._-][Tt]ests/*"),
    *("*/test_*.py", "*/test[_-]*.[jt]s", "*/test_*.rb", "*/test_*.R", "*/test.*", "*/tests.*"),
    *("*/conftest.py", "*[_.-]test.*", "*[_.-]tests.*", "*[_.-]spec.*", "*.bats"),
    *("*[a-z0-9]Test.[a-z]*", "*[a-z0-9]Tests.[a-z]*", "*[a-z0-9]Spec.[a-z]*"),
    "*/Test[A-Z]*.java",
)
"""Globs as SQLite's GLOB and Python's fnmatchcase read them, of at most 50 bytes for D1.

Each has `test`, `spec` or `.bats` in it, in any case of letters.
"""


_TEST_PATH_PATTERN = re.compile("|".join(map(translate, TEST_PATH_GLOBS)))


def is_test_path(path: str) -> bool:
    """Whether a file is a test, or lies among them."""
    return _TEST_PATH_PATTERN.match(f"/{path}") is not None


# ?2 repositories; ?3 places and ?4 those left out: from where on and up to where their paths are in
# order, and a folder with a glob in it; ?5 whether tests are asked for. A path that is a test's has
# one of three words in it, which spares the rest of them the globs
_MATCHES_PATH = """
f.path >= p.first AND f.path < coalesce(p.last, x'') AND (p.glob IS NULL
  OR substr(f.path, 1, length(p.folder)) = p.folder AND (
    substr(f.path, length(p.folder) + 1) GLOB p.glob
    OR substr(f.path, length(p.folder) + 1) GLOB p.glob || '/*'))
"""

_PATH_COLUMNS = (
    "SELECT value->>0 AS first, value->>1 AS last, value->>2 AS folder, value->>3 AS glob"
)

FILES_IN_SCOPE = f"""
WITH asked(repo) AS MATERIALIZED (
  SELECT value FROM json_each(?2) UNION ALL SELECT DISTINCT repo FROM files WHERE ?2 IS NULL
), place AS MATERIALIZED ({_PATH_COLUMNS} FROM json_each(coalesce(?3, '[["", null, null, null]]'))
), apart AS MATERIALIZED ({_PATH_COLUMNS} FROM json_each(?4)
), test AS MATERIALIZED (SELECT value AS glob FROM json_each('{json.dumps(TEST_PATH_GLOBS)}'))
SELECT f.path FROM asked a CROSS JOIN place p CROSS JOIN files f
ON f.repo = a.repo AND {_MATCHES_PATH}
WHERE NOT EXISTS (SELECT 1 FROM apart p WHERE {_MATCHES_PATH})
AND (?5 IS NULL OR ?5 = (
  (instr(lower(f.path), 'test') OR instr(lower(f.path), 'spec') OR instr(f.path, '.bats'))
  AND EXISTS (SELECT 1 FROM test t WHERE '/' || f.path GLOB t.glob)
))
"""

# ?6 languages and ?7 those left out, ?8 types and ?9 those left out; ?10 and ?12 what is there and
# what is not as FTS5 queries; ?13 ids; ?11 names by their last parts, as `.cart.add`, as a glob
# where it is one, as an owner's and its member's
_MATCHES_NODE = """
(?2 IS NULL OR d.repo IN (SELECT value FROM json_each(?2)))
AND (?6 IS NULL OR d.language IN (SELECT value FROM json_each(?6)))
AND (?7 IS NULL OR coalesce(d.language, '') NOT IN (SELECT value FROM json_each(?7)))
AND (?8 IS NULL OR d.node_type IN (SELECT value FROM json_each(?8)))
AND (?9 IS NULL OR d.node_type NOT IN (SELECT value FROM json_each(?9)))
AND (?10 IS NULL OR d.seq IN (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?10))
AND (?12 IS NULL OR d.seq NOT IN (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?12))
AND (?13 IS NULL OR d.id IN (SELECT value FROM json_each(?13)))
AND (?11 IS NULL OR EXISTS (
  SELECT 1 FROM (
    SELECT lower('.' || replace(coalesce(d.symbol, d.logical_path, ''), ' > ', '.')) AS name
  ) CROSS JOIN json_each(?11) j
  WHERE substr(name, -length(j.value->>0)) = lower(j.value->>0)
  OR name GLOB lower(j.value->>1)
  OR instr(lower(d.members), lower(j.value->>3))
    AND (j.value->>2 = '' OR substr(name, -length(j.value->>2)) = lower(j.value->>2))
))
"""

IN_SCOPE = f"(coalesce(?3, ?4, ?5) IS NULL OR d.path IN ({FILES_IN_SCOPE})) AND {_MATCHES_NODE}"
"""Whether the node `d` is in the scope whose `params` are ?2 to ?13."""

COLUMN_IN_SCOPE = f"SELECT {{column}} FROM docs d NOT INDEXED WHERE {IN_SCOPE}"
"""A column of the nodes in it, by the table: many rows in the order of an index take three times as
long."""

COLUMN_IN_PATHS = f"""
SELECT {{column}} FROM json_each(?2) r CROSS JOIN json_each(?3) j CROSS JOIN docs d
ON d.repo = r.value AND d.path >= j.value->>0 AND d.path < coalesce(j.value->>1, x'')
WHERE (coalesce(?4, ?5) IS NULL OR d.path IN ({FILES_IN_SCOPE})) AND {_MATCHES_NODE}
"""
"""The same where the scope `is_listed`, by the index; one that lies in two places twice."""

ANY_FILE = f"SELECT 1 FROM ({FILES_IN_SCOPE}) LIMIT 1"
"""Whether there is a file, be it of no nodes, at the places of that scope."""

IS_UNRESTRICTED = """
SELECT coalesce(?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) IS NULL AND (?2 IS NULL OR
  json_array_length(?2) = 1
  AND (SELECT min(repo) FROM docs) = ?2->>0 AND (SELECT max(repo) FROM docs) = ?2->>0)
"""
"""Whether every node is in that scope."""


_GLOB_PATTERN = re.compile(r"(?P<before>(?:[^*?\[/]*/)*)(?P<glob>[^*?\[/]*[*?\[].*)", re.DOTALL)

_WORD_CHARACTER = re.compile(r"[^\W_]")

_GLOB_CHARACTERS = re.compile(r"[*?\[]")

_GLOB_PART_NOTE = " from its first folder with *, ? or [ on"

# D1 allows patterns of 50 bytes, and `/*` is put behind one, `*.` before the other
MAX_GLOB_BYTES = 48

_FIRST_CHARACTER, _LAST_CHARACTER, _BEFORE_SURROGATES, _AFTER_SURROGATES = (
    "\x01",
    "\U0010ffff",
    "\ud7ff",
    "\ue000",
)


class Scope(NamedTuple):
    """Where a search looks; what is empty narrows nothing, and `repos` are all where None.

    A path is a file or folder by its name, or a glob whose `*` crosses folders. A symbol is a name
    or the last parts of one, in any case of letters, or with `*`. `tests` are yes, no or only.
    `with_words` and `without_words` are FTS5's queries; `ids` are those of nodes, None for all.
    """

    repos: tuple[str, ...] | None
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    not_languages: tuple[str, ...] = ()
    node_types: tuple[str, ...] = ()
    not_node_types: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    tests: str | None = None
    with_words: str | None = None
    without_words: str | None = None
    ids: tuple[str, ...] | None = None

    @classmethod
    def of_repo(
        cls,
        repo: str,
        path: str | None = None,
        language: str | None = None,
        node_type: str | None = None,
    ) -> "Scope":
        """That of one repository, and of one thing a kind."""
        paths = (path,) if path else ()
        languages, types = (language,) if language else (), (node_type,) if node_type else ()
        return cls((repo,), paths, languages=languages, node_types=types)

    @property
    def path_patterns(self) -> list["PathPattern"]:
        """Where its paths are; none where they may be anywhere."""
        places = [PathPattern(path.rstrip("/")) for path in self.paths]
        return places if all(place.pattern for place in places) else []

    @property
    def has_literal_paths_only(self) -> bool:
        """Whether its repositories and places are all known by their names."""
        are_known = self.repos is not None and bool(self.path_patterns)
        return are_known and not any(place.is_glob for place in self.path_patterns)


class PathPattern(NamedTuple):
    """A file or folder by its name without slashes at its end, or a glob."""

    pattern: str

    @property
    def literal_prefix(self) -> str:
        """What all its paths begin with."""
        return _GLOB_CHARACTERS.split(self.pattern, maxsplit=1)[0]

    @property
    def is_glob(self) -> bool:
        """Whether it may have more than one file or folder."""
        return self.literal_prefix != self.pattern

    def range_rows(self) -> Iterator[list[str | None]]:
        """How `IN_SCOPE` reads it; raises UserError for a glob that is too long.

        What looks like a glob may be a file's or folder's very name.
        """
        if not self.pattern:
            yield ["", None, None, None]
            return
        yield [self.pattern, f"{self.pattern}{_FIRST_CHARACTER}", None, None]
        yield [f"{self.pattern}/", prefix_end(f"{self.pattern}/"), None, None]
        if parts := _GLOB_PATTERN.fullmatch(self.pattern):
            _check_length(parts["glob"], f"The path {self.pattern}", _GLOB_PART_NOTE)
            yield [self.literal_prefix, prefix_end(self.literal_prefix), *parts.groups()]


def scope_params(scope: Scope) -> tuple[Value, ...]:
    """What `IN_SCOPE` wants to know; raises UserError for a glob that is too long."""
    names = list(map(normalize_symbol, scope.symbols))
    return (
        None if scope.repos is None else json.dumps(scope.repos),
        _json_list(row for place in scope.path_patterns for row in place.range_rows()),
        _json_list(
            row for path in scope.not_paths for row in PathPattern(path.rstrip("/")).range_rows()
        ),
        {"only": 1, "no": 0}.get(scope.tests or ""),
        _json_list(scope.languages),
        _json_list(scope.not_languages),
        _json_list(scope.node_types),
        _json_list(scope.not_node_types),
        " AND ".join(filter(None, [_symbol_query(names), scope.with_words])) or None,
        _json_list(map(_symbol_row, names)),
        scope.without_words,
        None if scope.ids is None else json.dumps(scope.ids),
    )


def _json_list(values: Iterable[str | Sequence[str | None]]) -> str | None:
    """As JSON; None where nothing is asked for."""
    values = list(values)
    return json.dumps(values) if values else None


def _symbol_query(names: Iterable[str]) -> str | None:
    """FTS5's query for nodes that may be called so; None where one has no word to look up."""
    phrases = []
    for name in names:
        owner, _, member = name.rpartition(".")
        before, glob, _ = name.partition("*")
        if not _WORD_CHARACTER.search(before):
            return None
        whole = _fts_phrase(before) + (" *" if glob and _WORD_CHARACTER.match(before[-1]) else "")
        named = (
            [f"{_fts_phrase(owner)} AND {_fts_phrase(member)}"]
            if _WORD_CHARACTER.search(owner)
            else []
        )
        phrases += [whole, *named]
    return f"(symbol : ({' OR '.join(f'({one})' for one in phrases)}))" if phrases else None


def _fts_phrase(text: str) -> str:
    """As FTS5 reads a phrase."""
    return '"' + text.replace('"', '""') + '"'


def _symbol_row(name: str) -> list[str | None]:
    """How `IN_SCOPE` compares it: its last parts, a glob of them, an owner's and a member's."""
    if "*" in name:
        glob = name.replace("[", "[[]")
        _check_length(glob, f"The symbol {name}", "")
        return [None, f"*.{glob}", None, None]
    owner, _, member = name.rpartition(".")
    return [f".{name}", None, f".{owner}" if owner else "", f" {member}:"]


def _check_length(glob: str, subject: str, location: str) -> None:
    if (count := len(glob.encode())) > MAX_GLOB_BYTES:
        raise UserError(
            f"{subject} has {count} bytes{location}, and a glob may have {MAX_GLOB_BYTES}. "
            "Shorten it."
        )


def prefix_end(prefix: str) -> str | None:
    """The text that follows, by the bytes of UTF-8, on all that begin so; None where none does.

    Bytes of UTF-8 order texts as their code points do.
    """
    stem = prefix.rstrip(_LAST_CHARACTER)
    if not stem:
        return None
    follower = _AFTER_SURROGATES if stem[-1] == _BEFORE_SURROGATES else chr(ord(stem[-1]) + 1)
    return stem[:-1] + follower
