"""Commands run as usual with standard streams that the caller has closed, as with `>&-`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_runner import RunFeeder, command_runner
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from index_helpers import SHOP
from source.repos import Repo

COMMANDS = {
    "sync": 0,
    "validate --no-content": 0,
    "doctor": 0,
    "process --path src": 0,
    "delete --path docs": 0,
    "apply -": 2,  # nothing is no list of changes
    "deltas --base HEAD": 0,
    "plan --shards 2": 0,
    "init": 0,
    "cache": 0,
    "search emptyCart": 0,
    "stats": 0,
    "grep emptyCart": 0,
    "references src/cart.py#Cart": 0,
    "definition Cart": 0,
    "implementations src/cart.py#Cart": 0,
    "impact --working-tree": 0,
    "overview": 0,
    "similar emptyCart": 0,
    "outline src": 0,
    "show emptyCart": 0,
    "queries": 0,
    "mcp": 0,
    "mcp install --client cursor --scope project": 0,
    "mcp uninstall --scope project": 0,
    "worker edge --dry-run": 2,  # no database is configured
    "--version": 0,
    "--help": 0,
    "serve --help": 0,
    "evaluate questions.jsonl": 0,
}
"""Exit codes by command; stdin is empty."""

FEW = ("sync", "grep emptyCart", "apply -", "mcp")


def _cases() -> Iterator[tuple[str, str]]:
    """Yields commands with what is closed: all streams for each, one stream for a few."""
    yield from ((command, "<&- >&- 2>&-") for command in COMMANDS)
    yield from ((command, closed) for command in FEW for closed in ("<&-", ">&-", "2>&-"))


@pytest.fixture
def shop(repo: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Repo:
    """A repository with an index and a file of queries."""
    run: RunFeeder = command_runner(monkeypatch, capfd)
    repo.commit(SHOP)
    (repo.path / "questions.jsonl").write_text('{"query": "x", "answers": ["src/cart.py"]}')
    assert run(repo, "sync").code == 0
    return repo


def test_every_command_runs_with_closed_streams(shop: Repo, tmp_path: Path) -> None:
    """stdin is then empty, and what is printed is discarded; the index stays whole."""
    errors = tmp_path / "errors"
    environment = os.environ | {"FEEDER_MODEL": "words", "HOME": str(tmp_path)}
    for command, closed in _cases():
        redirects = f"</dev/null >/dev/null 2>{errors} {closed}"
        done = subprocess.run(
            ["sh", "-c", f'exec "$0" -m feeder {command} {redirects}', sys.executable],
            cwd=shop.path,
            env=environment,
            timeout=60,
            check=False,
        )
        message = errors.read_text()
        expected = COMMANDS[command]
        assert (done.returncode, message.count("Traceback")) == (expected, 0), (
            f"{command} {closed}: {message}"
        )
    database = SQLite(shop.path / ".feeder/index.db")
    try:
        assert database.run([Statement("PRAGMA integrity_check")]) == [[("ok",)]]
    finally:
        database.close()
