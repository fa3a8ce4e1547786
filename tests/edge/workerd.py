"""Runs a Worker's folder in workerd, in a process of its own, and makes clients for it."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from edge.worker_process import ROOT

TOKEN = "a-token-of-this-test"
PROGRAM = Path(__file__).with_name("workerd.mjs")


@contextmanager
def running(**said: Any) -> Iterator[str]:
    """Runs a Worker as `workerd.mjs` describes and yields its address."""
    told = json.dumps(said, default=str)
    with subprocess.Popen(
        ["node", str(PROGRAM), told],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdin and process.stdout
        try:
            address = process.stdout.readline().strip()
            assert address, "it did not start"
            yield address
        finally:
            process.stdin.close()
            process.wait(60)


def client(address: str, token: str | None = TOKEN) -> httpx.Client:
    """Returns a client with or without a token."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=address, headers=headers, trust_env=False, timeout=60)
