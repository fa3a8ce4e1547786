"""Retry policy of all HTTP services: exponential backoff with jitter, `Retry-After`, at most 5
tries.
"""

import email.utils
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from feeder.errors import ServiceError, TransientError

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState


Result = TypeVar("Result")


MAX_TRIES = 5

MAX_BACKOFF_S = 30.0

MAX_RETRY_AFTER_S = 300.0
"""For so long Cloudflare refuses a token that has spent its requests."""


class Clock:
    """The machine's time."""

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def wait(self, stop: threading.Event, seconds: float) -> None:
        """Sleeps so long, or until the end."""
        stop.wait(seconds)


class RetryPolicy:
    """Asks a service again where that may help; several threads may ask at once.

    `waited_s` are the seconds that were slept.
    """

    def __init__(self, service: str, clock: Clock) -> None:
        self.waited_s = 0.0
        self._service = service
        self._clock = clock
        self._closed = threading.Event()
        self._lock = threading.Lock()

    def call(
        self,
        send: Callable[[], Result],
        *,
        on_retry: Callable[[], None],
        max_tries: int = MAX_TRIES,
    ) -> Result:
        """What `send` gives; `again` is called before each other try. Raises what the last does."""
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

        retrying = Retrying(
            retry=retry_if_exception_type(TransientError),
            stop=stop_after_attempt(max_tries),
            wait=_backoff_s,
            sleep=self.sleep,
            before_sleep=lambda _: on_retry(),
            reraise=True,
        )
        return retrying(send)

    def sleep(self, seconds: float) -> None:
        """Sleeps, unless the program ends meanwhile."""
        with self._lock:
            self.waited_s += seconds
        self._clock.wait(self._closed, seconds)
        if self._closed.is_set():
            raise ServiceError(f"The connection to {self._service} was closed.")

    def close(self) -> None:
        """Ends the sleep of those who wait for another try."""
        self._closed.set()


def retry_after_s(response: "httpx.Response", now: float) -> float | None:
    """How long the service asks to wait, be it a number or a date; None where it does not say."""
    header = response.headers.get("Retry-After", "").strip()
    if header.isdecimal():
        return min(float(header), MAX_RETRY_AFTER_S)
    try:
        after_s = email.utils.parsedate_to_datetime(header).timestamp() - now
    except ValueError:
        return None
    return min(max(0.0, after_s), MAX_RETRY_AFTER_S)


def _backoff_s(state: "RetryCallState") -> float:
    """What the service asks for, else 1, 2, 4, 8 s and up to one more."""
    from tenacity import wait_exponential_jitter

    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after_s if isinstance(error, TransientError) else None
    if asked is not None:
        return asked
    return wait_exponential_jitter(initial=1, max=MAX_BACKOFF_S, jitter=1)(state)
