"""Which answers does the index lack? Those that no node could be."""

import json
import re
from collections.abc import Iterable, Sequence

from feeder.search.judgments import JudgedQuery, RelevantTarget
from feeder.store import Database, Statement
from feeder.store.word_search import Hit

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
    """The answers that the index has nothing of, with their questions; two requests."""
    said = [(question, answer) for question in queries for answer in question.targets]
    answers = list(dict.fromkeys(answer for _, answer in said))
    lost = _missing_places(database, repo, answers) | _missing_names(database, repo, answers)
    return [(question, answer) for question, answer in said if answer in lost]


def _missing_places(
    database: Database, repo: str, targets: Iterable[RelevantTarget]
) -> set[RelevantTarget]:
    places = [answer for answer in targets if not answer.symbol]
    wanted = json.dumps([[one.path, one.start_line, one.end_line] for one in places])
    [rows] = database.run([Statement(_MISSING_PLACES, (repo, wanted))])
    return {places[int(str(key))] for (key,) in rows}


def _missing_names(
    database: Database, repo: str, targets: Iterable[RelevantTarget]
) -> set[RelevantTarget]:
    named = [answer for answer in targets if answer.symbol]
    found = (
        database.run([_name_statement(repo, answer.symbol or "") for answer in named])
        if named
        else []
    )
    return {
        answer for answer, rows in zip(named, found, strict=True) if not _is_indexed(answer, rows)
    }


def _is_indexed(target: RelevantTarget, rows: Iterable[Sequence[object]]) -> bool:
    hits = (Hit(*row) for row in rows)  # type: ignore[arg-type]  # as selected
    return any(map(target.is_matched_by, hits))


def _name_statement(repo: str, symbol: str) -> Statement:
    """The nodes that may be called so: their names have all its words."""
    words = re.findall(r"[^\W_]+", symbol)
    if not words:
        return Statement(_NODES_WITH_SUBSTRING, (repo, symbol.encode(errors="replace").decode()))
    every = " AND ".join(f'"{word}"' for word in words)
    return Statement(_NODES_NAMED, (repo, f"symbol : ({every})"))
