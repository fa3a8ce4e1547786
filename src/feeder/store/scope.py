"""The filters of a query, and the parameters with which `scope_sql` compares nodes with them.

Repositories, paths, tests, languages, node types, symbols, words and ids.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from functools import cache, lru_cache
from typing import NamedTuple

from feeder.errors import UserError
from feeder.store import Value, fts_query
from feeder.text import normalize_symbol, unicode_forms

TEST_PATH_GLOBS = (
    *("*/test/*", "*/tests/*", "*/spec/*", "*/specs/*", "*/__tests__/*", "*/__test__/*"),
    *("*/Test/*", "*/Tests/*", "*[a-z]Test/*", "*[a-z]Tests/*", "*[._-][Tt]ests/*"),
    *("*/test_*.py", "*/test[_-]*.[jt]s", "*/test_*.rb", "*/test_*.R", "*/test.*", "*/tests.*"),
    *("*/conftest.py", "*[_.-]test.*", "*[_.-]tests.*", "*[_.-]spec.*", "*.bats"),
    *("*[a-z0-9]Test.[a-z]*", "*[a-z0-9]Tests.[a-z]*", "*[a-z0-9]Spec.[a-z]*"),
    *("*/Test[A-Z]*.java", "*/testdata/*", "*/__snapshots__/*", "*.snap"),
    "*/regress/*",
)
"""Globs of tests and of their data, matched against the path with a slash before it.

SQLite's GLOB and Python's fnmatchcase read them alike; `*` crosses folders. Each has at most 50
bytes for D1, and contains `test` or `spec`, in any case of letters, `.bats`, `.snap`, `__snap` or
`regress/`.
"""

TEST_PATH_STEMS = "test", "spec", "testdata", "conftest", "bat", "snap", "snapshot", "regress"
"""Stems of words of which the path of each test has one."""


@cache
def _test_path_pattern() -> re.Pattern[str]:
    return re.compile("|".join(map(translate, TEST_PATH_GLOBS)))


@lru_cache(maxsize=2**16)  # each search asks it for all of its results
def is_test_path(path: str) -> bool:
    """Tells whether a file is a test, in a folder of tests or data of tests."""
    return _test_path_pattern().match(f"/{path}") is not None


_GLOB_PATTERN = re.compile(r"(?P<before>(?:[^*?\[/]*/)*)(?P<glob>[^*?\[/]*[*?\[].*)", re.DOTALL)

_WORD_CHARACTER = re.compile(r"[^\W_]")

_GLOB_CHARACTERS = re.compile(r"[*?\[]")

_GLOB_OR_CLASS = re.compile(r"\[\^?\]?[^\]]*\]|[*?\[]")

_ASCII_SEPARATORS = r"\x00-/:-@\[-`{-\x7f"
"""Characters that end a word for FTS5, as a part of a character class."""
_UNTIL_SEPARATOR = re.compile(rf"^[^{_ASCII_SEPARATORS}]*")
_AFTER_SEPARATOR = re.compile(rf"[^{_ASCII_SEPARATORS}]*\Z")

_GLOB_PART_NOTE = " from its first folder with *, ? or [ on"

MAX_GLOB_BYTES = 48
"""D1 allows patterns of 50 bytes; `/*` is appended to a path, `*.` put before a symbol."""

_FIRST_CHARACTER, _LAST_CHARACTER, _BEFORE_SURROGATES, _AFTER_SURROGATES = (
    "\x01",
    "\U0010ffff",
    "\ud7ff",
    "\ue000",
)


class Scope(NamedTuple):
    """Filters of a search; an empty one does not restrict, and `repos` is None for all.

    A path is the name of a file or folder, or a glob whose `*` crosses folders. A symbol is a name
    or its last parts, case-insensitive, or has a `*`. `tests` is yes, no or only. `with_words` and
    `without_words` are FTS5 queries; `ids` are node ids, None for all.
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
        """Returns the scope of one repository, with at most one filter of each kind."""
        paths = (path,) if path else ()
        languages, types = (language,) if language else (), (node_type,) if node_type else ()
        return cls((repo,), paths, languages=languages, node_types=types)

    @property
    def has_filters(self) -> bool:
        """True if it restricts more than the repositories."""
        return any(value is not None for value in scope_params(self)[1:])

    @property
    def path_patterns(self) -> list["PathPattern"]:
        """The patterns of `paths`; empty if one of them matches everything."""
        patterns = [PathPattern(path.rstrip("/")) for path in self.paths]
        return patterns if all(pattern.pattern for pattern in patterns) else []

    @property
    def path_words(self) -> str | None:
        """An FTS5 query that every node at the paths has; None if a path has no words.

        It also finds nodes elsewhere whose paths contain the words of a path in their order.
        """
        phrases = [pattern.literal_phrases for pattern in self.path_patterns]
        if not phrases or not all(phrases):
            return None
        queries = (" AND ".join(map(fts_query.phrase, own)) for own in phrases)
        return f"path : ({' OR '.join(f'({query})' for query in queries)})"

    def narrowed(self, expression: str) -> tuple[str, "Scope"]:
        """Returns an FTS5 query limited to the words of the paths and without the excluded words,
        and the filters that it leaves to the scope.

        D1 bills a row that FTS5 returns and the scope then refuses, and the list of excluded words'
        nodes for each statement.
        """
        if self.path_words:
            expression = f"({expression}) AND {self.path_words}"
        if self.without_words is None:
            return expression, self
        query = f"({expression}) NOT ({self.without_words})"
        return query, self._replace(without_words=None)

    @property
    def has_literal_paths_only(self) -> bool:
        """True if repositories and paths are given, without a glob."""
        are_given = self.repos is not None and bool(self.path_patterns)
        return are_given and not any(pattern.is_glob for pattern in self.path_patterns)


