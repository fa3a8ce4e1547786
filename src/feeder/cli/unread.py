"""What if nobody reads what is said any more, as in `feeder search x | head -1`?

The program ends without a word, as those do that the signal of a broken pipe ends. A pipe to a
process of its own that breaks is a failure like any other.
"""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click

from feeder.errors import FeederError, OutputClosed


class CommandGroup(click.Group):
    """A group whose broken pipes click does not take for itself: it would end with 1 at any."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _detect_closed_output():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _detect_closed_output():
            return super().invoke(ctx)


@contextmanager
def _detect_closed_output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as exc:
        unread = [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]
        for stream in unread:
            _redirect_to_null(stream)
        raise (OutputClosed() if unread else FeederError(str(exc))) from exc


def _is_closed(stream: TextIO) -> bool:
    """Whether it is a pipe, or a socket, whose other end is closed."""
    poll = select.poll()
    poll.register(stream.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _redirect_to_null(stream: TextIO) -> None:
    """What is still to be written, the interpreter's last flush too, goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
