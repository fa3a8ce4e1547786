"""Searches a commit or a working tree with `git grep`, within limits of time and output."""

import re
import subprocess
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from feeder.errors import UserError
from feeder.source import paths
from feeder.source.git_command import GIT_NOT_FOUND, git_arguments, git_environment, killed_after

TIMEOUT_S = 1.0
MAX_OUTPUT_BYTES = 16_000_000
"""Maximum bytes of git's output that are read."""

_OUTPUT_ROW = re.compile(rb"([^\0]+)\0(\d+)\0[^\n]*\n")
_PATTERN_ERRORS = (b"fatal: -e option", b"fatal: command line", b"Perl-compatible")
"""git's errors for an invalid pattern, and for a git without Perl patterns."""


class Truncation(StrEnum):
    """The reason why matches may be missing: a predicate whose subject is the pattern."""

    NONE = ""
    TOO_MANY = "finds more than is looked at: some of its lines are not there."
    TIMEOUT = "took git too long: it was stopped before it had looked at all files."
    CRASHED = "was too much for git, which ended before it had looked at all files."


class GrepMatches(NamedTuple):
    """The numbers of the matching lines, from 1, by path.

    `is_literal` if the pattern is not a valid regular expression and was searched for as text.
    """

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
    """Searches the text files of a commit, or without one the files below `base`, for a pattern.

    The pattern is a Perl regular expression, or an extended one if git lacks Perl's; an invalid one
    is searched for as text. Raises UserError if git fails.
    """
    text = re.sub(r"[\0\r\n]", " ", pattern)
    options = ["-n", "-I", "-z", "--full-name", "--no-color", "-e", text]
    if not case_sensitive:
        options.insert(0, "-i")
    target = (commit,) if commit else ("--no-index",)
    for syntax in ("-P", "-E", "-F"):
        output = _run_grep(git_arguments(base, "grep", syntax, *options, *target, "--"), timeout_s)
        if not output.error:
            lines = _parse_lines(output.stdout, commit)
            return GrepMatches(lines, output.truncation, is_literal=syntax == "-F")
        if not any(error in output.error for error in _PATTERN_ERRORS):
            break
    reason = paths.escape_name(output.error.strip().partition(b"\n")[0])
    raise UserError(f"git cannot search in {base} ({reason}). Search without /{pattern}/.")


def _run_grep(arguments: list[str | bytes], timeout_s: float) -> _GrepOutput:
    """git's output within the limits of time and bytes."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(arguments, env=_grep_environment(), stdout=pipe, stderr=pipe)
    except FileNotFoundError as exc:
        raise UserError(GIT_NOT_FOUND) from exc
    with process, killed_after(process, timeout_s) as timed_out:
        stdout = process.stdout.read(MAX_OUTPUT_BYTES) if process.stdout else b""
        if is_full := len(stdout) == MAX_OUTPUT_BYTES:
            process.kill()
        error = process.stderr.read() if process.stderr else b""
    truncation = Truncation.NONE
    if is_full:
        truncation = Truncation.TOO_MANY
    elif process.returncode < 0:
        truncation = Truncation.TIMEOUT if timed_out.is_set() else Truncation.CRASHED
    return _GrepOutput(stdout, error if process.returncode > 1 else b"", truncation)


def _grep_environment() -> dict[str, str]:
    # a partial clone fetches no contents for a search
    return git_environment() | {"GIT_NO_LAZY_FETCH": "1"}


def _parse_lines(stdout: bytes, commit: str | None) -> dict[str, list[int]]:
    """The line numbers by path, without an incomplete last row."""
    lines: dict[str, list[int]] = {}
    prefix = f"{commit}:".encode() if commit else b""
    for name, line in _OUTPUT_ROW.findall(stdout):
        lines.setdefault(paths.escape_name(name.removeprefix(prefix)), []).append(int(line))
    return lines
