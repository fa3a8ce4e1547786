"""All errors as one tree, which decides the exit code and whether a retry makes sense.

FeederError           1    the root
├── UserError         2    the user must change something
│   └── NotInIndexError 2  a name that the index does not have
├── Interrupted       130  Ctrl-C, SIGTERM or SIGHUP
├── OutputClosed      141  the reader of the output has gone
├── StoppedEarly      75   a budget is used up; the next run continues
│   └── Superseded    75   a later run has taken over the index
└── ServiceError      1    a service returned a permanent error
    ├── TransientError     the same call may succeed later
    └── TooLargeError      the service accepts the work in smaller parts
"""


class FeederError(Exception):
    """Root of the tree; `exit_code` is the exit code of the process."""

    exit_code = 1


class UserError(FeederError):
    """The user must change something; the message ends with the remedy.

    Where the problem contains a text of the user, the remedy is given apart: a full stop in such a
    text does not end a sentence.
    """

    exit_code = 2

    def __init__(self, problem: str = "", remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".strip())
        self.problem = problem
        self.remedy = remedy


class NotInIndexError(UserError):
    """The user named a file, symbol or other name that the index does not have."""


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
        message: str,
        *,
        status: int | None = None,
        code: int | None = None,
        ray: str | None = None,
    ) -> None:
        super().__init__(message)
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


def translate_os_error(error: OSError) -> FeederError:
    """Returns an error with the file and a remedy; a denied permission is a user error."""
    if not isinstance(error, PermissionError) or not isinstance(error.filename, str):
        return FeederError(str(error))
    remedy = "Make it and its folder readable and writable, or work elsewhere."
    return UserError(f"{error.filename} cannot be used ({error.strerror}).", remedy)


def problem_and_remedy(error: Exception) -> tuple[str, str]:
    """Returns the problem and the remedy of an error.

    If they are not given apart, the message's first sentence is the problem.
    """
    if isinstance(error, OSError):
        error = translate_os_error(error)
    if isinstance(error, UserError) and error.remedy:
        return error.problem, error.remedy
    problem, _, remedy = str(error).partition(". ")
    return f"{problem.rstrip('.')}.", remedy
