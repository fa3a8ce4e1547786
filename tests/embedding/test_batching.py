"""Concurrent embedding requests and how they end."""

import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from embedding.endpoint_server import running_server
from feeder.embedding.batching import MAX_CONCURRENT_REQUESTS, run_concurrently
from feeder.errors import ServiceError
from source.repos import Repo

SHORT_OF_ITS_PATIENCE_S = 60


def test_results_are_in_the_order_of_requests() -> None:
    """Although the first request is answered last."""
    last = threading.Event()

    def ask(number: int) -> int:
        if number == 19:
            last.set()
        if number == 0:
            last.wait()
        return number * 10

    assert run_concurrently(ask, range(20)) == [number * 10 for number in range(20)]
    assert run_concurrently(ask, []) == []


def test_after_an_error_no_request_is_started() -> None:
    """The error is raised at once, without waiting for running requests."""
    started: list[int] = []
    released = threading.Event()

    def ask(number: int) -> int:
        started.append(number)
        if number == 0:
            raise ServiceError("no")
        released.wait()
        return number

    with pytest.raises(ServiceError, match="no"):
        run_concurrently(ask, range(100))
    released.set()
    assert len(started) <= 2 * MAX_CONCURRENT_REQUESTS


@pytest.mark.slow
def test_ctrl_c_does_not_wait_for_a_silent_server(repo: Repo, tmp_path: Path) -> None:
    """The server would be silent for two minutes."""
    repo.commit({f"m{number}.py": f"def f{number}():\n    pass\n" for number in range(200)})
    with running_server() as server, ExitStack() as stack:
        program = (sys.executable, "-m", "feeder", "sync", "--model", f"{server.url}#bge-m3")
        with server.lock:  # no request is answered
            run = subprocess.Popen(
                [*program, "--cache", tmp_path / "cache.db"], cwd=repo.path, stderr=subprocess.PIPE
            )
            stack.callback(run.kill)
            assert server.asked.wait(SHORT_OF_ITS_PATIENCE_S)
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=SHORT_OF_ITS_PATIENCE_S)
        assert (run.returncode, b"Interrupted. Finished work is saved" in err) == (130, True)
