"""SQL conditions for the files and nodes in a scope, with the parameters of `scope_params`."""

from collections.abc import Sequence

from feeder.store.scope import TEST_PATH_GLOBS


def _any_of(conditions: Sequence[str]) -> str:
    """Joins SQL conditions by OR in a balanced tree: D1 limits the depth of an expression."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    return f"({_any_of(conditions[:half])} OR {_any_of(conditions[half:])})"


def is_test_sql(path: str) -> str:
    """Returns SQL that is 1 if a path is one of a test, else 0.

    Every test path contains one of six words, which saves the globs for all other paths. The
    globs are part of the SQL, because D1 would bill rows of a list for every path. As a condition
    of CASE they are compared until one matches; as a value SQLite would compare all of them.
    """
    globs = _any_of([f"'/' || {path} GLOB '{glob}'" for glob in TEST_PATH_GLOBS])
    words = (
        f"instr(lower({path}), 'test') OR instr(lower({path}), 'spec') OR instr({path}, '.bats') "
        f"OR instr({path}, '.snap') OR instr({path}, '__snap') OR instr({path}, 'regress/')"
    )
    return f"CASE WHEN ({words}) AND {globs} THEN 1 ELSE 0 END"


# ?2 repositories; ?3 included and ?4 excluded paths, each as a range of paths (first, last) with a
# folder and a glob in it, or with what the path or a folder of it ends with; ?5 whether tests are
# wanted
_MATCHES_PATH = """
f.path >= p.first AND f.path < coalesce(p.last, x'') AND (coalesce(p.glob, p.ending) IS NULL
  OR substr(f.path, -length(p.ending)) = p.ending OR instr(f.path, p.ending || '/')
  OR substr(f.path, 1, length(p.folder)) = p.folder AND (
    substr(f.path, length(p.folder) + 1) GLOB p.glob
    OR substr(f.path, length(p.folder) + 1) GLOB p.glob || '/*'))
"""

_PATH_COLUMNS = (
    "SELECT value->>0 AS first, value->>1 AS last, value->>2 AS folder, value->>3 AS glob, "
    "value->>4 AS ending"
)


# D1 limits the depth of expressions, and SQLite counts a subquery's depth again for each level
# around it. So the paths of each list are a separate subquery with a short condition
def _files_at(paths: str) -> str:
    """Returns SQL for the files of the scope's repositories at a parameter's paths."""
    return f"""
WITH repository(repo) AS MATERIALIZED (
  SELECT value FROM json_each(?2) UNION ALL SELECT DISTINCT repo FROM files WHERE ?2 IS NULL
), pattern AS MATERIALIZED ({_PATH_COLUMNS} FROM json_each({paths}))
SELECT f.path FROM repository r CROSS JOIN pattern p CROSS JOIN files f
ON f.repo = r.repo AND {_MATCHES_PATH}
"""


_EVERY_PATH = """'[["", null, null, null]]'"""


def _matches_path_row(row: str, file: str = "f") -> str:
    """Returns the condition of `_files_at` with the columns of a pattern read from its JSON row."""
    condition = _MATCHES_PATH.replace("f.path", f"{file}.path")
    for place, name in enumerate(("first", "last", "folder", "glob", "ending")):
        condition = condition.replace(f"p.{name}", f"({row}->>{place})")
    return condition


FIRST_EXISTING_PATH = f"""
SELECT c.key FROM json_each(?1) c WHERE EXISTS (
  SELECT 1 FROM (
    SELECT rowid FROM docs_fts WHERE docs_fts MATCH coalesce(?3->>c.key, '""') LIMIT 20
  ) w CROSS JOIN docs d ON d.seq = w.rowid CROSS JOIN json_each(c.value) p
  WHERE d.repo IN (SELECT value FROM json_each(?2)) AND {_matches_path_row("p.value", "d")}
) OR EXISTS (
  SELECT 1 FROM json_each(?2) r CROSS JOIN json_each(c.value) p CROSS JOIN files f
  ON f.repo = r.value AND {_matches_path_row("p.value")}
) LIMIT 1
"""
"""Selects the place of the first of several paths at which there is a file, even without nodes.

