"""Counts of a repository's files and nodes, stored in `meta` at a run's end so that nothing counts
them again.

The key `REPO:counts` has them as JSON, with the run that they are of. They are those of the index
while `REPO:run` is that run; a run that has not finished, or died, leaves them to be counted.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from feeder.store import Row, Statement, stored_source
from feeder.store.scope_sql import is_test_sql
from feeder.store.unread_files import UNPARSED_TOTAL

COUNTS_KEY = "counts"
"""The key of a repository in `meta`."""

COUNTS_BY_COLUMN = (
    "SELECT {0}, count(*) FROM {1} WHERE repo = ? GROUP BY {0} ORDER BY count(*) DESC, {0}"
)

SKIPPED_COUNTS = """
SELECT reason, count(*) FROM files WHERE state = 'skipped' AND repo = ? GROUP BY reason
"""


def _pairs(column: str, source: str, number: str = "count(*)") -> str:
    """Returns SQL for a JSON array of a column's values in repository ?1, with their numbers."""
    return f"""(SELECT json_group_array(json_array(value, number) ORDER BY number DESC, value)
  FROM (SELECT {column} AS value, {number} AS number FROM {source} GROUP BY 1))"""


MAX_ENDINGS = 16
"""Endings of a language's paths that are stored; with more, as of scripts without an extension,
none is.
"""

# by language, what follows the last dot or slash of its files' paths: each node is in its file's
# language, so a node of the language has one of the endings as words of its path
_ENDINGS = f"""(SELECT json_group_object(language, json(endings)) FROM (
  SELECT language, json_group_array(ending ORDER BY ending) AS endings FROM (
    SELECT DISTINCT language, lower(substr(path,
      length(rtrim(path, replace(replace(path, '.', ''), '/', ''))) + 1)) AS ending
    FROM files WHERE repo = ?1 AND language IS NOT NULL
  ) GROUP BY language HAVING count(*) <= {MAX_ENDINGS}))"""


TEST_PATH_WORDS = ("test", "spec", "testdata")
"""Words of the paths of most tests, as stems."""

MAX_PATHS_LIKE_TESTS = 24
"""Paths with one of these words outside tests that are stored; if there are more, none is."""

_BEGINS_WITH_TEST_WORD = " OR ".join(
    f"'/' || path GLOB '{glob}'"
    for word in ("test", "spec")
    for letters in ["".join(f"[{letter.upper()}{letter}]" for letter in word)]
    for glob in (f"*[^a-z]{letters}*", f"*{word[0].upper()}{letters[4:]}*")
)
# the paths outside tests that may have a word of `TEST_PATH_WORDS`: one begins after what is no
# lowercase letter, or with a capital. FTS5 reads the long s as an s
_PATHS_LIKE_TESTS = f"""(SELECT iif(count(*) <= {MAX_PATHS_LIKE_TESTS},
    json_group_array(path ORDER BY path), 'null') FROM files
  WHERE repo = ?1 AND nodes > 0 AND ({_BEGINS_WITH_TEST_WORD} OR instr(path, '\u017f'))
  AND NOT {is_test_sql("path")})"""


# all nodes are read once for the three counts of them
_KINDS = """(SELECT json_group_array(json_array(node_type, language, number)
    ORDER BY number DESC, node_type, language) FROM kind)"""


