"""Which lines match a pattern? git's own search, of a commit or of the files as they lie."""

import re
import subprocess
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from feeder.errors import UserError
from feeder.tree import names
from feeder.tree.command import command, ended_after, environment

TIMEOUT_S = 1.0
MAX_BYTES = 16_000_000
"""Of what git puts out."""

_ROW = re.compile(rb"([^\0]+)\0(\d+)\0[^\n]*\n")
_RETRIED = (b"fatal: -e option", b"fatal: command line", b"Perl-compatible")
"""What git says of a pattern that is none, and where it has no Perl's."""


class Cut(StrEnum):
    """Why there may be more lines than were found."""

    NOT = ""
    MANY = "finds more than is looked at: some of its lines are not there."
    LATE = "took git too long: it was stopped before it had looked at all files."
    ENDED = "was too much for git, which ended before it had looked at all files."


class Matches(NamedTuple):
    """The lines that match, from 1, by path; whether there may be more, and why; and whether the
    pattern was none and so was looked for as the text that it is."""

    lines: dict[str, list[int]]
    cut: Cut = Cut.NOT
    as_text: bool = False


class _Answer(NamedTuple):
    out: bytes
    reason: bytes
    cut: Cut


def grep(
    base: Path, commit: str | None, pattern: str, *, case: bool, timeout_s: float = TIMEOUT_S
) -> Matches:
    """The lines of a commit's text files that match, else of the files below `base` as they lie.

    The pattern is Perl's, where git has that, else an extended one; one that is none is looked for
    as the text that it is. Raises UserError where git refuses.
    """
    text = re.sub(r"[\0\r\n]", " ", pattern)
    for kind in ("-P", "-E", "-F"):
        options = ("-n", "-I", "-z", "--full-name", "--no-color", kind, *(() if case else ("-i",)))
        where = (commit,) if commit else ()
        arguments = (*options, *(() if commit else ("--no-index",)), "-e", text, *where, "--")
        answer = _asked(command(base, "grep", *arguments), timeout_s)
        if not answer.reason:
            return Matches(_lines(answer.out, commit), answer.cut, as_text=kind == "-F")
        if not any(sign in answer.reason for sign in _RETRIED):
            break
    reason = names.escape(answer.reason.strip().partition(b"\n")[0])
    raise UserError(f"git cannot search in {base} ({reason}). Ask without /{pattern}/.")


def _asked(arguments: list[str | bytes], timeout_s: float) -> _Answer:
    """What git puts out in that time, up to so many bytes; `reason` where it refuses."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(arguments, env=_environment(), stdout=pipe, stderr=pipe)
    except FileNotFoundError as exc:
        raise UserError("git is not found. Install it, or put it on the PATH.") from exc
    with process, ended_after(process, timeout_s) as late:
        out = process.stdout.read(MAX_BYTES) if process.stdout else b""
        if is_full := len(out) == MAX_BYTES:
            process.kill()
        reason = process.stderr.read() if process.stderr else b""
    cut = Cut.MANY if is_full else Cut.LATE if late.is_set() else Cut.ENDED
    is_cut = is_full or process.returncode < 0
    return _Answer(out, reason if process.returncode > 1 else b"", cut if is_cut else Cut.NOT)


def _environment() -> dict[str, str]:
    """Of a clone that lacks contents, none are fetched for a question."""
    return environment() | {"GIT_NO_LAZY_FETCH": "1"}


def _lines(out: bytes, commit: str | None) -> dict[str, list[int]]:
    """The numbers by path; a row that was cut at its end is none."""
    found: dict[str, list[int]] = {}
    before = f"{commit}:".encode() if commit else b""
    for name, line in _ROW.findall(out):
        found.setdefault(names.escape(name.removeprefix(before)), []).append(int(line))
    return found
