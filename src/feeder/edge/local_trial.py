"""Runs the Worker on this machine, with a local D1 that is a copy of the local index."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from feeder.edge.worker_folder import folder_contents
from feeder.errors import ServiceError, UserError
from feeder.store.index_copy import copy_index

PROGRAM = Path(__file__).with_name("try_worker.mjs")

_NOT_INSTALLED = 3
"""Exit code of the program if miniflare is missing."""

_STOP_S = 30


@contextmanager
def running_worker(
    index: Path, repo: str, directory: Path, port: int, variables: Mapping[str, str]
) -> Iterator[str]:
    """Runs the Worker on a copy of an index and yields its address; 0 is a free port.

    Miniflare is looked for in `directory` and above. Raises UserError if it or Node.js is missing,
    or there is no index.
    """
    if not index.exists():
        raise UserError(f"{index} does not exist. Make a local index: feeder sync --store local")
    node = shutil.which("node")
    if not node:
        raise UserError("Node.js is missing, which runs the Worker. Install it: https://nodejs.org")
    _check_port(port)
    with tempfile.TemporaryDirectory(prefix="feeder-worker-") as name:
        folder = Path(name)
        for path, text in folder_contents("wrangler.toml").items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        copy = folder / "index.db"
        copy_index(index, copy, repo)
        options = {
            "folder": str(folder),
            "index": str(copy),
            "port": port,
            "vars": {"PUBLIC": "true", "REPO": repo, **variables},
            "from": str(directory.absolute()),
        }
        with subprocess.Popen(
            [node, str(PROGRAM), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Ctrl-C goes to the parent only, which closes stdin
            process_group=0,
        ) as process:
            assert process.stdin
            assert process.stdout
            try:
                yield _address(process, process.stdout.readline().strip())
            finally:
                process.stdin.close()
                _wait(process)


def _check_port(port: int) -> None:
    """Raises UserError for a port that is not free; workerd would print a stack trace."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as exc:
        problem = f"127.0.0.1 port {port}: {os.strerror(exc.errno or 0)}."
        raise UserError(f"{problem} Choose another with --port, 0 for a free one.") from exc


def _address(process: subprocess.Popen[str], line: str) -> str:
    if line:
        return line
    if process.wait() == _NOT_INSTALLED:
        raise UserError(
            "miniflare is missing, which runs a Worker on this machine. Install it in this folder "
            "or above: npm install --no-save miniflare"
        )
    raise ServiceError(
        f"miniflare ended with exit code {process.returncode} before the Worker ran; what it "
        "printed is above."
    )


def _wait(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
