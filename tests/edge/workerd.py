"""Runs a Worker's folder in workerd, and makes clients for it."""

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


_idle: list["subprocess.Popen[str]"] = []
"""Processes without a Worker. They end with this process, which closes their stdin."""


@contextmanager
def running(**said: Any) -> Iterator[str]:
    """Runs a Worker as `workerd.mjs` describes and yields its address."""
    process = _idle.pop() if _idle else _start()
    try:
        address = _tell(process, json.dumps(said, default=str))
        assert address, "it did not start"
        yield address
    except BaseException:
        process.kill()
        process.wait(60)
        raise
    _tell(process, "")
    _idle.append(process)


def _start() -> "subprocess.Popen[str]":
    command = ["node", str(PROGRAM)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)


def _tell(process: "subprocess.Popen[str]", line: str) -> str:
    assert process.stdin and process.stdout
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def client(address: str, token: str | None = TOKEN) -> httpx.Client:
    """Returns a client with or without a token."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=address, headers=headers, trust_env=False, timeout=60)
