"""Runs git with a controlled environment and turns its failures into `UserError`.

Nothing else starts git.
"""

import os
import re
import shlex
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
"""Variables of users' git setups. Others are removed: GIT_DIR of a hook would redirect git."""

_FORCED_VARIABLES = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

_DISABLE_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
"""Disables programs that a repository's settings may name."""

_NO_WORKING_TREE = re.compile(rb"must be run in a work tree|cannot use bare repository")

_GONE_REPOSITORY = re.compile(rb"not a git repository: (?!\(null\)$)(.+)$", re.MULTILINE)
"""git's error for a file `.git` that names a folder which is not there."""

GIT_NOT_FOUND = ("git was not found.", "Install it, or add it to the PATH.")

GitResult = subprocess.CompletedProcess[bytes]
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


class NoRepositoryError(UserError):
    """The folder is not in a git repository."""


def git_output(
    folder: Path,
    *arguments: str | bytes,
    stdin: bytes = b"",
    timeout_s: float | None = None,
    variables: Mapping[str, str] = NO_VARIABLES,
) -> bytes:
    """Runs git and returns its output; raises UserError if it fails, and TimeoutError."""
    result = run_git(folder, *arguments, stdin=stdin, timeout_s=timeout_s, variables=variables)
    return check_result(folder, result)


def run_git(
    folder: Path,
    *arguments: str | bytes,
    stdin: bytes = b"",
    timeout_s: float | None = None,
    variables: Mapping[str, str] = NO_VARIABLES,
) -> GitResult:
    """Runs git and returns its result, whatever the exit code.

    `variables` are added to git's environment. Raises UserError if there is no git or no repository
    that git may read, and TimeoutError.
    """
    try:
        result = subprocess.run(
            git_arguments(folder, *arguments),
            env={**git_environment(), **variables},
            input=stdin,
            capture_output=True,
            check=False,
            timeout=timeout_s,
        )
    except FileNotFoundError as exc:
        raise UserError(*GIT_NOT_FOUND) from exc
    except subprocess.TimeoutExpired as exc:
        raise TimeoutError from exc
    if gone := _GONE_REPOSITORY.search(result.stderr):
        raise _gone_repository_error(folder, os.fsdecode(gone[1]))
    if b"not a git repository" in result.stderr:
        raise NoRepositoryError(
            f"{folder} is not in a git repository.",
            "Change to a repository, or run `git init` and commit the files.",
        )
    if b"dubious ownership" in result.stderr:
        remedy = paths.escape_name(result.stderr.strip().splitlines()[-1].strip())
        raise UserError(
            f"git does not read {folder}, because it belongs to another user.",
            f"Allow it with `{remedy}`.",
        )
    return result


def _gone_repository_error(folder: Path, named: str) -> UserError:
    """The error for a worktree or submodule whose repository has moved or was deleted."""
    named = paths.escape_name(os.fsencode(named))
    problem = f"The .git file of {folder} names {named}, which does not exist."
    if f"{os.sep}worktrees{os.sep}" not in named:
        return UserError(problem, "Correct the file, or clone the repository again.")
    worktree = shlex.quote(str(folder))
    remedy = f"If its main folder has moved, run there: git worktree repair {worktree}"
    return UserError(problem, remedy)


def check_result(folder: Path, result: GitResult) -> bytes:
    """git's output; raises UserError with git's reason if it failed."""
    if result.returncode == 0:
        return result.stdout
    reason = paths.escape_name(result.stderr.strip().partition(b"\n")[0]) or "no reason given"
    if b"promisor remote" in result.stderr:
        raise UserError(
            f"git cannot fetch files that the partial clone {folder} lacks ({reason}).",
            "Check the network and the remote with `git fetch`, then run the command again.",
        )
    raise UserError(f"git failed in {folder} ({reason}).", "Run `git status` there for details.")


def git_arguments(folder: Path, *arguments: str | bytes) -> list[str | bytes]:
    """The command line of git in a folder, with programs of the repository's settings disabled."""
    return ["git", "--no-pager", *_DISABLE_PROGRAMS, "-C", os.fsencode(folder), *arguments]


def git_environment() -> dict[str, str]:
    """The environment of git: this process's, without secrets and redirections of git."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in SECRET_VARIABLES
        and (not name.startswith("GIT_") or name.startswith(_PASSED_VARIABLES))
    }
    return inherited | _FORCED_VARIABLES


@contextmanager
def killed_after(process: subprocess.Popen[bytes], timeout_s: float) -> Iterator[Event]:
    """Kills the process after `timeout_s`, and at the end; the event is set after a timeout."""
    timed_out = Event()

    def kill() -> None:
        timed_out.set()
        process.kill()

    timer = Timer(timeout_s, kill)
    timer.start()
    try:
        yield timed_out
        process.wait()
    finally:
        timer.cancel()
        process.kill()


def is_bare_error(result: GitResult) -> bool:
    """True if git failed because the repository is bare."""
    return bool(_NO_WORKING_TREE.search(result.stderr))
