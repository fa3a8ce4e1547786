"""All errors as one tree, which decides the exit code and whether a retry makes sense.

FeederError           1    the root
├── UserError         2    the user must change something
│   ├── AmbiguousTargetError 2  a name of several targets
│   └── NotInIndexError 2  a name that the index does not have
│       └── UnknownPathError 2  a file or folder that it does not have
├── Interrupted       130  Ctrl-C, SIGTERM or SIGHUP
├── OutputClosed      141  the reader of the output has gone
├── StoppedEarly      75   a budget is used up; the next run continues
│   └── Superseded    75   a later run has taken over the index
└── ServiceError      1    a service returned a permanent error
    ├── TransientError     the same call may succeed later
    └── TooLargeError      the service accepts the work in smaller parts
"""

import errno
import signal
from collections.abc import Sequence

MAX_TARGETS = 10
"""Targets that a message lists."""


class FeederError(Exception):
    """Root of the tree: a problem, and what to do about it where there is something to do.

    The message is both. `exit_code` is the exit code of the process. The last `reason_count` lines
    of the remedy say why a name that was not found may exist nevertheless.
    """

    exit_code = 1
    reason_count = 0

    def __init__(self, problem: str = "", remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem} {self.remedy}".strip()


class UserError(FeederError):
    """The user must change something."""

    exit_code = 2


class AmbiguousTargetError(UserError):
    """What the user named may be any of several targets; the problem lists the first of them."""

    def __init__(self, statement: str, targets: Sequence[str], remedy: str) -> None:
        omitted = len(targets) - MAX_TARGETS
        self.lines = [*targets[:MAX_TARGETS], *([f"{omitted:,} more"] if omitted > 0 else [])]
        more = f" and {omitted} more" if omitted > 0 else ""
        super().__init__(f"{statement}: {', '.join(targets[:MAX_TARGETS])}{more}.", remedy)
        self.statement = statement


class NotInIndexError(UserError):
    """The user named a file, symbol or other name that the index does not have.

    `name` may be a word of code nevertheless; empty for a path.
    """

    def __init__(self, problem: str = "", remedy: str = "", name: str = "") -> None:
        super().__init__(problem, remedy)
        self.name = name


class MissingSettingsError(UserError):
    """Settings are missing: members of `feeder.cloudflare.credentials.CloudSetting`."""

    def __init__(self, problem: str, remedy: str, missing: Sequence[str]) -> None:
        super().__init__(problem, remedy)
        self.missing = missing


class UnknownPathError(NotInIndexError):
    """The user named a file or folder that the index does not have."""


INTERRUPT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end the program as Ctrl-C does; one that is ignored, as by nohup, stays ignored."""


class Interrupted(FeederError):
    """The user interrupted the run."""

    exit_code = 130


class OutputClosed(FeederError):
    """The reader of the output pipe has closed it; nothing has failed.

    The code is what a shell reports for SIGPIPE: 128 + 13.
    """

    exit_code = 141


class ServiceError(FeederError):
    """A service returned a permanent error; `status`, `code` and `ray` identify it."""

    def __init__(
        self,
        problem: str,
        remedy: str = "",
        *,
        status: int | None = None,
        code: int | None = None,
        ray: str | None = None,
    ) -> None:
        super().__init__(problem, remedy)
        self.status = status
        self.code = code
        self.ray = ray


class TransientError(ServiceError):
    """The same call may succeed later."""

    retry_after_s: float | None = None
    """Delay that the service asks for, in seconds; None if it does not say."""


class TooLargeError(ServiceError):
    """The service accepts the same work in smaller parts only."""


class StoppedEarly(FeederError):
    """A budget is used up; finished work is saved, and the next run continues."""

    exit_code = 75


class Superseded(StoppedEarly):
    """A run that started later owns the index now."""


DISK_FULL_REMEDY = "Free some disk space, then run the command again: what was finished is kept."


def disk_full_problem(place: object) -> str:
    """Returns the problem of a file that a full disk or quota has cut short."""
    return f"{place} cannot be written in full: the disk is full, or your quota is used up."


def os_reason(error: Exception) -> str:
    """Returns why an operation failed, for a message that names the file itself.

    The text of an OSError has its number and the file's name as well.
    """
    return (isinstance(error, OSError) and error.strerror) or str(error)


def translate_os_error(error: OSError) -> FeederError:
    """Returns an error with the file and a remedy; a denied permission is a user error."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FeederError(disk_full_problem(error.filename or "The output"), DISK_FULL_REMEDY)
    if not isinstance(error.filename, str):
        return FeederError(f"{os_reason(error)}.")
    if not isinstance(error, PermissionError):
        return FeederError(f"{error.filename} cannot be used: {os_reason(error)}.")
    remedy = "Change the permissions of the file or its folder."
    return UserError(f"No permission to use {error.filename}.", remedy)


def problem_and_remedy(error: FeederError | OSError) -> tuple[str, str]:
    """Returns the problem, as a sentence, and the remedy of an error."""
    if isinstance(error, OSError):
        error = translate_os_error(error)
    return f"{error.problem.rstrip('.')}.", error.remedy
