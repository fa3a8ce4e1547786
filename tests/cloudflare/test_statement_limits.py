"""All SQL statements of the program and the Worker are within D1's limits, on both engines.

SQLite counts the depth of an expression in another way from version to version, and the program's
is newer than workerd's.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import apsw
import pytest
from clouds import Cloud

import feeder
from feeder.edge.worker_sql import STATEMENTS
from feeder.errors import ServiceError
from feeder.store import Statement
from feeder.store.migrations import migrate
from index_helpers import open_database

DEPTH = 60
"""D1 has 100; some room for the way in which its next version of SQLite counts."""
LIMITS = {
    apsw.SQLITE_LIMIT_EXPR_DEPTH: DEPTH,
    apsw.SQLITE_LIMIT_VARIABLE_NUMBER: 100,
    apsw.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 5,
    apsw.SQLITE_LIMIT_FUNCTION_ARG: 32,
}
STATEMENT = re.compile(r"\s*(?:WITH|SELECT|INSERT|DELETE|UPDATE)\b")
PARAMETER = re.compile(r"\?(\d+)")
INCOMPLETE = {
    "scope_sql._PATH_COLUMNS",
    "word_search._QUERY",
    "word_search._SELECT_BEST",
    "hits._SELECT_HIT",
    "node_parts._CONTENT_COLUMNS",
}
"""Beginnings of statements."""
LOCAL = re.compile(
    r"temp\.words|\bquestions\b|\bvectors\b|\bmeanings\b|\bplain_meanings\b|\blookup\b"
    r"|renamed_id"
)
"""Tables and functions that only a local index has, or that are created when they are needed."""
IDS = ",".join(f"('{at:040x}')" for at in range(1_500))
"""More ids than the Worker has candidates."""
MARKED_IDS = ",".join(f"('{at:040x}',{at % 2})" for at in range(1_500))
"""The same, with whether a statement has found them in the scope."""
RANGES = ",".join(f"('{at:040x}',1,2)" for at in range(100))
"""More ids with lines than a page has hits."""
BOUND_RANGES = ",".join(["(?,?,?,?)"] * 25)
"""The most line ranges of stored source that the Worker binds, with the 100 parameters of D1."""


def statements() -> Iterator[tuple[str, str]]:
    """Yields the name and text of each statement on the tables that every index has."""
    for module in pkgutil.walk_packages(feeder.__path__, "feeder."):
        if re.match(r"feeder\.(store|search|sync|session)\.", module.name):
            for name, text in vars(importlib.import_module(module.name)).items():
                full_name = f"{module.name.rpartition('.')[2]}.{name}"
                if isinstance(text, str) and STATEMENT.match(text) and full_name not in INCOMPLETE:
                    yield full_name, _filled_in(text)
    for name, text in STATEMENTS.items():
        yield f"worker.{name}", _filled_in(text)


def _filled_in(text: str) -> str:
    """Replaces the columns and tables that the program fills in."""
    for mark, value in (
        ("{column}", "d.id"),
        ("{0}", "language"),
        ("{1}", "docs"),
        ("(@RANGES)", f"(VALUES {BOUND_RANGES})"),
        ("@IDS", IDS),
        ("@MARKED_IDS", MARKED_IDS),
        ("@RANGES", RANGES),
    ):
        text = text.replace(mark, value)
    return text


def explained() -> dict[str, Statement]:
    """Returns the statements by name, each as one that compiles it and runs nothing."""
    found = {}
    for name, text in statements():
        if not LOCAL.search(text):
            count = max(map(int, PARAMETER.findall(text)), default=text.count("?"))
            found[name] = Statement(f"EXPLAIN {text} -- {name}", (None,) * count)
    return found


def test_statements_compile_within_d1s_limits_in_the_programs_sqlite() -> None:
    """With 60 of the 100 levels that an expression may have in D1."""
    database = open_database()
    for limit, value in LIMITS.items():
        database.connection.limit(limit, value)
    explained_statements = explained()
    for statement in explained_statements.values():
        assert database.run([statement])[0]
    assert len(explained_statements) > 120
    assert {"name_search.NAMES_BY_WORD", "worker.wordSearch"} <= explained_statements.keys()
    database.close()


def test_too_deep_statement_is_refused() -> None:
    """The limit that the test above sets is in force."""
    database = open_database()
    database.connection.limit(apsw.SQLITE_LIMIT_EXPR_DEPTH, DEPTH)
    with pytest.raises(ServiceError, match="depth"):
        database.run([Statement(f"SELECT {' + '.join('1' * (DEPTH + 1))}")])
    database.close()


def test_statements_compile_in_d1(cloud: Cloud) -> None:
    """By workerd, with its own limits."""
    migrate(cloud.d1)
    assert all(cloud.d1.run(list(explained().values())))