?1 are the paths' rows as in the parameters of `IN_SCOPE`, ?2 repositories, ?3 FTS5 queries for the
words of those paths that may be in any folder, else null: all files are compared only with a path
that none of the first nodes with its words is at. A later path is looked
for only if there is no file at the ones before.
"""

FILES_AT_EXCLUDED_PATHS = _files_at("?4")

FILES_IN_SCOPE = f"""
{_files_at(f"coalesce(?3, {_EVERY_PATH})")}
WHERE (?4 IS NULL OR f.path NOT IN ({FILES_AT_EXCLUDED_PATHS}))
AND (?5 IS NULL OR ?5 = {is_test_sql("f.path")})
"""

FILES_AT_PATHS = _files_at("?3")

# ?6 included and ?7 excluded languages, ?8 included and ?9 excluded types; ?10 FTS5 query of
# required words, ?12 of excluded ones; ?13 ids; ?11 symbols as in `_symbol_row`
_MATCHES_COLUMNS = """
((?2 IS NULL OR d.repo IN (SELECT value FROM json_each(?2)))
  AND (?6 IS NULL OR d.language IN (SELECT value FROM json_each(?6))))
AND ((?7 IS NULL OR coalesce(d.language, '') NOT IN (SELECT value FROM json_each(?7)))
  AND ((?8 IS NULL OR d.node_type IN (SELECT value FROM json_each(?8)))
    AND (?9 IS NULL OR d.node_type NOT IN (SELECT value FROM json_each(?9)))))
"""

_MATCHES_SYMBOLS_AND_IDS = """
((?13 IS NULL OR d.id IN (SELECT value FROM json_each(?13)))
  AND (?11 IS NULL OR EXISTS (
  SELECT 1 FROM (
    SELECT lower('.' || replace(coalesce(d.symbol, d.logical_path, ''), ' > ', '.')) AS name
  ) CROSS JOIN json_each(?11) j
  WHERE substr(name, -length(j.value->>0)) = lower(j.value->>0)
  OR name GLOB lower(j.value->>1)
  OR instr(lower(d.members), lower(j.value->>3))
    AND (j.value->>2 = '' OR substr(name, -length(j.value->>2)) = lower(j.value->>2))
)))
"""


def _matches_node(required: str = "?10", excluded: str = "?12", *, of_few: str = "") -> str:
    """Returns the conditions of a node.

    `of_few` is for few nodes: excluded words are looked for in each, and required ones too if it,
    an SQL condition, is true.
    """
    has_words, lacks_words = _has_words(required), f"NOT {_has_words(excluded)}"
    if of_few:
        has_words = f"iif({of_few}, {_has_words(required, each=True)}, {has_words})"
        lacks_words = f"NOT {_has_words(excluded, each=True)}"
    words = f"""
(({required} IS NULL OR {has_words})
  AND ({excluded} IS NULL OR {lacks_words}))
"""
    # in parentheses, because a chain of ANDs is as deep as it is long, and D1 limits the depth
    return f"(({_MATCHES_COLUMNS}) AND ({words}AND {_MATCHES_SYMBOLS_AND_IDS.lstrip()}))"


def _has_words(query: str, *, each: bool = False) -> str:
    """Returns SQL that is true if an FTS5 query finds the node `d`; `each` asks for each node."""
    found = f"FROM docs_fts WHERE docs_fts MATCH {query}"
    if each:
        return f"EXISTS (SELECT 1 {found} AND rowid = d.seq)"
    return f"d.seq IN (SELECT rowid {found})"


_MATCHES_NODE = _matches_node()

PATH_IN_SCOPE = f"""
((?3 IS NULL OR {{path}} IN ({FILES_AT_PATHS}))
  AND ((?4 IS NULL OR {{path}} NOT IN ({FILES_AT_EXCLUDED_PATHS}))
    AND (?5 IS NULL OR ?5 = {is_test_sql("{path}")})))
