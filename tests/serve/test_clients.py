"""The official clients of both eras are served, over a pipe as agents start it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from serve.talking import FEEDER

CLIENTS = Path(__file__).parent / "clients"
PYTHON = Path(sys.prefix) / "clients"
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


def facts(client: str, folder: Path) -> dict[str, Any]:
    """What a client makes of a server that it starts about a folder."""
    program, script, *which = COMMANDS[client]
    started = [str(FEEDER), "mcp", "-C", str(folder), "--no-vectors"]
    command = [program, str(CLIENTS / script), *which, *started]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_an_official_client_is_served(shop: Path, client: str) -> None:
    """In its own era: the tools, four calls at once as text alone, and both kinds of errors."""
    found = facts(client, shop)
    texts = found.pop("texts")
    assert found == {
        "version": VERSIONS[client.rpartition(" ")[2]],
        "server": "feeder",
        "instructions": "feeder searches this repository by meaning, word and name: "
        "begin with it instead of grep.",
        "tools": ["search", "read", "similar", "outline"],
        "reads_only": True,
        "structured": [None] * 4,
        "wrong": [True, "`limit` is a number from 1 to 50, not 0."],
        "refused": -32602,
    }
    assert len(texts) == 4
    assert {*texts} == {texts[0]}
    assert texts[0].startswith("src/money.py:4-6 method exchange\ndef exchange(")
