"""The stdio transport of MCP: one JSON message per line, tool calls on a few threads,
cancellation and progress notifications, until stdin ends.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Condition, Event, Thread, Timer
from typing import IO

from feeder.mcp import MAX_CONCURRENT_CALLS
from feeder.mcp.protocol import (
    INVALID_REQUEST,
    Id,
    McpServer,
    MessageHandler,
    ProtocolError,
    cancelled_request_id,
    error_response,
    is_long_running,
    parse_message,
    progress_notification,
    progress_token,
)

MAX_LINE_BYTES = 4 * 1024 * 1024
"""A longer message is answered with an error and not stored in memory."""
PROGRESS_INTERVAL_S = 1.0
"""Time to a call's first progress notification, and between two of them."""
WARM_UP_DELAY_S = 0.5
"""Time from the first message to the warm-up, so that it does not slow down the handshake."""
SHUTDOWN_TIMEOUT_S = 10.0
"""Time that running calls have to finish when stdin has ended."""


def serve(server: McpServer, warm_up: Callable[[], None]) -> None:
    """Answers messages from stdin on stdout until stdin ends or the client closes stdout.

    Calls `warm_up` on a thread of its own shortly after the first message.
    """
    stdin, stdout = _take_over_pipes()
    connection = StdioConnection(server, warm_up)
    connection.start(stdin)
    with suppress(BrokenPipeError), stdout:
        for message in iter(connection.next_message, None):
            stdout.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            stdout.flush()


def _take_over_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Returns stdin and stdout for messages only: what a library prints goes to stderr."""
    sys.stdout.flush()
    stdin, stdout = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return os.fdopen(stdin, "rb"), os.fdopen(stdout, "wb")


class PendingCall:
    """A message, or an array of them, that a thread handles; each may be cancelled by its id."""

    def __init__(self, message: object) -> None:
        self.message = message
        self.progress = "working"
        self.done = Event()
        self._cancelled_ids: set[str] = set()

    def report_progress(self, text: str) -> None:
        """The call's progress callback."""
        self.progress = text

    def cancel(self, id_: Id) -> None:
        """Drops the answer to the message of that id; other ids are ignored."""
        self._cancelled_ids.add(_id_key(id_))

    def without_cancelled(self, answer: object) -> object:
        """The answer, or the message itself, less what was cancelled; None if nothing is left."""
        if isinstance(answer, list):
            return [message for message in answer if not self._is_cancelled(message)] or None
        return None if self._is_cancelled(answer) else answer

    def _is_cancelled(self, answer: object) -> bool:
        return isinstance(answer, dict) and _id_key(answer.get("id")) in self._cancelled_ids


class StdioConnection:
    """The messages of one client: one thread reads them, others run calls.

    The caller takes answers from `next_message`, in the order in which they are ready.
    """

    def __init__(self, server: McpServer, warm_up: Callable[[], None]) -> None:
        self._handler = MessageHandler(server)
        self._warm_up_timer: Timer | None = Timer(WARM_UP_DELAY_S, warm_up)
        self._outgoing: SimpleQueue[object] = SimpleQueue()
        self._queue: SimpleQueue[PendingCall] = SimpleQueue()
        self._pending_calls: list[PendingCall] = []
        self._condition = Condition()

    def next_message(self) -> object:
        """Waits for the next message to the client; None at the end."""
        return self._outgoing.get()

    def start(self, stdin: IO[bytes]) -> None:
        """Starts the threads that read messages and run calls."""
        _start_daemon_thread(lambda: self._read_loop(stdin))
        for _ in range(MAX_CONCURRENT_CALLS):
            _start_daemon_thread(self._worker_loop)

    def _read_loop(self, stdin: IO[bytes]) -> None:
        while line := stdin.readline(MAX_LINE_BYTES):
            self._handle_line(
                line, is_whole=line.endswith(b"\n") or _discard_rest_of_line(stdin) == 0
            )
        with self._condition:
            self._condition.wait_for(lambda: not self._pending_calls, SHUTDOWN_TIMEOUT_S)
        self._outgoing.put(None)

    def _handle_line(self, line: bytes, *, is_whole: bool) -> None:
        if not line.strip():
            return
        try:
            if not is_whole:
                text = f"A message may have at most {MAX_LINE_BYTES:,} bytes."
                raise ProtocolError(INVALID_REQUEST, text)
            self._dispatch(parse_message(line))
        except ProtocolError as exc:
            self._outgoing.put(error_response(exc))
        if self._warm_up_timer:
            self._warm_up_timer.daemon = True
            self._warm_up_timer.start()
            self._warm_up_timer = None

    def _dispatch(self, message: object) -> None:
        if (id_ := cancelled_request_id(message)) is not None:
            self._cancel(id_)
        elif is_long_running(message):
            self._enqueue(PendingCall(message))
        elif answer := self._handler.handle(message):
            self._outgoing.put(answer)

    def _enqueue(self, call: PendingCall) -> None:
        with self._condition:
            self._pending_calls.append(call)
        self._queue.put(call)
        token = progress_token(call.message)
        if token is not None:
            _start_daemon_thread(lambda: self._report_progress(call, token))

    def _cancel(self, id_: Id) -> None:
        with self._condition:
            for call in self._pending_calls:
                call.cancel(id_)

    def _worker_loop(self) -> None:
        while True:
            call = self._queue.get()
            answer = None
            if call.without_cancelled(call.message):
                answer = self._handler.handle(call.message, call.report_progress)
            with self._condition:
                call.done.set()
                self._pending_calls.remove(call)
                if answer and (remaining := call.without_cancelled(answer)):
                    self._outgoing.put(remaining)
                self._condition.notify_all()

    def _report_progress(self, call: PendingCall, token: str | int) -> None:
        step = 0
        while not call.done.wait(PROGRESS_INTERVAL_S):
            step += 1
            with self._condition:
                if call.without_cancelled(call.message) and not call.done.is_set():
                    self._outgoing.put(progress_notification(token, step, call.progress))


def _discard_rest_of_line(stdin: IO[bytes]) -> int:
    """Reads to the end of the line; returns the number of bytes read."""
    count = 0
    while chunk := stdin.readline(MAX_LINE_BYTES):
        count += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return count


def _start_daemon_thread(work: Callable[[], None]) -> None:
    Thread(target=work, daemon=True).start()


def _id_key(id_: Id) -> str:
    return json.dumps(id_)  # 1 and "1" are two ids
