"""Child processes: messages, environment and their end."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from feeder.child_process import ChildProcess

ECHO = """
import os, pickle
from feeder.child_process import open_channel

def serve():
    requests, responses = open_channel()
    while True:
        name = pickle.load(requests)
        print("a library's chatter", flush=True)
        response = pickle.dumps(os.environ.get(name))
        responses.write(response[:-3] if "CUT" in os.environ else response)
        responses.flush()
        if "CUT" in os.environ:
            os._exit(1)
"""


@pytest.fixture(autouse=True)
def _echo_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that responds to the name of a variable with its value."""
    (tmp_path / "echo.py").write_text(ECHO)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "secret")
    monkeypatch.setenv("FEEDER_API_KEY", "secret")
    monkeypatch.setenv("FEEDER_MODEL", "http://me:secret@example.org#m")
    monkeypatch.setenv("LANG", "C")


@contextmanager
def running_echo(**variables: str) -> Iterator[ChildProcess]:
    """A running echo process, stopped afterwards."""
    process = ChildProcess("echo", variables)
    try:
        yield process
    finally:
        process.stop()


def request(process: ChildProcess, name: str) -> object:
    process.send(name)
    return process.receive()


def test_child_gets_variables_but_no_secret() -> None:
    """The child inherits the environment without secrets, and gets its own variables."""
    names = ("LANG", "COLOUR", "CLOUDFLARE_API_TOKEN", "FEEDER_API_KEY", "FEEDER_MODEL")
    with running_echo(COLOUR="red") as echo:
        assert [request(echo, name) for name in names] == ["C", "red", None, None, None]
    assert "COLOUR" not in os.environ


def test_printed_text_is_no_response(capfd: pytest.CaptureFixture[str]) -> None:
    """Output of libraries goes to stderr and never into a response."""
    with running_echo() as echo:
        assert request(echo, "LANG") == "C"
    assert capfd.readouterr() == ("", "a library's chatter\n")


def test_output_of_start_up_files_is_ignored(tmp_path: Path) -> None:
    """For example sitecustomize, which runs before `serve`."""
    (tmp_path / "echo.py").write_text('print("Loading", end="", flush=True)\n' + ECHO)
    with running_echo() as echo:
        assert request(echo, "LANG") == "C"


def test_incomplete_response_raises_eof_error() -> None:
    """The process was killed while it wrote a response."""
    with running_echo(CUT="yes") as echo, pytest.raises(EOFError):
        request(echo, "LANG")


def test_end_without_a_response_raises_eof_error() -> None:
    """The end of the pipe raises EOFError."""
    with running_echo() as echo:
        request(echo, "LANG")
        echo.kill()
        with pytest.raises(EOFError):
            echo.receive()
