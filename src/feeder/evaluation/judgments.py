"""Reads queries with their relevant targets (relevance judgments) from JSON Lines, and finds
targets that the index lacks.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from feeder.errors import UserError
from feeder.store import Database, Row, Statement, fts_query
from feeder.store.hits import Hit, hits_from_rows
from feeder.store.rows import decode_members
from feeder.text import normalize_symbol, symbol_ends_with

EXAMPLE = '{"query": "how is a cart emptied", "answers": ["src/cart.py"]}'


# what stands behind a path in short: `#Cart.add`, `:12` or `:12-40`
_SHORT = re.compile(r"(.+?)(?:#([^#/]+)|:([1-9][0-9]*)(?:-([1-9][0-9]*))?)?", re.DOTALL)

_KEYS = ("path", "start_line", "end_line", "symbol")


class RelevantTarget(NamedTuple):
    """A relevant file, lines of it, or a symbol in a file or anywhere.

    Lines are 1-based and inclusive. A symbol is a full name in the index or its last parts.
    """

    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    symbol: str | None = None

    def __str__(self) -> str:
        lines = f":{self.start_line}-{self.end_line}" if self.start_line else ""
        name = f"{'#' if self.path else ''}{self.symbol}" if self.symbol else ""
        return f"{self.path or ''}{lines}{name}"

    def is_matched_by(self, hit: Hit) -> bool:
        """Returns True if the hit is in the file and overlaps the lines or has the symbol."""
        if self.path and hit.path != self.path:
            return False
        if self.start_line and self.end_line:
            return hit.start_line <= self.end_line and hit.end_line >= self.start_line
        return not self.symbol or any(map(self._is_named, _names_of_hit(hit)))

    def _is_named(self, name: str) -> bool:
        return symbol_ends_with(normalize_symbol(name), normalize_symbol(self.symbol or ""))


class JudgedQuery(NamedTuple):
    """A query with its relevant targets, its group, and its line in the file."""

    line: int
    query: str
    targets: tuple[RelevantTarget, ...]
    group: str = ""


def parse_judgments(content: bytes, file: str) -> list[JudgedQuery]:
    """Parses a file of judged queries.

    Raises UserError with the line and what to change.
    """
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as exc:
        raise UserError(f"{file} is not UTF-8 ({exc}).", "Save it as UTF-8.") from exc
    queries = list(_parse_lines(lines, file))
    if not queries:
        raise UserError(
            f"{file} has no queries.", f"Write one JSON object per line, such as {EXAMPLE}"
        )
    return queries


def _parse_lines(lines: Iterable[str], file: str) -> Iterator[JudgedQuery]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield _parse_query(number, line)
            except ValueError as exc:
                raise UserError(f"{file}, line {number}: {exc}") from exc


def _parse_query(number: int, line: str) -> JudgedQuery:
    """Raises ValueError with what to change."""
    facts = _parse_object(line)
    query, group = facts.get("query"), facts.get("group")
    if not (isinstance(query, str) and query.strip()):
        raise ValueError('no query. Add it as text: "query": "…"')
    if not isinstance(group, str | None):
        raise ValueError(f"the group {group!r} is not text. Put it in quotes, or remove it.")
    answers = facts.get("answers")
    if not (isinstance(answers, list) and answers):
        raise ValueError('no answers. List the relevant targets: "answers": ["src/cart.py"]')
    targets = dict.fromkeys(_parse_target(target) for target in answers)
    return JudgedQuery(number, query, tuple(targets), group or "")


def _parse_object(line: str) -> dict[str, Any]:
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError) as exc:
        reason = (
            exc.msg + f" at column {exc.colno}" if isinstance(exc, json.JSONDecodeError) else exc
        )
        raise ValueError(f"not JSON ({reason}). Write one object per line: {EXAMPLE}") from exc
    if not isinstance(facts, dict):
        raise ValueError(f"not an object. Write one object per line: {EXAMPLE}")
    return facts


def _parse_target(value: object) -> RelevantTarget:
    if isinstance(value, dict):
        return _target_from_object(value)
    match = _SHORT.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise ValueError(
            f"{json.dumps(value)} is not a valid answer. Write it as "
            '"src/cart.py", "src/cart.py:12-40", "src/cart.py#Cart.add" or {"symbol": "Cart.add"}.'
        )
    path, symbol, start, end = match.groups()
    return _checked_target(path, start and int(start), (end or start) and int(end or start), symbol)


def _target_from_object(value: dict[str, Any]) -> RelevantTarget:
    if unknown := [key for key in value if key not in _KEYS]:
        raise ValueError(
            f"an answer has an unknown key {unknown[0]!r}. Its keys are {', '.join(_KEYS)}."
        )
    path, start, end, symbol = map(value.get, _KEYS)
    if any(not isinstance(text, str | None) or text == "" for text in (path, symbol)):
        raise ValueError(
            f"path and symbol in {json.dumps(value)} must be text. Correct them, or remove them."
        )
    if any(not isinstance(line, int | None) or isinstance(line, bool) for line in (start, end)):
        raise ValueError(f"the lines in {json.dumps(value)} are not whole numbers. Correct them.")
    return _checked_target(path, start, start if end is None else end, symbol)


def _checked_target(path: Any, start: Any, end: Any, symbol: Any) -> RelevantTarget:
    """Raises ValueError for lines that cannot exist and for a target without a name."""
    if not path and not symbol:
        raise ValueError("an answer names neither a path nor a symbol. Write one of them.")
    if end is not None:
        if start is None or not 1 <= start <= end:
            raise ValueError(
                f"lines {start} to {end} do not exist: the first line is 1. Correct them."
            )
        if not path or symbol:
            raise ValueError("lines need a path and no symbol. Remove the lines or the symbol.")
    return RelevantTarget(path and path.removeprefix("./"), start, end, symbol)


def _names_of_hit(hit: Hit) -> Iterator[str]:
    """The names of a node and of its members."""
    owner = hit.symbol or hit.logical_path or ""
    yield owner
    yield from (f"{owner}.{member.name}" for member in decode_members(hit.members))


# ?2 are paths with the lines from and to, or null
_MISSING_PLACES = """
SELECT j.key FROM json_each(?2) j WHERE NOT EXISTS (
  SELECT 1 FROM docs d WHERE d.repo = ?1 AND d.path = j.value ->> 0
  AND d.end_line >= coalesce(j.value ->> 1, 0)
  AND d.start_line <= coalesce(j.value ->> 2, d.start_line))
