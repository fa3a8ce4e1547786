"""A Worker without a usable index reports the reason to programs and agents."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.test_access import SEARCH, refused
from edge.workerd import TOKEN, client, running
from feeder.store.migrations import known_migrations
from web.http_client import JSON, request


def statements(sql: str) -> Iterator[str]:
    """Splits SQL into statements as SQLite does."""
    so_far = ""
    for line in sql.splitlines(keepends=True):
        so_far += line
        if sqlite3.complete_statement(so_far):
            yield so_far
            so_far = ""


SCHEMA = [statement for migration in known_migrations() for statement in statements(migration.sql)]


def error_of(folder: Path, **said: Any) -> dict[str, str]:
    """Returns the error of the API; checks that an agent's tool has the same."""
    with (
        running(folder=folder, vars={"FEEDER_TOKEN": TOKEN}, **said) as address,
        client(address) as one,
    ):
        facts = refused(one.get(SEARCH), 503)
        call = request("tools/call", name="search", arguments={"query": "exchange"})
        result = one.post("/mcp", json=call, headers=JSON).json()["result"]
        assert result["isError"]
        assert result["content"][0]["text"] == f"{facts['error']} {facts['remedy']}"
    return facts


def test_database_without_migrations(folder: Path) -> None:
    facts = error_of(folder)
    assert facts["error"] == "The database has no index, or one of an older version."
    assert "feeder init" in facts["remedy"]


def test_index_without_rows(folder: Path) -> None:
    facts = error_of(folder, statements=SCHEMA)
    assert facts["error"] == "The index is empty."
    assert "feeder sync" in facts["remedy"]


def test_database_with_several_repositories(folder: Path) -> None:
    """The error names the variable that chooses one, and the repositories."""
    fed = [f"INSERT INTO meta VALUES ('{name}:run', '1')" for name in ("acme/shop", "acme/web")]
    facts = error_of(folder, statements=[*SCHEMA, *fed])
    assert facts["error"] == "The database has 2 repositories, and REPO names none of them."
    assert facts["remedy"] == "Set the variable REPO to one of them: acme/shop, acme/web"


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("D1_ERROR: D1 DB is overloaded. Too many requests queued.", "D1 is overloaded."),
        (
            "D1_ERROR: Your account has exceeded D1's free tier daily row read limit.",
            "D1's free quota of the day is used up.",
        ),
        ("D1_ERROR: D1 DB exceeded its CPU time limit and was reset.", "The query exceeded D1"),
    ],
)
def test_unavailable_database(folder: Path, message: str, error: str) -> None:
    facts = error_of(folder, refused=message)
    assert facts["error"].startswith(error)
    assert facts["remedy"]
