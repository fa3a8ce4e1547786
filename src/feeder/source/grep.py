"""Searches a commit or a working tree with `git grep`, within limits of time and output."""

import re
import subprocess
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from feeder.errors import UserError
from feeder.source import paths
from feeder.source.git_command import git_arguments, git_environment, killed_after

TIMEOUT_S = 1.0
MAX_OUTPUT_BYTES = 16_000_000
"""Of what git puts out."""

_OUTPUT_ROW = re.compile(rb"([^\0]+)\0(\d+)\0[^\n]*\n")
_PATTERN_ERRORS = (b"fatal: -e option", b"fatal: command line", b"Perl-compatible")
"""What git says of a pattern that is none, and where it has no Perl's."""


class Truncation(StrEnum):
    """Why there may be more lines than were found."""

    NONE = ""
    TOO_MANY = "finds more than is looked at: some of its lines are not there."
    TIMEOUT = "took git too long: it was stopped before it had looked at all files."
    CRASHED = "was too much for git, which ended before it had looked at all files."


class GrepMatches(NamedTuple):
    """The lines that match, from 1, by path; whether there may be more, and why; and whether the
    pattern was none and so was looked for as the text that it is."""

    lines: dict[str, list[int]]
    truncation: Truncation = Truncation.NONE
    is_literal: bool = False


class _GrepOutput(NamedTuple):
    stdout: bytes
    error: bytes
    truncation: Truncation


def git_grep(
    base: Path,
    commit: str | None,
    pattern: str,
    *,
    case_sensitive: bool,
    timeout_s: float = TIMEOUT_S,
) -> GrepMatches:
    """The lines of a commit's text files that match, else of the files below `base` as they lie.

    The pattern is Perl's, where git has that, else an extended one; one that is none is looked for
    as the text that it is. Raises UserError where git refuses.
    """
    text = re.sub(r"[\0\r\n]", " ", pattern)
    for kind in ("-P", "-E", "-F"):
        options = (
            "-n",
            "-I",
            "-z",
            "--full-name",
            "--no-color",
            kind,
            *(() if case_sensitive else ("-i",)),
        )
        where = (commit,) if commit else ()
        arguments = (*options, *(() if commit else ("--no-index",)), "-e", text, *where, "--")
        answer = _run_grep(git_arguments(base, "grep", *arguments), timeout_s)
        if not answer.error:
            return GrepMatches(
                _parse_lines(answer.stdout, commit), answer.truncation, is_literal=kind == "-F"
            )
        if not any(sign in answer.error for sign in _PATTERN_ERRORS):
            break
    reason = paths.escape_name(answer.error.strip().partition(b"\n")[0])
    raise UserError(f"git cannot search in {base} ({reason}). Ask without /{pattern}/.")


def _run_grep(arguments: list[str | bytes], timeout_s: float) -> _GrepOutput:
    """What git puts out in that time, up to so many bytes; `reason` where it refuses."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(arguments, env=_grep_environment(), stdout=pipe, stderr=pipe)
    except FileNotFoundError as exc:
        raise UserError("git is not found. Install it, or put it on the PATH.") from exc
    with process, killed_after(process, timeout_s) as late:
        out = process.stdout.read(MAX_OUTPUT_BYTES) if process.stdout else b""
        if is_full := len(out) == MAX_OUTPUT_BYTES:
            process.kill()
        reason = process.stderr.read() if process.stderr else b""
    cut = (
        Truncation.TOO_MANY
        if is_full
        else Truncation.TIMEOUT
        if late.is_set()
        else Truncation.CRASHED
    )
    is_cut = is_full or process.returncode < 0
    return _GrepOutput(
        out, reason if process.returncode > 1 else b"", cut if is_cut else Truncation.NONE
    )


def _grep_environment() -> dict[str, str]:
    """Of a clone that lacks contents, none are fetched for a question."""
    return git_environment() | {"GIT_NO_LAZY_FETCH": "1"}


def _parse_lines(out: bytes, commit: str | None) -> dict[str, list[int]]:
    """The numbers by path; a row that was cut at its end is none."""
    found: dict[str, list[int]] = {}
    before = f"{commit}:".encode() if commit else b""
    for name, line in _OUTPUT_ROW.findall(out):
        found.setdefault(paths.escape_name(name.removeprefix(before)), []).append(int(line))
    return found