class PathPattern(NamedTuple):
    """The name of a file or folder without trailing slashes, or a glob."""

    pattern: str

    @property
    def literal_prefix(self) -> str:
        """The prefix of all matching paths."""
        return _GLOB_CHARACTERS.split(self.pattern, maxsplit=1)[0]

    @property
    def literal_phrases(self) -> list[str]:
        """The parts of the pattern whose words each matching path has next to each other; empty if
        there are none.

        Of `src/*Test.java` they are `src/` and `.java`: a word next to a wildcard may be only a
        part of the path's word, so it is left out.
        """
        first, *others = _GLOB_OR_CLASS.split(self.pattern.removeprefix("*/"))
        if not others:
            parts = [first]
        else:
            *inner, last = (_UNTIL_SEPARATOR.sub("", part) for part in others)
            parts = [*(_AFTER_SEPARATOR.sub("", part) for part in (first, *inner)), last]
        return [part for part in parts if _WORD_CHARACTER.search(part) and "\0" not in part]

    @property
    def is_glob(self) -> bool:
        """True if it may match more than one file or folder."""
        return self.literal_prefix != self.pattern

    def range_rows(self) -> Iterator[list[str | None]]:
        """Yields path ranges with a glob or an ending, as `IN_SCOPE` reads them.

        A pattern with glob characters may also be a literal name. Raises UserError for a glob that
        is too long; `*/PATH` is compared by its end, so its length does not count.
        """
        if not self.pattern:
            yield ["", None, None, None]
            return
        if self.pattern.startswith("*/") and not _GLOB_CHARACTERS.search(self.pattern, 1):
            yield ["", None, None, None, self.pattern[1:]]
            return
        yield [self.pattern, f"{self.pattern}{_FIRST_CHARACTER}", None, None]
        yield [f"{self.pattern}/", prefix_end(f"{self.pattern}/"), None, None]
        if parts := _GLOB_PATTERN.fullmatch(self.pattern):
            _check_length(parts["glob"], f"The path {self.pattern}", _GLOB_PART_NOTE)
            yield [self.literal_prefix, prefix_end(self.literal_prefix), *parts.groups()]


def scope_params(scope: Scope) -> tuple[Value, ...]:
    """Returns the parameters of `IN_SCOPE`; raises UserError for a glob that is too long."""
    names = [name for symbol in scope.symbols for name in unicode_forms(normalize_symbol(symbol))]
    return (
        None if scope.repos is None else json.dumps(scope.repos),
        _json_list(row for pattern in scope.path_patterns for row in pattern.range_rows()),
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
    """Returns the values as JSON; None if there are none."""
    values = list(values)
    return json.dumps(values) if values else None


def _symbol_query(names: Iterable[str]) -> str | None:
    """Returns an FTS5 query for candidates of the symbols; None if a name has no word to search
    for.
    """
    phrases = []
    for name in names:
        owner, _, member = name.rpartition(".")
        before, glob, _ = name.partition("*")
        if not _WORD_CHARACTER.search(before):
            return None
        is_prefix = glob and _WORD_CHARACTER.match(before[-1])
        phrases.append(fts_query.prefix(before) if is_prefix else fts_query.phrase(before))
        if _WORD_CHARACTER.search(owner):
            phrases.append(fts_query.all_of([owner, member]))
    return f"(symbol : ({' OR '.join(f'({phrase})' for phrase in phrases)}))" if phrases else None


def _symbol_row(name: str) -> list[str | None]:
    """Returns the comparisons of `IN_SCOPE`: suffix, glob, owner and member."""
    if "*" in name:
        glob = name.replace("[", "[[]")
        _check_length(glob, f"The symbol {name}", "")
        return [None, f"*.{glob}", None, None]
    owner, _, member = name.rpartition(".")
    return [f".{name}", None, f".{owner}" if owner else "", f" {member}:"]


def _check_length(glob: str, subject: str, location: str) -> None:
    if (count := len(glob.encode())) > MAX_GLOB_BYTES:
        raise UserError(
            f"{subject} has {count} bytes{location}, but a glob may have at most {MAX_GLOB_BYTES}.",
            "Shorten it.",
        )


def prefix_end(prefix: str) -> str | None:
    """Returns the first text after all that begin with the prefix, by UTF-8 bytes; None if there is
    none.

    UTF-8 bytes and code points have the same order.
    """
    stem = prefix.rstrip(_LAST_CHARACTER)
    if not stem:
        return None
    successor = _AFTER_SURROGATES if stem[-1] == _BEFORE_SURROGATES else chr(ord(stem[-1]) + 1)
    return stem[:-1] + successor
