"""Ends the program on Ctrl-C, SIGTERM or a closed terminal: with its cleanup on the first signal,
at once on the second one or when the first has had no effect.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread, main_thread
from typing import TYPE_CHECKING, NoReturn

from feeder.errors import INTERRUPT_SIGNALS, Interrupted

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = "Interrupted. Finished work is saved; run the command again to continue."

GRACE_S = 5.0
"""Time, from the first signal on, that the program has to close its files and connections.

GitHub Actions sends SIGINT, SIGTERM 7.5 s later, and kills the process after another 2.5 s.
"""
LAST_WORDS_S = 1.0
"""Time that `before_end` has to write what the program wanted to say; it is then cut off."""

REPEAT = b"\0"
"""Byte that is sent to the thread when Python ignored a KeyboardInterrupt; no signal's number."""
REPEAT_S = 0.01
"""Time after which SIGINT is sent again then."""


finished_monitors: list[InterruptMonitor] = []
"""The monitors whose work has ended: a signal in a process's last moment changes nothing."""


class InterruptMonitor:
    """Raises KeyboardInterrupt in the main thread on the first signal, and ensures that it ends.

    Python ignores an exception that is raised in a weakref callback or a finalizer, which run at
    any time, such as during an import. It reports it to `sys.unraisablehook`: SIGINT is then sent
    once more. Other code may lose KeyboardInterrupt too, or not return for long. So each signal
    wakes a thread (`signal.set_wakeup_fd`), which ends the process on the second one, or
    `grace_s` seconds after the first. The index survives this as it survives a kill.

    After a signal, warnings and exceptions in finalizers and threads are not printed: they come
    from objects that were interrupted while they were made, and from threads that outlive them.
    """

    def __init__(
        self, grace_s: float = GRACE_S, before_end: Callable[[], None] = lambda: None
    ) -> None:
        """`before_end` is called in a thread before the process is ended without its cleanup."""
        self._grace_s = grace_s
        self._before_end = before_end
        self._may_raise = True
        self._is_interrupted = False
        self._is_announced = False
        self._announcing = Lock()

    def __enter__(self) -> InterruptMonitor:
        self._warning_filters = warnings.catch_warnings()
        self._warning_filters.__enter__()
        read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        self._thread = Thread(target=self._watch, args=(read_end,), daemon=True)
        self._thread.start()
        self._old_wakeup_fd = signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)
        self._old_hook, sys.unraisablehook = sys.unraisablehook, self._on_unraisable
        self._old_thread_hook = threading.excepthook
        threading.excepthook = self._on_thread_exception
        self._old_handlers = {
            number: signal.signal(number, self._on_signal)
            for number in INTERRUPT_SIGNALS
            if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = self._old_hook
        if not self._is_interrupted:  # else threads may fail until the process has ended
            threading.excepthook = self._old_thread_hook
        else:
            # Imports of dataclasses and named tuples execute generated code. If KeyboardInterrupt
            # has interrupted that, Python ends itself by SIGINT (returncode -2 in place of 130),
            # unless other code has been executed since
            exec("")
        signal.set_wakeup_fd(self._old_wakeup_fd)
        os.close(self._write_end)
        self._thread.join()
        self._warning_filters.__exit__(None, None, None)

    def finish_work(self) -> None:
        """From now on the first signal raises nothing: the program ends by itself in a moment."""
        self._may_raise = False
        finished_monitors.append(self)

    def announce(self, print_message: Callable[[], None]) -> None:
        """Prints the message of the interrupt, unless `end_process` has."""
        with self._announcing:
            if not self._is_announced:
                self._is_announced = True
                print_message()

    def end_process(self) -> NoReturn:
        """Ends the process within two seconds, with exit code 130; nothing is cleaned up."""
        try:
            # unless the main thread is just printing it, or stderr is a pipe that is full
            if self._announcing.acquire(timeout=1) and not self._is_announced:
                self._is_announced = True
                if _poll(2, select.POLLOUT, 0):
                    with suppress(OSError):  # the last words are still said
                        os.write(2, f"\nfeeder: {INTERRUPTED}\n".encode())
            last_words = Thread(target=self._before_end, daemon=True)
            last_words.start()
            last_words.join(LAST_WORDS_S)
        finally:
            os._exit(Interrupted.exit_code)

    def _watch(self, read_end: int) -> None:
        """Waits for signals until the other end of the pipe is closed."""
        deadline_s = None
        repeats = 0
        while _poll(read_end, select.POLLIN, deadline_s and deadline_s - time.monotonic()):
            byte = os.read(read_end, 1)
            if not byte:
                os.close(read_end)
                return
            if byte == REPEAT:
                repeats += 1
                time.sleep(REPEAT_S)
                self._is_interrupted = False
                signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
            elif byte[0] == signal.SIGINT and repeats:
                repeats -= 1
            elif byte[0] in INTERRUPT_SIGNALS:
                if deadline_s:
                    break
                deadline_s = time.monotonic() + self._grace_s
        self.end_process()

    def _on_signal(self, *_: object) -> None:
        if not self._is_interrupted and self._may_raise:
            self._is_interrupted = True
            warnings.simplefilter("ignore")
            raise KeyboardInterrupt

    def _on_unraisable(self, unraisable: UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            os.write(self._write_end, REPEAT)
        elif not self._is_interrupted:
            self._old_hook(unraisable)

    def _on_thread_exception(self, failure: threading.ExceptHookArgs) -> None:
        if not self._is_interrupted:
            self._old_thread_hook(failure)


def _poll(descriptor: int, event: int, timeout_s: float | None) -> bool:
    """True if the event has come, or the other end is closed, within the time."""
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(None if timeout_s is None else max(0, timeout_s) * 1000))
