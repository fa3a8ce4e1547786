"""Runs the Worker on this machine, with a local D1 that is a copy of the local index.

It is as closed as `feeder serve`: each start has its own token, and the Worker checks Host and
Origin. Only the user can read the folder with the copy; no argument of a process has the token.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from feeder.edge.worker_folder import folder_contents
from feeder.errors import ServiceError, UserError
from feeder.private_files import temporary_folder
from feeder.store.index_copy import copy_index
from feeder.web.server import DEFAULT_HOST, Address

PROGRAM = Path(__file__).with_name("try_worker.mjs")

_NOT_INSTALLED = 3
"""Exit code of the program if miniflare is missing."""

_STOP_S = 30


@contextmanager
def running_worker(
    index: Path, repo: str, directory: Path, port: int, variables: Mapping[str, str]
) -> Iterator[Address]:
    """Runs the Worker on a copy of an index; yields its address with a new token.

    Port 0 is a free one.

    Miniflare is looked for in `directory` and above. Raises UserError if it or Node.js is missing,
    or there is no index.
    """
    if not index.exists():
        raise UserError(
            f"{index} does not exist.", "Make a local index: feeder sync --store local --texts"
        )
    node = shutil.which("node")
    if not node:
        raise UserError(
            "Running the Worker needs Node.js, which is not installed.",
            "Install it: https://nodejs.org",
        )
    _check_port(port)
    with temporary_folder() as folder:
        for path, content in folder_contents("wrangler.toml").items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        copy = folder / "index.db"
        copy_index(index, copy, repo)
        token = secrets.token_urlsafe(32)
        options = {
            "folder": str(folder),
            "index": str(copy),
            "port": port,
            "vars": {"LOCAL": "true", "FEEDER_TOKEN": token, "REPO": repo, **variables},
            "from": str(directory.absolute()),
        }
        with subprocess.Popen(
            [node, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # miniflare's own temporary files
            env={**os.environ, "TMPDIR": str(folder)},
            # Ctrl-C goes to the parent only, which closes stdin
            process_group=0,
        ) as process:
            assert process.stdin
            assert process.stdout
            try:
                with suppress(BrokenPipeError):  # the end of the program is reported below
                    process.stdin.write(f"{json.dumps(options)}\n")
                    process.stdin.flush()
                bound_port = _bound_port(process, process.stdout.readline().strip())
                yield Address(DEFAULT_HOST, bound_port, token)
            finally:
                with suppress(BrokenPipeError):
                    process.stdin.close()
                _wait(process)


def _check_port(port: int) -> None:
    """Raises UserError for a port that is not free; workerd would print a stack trace."""
    try:
        socket.create_server((DEFAULT_HOST, port)).close()
    except OSError as exc:
        problem = f"{DEFAULT_HOST} port {port}: {os.strerror(exc.errno or 0)}."
        raise UserError(f"{problem} Choose another with --port, 0 for a free one.") from exc


def _bound_port(process: subprocess.Popen[str], line: str) -> int:
    if line:
        return int(line)
    if process.wait() == _NOT_INSTALLED:
        raise UserError(
            "Running a Worker on this machine needs miniflare, which is not installed.",
            "Install it in this folder or above: npm install --no-save miniflare",
        )
    raise ServiceError(
        f"miniflare ended with exit code {process.returncode} before the Worker started; what it "
        "printed is above."
    )


def _wait(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
