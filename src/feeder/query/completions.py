"""Completes the last word of a query that is being typed: values of a filter, symbols and files.

Only values that the index has are offered. Reads by name and by path; nothing is ranked.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from feeder.bigrams import has_run
from feeder.corpus.corpus import Corpus
from feeder.query import vocabulary
from feeder.query.query import CHOICE_FILTERS
from feeder.query.vocabulary import category_languages, repository_categories
from feeder.store import Database, Statement, fts_query
from feeder.store.batch import read, read_texts
from feeder.store.index_counts import COUNTS_BY_COLUMN
from feeder.store.scope import is_test_path

MAX_COMPLETIONS = 8
MAX_SYMBOLS = 5
"""Symbols for a word, few enough to leave space for files."""
MIN_LETTERS = 3
"""Fewer letters begin too many names."""
MAX_READ_SYMBOLS = 50
"""Nodes that are read for symbols, of which several nodes may have the same."""
MAX_PATHS = 5_000
"""Paths with the typed part that are read."""

_FILTER = re.compile(r"(-?(\w+):)(.*)", re.DOTALL)
_NAME = re.compile(r"[^\W\d][\w.]*")
_COLUMNS = {"lang": "language", "language": "language", "type": "node_type"}
_PATHS = f"""
SELECT path FROM files WHERE repo = ?1 AND nodes > 0 AND instr(lower(path), ?2)
ORDER BY instr(lower(path), ?2), path LIMIT {MAX_PATHS}
"""
# ?1 trigrams of the last part of a symbol, or its words; ?3 its beginning, ?4 what is before,
# between dots
_SYMBOLS_BY_TRIGRAMS, _SYMBOLS_BY_WORDS = (
    f"""
SELECT symbol, path, start_line, end_line FROM (
  SELECT d.*, lower(substr(d.symbol,
    length(rtrim(d.symbol, replace(d.symbol, '.', ''))) + 1)) AS last
  FROM {index} f CROSS JOIN docs d ON d.seq = f.rowid
  WHERE {index} MATCH ?1 AND d.repo = ?2 AND instr('.' || lower(d.symbol), ?4)
) WHERE substr(last, 1, length(?3)) = ?3
ORDER BY length(last), node_type = 'class' DESC, end_line - start_line DESC, path
LIMIT {MAX_READ_SYMBOLS}
"""
    for index in ("names_fts", "docs_fts")
)


class Completion(NamedTuple):
    """A text for the last word of a query; `number` counts the nodes or files that have it.

    A symbol and a file have a place, which can be opened at once.
    """

    text: str
    kind: str
    number: int | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None

    def as_json(self) -> dict[str, Any]:
        """All fields."""
        return self._asdict()


class _ValueCount(NamedTuple):
    """A value of a column, and the number of nodes that have it."""

    value: str | None
    nodes: int


class _SymbolPlace(NamedTuple):
    """A symbol and the lines of its node."""

    name: str
    path: str
    start_line: int
    end_line: int


def complete(corpus: Corpus, query: str) -> list[Completion]:
    """Completions of the query's last word, the best first; none within quotes or after a space."""
    if query.count('"') % 2 or not query or query[-1].isspace():
        return []
    word = query.rsplit(maxsplit=1)[-1]
    match = _FILTER.fullmatch(word)
    completions = _filter_values(corpus, *match.groups()) if match else _names(corpus, word)
    return list(islice(completions, MAX_COMPLETIONS))


def _filter_values(corpus: Corpus, head: str, name: str, typed: str) -> Iterator[Completion]:
    if name in _COLUMNS:
        yield from _column_values(corpus, _COLUMNS[name], head, typed)
    elif name == "path":
        yield from _paths(corpus, head, typed)
    elif name == "symbol":
        for symbol in _symbols(corpus, typed, MAX_COMPLETIONS):
            yield symbol._replace(text=f"{head}{symbol.text}")
    else:
        choices = CHOICE_FILTERS.get(f"{name}:", ())
        if name in ("category", "tag"):
            own = repository_categories(corpus.base)
            choices = (*own, *category_languages(), vocabulary.TESTS)
        unique = dict.fromkeys(choice for choice in choices if choice.startswith(typed))
        yield from (Completion(f"{head}{choice}", "value") for choice in unique)


