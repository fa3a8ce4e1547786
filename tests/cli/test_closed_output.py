"""The program ends quietly when the reader of its output closes the pipe."""

import os
import subprocess
import sys
from collections.abc import Callable

import click
import pytest

from command_runner import RunFeeder
from feeder.cli.main import CommandGroup
from feeder.errors import FeederError, OutputClosed
from index_helpers import SHOP
from source.repos import Repo

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(SHOP)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


@pytest.mark.parametrize(
    ("arguments", "stream"),
    [
        ("search cart", "stdout"),
        ("stats --json", "stdout"),
        ("validate", "stdout"),
        ("search --help", "stdout"),
        ("--help", "stdout"),
        ("search cart", "stderr"),
    ],
)
def test_closed_stdout_exits_with_141(shop: Repo, arguments: str, stream: str) -> None:
    """Like a program that SIGPIPE ends, without a message."""
    reader, writer = os.pipe()
    os.close(reader)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | {stream: writer}
    command = [sys.executable, "-m", "feeder", *arguments.split()]
    run = subprocess.run(command, cwd=shop.path, text=True, check=False, **pipes)  # type: ignore[call-overload]
    os.close(writer)
    assert run.returncode == 141
    assert "ipe" not in (run.stderr or "")


def test_lines_before_the_close_are_complete(shop: Repo) -> None:
    """One line of a long outline, as read by `head -1`."""
    shop.commit({f"f{at}.py": f"def f{at}(): pass\n" for at in range(3_000)})
    command = [sys.executable, "-m", "feeder"]
    subprocess.run([*command, "sync", "-q"], cwd=shop.path, check=True, capture_output=True)
    command, pipe = [*command, "outline", ".", "--max-lines", "0"], subprocess.PIPE
    with subprocess.Popen(command, cwd=shop.path, stdout=pipe, stderr=pipe) as run:
        assert run.stdout
        assert run.stderr
        assert run.stdout.readline() == b"config.json\n"
        run.stdout.close()
        assert b"Errno" not in run.stderr.read()
    assert run.returncode == 141


def _failing(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def test_broken_pipe_to_a_child_process_is_an_error() -> None:
    """stderr is still read and has the message."""
    command = click.Command("go", callback=_failing(BrokenPipeError(32, "Broken pipe")))
    program = CommandGroup(commands={"go": command})
    with pytest.raises(FeederError, match="Broken pipe") as failure:
        program.main(["go"], standalone_mode=False)
    assert not isinstance(failure.value, OutputClosed)
    assert failure.value.exit_code == 1
