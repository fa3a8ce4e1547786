"""Ctrl-C ends the program at any time and leaves an index that the next run completes."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from command_runner import RunFeeder
from mcp_server.stdio_client import call, initialize
from required_extras import require_extras
from source.repos import Repo

pytestmark = pytest.mark.slow

MOMENTS = 10
AT_ONCE = 4
DEADLINE_S = 240

# What Python does with SIGINT before a program's first line is not ours: so it is blocked from the
# process' begin up to that line, which is that of feeder/__main__.py.
FIRST_LINE = """
import os, runpy, signal
signal.signal(signal.SIGINT, lambda *_: os._exit(130))
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
runpy.run_module("feeder", run_name="__main__")
"""


class End(NamedTuple):
    """Exit code and output of a process."""

    code: int
    err: str


class Program:
    """A feeder command that is run repeatedly in a repository."""

    def __init__(self, repo: Repo, *arguments: str, messages: Sequence[object] = ()) -> None:
        self.repo = repo
        self.arguments = arguments
        self.messages = messages

    def start(self, *more: str) -> "subprocess.Popen[bytes]":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # is inherited
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", FIRST_LINE, *self.arguments, *more],
                cwd=self.repo.path,
                env={**os.environ, "FEEDER_JOBS": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        assert process.stdin
        for message in self.messages:
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        return process

    def duration_s(self, *more: str) -> float:
        """Returns the run time in seconds; for a server, the time until it has answered the
        messages.
        """
        begin = time.monotonic()
        with self.start(*more) as process:
            assert process.stdout
            if self.arguments[0] in ("serve", "mcp"):
                for _ in self.messages or "1":
                    assert process.stdout.readline()
                process.kill()
            else:
                assert process.wait() == 0
        return time.monotonic() - begin

    def interrupt(self, moment_s: float, *more: str) -> End:
        """Sends SIGINT after this many seconds and returns the end."""
        with self.start(*more) as process:
            time.sleep(moment_s)
            process.send_signal(signal.SIGINT)
            try:
                # stdin stays open: its end would end `mcp`
                code = process.wait(DEADLINE_S)
                assert process.stderr
                return End(code, process.stderr.read().decode())
            finally:
                process.kill()


def interrupt_at_random(program: Program, *more: list[str]) -> list[End]:
    """Interrupts many runs at moments spread over a whole run.

    Run number i gets the i-th of the further arguments; `more` has AT_ONCE more than MOMENTS.
    """
    further = more or ([],) * (MOMENTS + AT_ONCE)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        whole_s = max(pool.map(lambda own: program.duration_s(*own), further[MOMENTS:]))
        chance = random.Random(program.arguments[0])
        moments = [chance.uniform(0, 1.1 * whole_s) for _ in range(MOMENTS)]
        return list(pool.map(lambda at, own: program.interrupt(at, *own), moments, further))


def check_ends(ends: list[End], *codes: int) -> None:
    """Checks that each run was interrupted or has one of these exit codes, without a traceback."""
    assert [end for end in ends if end.code not in (130, *codes)] == []
    assert [end for end in ends if "Traceback" in end.err] == []
    assert 130 in {end.code for end in ends}


def check_index(feeder: RunFeeder, repo: Repo, *options: str) -> None:
    """Checks that one more sync completes the index and that it is valid."""
    completed = feeder(repo, "sync", *options)
    assert completed.code == 0, completed.err
    validated = feeder(
        repo, "validate", *(option for option in options if option != "--working-tree")
    )
    assert validated.code == 0, validated.out


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with files to parse."""
    repo.commit({f"m{n}.py": f"def cart_{n}():\n    return {n}\n" for n in range(20)})
    return repo


FINISHED = (0, -signal.SIGINT)
"""Of a process that had done its work; Python ends with the signal when it is about to exit."""


@pytest.mark.timeout(1800)
def test_sync_is_interrupted_and_the_next_run_completes_the_index(
    shop: Repo, feeder: RunFeeder
) -> None:
    databases = [["--db", f"../{n}.db"] for n in range(MOMENTS + AT_ONCE)]
    check_ends(interrupt_at_random(Program(shop, "sync", "--json"), *databases), *FINISHED)
    started = [database for database in databases if (shop.path / database[1]).exists()]
    assert len(started) > AT_ONCE
    for database in started:
        check_index(feeder, shop, *database)


def test_search_is_interrupted(shop: Repo, feeder: RunFeeder) -> None:
    feeder(shop, "sync")
    check_ends(interrupt_at_random(Program(shop, "search", "cart")), *FINISHED)
    check_index(feeder, shop)


def test_serve_is_interrupted(shop: Repo, feeder: RunFeeder) -> None:
    """It exits with 0 once it serves, since Ctrl-C is how it is stopped."""
    require_extras("serve")
    check_ends(interrupt_at_random(Program(shop, "serve")), 0)
    check_index(feeder, shop, "--working-tree")


