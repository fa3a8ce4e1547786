"""What is done in a process apart: it answers message by message, and knows no token."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from feeder.child_process import ChildProcess

ECHO = """
import os, pickle
from feeder.child_process import channel

def serve():
    messages, answers = channel()
    while True:
        name = pickle.load(messages)
        print("a library's chatter", flush=True)
        answer = pickle.dumps(os.environ.get(name))
        answers.write(answer[:-3] if "CUT" in os.environ else answer)
        answers.flush()
        if "CUT" in os.environ:
            os._exit(1)
"""


@pytest.fixture(autouse=True)
def _an_echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that answers for the name of a variable with its value."""
    (tmp_path / "echo.py").write_text(ECHO)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "secret")
    monkeypatch.setenv("FEEDER_API_KEY", "secret")
    monkeypatch.setenv("FEEDER_MODEL", "http://me:secret@example.org#m")
    monkeypatch.setenv("LANG", "C")


@contextmanager
def started(**variables: str) -> Iterator[ChildProcess]:
    """The echo, ended after."""
    peer = ChildProcess("echo", variables)
    try:
        yield peer
    finally:
        peer.stop()


def asked(peer: ChildProcess, name: str) -> object:
    peer.send(name)
    return peer.receive()


def test_it_knows_the_programs_variables_but_no_secret() -> None:
    """And those that are for it alone."""
    names = ("LANG", "COLOUR", "CLOUDFLARE_API_TOKEN", "FEEDER_API_KEY", "FEEDER_MODEL")
    with started(COLOUR="red") as echo:
        assert [asked(echo, name) for name in names] == ["C", "red", None, None, None]
    assert "COLOUR" not in os.environ


def test_what_it_prints_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    """It goes where errors go, so that no result of the program has it in the midst."""
    with started() as echo:
        assert asked(echo, "LANG") == "C"
    assert capfd.readouterr() == ("", "a library's chatter\n")


def test_what_start_up_files_print_is_no_answer(tmp_path: Path) -> None:
    """Such as sitecustomize, before the process knows what it is."""
    (tmp_path / "echo.py").write_text('print("Loading", end="", flush=True)\n' + ECHO)
    with started() as echo:
        assert asked(echo, "LANG") == "C"


def test_an_answer_cut_short_is_an_end() -> None:
    """The process was killed while it wrote."""
    with started(CUT="yes") as echo, pytest.raises(EOFError):
        asked(echo, "LANG")


def test_an_end_without_an_answer_is_told() -> None:
    """By the end of what it says."""
    with started() as echo:
        asked(echo, "LANG")
        echo.kill()
        with pytest.raises(EOFError):
            echo.receive()
