"""Child processes: messages, environment and their end."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from feeder.child_process import ChildProcess, MessageError, decode_message, encode_message

ECHO = """
import os, pickle
from feeder.child_process import encode_message, open_channel, read_message, write_message

class Attack:
    def __reduce__(self):
        return print, ("executed",)

def serve():
    requests, responses = open_channel()
    while True:
        name = read_message(requests, str)
        print("a library's chatter", flush=True)
        answer = os.environ.get(name)
        match os.environ.get("FAULT"):
            case "cut":
                responses.write((100).to_bytes(4, "big") + b"too few")
                responses.flush()
                os._exit(1)
            case "bare pickle":
                responses.write(pickle.dumps(Attack()))
                responses.flush()
                os._exit(1)
            case "pickle":
                write_message(responses, pickle.dumps(Attack()))
            case "type":
                write_message(responses, encode_message([answer]))
            case "size":
                responses.write(bytes([255]) * 1_000)
                responses.flush()
            case _:
                write_message(responses, encode_message(answer))
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
    answer: type[str | None] = str | None  # type: ignore[assignment]
    return process.receive(answer)


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
    with running_echo(FAULT="cut") as echo, pytest.raises(EOFError):
        request(echo, "LANG")


def test_end_without_a_response_raises_eof_error() -> None:
    """The end of the pipe raises EOFError."""
    with running_echo() as echo:
        request(echo, "LANG")
        echo.kill()
        with pytest.raises(EOFError):
            echo.receive(str)


@pytest.mark.parametrize("fault", ["pickle", "bare pickle", "type", "size"])
def test_malformed_response_raises_message_error(
    fault: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A pickle that would call a function calls none, in whatever frame it is sent."""
    with running_echo(FAULT=fault) as echo, pytest.raises(MessageError):
        request(echo, "LANG")
    assert "executed" not in capfd.readouterr().out


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x91" * 100_000 + b"\xc0", id="100,000 arrays in each other"),
        pytest.param(b"\xdd\xff\xff\xff\xff", id="array of four billion"),
        pytest.param(b"\xa2\xff\xfe", id="text that is not UTF-8"),
        pytest.param(b"\xc1", id="byte without a meaning"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_malformed_message_raises_message_error(data: bytes) -> None:
    """Also where any value is expected."""
    with pytest.raises(MessageError):
        decode_message(data, object)


def test_paths_arrive_as_they_were_sent() -> None:
    """Also those whose name is not UTF-8."""
    path = Path(os.fsdecode(b"/tmp/caf\xe9"))
    assert decode_message(encode_message([path]), list[Path]) == [path]
    with pytest.raises(MessageError):
        decode_message(encode_message(["text"]), list[Path])
