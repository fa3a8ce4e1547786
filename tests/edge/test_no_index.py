"""A Worker whose index cannot answer says what is wrong with it, to programs and to agents."""

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
    """One by one, by SQLite's own judgement of where one ends."""
    so_far = ""
    for line in sql.splitlines(keepends=True):
        so_far += line
        if sqlite3.complete_statement(so_far):
            yield so_far
            so_far = ""


SCHEMA = [one for migration in known_migrations() for one in statements(migration.sql)]


def told(folder: Path, **said: Any) -> dict[str, str]:
    """What a program is told; an agent's tool says the same."""
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


def test_a_database_without_its_migrations(folder: Path) -> None:
    facts = told(folder)
    assert facts["error"] == "The database has no index, or one of an older version."
    assert "feeder init" in facts["remedy"]


def test_an_index_without_rows(folder: Path) -> None:
    facts = told(folder, statements=SCHEMA)
    assert facts["error"] == "The index is empty."
    assert "feeder sync" in facts["remedy"]


def test_a_database_with_several_repositories(folder: Path) -> None:
    """None of which is meant: the variable that says it is named, with what there is."""
    fed = [f"INSERT INTO meta VALUES ('{name}:run', '1')" for name in ("acme/shop", "acme/web")]
    facts = told(folder, statements=[*SCHEMA, *fed])
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
def test_a_database_that_cannot_answer_now(folder: Path, message: str, error: str) -> None:
    facts = told(folder, refused=message)
    assert facts["error"].startswith(error)
    assert facts["remedy"]
