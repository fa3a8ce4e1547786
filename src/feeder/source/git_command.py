"""Runs git with a controlled environment and turns its failures into `UserError`.

Nothing else starts git.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer
from types import MappingProxyType

from feeder.config import SECRET_VARIABLES
from feeder.errors import UserError
from feeder.source import paths

_PASSED_VARIABLES = (
    "GIT_ALLOW_PROTOCOL",
    "GIT_ASKPASS",
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
    "GIT_SSH",
    "GIT_SSL",
)
"""What a user sets to make git work here. A hook's GIT_DIR and GIT_INDEX_FILE would redirect it."""

_FORCED_VARIABLES = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

_DISABLE_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
"""A repository's settings may name programs; none is started for a question."""

_NO_WORKING_TREE = re.compile(rb"must be run in a work tree|cannot use bare repository")

GitResult = subprocess.CompletedProcess[bytes]
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


def git_output(
    folder: Path,
    *arguments: str | bytes,
    stdin: bytes = b"",
    timeout_s: float | None = None,
    variables: Mapping[str, str] = NO_VARIABLES,
) -> bytes:
    """git's output; raises UserError with its reason when it fails, and TimeoutError."""
    answer = run_git(folder, *arguments, stdin=stdin, timeout_s=timeout_s, variables=variables)
    return check_result(folder, answer)


def run_git(
    folder: Path,
    *arguments: str | bytes,
    stdin: bytes = b"",
    timeout_s: float | None = None,
    variables: Mapping[str, str] = NO_VARIABLES,
) -> GitResult:
    """git's answer, whatever its exit code; raises UserError where it does not even begin.

    `beside` are variables that git is told beside this process' environment.
    """
    try:
        answer = subprocess.run(
            git_arguments(folder, *arguments),
            env={**git_environment(), **variables},
            input=stdin,
            capture_output=True,
            check=False,
            timeout=timeout_s,
        )
    except FileNotFoundError as exc:
        raise UserError("git is not found. Install it, or put it on the PATH.") from exc
    except subprocess.TimeoutExpired as exc:
        raise TimeoutError from exc
    if b"not a git repository" in answer.stderr:
        raise NoRepositoryError(
            f"{folder} is not in a git repository. Run `git init` and commit, "
            "or name the files with `feeder process --path`."
        )
    if b"dubious ownership" in answer.stderr:
        remedy = paths.escape_name(answer.stderr.strip().splitlines()[-1].strip())
        raise UserError(
            f"git sees that {folder} belongs to another user. Allow it with `{remedy}`."
        )
    return answer


class NoRepositoryError(UserError):
    """There is no repository in the folder, nor in those above it."""


def check_result(folder: Path, result: GitResult) -> bytes:
    """What git has put out; raises UserError with its reason when it has failed."""
    if result.returncode == 0:
        return result.stdout
    reason = paths.escape_name(result.stderr.strip().partition(b"\n")[0]) or "no reason given"
    raise UserError(f"git failed in {folder} ({reason}). See what `git status` says there.")


def git_arguments(folder: Path, *arguments: str | bytes) -> list[str | bytes]:
    """What starts git there, without anything that the repository's settings name."""
    return ["git", "--no-pager", *_DISABLE_PROGRAMS, "-C", os.fsencode(folder), *arguments]


def git_environment() -> dict[str, str]:
    """What git is told of this process' environment."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in SECRET_VARIABLES
        and (not name.startswith("GIT_") or name.startswith(_PASSED_VARIABLES))
    }
    return kept | _FORCED_VARIABLES


@contextmanager
def killed_after(process: subprocess.Popen[bytes], timeout_s: float) -> Iterator[Event]:
    """Kills it after that time, and then says so."""
    late = Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = Timer(timeout_s, end)
    timer.start()
    try:
        yield late
        process.wait()
    finally:
        timer.cancel()
        process.kill()


def is_bare_error(result: GitResult) -> bool:
    """Whether git has refused because the repository is bare."""
    return bool(_NO_WORKING_TREE.search(result.stderr))
