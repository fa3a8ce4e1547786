"""The official clients of both eras work over stdio and over HTTP."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from feeder.config import Settings
from feeder.mcp.service import IndexService
from mcp_server.stdio_client import FEEDER
from web.http_client import web

pytestmark = pytest.mark.slow

CLIENTS = Path(__file__).parent / "official_clients"
PYTHON = Path(__file__).parents[2] / ".venv/clients"
"""What `make .venv/clients` has made."""


def python(major: int) -> str:
    return str(PYTHON / f"{major}/bin/python")


COMMANDS = {
    "Python 2, modern": [python(2), "python_2.py", "auto"],
    "Python 2, legacy": [python(2), "python_2.py", "legacy"],
    "Python 1, legacy": [python(1), "python_1.py"],
    "TypeScript 2, modern": ["node", "typescript.mjs", "2-auto"],
    "TypeScript 2, legacy": ["node", "typescript.mjs", "2-legacy"],
    "TypeScript 1, legacy": ["node", "typescript.mjs", "1"],
}
VERSIONS = {"modern": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture(params=COMMANDS)
def client(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["a pipe", "HTTP"])
def server(shop: Path, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """The command of a server that the client starts, or the address and token of a running one."""
    if request.param == "a pipe":
        yield [str(FEEDER), "mcp", "-C", str(shop), "--no-vectors"]
        return
    desk = IndexService(Settings(directory=shop, vectors=False))
    with web(desk) as one:
        yield [f"{one.base}/mcp", one.address.token]
    desk.close()


def facts(client: str, server: list[str]) -> dict[str, Any]:
    """Returns what a client received from a server."""
    program, script, *which = COMMANDS[client]
    command = [program, str(CLIENTS / script), *which, *server]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


TOOLS = ("search", "grep", "read", "outline", "references", "impact")


def texts_of_calls(client: str, server: list[str], tools: Sequence[str] = TOOLS) -> list[str]:
    """Checks all else that a client received and returns the texts of its four calls."""
    found = facts(client, server)
    texts: list[str] = found.pop("texts")
    assert found == {
        "version": VERSIONS[client.rpartition(" ")[2]],
        "server": "feeder",
        "instructions": "feeder searches this repository by meaning, word and name: "
        "use it before grep.",
        "tools": [*tools],
        "reads_only": True,
        "structured": [None] * 4,
        "wrong": [True, "`limit` must be an integer from 1 to 50, not 0."],
        "refused": -32602,
    }
    return texts


def test_official_client_works(server: list[str], client: str) -> None:
    """In its era: the tool list, four concurrent calls with text results, and both error kinds."""
    texts = texts_of_calls(client, server)
    assert len(texts) == 4
    assert {*texts} == {texts[0]}
    assert texts[0].startswith('src/money.py:4-6 method exchange [1-6]\n"""Money."""\n')