def test_mcp_is_interrupted(shop: Repo, feeder: RunFeeder) -> None:
    messages = [initialize(0), call(1, "search_code", query="cart")]
    check_ends(interrupt_at_random(Program(shop, "mcp", messages=messages)))
    check_index(feeder, shop, "--working-tree")


SCRIPT = """
import os, signal, sys, time, weakref
from feeder.cli.interrupts import InterruptMonitor

class Module: pass

def on_collected(_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):  # KeyboardInterrupt is raised here
        pass

with InterruptMonitor(grace_s=float(sys.argv[1])):
{body}
"""


def run_script(body: str, grace_s: float, *wrapper: str) -> "subprocess.CompletedProcess[str]":
    """Runs lines of Python with the interrupt monitor."""
    script = SCRIPT.format(body="\n".join(f"    {line}" for line in body.strip().split("\n")))
    return subprocess.run(
        [*wrapper, sys.executable, "-c", script, str(grace_s)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )


MESSAGE = "\nfeeder: Interrupted. Finished work is saved; run the command again to continue.\n"


def test_ignored_interrupt_is_raised_again() -> None:
    """In a weakref callback, such as importlib has."""
    done = run_script(
        """
module = Module()
reference = weakref.ref(module, on_collected)
try:
    del module
    time.sleep(3600)
except KeyboardInterrupt:
    print("interrupted")
""",
        grace_s=3600,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


def test_objects_that_were_interrupted_while_they_were_made_print_nothing() -> None:
    """As an event loop of asyncio, and the coroutine that it should have run."""
    done = run_script(
        """
class Interrupted:
    def __init__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):  # KeyboardInterrupt is raised here
            pass
    def __del__(self):
        raise ValueError("not complete")
async def serve():
    pass
def run(coroutine):
    Interrupted()
try:
    run(serve())
except KeyboardInterrupt:
    print("interrupted")
""",
        grace_s=3600,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


def test_thread_that_fails_after_the_interrupt_prints_nothing() -> None:
    """A thread may outlive what it uses."""
    done = run_script(
        """
import threading
def fail():
    raise ValueError("closed")
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(3600)
except KeyboardInterrupt:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    print("interrupted")
""",
        grace_s=3600,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


DEFINES_CLASS = """
import os, signal, sys
import click
from feeder.cli import main

class Interrupting:
    def __set_name__(self, *_):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):  # KeyboardInterrupt is raised here
            pass

def define():
    class Report:
        field = Interrupting()

main.cli.add_command(click.Command("define", callback=define))
sys.argv[1:] = ["define"]
main.main()
"""


def test_interrupt_while_a_class_is_defined_ends_with_130() -> None:
    """As during an import: Python 3.11 makes a RuntimeError of it."""
    done = subprocess.run(
        [sys.executable, "-c", DEFINES_CLASS],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", MESSAGE.lstrip())


def test_lost_interrupt_ends_the_process_after_a_delay() -> None:
    done = run_script(
        """
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(3600)
except BaseException:
    time.sleep(3600)
""",
        grace_s=0.1,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", MESSAGE)


def test_second_interrupt_ends_the_process_at_once() -> None:
    """Even during the cleanup of the first."""
    done = run_script(
        """
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(3600)
finally:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(3600)
""",
        grace_s=3600,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", MESSAGE)


@pytest.mark.parametrize("end", ["SIGTERM", "SIGHUP"])
def test_another_end_is_as_ctrl_c(end: str) -> None:
    """As of a job that is cancelled, or of a terminal that is closed."""
    done = run_script(
        f"""
try:
    os.kill(os.getpid(), signal.{end})
    time.sleep(3600)
except KeyboardInterrupt:
    print("interrupted")
""",
        grace_s=3600,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


def test_ignored_end_stays_ignored() -> None:
    done = run_script(
        """
os.kill(os.getpid(), signal.SIGHUP)
print("goes on")
""",
        3600,
        "nohup",
    )
    assert (done.returncode, done.stdout) == (0, "goes on\n")


def test_end_that_the_caller_ignores_stays_ignored() -> None:
    """As after `trap '' TERM` in a script."""
    script = "import feeder.__main__, os, signal; os.kill(os.getpid(), signal.SIGTERM); print('on')"
    done = subprocess.run(
        ["sh", "-c", "trap '' TERM; exec \"$@\"", "sh", sys.executable, "-c", script],
        check=False,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert (done.returncode, done.stdout) == (0, "on\n")


def test_signal_handlers_are_restored(feeder: RunFeeder, tmp_path: Path) -> None:
    """Programs that call `main` have their own handlers."""
    ends = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
    before = [*map(signal.getsignal, ends), sys.unraisablehook, signal.set_wakeup_fd(-1)]
    feeder(tmp_path, "--version")
    after = [*map(signal.getsignal, ends), sys.unraisablehook, signal.set_wakeup_fd(-1)]
    assert after == before