def _column_values(corpus: Corpus, column: str, head: str, typed: str) -> Iterator[Completion]:
    kind = {"node_type": "type"}.get(column, column)
    statement = Statement(COUNTS_BY_COLUMN.format(column, "docs"), (corpus.repo,))
    for value, count in read(corpus.database, _ValueCount, statement):
        if value is not None and value.startswith(typed.lower()):
            yield Completion(f"{head}{value}", kind, count)


def _paths(corpus: Corpus, head: str, typed: str) -> Iterator[Completion]:
    """Folders and files up to the end of the name that is being typed."""
    typed = typed.removeprefix("/")
    paths = _paths_with(corpus.database, corpus.repo, typed)
    counts = Counter(_until_next_slash(path, typed) for path in paths)
    order = sorted(counts.items(), key=lambda item: (*_distance(item[0], typed), -item[1], item[0]))
    for path, count in order:
        kind = "folder" if path.endswith("/") else "file"
        yield Completion(f"{head}{path.rstrip('/')}", kind, count if kind == "folder" else None)


def _until_next_slash(path: str, typed: str) -> str:
    """The part of a path up to the end of the folder or file in which the typed part ends."""
    end = path.find("/", path.lower().find(typed.lower()) + len(typed))
    return path if end < 0 else path[: end + 1]


def _distance(path: str, typed: str) -> tuple[int, int]:
    """0 where the path begins so, 1 where one of its names does, else 2; then its depth."""
    at = path.lower().find(typed.lower())
    is_name = at > 0 and path[at - 1] == "/"
    return 0 if at == 0 else 1 if is_name else 2, path.rstrip("/").count("/")


def _names(corpus: Corpus, typed: str) -> Iterator[Completion]:
    """Symbols with a word that begins so, and files whose name does."""
    symbols = _symbols(corpus, typed, MAX_SYMBOLS)
    yield from symbols
    if not _is_short(typed):
        paths = _paths_with(corpus.database, corpus.repo, typed)
        yield from (_file(path) for path in _named(paths, typed))


def _file(path: str) -> Completion:
    return Completion(path, "file", path=path, start_line=1, end_line=1)


def _named(paths: Iterable[str], typed: str) -> list[str]:
    named = [path for path in paths if path.lower().rpartition("/")[2].startswith(typed.lower())]
    return sorted(named, key=lambda path: (len(path.rpartition("/")[2]), len(path), path))


def _symbols(corpus: Corpus, typed: str, limit: int) -> Sequence[Completion]:
    """Symbols whose last part begins so, the shortest first, in tests last; each name once."""
    typed = typed.lower()
    owner, _, last = typed.rpartition(".")
    letters = last.replace("_", "")  # names_fts has none of them
    if not _NAME.fullmatch(typed) or _is_short(letters):
        return []
    sql, words = _SYMBOLS_BY_TRIGRAMS, fts_query.quoted(letters)
    if len(letters) < MIN_LETTERS:
        sql, words = _SYMBOLS_BY_WORDS, f"symbol : {fts_query.prefix(last)}"
    params = words, corpus.repo, last, f".{owner}." if owner else ""
    places: dict[str, _SymbolPlace] = {}
    symbols = read(corpus.database, _SymbolPlace, Statement(sql, params))
    for symbol in sorted(symbols, key=_symbol_order):
        places.setdefault(symbol.name, symbol)
    return [
        Completion(place.name, "symbol", None, place.path, place.start_line, place.end_line)
        for place in islice(places.values(), limit)
    ]


def _is_short(name: str) -> bool:
    """Tells whether too many names begin so; a Chinese character says more than a letter."""
    return len(name) < MIN_LETTERS and not has_run(name)


def _symbol_order(symbol: _SymbolPlace) -> tuple[int, bool]:
    return len(symbol.name.rpartition(".")[2]), is_test_path(symbol.path)


def _paths_with(database: Database, repo: str, part: str) -> list[str]:
    return read_texts(database, Statement(_PATHS, (repo, part.lower())))
