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
"""A longer message is refused, and not kept in memory."""
PROGRESS_INTERVAL_S = 1.0
"""After which, and at which intervals, a client that asked for it is told of a call's progress."""
WARM_UP_DELAY_S = 0.5
"""From the first message to the work that makes the first answer quick: a handshake is over."""
SHUTDOWN_TIMEOUT_S = 10.0
"""For which calls may still run when stdin has ended."""


def serve(server: McpServer, warm_up: Callable[[], None]) -> None:
    """Answers on stdout what comes on stdin until that ends, or nobody reads the answers.

    Some time after the first message `warm` is called, in a thread of its own.
    """
    stdin, stdout = _take_over_pipes()
    pipe = StdioConnection(server, warm_up)
    pipe.start(stdin)
    with suppress(BrokenPipeError), stdout:
        for message in iter(pipe.next_message, None):
            stdout.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            stdout.flush()


def _take_over_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """stdin and stdout, which are nobody else's from now on: what a library prints is on stderr."""
    sys.stdout.flush()
    own = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(own[0], "rb"), os.fdopen(own[1], "wb")


class PendingCall:
    """Work for a thread: a message, or an array of them, and whose answers are wanted no more."""

    def __init__(self, message: object) -> None:
        self.message = message
        self.progress = "working"
        self.done = Event()
        self._cancelled_ids: set[str] = set()

    def report_progress(self, text: str) -> None:
        """Notes what it is about."""
        self.progress = text

    def cancel(self, id_: Id) -> None:
        """From now on the answer to this id is not wanted, if there is one among them."""
        self._cancelled_ids.add(_id_key(id_))

    def without_cancelled(self, answer: object) -> object:
        """What is to be sent of the answer, or of the message itself; None for nothing."""
        if isinstance(answer, list):
            return [one for one in answer if self._is_wanted(one)] or None
        return answer if self._is_wanted(answer) else None

    def _is_wanted(self, answer: object) -> bool:
        return not isinstance(answer, dict) or _id_key(answer.get("id")) not in self._cancelled_ids


class StdioConnection:
    """One client: a thread reads its messages, some run calls, and the caller takes what is next.

    Answers come in the order in which they are ready.
    """

    def __init__(self, server: McpServer, warm_up: Callable[[], None]) -> None:
        self._handler = MessageHandler(server)
        self._warm_up_timer: Timer | None = Timer(WARM_UP_DELAY_S, warm_up)
        self._outgoing: SimpleQueue[object] = SimpleQueue()
        self._queue: SimpleQueue[PendingCall] = SimpleQueue()
        self._pending_calls: list[PendingCall] = []
        self._condition = Condition()

    def next_message(self) -> object:
        """The next message to the client, when it is there; None at the end."""
        return self._outgoing.get()

    def start(self, stdin: IO[bytes]) -> None:
        """Begins to read, and to run calls."""
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
                raise ProtocolError(
                    INVALID_REQUEST, f"A message has at most {MAX_LINE_BYTES:,} bytes."
                )
            self._dispatch(parse_message(line))
        except ProtocolError as refused:
            self._outgoing.put(error_response(refused))
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
            wanted = call.without_cancelled(call.message)
            answer = self._handler.handle(call.message, call.report_progress) if wanted else None
            with self._condition:
                call.done.set()
                self._pending_calls.remove(call)
                if answer and (left := call.without_cancelled(answer)):
                    self._outgoing.put(left)
                self._condition.notify_all()

    def _report_progress(self, call: PendingCall, token: str | int) -> None:
        step = 0
        while not call.done.wait(PROGRESS_INTERVAL_S):
            step += 1
            with self._condition:
                if call.without_cancelled(call.message) and not call.done.is_set():
                    self._outgoing.put(progress_notification(token, step, call.progress))


def _discard_rest_of_line(stdin: IO[bytes]) -> int:
    """How many bytes more a line has, which are dropped."""
    count = 0
    while part := stdin.readline(MAX_LINE_BYTES):
        count += len(part)
        if part.endswith(b"\n"):
            break
    return count


def _start_daemon_thread(work: Callable[[], None]) -> None:
    """One that does not keep the process from its end."""
    Thread(target=work, daemon=True).start()


def _id_key(id_: Id) -> str:
    """1 and "1" are two ids."""
    return json.dumps(id_)
