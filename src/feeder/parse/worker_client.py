"""The parent's side of a worker process."""

import signal
from collections.abc import Callable, Sequence

from feeder.child_process import MessageError, decode_message, wait_with_usage
from feeder.errors import FeederError, UserError
from feeder.parse import ParsedFile
from feeder.parse.worker_answers import (
    OUT_OF_MEMORY,
    TIMED_OUT,
    Answer,
    Failed,
    Parsed,
    Progress,
    Ready,
    Refused,
    Vectors,
)
from feeder.parse.worker_messages import ParseRequest, WorkerConfig
from feeder.parse.worker_process import WorkerProcess

ProgressCallback = Callable[[str], None]

_MALFORMED = "the parser sent a malformed answer"
_ANY_ANSWER: type[Answer] = Answer  # type: ignore[assignment]  # mypy knows no type of unions


def ignore_progress(_: str) -> None:
    """Discards the progress."""


class WorkerEndedError(Exception):
    """A worker process ended before it answered; `reason` is the reason to store."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Worker:
    """The parent's side of a worker process."""

    def __init__(self, config: WorkerConfig, process: WorkerProcess) -> None:
        self._limits = config.limits
        self._is_unproven = False
        self._peer, self._inherited_bytes = process
        self._config: WorkerConfig | None = config

    def start(self) -> None:
        """On the first call, waits until the process is ready; raises FeederError if it fails."""
        if self._config is None:
            return
        try:
            self.send(self._config)
            if not isinstance(self._next_answer(), Ready):
                raise WorkerEndedError(_MALFORMED)
        except (WorkerEndedError, BrokenPipeError) as exc:
            raise FeederError(
                f"A parser process could not be started: {exc}.",
                "Check the free memory and the process limits, then run the command again.",
            ) from exc
        self._config = None
        self._is_unproven = True

    def send(self, message: WorkerConfig | list[ParseRequest]) -> None:
        """Sends a message.

        Raises BrokenPipeError if the process had ended, WorkerEndedError if it never answered yet.
        """
        try:
            self._peer.send(message)
        except OSError as exc:  # Windows raises another one than BrokenPipeError
            if self._is_unproven:
                raise WorkerEndedError(self._end_reason("")) from exc
            raise BrokenPipeError("the worker has ended") from exc

    def receive(
        self, request: ParseRequest, on_progress: ProgressCallback = ignore_progress
    ) -> ParsedFile | str:
        """The answer to the next request: a parsed file, or the reason of its failure.

        Raises WorkerEndedError if the process ends instead, or answers something else.
        """
        answer = self._next_answer(request.path, request.plain_text_reason, on_progress)
        if isinstance(answer, Failed):
            return answer.reason
        if not isinstance(answer, Parsed):
            raise WorkerEndedError(_MALFORMED)
        file = answer.file._replace(path=request.path, encoded=None)
        if not request.encode:
            return file
        try:
            encoded = decode_message(answer.encoded, request.encode.load().result_type)
        except MessageError as exc:
            raise WorkerEndedError(_MALFORMED) from exc
        return file._replace(encoded=encoded)

    def with_static_vectors(self, files: Sequence[ParsedFile | str]) -> list[ParsedFile | str]:
        """Receives the static vectors of the files answered last, and returns the files with them.

        Raises WorkerEndedError if the vectors cannot be computed.
        """
        answer = self._next_answer()
        if isinstance(answer, Failed):
            raise WorkerEndedError(answer.reason)
        count = sum(isinstance(file, ParsedFile) for file in files)
        if not isinstance(answer, Vectors) or len(answer.of_files) != count:
            raise WorkerEndedError(_MALFORMED)
        vectors = iter(answer.of_files)
        return [
            file._replace(static_vectors=next(vectors)) if isinstance(file, ParsedFile) else file
            for file in files
        ]

    def _next_answer(
        self,
        path: str = "",
        plain_text_reason: str | None = None,
        on_progress: ProgressCallback = ignore_progress,
    ) -> Answer:
        """The next answer; reports progress until it arrives.

        `path` and `plain_text_reason` are those of the request. Raises UserError if that is the
        answer, WorkerEndedError if the process ends instead, or sends anything else.
        """
        has_reported = False
        try:
            while isinstance(answer := self._peer.receive(_ANY_ANSWER), Progress):
                has_reported = True
                on_progress(f"{path.rpartition('/')[2]}: {answer.position}")
        except EOFError as exc:
            raise WorkerEndedError(self._end_reason(path, plain_text_reason)) from exc
        except MessageError as exc:
            raise WorkerEndedError(_MALFORMED) from exc
        finally:
            if has_reported:
                on_progress("")
        self._is_unproven = False
        if isinstance(answer, Refused):
            raise UserError(answer.problem, answer.remedy)
        return answer

    def _end_reason(self, path: str, plain_text_reason: str | None = None) -> str:
        """The reason why the process ended; stored for the file that it was parsing."""
        code, used_bytes = wait_with_usage(self._peer.process)
        if code in TIMED_OUT:
            timeout_s = self._limits.timeout_for(path, plain_text_reason)
            purpose = " to make plain text" if plain_text_reason else ""
            return f"the parser took longer than {timeout_s:g} s{purpose}"
        # parsers seldom check malloc's result: they crash when they ask for twice what they have;
        # a process reports its parent's peak until its own is higher
        least_bytes = max(self._limits.max_bytes / 2, self._inherited_bytes)
        is_starved = code < 0 and used_bytes > least_bytes
        if is_starved or code == OUT_OF_MEMORY:
            return f"the parser needed more than {self._limits.max_bytes / 1e9:g} GB"
        cause = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"the parser crashed ({cause})"

    def kill(self) -> None:
        """Kills the process."""
        self._peer.kill()

    def close(self) -> None:
        """Ends the process and closes its pipes."""
        self._peer.stop()
