"""How does a server talk to the process that started it? A message a line, until stdin ends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Condition, Event, Thread, Timer
from typing import IO

from feeder.serve import CALLS
from feeder.serve.protocol import (
    INVALID,
    Conversation,
    Id,
    Refused,
    Server,
    cancelled,
    error,
    is_call,
    parsed,
    progress_token,
    progressed,
)

LINE_BYTES = 4 * 1024 * 1024
"""A longer message is refused, and not kept in memory."""
PROGRESS_S = 1.0
"""After which, and at which intervals, a client that asked for it is told of a call's progress."""
WARM_S = 0.5
"""From the first message to the work that makes the first answer quick: a handshake is over."""
LAST_CALLS_S = 10.0
"""For which calls may still run when stdin has ended."""


def serve(server: Server, warm: Callable[[], None]) -> None:
    """Answers on stdout what comes on stdin until that ends, or nobody reads the answers.

    Some time after the first message `warm` is called, in a thread of its own.
    """
    stdin, stdout = _own_pipes()
    pipe = Pipe(server, warm)
    pipe.read(stdin)
    with suppress(BrokenPipeError), stdout:
        for message in iter(pipe.next, None):
            stdout.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            stdout.flush()


def _own_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """stdin and stdout, which are nobody else's from now on: what a library prints is on stderr."""
    sys.stdout.flush()
    own = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(own[0], "rb"), os.fdopen(own[1], "wb")


class Call:
    """Work for a thread: a message, or an array of them, and whose answers are wanted no more."""

    def __init__(self, message: object) -> None:
        self.message = message
        self.doing = "working"
        self.done = Event()
        self._dropped: set[str] = set()

    def tell(self, text: str) -> None:
        """Notes what it is about."""
        self.doing = text

    def drop(self, id_: Id) -> None:
        """From now on the answer to this id is not wanted, if there is one among them."""
        self._dropped.add(_key(id_))

    def wanted(self, answer: object) -> object:
        """What is to be sent of the answer, or of the message itself; None for nothing."""
        if isinstance(answer, list):
            return [one for one in answer if self._is_wanted(one)] or None
        return answer if self._is_wanted(answer) else None

    def _is_wanted(self, one: object) -> bool:
        return not isinstance(one, dict) or _key(one.get("id")) not in self._dropped


class Pipe:
    """One client: a thread reads its messages, some run calls, and the caller takes what is next.

    Answers come in the order in which they are ready.
    """

    def __init__(self, server: Server, warm: Callable[[], None]) -> None:
        self._conversation = Conversation(server)
        self._warm: Timer | None = Timer(WARM_S, warm)
        self._out: SimpleQueue[object] = SimpleQueue()
        self._waiting: SimpleQueue[Call] = SimpleQueue()
        self._calls: list[Call] = []
        self._turn = Condition()

    def next(self) -> object:
        """The next message to the client, when it is there; None at the end."""
        return self._out.get()

    def read(self, stdin: IO[bytes]) -> None:
        """Begins to read, and to run calls."""
        _thread(lambda: self._read(stdin))
        for _ in range(CALLS):
            _thread(self._run)

    def _read(self, stdin: IO[bytes]) -> None:
        while line := stdin.readline(LINE_BYTES):
            self._line(line, is_whole=line.endswith(b"\n") or _rest(stdin) == 0)
        with self._turn:
            self._turn.wait_for(lambda: not self._calls, LAST_CALLS_S)
        self._out.put(None)

    def _line(self, line: bytes, *, is_whole: bool) -> None:
        if not line.strip():
            return
        try:
            if not is_whole:
                raise Refused(INVALID, f"A message has at most {LINE_BYTES:,} bytes.")
            self._take(parsed(line))
        except Refused as refused:
            self._out.put(error(refused))
        if self._warm:
            self._warm.daemon = True
            self._warm.start()
            self._warm = None

    def _take(self, message: object) -> None:
        if (id_ := cancelled(message)) is not None:
            self._cancel(id_)
        elif is_call(message):
            self._begin(Call(message))
        elif answer := self._conversation.answer(message):
            self._out.put(answer)

    def _begin(self, call: Call) -> None:
        with self._turn:
            self._calls.append(call)
        self._waiting.put(call)
        token = progress_token(call.message)
        if token is not None:
            _thread(lambda: self._progress(call, token))

    def _cancel(self, id_: Id) -> None:
        with self._turn:
            for call in self._calls:
                call.drop(id_)

    def _run(self) -> None:
        while True:
            call = self._waiting.get()
            wanted = call.wanted(call.message)
            answer = self._conversation.answer(call.message, call.tell) if wanted else None
            with self._turn:
                call.done.set()
                self._calls.remove(call)
                if answer and (left := call.wanted(answer)):
                    self._out.put(left)
                self._turn.notify_all()

    def _progress(self, call: Call, token: str | int) -> None:
        step = 0
        while not call.done.wait(PROGRESS_S):
            step += 1
            with self._turn:
                if call.wanted(call.message) and not call.done.is_set():
                    self._out.put(progressed(token, step, call.doing))


def _rest(stdin: IO[bytes]) -> int:
    """How many bytes more a line has, which are dropped."""
    count = 0
    while part := stdin.readline(LINE_BYTES):
        count += len(part)
        if part.endswith(b"\n"):
            break
    return count


def _thread(work: Callable[[], None]) -> None:
    """One that does not keep the process from its end."""
    Thread(target=work, daemon=True).start()


def _key(id_: Id) -> str:
    """1 and "1" are two ids."""
    return json.dumps(id_)