"""


def _is_at_rows(paths: str) -> str:
    """Returns SQL that is true if the path of the node `d` is at one of the first rows of a
    parameter's paths.
    """
    rows = (_matches_path_row(f"({paths}->{place})", "d") for place in range(_COMPARED_ROWS))
    return " OR ".join(rows)


_COMPARED_ROWS = 3
"""A glob has three rows, a file or folder two, a path below any folder one."""


def _is_at(paths: str, files: str) -> str:
    are_many = f"json_array_length({paths}) > {_COMPARED_ROWS}"
    # a row that is absent makes the comparison null
    return (
        f"CASE WHEN {are_many} THEN d.path IN ({files}) WHEN {_is_at_rows(paths)} THEN 1 ELSE 0 END"
    )


D1_PATH_IN_SCOPE = f"""
((?3 IS NULL OR {_is_at("?3", FILES_AT_PATHS)})
  AND ((?4 IS NULL OR NOT {_is_at("?4", FILES_AT_EXCLUDED_PATHS)})
    AND (?5 IS NULL OR ?5 = {is_test_sql("d.path")})))
"""
"""`PATH_IN_SCOPE` of the node `d` where D1 bills each file of a list, for each statement.

A single path or glob is compared with each node's instead.
"""


def _in_scope(matches_node: str) -> str:
    return f"""
({PATH_IN_SCOPE.format(path="d.path")}
AND {matches_node})
"""


IN_SCOPE = _in_scope(_MATCHES_NODE)
"""Condition that the node `d` is in the scope whose `scope_params` are ?2 to ?13.

A filter of tests alone reads no list of files: D1 bills each file for each statement.
"""

IN_SCOPE_ONE_BY_ONE = _in_scope(_matches_node(of_few="?1"))
"""The same for a few nodes: a list of all nodes with an excluded word would cost more.

If ?1 is true, so would one of the nodes with the required words. It takes longer to look for a
prefix in each node than to list the nodes once.
"""

IN_SCOPE_BUT_WORDS = _in_scope(_matches_node("NULL", "NULL"))
"""The same without the required and the excluded words."""

COLUMN_IN_SCOPE = f"""
SELECT {{column}} FROM docs d NOT INDEXED
WHERE (coalesce(?3, ?4, ?5) IS NULL OR d.path IN ({FILES_IN_SCOPE})) AND {_MATCHES_NODE}
"""
"""Selects a column of the nodes in the scope with a table scan.

Reading many rows in the order of an index takes three times as long. Here the files are listed
once, because all nodes are read.
"""

NODES_OF_FILES_IN_SCOPE = f"""
SELECT d.seq FROM ({FILES_IN_SCOPE}) f CROSS JOIN docs d
ON d.repo IN (SELECT value FROM json_each(?2)) AND d.path = f.path WHERE {_MATCHES_NODE}
"""
"""Selects the rowids of the nodes in a scope with repositories, file by file with the path index.

A node at two of the paths is selected twice.
"""

COLUMN_IN_PATHS = f"""
SELECT {{column}} FROM json_each(?2) r CROSS JOIN json_each(?3) j CROSS JOIN docs d
ON d.repo = r.value AND d.path >= j.value->>0 AND d.path < coalesce(j.value->>1, x'')
WHERE (coalesce(?4, ?5) IS NULL OR d.path IN ({FILES_IN_SCOPE})) AND {_MATCHES_NODE}
"""
"""Selects the same by the path index, if `Scope.has_literal_paths_only`.

A node at two of the paths is selected twice.
"""

ANY_FILE = f"SELECT 1 FROM ({FILES_IN_SCOPE}) LIMIT 1"
"""Selects a row if a file, even without nodes, is at the paths of the scope."""

IS_UNRESTRICTED = """
SELECT coalesce(?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) IS NULL AND (?2 IS NULL OR
  json_array_length(?2) = 1
  AND (SELECT min(repo) FROM docs) = ?2->>0 AND (SELECT max(repo) FROM docs) = ?2->>0) AS yes
"""
"""Selects 1 if every node is in the scope."""
