"""A step that GitHub cancels: SIGINT, SIGTERM 7.5 s later, and the end after another 2.5 s."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from feeder.cli import interrupts
from github import events
from github.test_job import Command, Runner
from source.repos import Repo

pytestmark = pytest.mark.slow

DEADLINE_S = 120
MOMENTS = 12
AT_ONCE = 4
SIGTERM_AFTER_S = 7.5
"""After SIGINT, by the source of GitHub's runner."""
SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])

NOT_OURS = 99
"""The exit code after a signal before the program begins to listen, or after its work has ended."""

# A signal before a program's first line is not ours: both are blocked up to that line.
PROGRAM = f"""
import os, runpy, signal
signal.signal(signal.SIGINT, lambda *_: os._exit({NOT_OURS}))
signal.signal(signal.SIGTERM, lambda *_: os._exit({NOT_OURS}))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {{signal.SIGINT, signal.SIGTERM}})
runpy.run_module("feeder", run_name="__main__")
"""

# A command that does not notice that it was interrupted.
DEAF_PROGRAM = """
import signal, sys, time
import click
from feeder.cli import main
from feeder.github.outputs import WorkflowReport

def listen():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    print("::listening", flush=True)
    while True:
        try:  # short: a signal that arrives just before a long sleep is handled at its end
            time.sleep(0.01)
        except BaseException:
            pass

main.cli.add_command(click.Command("deaf", callback=listen))
sys.argv[1:] = ["deaf"]
main.main()
"""


class End(NamedTuple):
    """The end of a step: exit code, commands that the runner obeyed, summary and log."""

    code: int
    commands: list[Command]
    summary: str
    log: str


class Step:
    """A step in a checkout with a local index, as a process."""

    def __init__(self, repo: Repo, folder: Path, **variables: str) -> None:
        folder.mkdir()
        self._summary = folder / "summary"
        payload = folder / "event.json"
        happened = events.push(events.ZERO, repo.git("rev-parse", "HEAD"))
        payload.write_text(json.dumps(happened.payload))
        self._env = {
            **{name: value for name, value in os.environ.items() if "CLOUDFLARE" not in name},
            "PYTHONPATH": os.pathsep.join(sys.path),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": happened.name,
            "GITHUB_EVENT_PATH": str(payload),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_REF": happened.ref,
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_RUN_ID": "9001",
            "GITHUB_SHA": happened.sha,
            "GITHUB_STEP_SUMMARY": str(self._summary),
            "GITHUB_WORKSPACE": str(repo.path),
            "RUNNER_TEMP": str(folder),
            "FEEDER_STORE": "local",
            "FEEDER_VECTORS": "no",
            "FEEDER_DB": str(folder / "index.db"),
            "FEEDER_JOBS": "1",
            **variables,
        }
        self._repo = repo

    def start(self, program: str = PROGRAM) -> "subprocess.Popen[str]":
        both = {signal.SIGINT, signal.SIGTERM}
        signal.pthread_sigmask(signal.SIG_BLOCK, both)  # is inherited
        try:
            return subprocess.Popen(
                [sys.executable, "-c", program, "action"],
                cwd=self._repo.path,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, both)

    def end(self, process: "subprocess.Popen[str]", printed: str = "") -> End:
        """Waits for the process to end; `printed` has been read already."""
        try:
            log = printed + process.communicate(timeout=DEADLINE_S)[0]
        finally:
            process.kill()
        summary = self._summary.read_text() if self._summary.exists() else ""
        return End(process.returncode, Runner().read(log), summary, log)


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with files to parse."""
    repo.commit({f"m{n}.py": f"def cart_{n}():\n    return {n}\n" for n in range(60)})
    return repo


@pytest.fixture
def silent_service() -> Iterator[tuple[str, socket.socket]]:
    """An address that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1#anything", server


def check_closed(end: End) -> None:
    """Checks that the runner obeys commands again, and that the run's page says what happened."""
    assert end.code == 130, end.log
    assert [command.name for command in end.commands] == ["group", "endgroup", "error"], end.log
    assert "Interrupted" in end.commands[-1].message
    assert end.log.count("feeder: Interrupted. Finished work is saved") == 1
    assert "Traceback" not in end.log
    assert end.summary.count("## feeder") == 1
    assert ": cancelled, the next run continues\n" in end.summary


@SIGNALS
def test_cancelled_while_a_service_is_silent(
    shop: Repo, tmp_path: Path, silent_service: tuple[str, socket.socket], number: int
) -> None:
    """All 60 files are in the index by then, and the summary says so."""
    address, server = silent_service
    step = Step(shop, tmp_path / "step", FEEDER_VECTORS="yes", FEEDER_MODEL=address)
    # the dimensions need no request, so that the first one is for vectors of written nodes
    process = step.start()
    connection, _ = server.accept()
    with connection:
        process.send_signal(number)
        end = step.end(process)
    check_closed(end)


@SIGNALS
def test_cancelled_command_that_does_not_end(shop: Repo, tmp_path: Path, number: int) -> None:
    """The process ends after its time for cleanup, and closes the block before."""
    step = Step(shop, tmp_path / "step")
    process = step.start(DEAF_PROGRAM)
    assert process.stdout
    printed = ""
    while not printed.endswith("::listening\n"):
        printed += process.stdout.readline()
    process.send_signal(number)
    end = step.end(process, printed)
    check_closed(end)
    assert "Nothing was written: the index is unchanged." in end.summary


def test_sigterm_after_sigint_ends_a_command_that_does_not_end(shop: Repo, tmp_path: Path) -> None:
    """At once, but not before the block is closed and the summary written."""
    step = Step(shop, tmp_path / "step")
    process = step.start(DEAF_PROGRAM)
    assert process.stdout
    printed = ""
    while not printed.endswith("::listening\n"):
        printed += process.stdout.readline()
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)  # two signals at once may arrive as one
    process.send_signal(signal.SIGTERM)
    check_closed(step.end(process, printed))


def test_all_is_written_before_sigterm() -> None:
    """The message, which waits a second for stderr, too."""
    assert interrupts.GRACE_S + 1 + interrupts.LAST_WORDS_S < SIGTERM_AFTER_S


@SIGNALS
def test_cancelled_at_any_moment(shop: Repo, tmp_path: Path, number: int) -> None:
    """The block is closed if it was opened, and then there is a summary, exactly once.

    A run that had done its work ends as if nothing had happened.
    """
    begin = time.monotonic()
    whole = Step(shop, tmp_path / "whole")
    assert whole.end(whole.start()).code == 0
    duration_s = time.monotonic() - begin
    chance = random.Random(number)

    def cancel(run: int, moment_s: float) -> End:
        step = Step(shop, tmp_path / f"step-{run}")
        process = step.start()
        time.sleep(moment_s)
        process.send_signal(number)
        return step.end(process)

    moments = [chance.uniform(0, AT_ONCE * 0.8 * duration_s) for _ in range(MOMENTS)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(cancel, range(MOMENTS), moments))
    for end in ends:
        assert end.code in {0, 130, NOT_OURS, -number}, end.log
        if end.code == 130 and end.log:
            check_closed(end)
        elif end.log:
            assert [command.name for command in end.commands] == ["group", "endgroup"], end.log
            assert end.summary.count("## feeder") == 1
    assert 130 in {end.code for end in ends}
