"""The lines of files in the database, for a reader that has nothing else.

docs/how-to/cloudflare.md has the rows.

They are written in the transaction that writes a file's rows, and leave with them: a file that has
nodes has its text, and no other. `meta` says whether a repository's are kept.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from feeder.parse.kept import TextPart
from feeder.store import Database, Row, Statement
from feeder.store.rows import IndexedFile, pages

PAGE_PARTS = 200
"""That are read at once: some two megabytes."""
PAGE_PATHS = 20_000
DROPPED = 5_000
"""Parts that one transaction takes out."""

_ADD = """
INSERT INTO texts (repo, path, part, first_line, last_line, numbers, text)
SELECT ?1, value->>0, value->>1, value->>2, value->>3, value->>4, unhex(value->>5)
FROM json_each(?2) WHERE true
ON CONFLICT (repo, path, part) DO UPDATE SET first_line = excluded.first_line,
  last_line = excluded.last_line, numbers = excluded.numbers, text = excluded.text
WHERE (first_line, last_line, numbers, text)
  IS NOT (excluded.first_line, excluded.last_line, excluded.numbers, excluded.text)
"""
# ?2 paths, each with how many parts it has
_CUT = """
DELETE FROM texts WHERE (repo, path, part) IN (
  SELECT t.repo, t.path, t.part FROM json_each(?2) j
  CROSS JOIN texts t ON t.repo = ?1 AND t.path = j.value->>0 AND t.part >= j.value->>1
)
"""
DROP = "DELETE FROM texts WHERE repo = ?1 AND path IN (SELECT value FROM json_each(?2))"
_DROP_ALL = "DELETE FROM texts WHERE repo = ?"
_DROP_SOME = """
DELETE FROM texts WHERE (repo, path, part) IN (
  SELECT repo, path, part FROM texts WHERE repo = ?1 LIMIT ?2
)
"""
_SAY_WHEN_NONE = """
INSERT INTO meta (key, value) SELECT ?1, ?3
WHERE NOT EXISTS (SELECT 1 FROM texts WHERE repo = ?2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_UNSAY_WHEN_NONE = """
DELETE FROM meta WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM texts WHERE repo = ?2)
"""
_ANY = "SELECT 1 FROM texts WHERE repo = ? LIMIT 1"
_PATHS = """
SELECT DISTINCT path FROM texts WHERE repo = ?1 AND path > ?2 ORDER BY path LIMIT ?3
"""
OF_NODES = """
SELECT d.id, d.start_line, d.end_line, t.first_line, t.numbers, hex(t.text) AS text
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
CROSS JOIN texts t ON t.repo = d.repo AND t.path = d.path
  AND t.first_line <= d.end_line AND t.last_line >= d.start_line
ORDER BY j.key, t.part
"""
"""For a Worker: the parts that have the lines of nodes, by a JSON array of their ids."""
_SIZE = "SELECT count(*), coalesce(sum(length(text)), 0) FROM texts WHERE repo = ?"
_PARTS = """
SELECT path, part, first_line, last_line, numbers, hex(text) FROM texts
WHERE repo = ?1 AND (path, part) > (?2, ?3) ORDER BY path, part LIMIT ?4
"""


class Size(NamedTuple):
    """How many rows a repository's texts are, and how many bytes, compressed."""

    rows: int
    bytes: int


def changes(repo: str, files: Sequence[IndexedFile], gone: Iterable[str]) -> Iterator[Statement]:
    """What makes the texts those of `files`, and takes out those at the paths `gone`."""
    for page in pages([file.path, len(file.texts)] for file in files):
        yield Statement(_CUT, (repo, page))
    for page in pages(row for file in files for row in _rows(file)):
        yield Statement(_ADD, (repo, page))
    for page in pages(gone):
        yield Statement(DROP, (repo, page))


def _rows(file: IndexedFile) -> Iterator[list[object]]:
    for number, part in enumerate(file.texts):
        yield [file.path, number, *part[:-1], part.text.hex()]


def clearing(repo: str) -> Statement:
    """What takes them out where there should be none, or few."""
    return Statement(_DROP_ALL, (repo,))


def dropping(repo: str, key: str, then: str) -> list[Statement]:
    """What takes some out, and says `then` in `meta` when none is left, or nothing.

    Answered last with a row where there are more.
    """
    said = (key, repo, then) if then else (key, repo)
    return [
        Statement(_DROP_SOME, (repo, DROPPED)),
        Statement(_SAY_WHEN_NONE if then else _UNSAY_WHEN_NONE, said),
        Statement(_ANY, (repo,)),
    ]


def held_paths(database: Database, repo: str) -> set[str]:
    """The files that have a text; a request for every 20,000."""
    found: set[str] = set()
    last = ""
    while True:
        [page] = database.run([Statement(_PATHS, (repo, last, PAGE_PATHS))])
        found.update(str(path) for (path,) in page)
        if len(page) < PAGE_PATHS:
            return found
        last = str(page[-1][0])


def sizing(repo: str) -> Statement:
    """What is answered with their `Size`; reads each row of them."""
    return Statement(_SIZE, (repo,))


def held(database: Database, repo: str) -> Iterator[tuple[str, list[TextPart]]]:
    """Each path with its text, in the order of the paths' bytes; a request for every 200 parts."""
    for path, rows in groupby(_parts(database, repo), key=lambda row: row[0]):
        yield str(path), [_part(row) for row in rows]


def _parts(database: Database, repo: str) -> Iterator[Row]:
    path, part = "", -1
    while True:
        [page] = database.run([Statement(_PARTS, (repo, path, part, PAGE_PARTS))])
        yield from page
        if len(page) < PAGE_PARTS:
            return
        path, part = str(page[-1][0]), int(str(page[-1][1]))


def _part(row: Row) -> TextPart:
    _, _, first, last, numbers, text = row
    said = None if numbers is None else json.loads(str(numbers))
    return TextPart(int(str(first)), int(str(last)), said, bytes.fromhex(str(text)))