# ?2 the key, ?3 the run; ?4 node types, ?5 languages and ?7 both with their counts as JSON if they
# are known, else null; ?6 the key of the run that has finished
_SET_COUNTS = f"""
WITH kind AS MATERIALIZED (
  SELECT node_type, language, count(*) AS number FROM docs WHERE repo = ?1 GROUP BY 1, 2
)
INSERT INTO meta (key, value) SELECT ?2, json_object('run', ?3,
  'files', json({_pairs("state", "files WHERE repo = ?1")}),
  'skipped', json({_pairs("reason", "files WHERE repo = ?1 AND state = 'skipped'")}),
  'node_types', json(coalesce(?4, {_pairs("node_type", "kind", "sum(number)")})),
  'languages', json(coalesce(?5, {_pairs("language", "kind", "sum(number)")})),
  'kinds', json(coalesce(?7, {_KINDS})),
  'endings', json({_ENDINGS}),
  'like_tests', json({_PATHS_LIKE_TESTS}),
  'nodes', (SELECT CAST(total(nodes) AS INTEGER) FROM files WHERE repo = ?1),
  'unparsed', json((SELECT json_array(files, lines) FROM ({UNPARSED_TOTAL}))),
  'texts', json((SELECT json_array(count(*), coalesce(sum(length(text)), 0)) FROM texts
    WHERE repo = ?1)))
WHERE (SELECT value FROM meta WHERE key = ?6) = ?3
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
# ?1 the key, ?2 the run that the counts are of, ?3 one that changes nothing
_SET_RUN = """
UPDATE meta SET value = json_set(value, '$.run', ?3) WHERE key = ?1 AND value->>'run' = ?2
"""


class IndexCounts(NamedTuple):
    """Numbers of files by state, of nodes by type and by language, and of files that are not
    indexed by reason, the largest first; rows and bytes of stored source; files with lines that
    their grammar could not parse, and these lines.
    """

    files: dict[str, int]
    node_types: dict[str, int]
    languages: dict[str, int]
    skipped: dict[str, int]
    texts: tuple[int, int]
    unparsed: tuple[int, int] = (0, 0)


class NodeChangeCounts:
    """The nodes of a repository by type and language, as a run changes them.

    `recorded` is what `meta` had at the run's beginning; None if all must be counted at its end, as
    after an earlier version.
    """

    def __init__(self, recorded: Mapping[str, Any] | None) -> None:
        kinds = None if recorded is None else recorded.get("kinds")
        self._is_known = kinds is not None
        self._kinds: Counter[tuple[str, str | None]] = Counter(
            {(node_type, language): number for node_type, language, number in kinds or ()}
        )

    def add(self, rows: Iterable[Row], step: int) -> None:
        """Counts rows of node types and languages that were inserted (1) or deleted (-1)."""
        change = self._kinds.update if step > 0 else self._kinds.subtract
        change(cast("Iterable[tuple[str, str | None]]", rows))

    def forget(self) -> None:
        """Leaves all to be counted: it is unknown what a write has changed."""
        self._is_known = False

    def as_params(self) -> tuple[str | None, str | None, str | None]:
        """Returns node types, languages and both with their counts as JSON; None if unknown."""
        if not self._is_known:
            return None, None, None
        types: Counter[str | None] = Counter()
        languages: Counter[str | None] = Counter()
        for (node_type, language), number in self._kinds.items():
            types[node_type] += number
            languages[language] += number
        kinds = [[*kind, number] for kind, number in _present(self._kinds)]
        return _as_json(_present(types)), _as_json(_present(languages)), _as_json(kinds)


def set_counts_statement(
    repo: str, run: str, changes: NodeChangeCounts, done_key: str
) -> Statement:
    """Records the counts if the run has finished, which the key `done_key` says."""
    key = f"{repo}:{COUNTS_KEY}"
    types, languages, kinds = changes.as_params()
    return Statement(_SET_COUNTS, (repo, key, run, types, languages, done_key, kinds))


def keep_counts_statement(repo: str, before: str, run: str) -> Statement:
    """Makes the counts of one run those of another, which has changed nothing."""
    return Statement(_SET_RUN, (f"{repo}:{COUNTS_KEY}", before, run))


def known_counts(meta: Mapping[str, str], repo: str) -> dict[str, Any] | None:
    """Returns the counts in `meta`; None if there are none of the last run."""
    run = meta.get(f"{repo}:run")
    try:
        counts: dict[str, Any] = json.loads(meta.get(f"{repo}:{COUNTS_KEY}", "{}"))
        return counts if run and counts.get("run") == run else None
    except (ValueError, AttributeError):  # damaged
        return None


def counts_from_json(counts: Mapping[str, Any]) -> IndexCounts:
    """Returns the counts in the form of `count_statements`' rows."""
    rows, size = counts["texts"]
    files, lines = counts.get("unparsed", (0, 0))  # not in counts of earlier versions
    return IndexCounts(
        counts_by_kind(counts["files"]),
        counts_by_kind(counts["node_types"]),
        counts_by_kind(counts["languages"]),
        counts_by_kind(counts["skipped"]),
        (rows, size),
        (files, lines),
    )


def count_statements(repo: str) -> list[Statement]:
    """Counts every node and file; `counts_from_rows` reads the rows."""
    return [
        Statement(COUNTS_BY_COLUMN.format("state", "files"), (repo,)),
        Statement(COUNTS_BY_COLUMN.format("node_type", "docs"), (repo,)),
        Statement(COUNTS_BY_COLUMN.format("language", "docs"), (repo,)),
        Statement(SKIPPED_COUNTS, (repo,)),
        stored_source.size_statement(repo),
        Statement(UNPARSED_TOTAL, (repo,)),
    ]


def counts_from_rows(row_sets: Iterable[Sequence[Row]]) -> IndexCounts:
    files, node_types, languages, skipped, [(rows, size)], [unparsed] = row_sets
    return IndexCounts(
        counts_by_kind(files),
        counts_by_kind(node_types),
        counts_by_kind(languages),
        counts_by_kind(skipped),
        (cast("int", rows), cast("int", size)),
        cast("tuple[int, int]", tuple(unparsed)),
    )


def counts_by_kind(rows: Iterable[Row]) -> dict[str, int]:
    return {str(kind): cast("int", count) for kind, count in rows}


def _present(counts: Counter[Any]) -> list[tuple[Any, int]]:
    """Returns the pairs in SQL's order: the largest first, then by value, null before text."""

    def order(pair: tuple[Any, int]) -> tuple[Any, ...]:
        value, number = pair
        columns = value if isinstance(value, tuple) else (value,)
        return (-number, *((column is not None, column or "") for column in columns))

    return sorted((pair for pair in counts.items() if pair[1]), key=order)


def _as_json(counts: Iterable[Any]) -> str:
    return json.dumps(list(counts), ensure_ascii=False, separators=(",", ":"))