"""

_COLUMNS = ", ".join(f"d.{name}" for name in Hit._fields[:-1])

_NODES_NAMED = f"""
SELECT {_COLUMNS} FROM docs d WHERE d.repo = ?1
AND d.seq IN (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2)
"""

# a name without letters is in no posting
_NODES_WITH_SUBSTRING = f"SELECT {_COLUMNS} FROM docs d WHERE d.repo = ?1 AND instr(d.symbol, ?2)"


def missing_targets(
    database: Database, repo: str, queries: Iterable[JudgedQuery]
) -> list[tuple[JudgedQuery, RelevantTarget]]:
    """The targets that the index lacks, with their queries; takes two requests."""
    pairs = [(query, target) for query in queries for target in query.targets]
    targets = list(dict.fromkeys(target for _, target in pairs))
    missing = _missing_places(database, repo, targets) | _missing_names(database, repo, targets)
    return [(query, target) for query, target in pairs if target in missing]


def _missing_places(
    database: Database, repo: str, targets: Iterable[RelevantTarget]
) -> set[RelevantTarget]:
    places = [target for target in targets if not target.symbol]
    parameter = json.dumps([[place.path, place.start_line, place.end_line] for place in places])
    [rows] = database.run([Statement(_MISSING_PLACES, (repo, parameter))])
    return {places[cast("int", key)] for (key,) in rows}


def _missing_names(
    database: Database, repo: str, targets: Iterable[RelevantTarget]
) -> set[RelevantTarget]:
    named = [target for target in targets if target.symbol]
    row_sets = (
        database.run([_name_statement(repo, target.symbol or "") for target in named])
        if named
        else []
    )
    return {
        target
        for target, rows in zip(named, row_sets, strict=True)
        if not _is_indexed(target, rows)
    }


def _is_indexed(target: RelevantTarget, rows: Iterable[Row]) -> bool:
    return any(map(target.is_matched_by, hits_from_rows(rows)))


def _name_statement(repo: str, symbol: str) -> Statement:
    """Selects the nodes whose names have all words of a symbol."""
    words = re.findall(r"[^\W_]+", symbol)
    if not words:
        return Statement(_NODES_WITH_SUBSTRING, (repo, symbol.encode(errors="replace").decode()))
    return Statement(_NODES_NAMED, (repo, f"symbol : ({fts_query.all_of(words)})"))
