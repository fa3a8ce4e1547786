"""All errors as one tree, which decides the exit code and whether a retry makes sense.

(Keep the drawn tree of today's docstring, with the new class names.)
"""


class FeederError(Exception):
    """The root; `exit_code` is what the process ends with."""

    exit_code = 1


class UserError(FeederError):
    """The user must change something; the message is one sentence that names the remedy."""

    exit_code = 2


class Interrupted(FeederError):
    """The user has ended the run."""

    exit_code = 130


class OutputClosed(FeederError):
    """What is said goes into a pipe that nobody reads any more; nothing has failed.

    The code is what a shell makes of the signal of a broken pipe: 128 and 13.
    """

    exit_code = 141


class ServiceError(FeederError):
    """A service said no, finally."""

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
    """The same call may go through later."""

    retry_after_s: float | None = None
    """How long the service asks to wait, where it does."""


class TooLargeError(ServiceError):
    """The service wants the same work in smaller parts."""


class StoppedEarly(FeederError):
    """The run stopped early by a budget; what it did is kept and the next run goes on."""

    exit_code = 75


class Superseded(StoppedEarly):
    """A run that started later owns the index now."""


def problem_and_remedy(error: Exception) -> tuple[str, str]:
    """An error's first sentence, which is what is wrong, and the rest, which is what to do."""
    wrong, _, remedy = str(error).partition(". ")
    return f"{wrong.rstrip('.')}.", remedy
