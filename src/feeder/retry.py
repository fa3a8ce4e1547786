"""Retry policy of all HTTP services.

Exponential backoff with jitter, `Retry-After`, at most 5 tries.
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
"""Cloudflare blocks a token for this long once it has used up its requests."""


class Clock:
    """System clock; tests replace it."""

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def wait(self, stop: threading.Event, seconds: float) -> None:
        """Sleeps for `seconds`, or until `stop` is set."""
        stop.wait(seconds)


class RetryPolicy:
    """Repeats calls to a service that fail with transient errors; safe for several threads.

    `waited_s` is the time slept so far, in seconds.
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
        """Calls `send` until it succeeds and returns its result; raises the last error.

        `on_retry` is called before each further try.
        """
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
        """Sleeps; raises ServiceError if the connection is closed meanwhile."""
        with self._lock:
            self.waited_s += seconds
        self._clock.wait(self._closed, seconds)
        if self._closed.is_set():
            raise ServiceError(f"The connection to {self._service} was closed.")

    def close(self) -> None:
        """Wakes up all threads that wait for another try."""
        self._closed.set()


def retry_after_s(response: "httpx.Response", now: float) -> float | None:
    """Reads the `Retry-After` header, a number or a date, as seconds; None if it is absent."""
    header = response.headers.get("Retry-After", "").strip()
    if header.isdecimal():
        return min(float(header), MAX_RETRY_AFTER_S)
    try:
        delay_s = email.utils.parsedate_to_datetime(header).timestamp() - now
    except ValueError:
        return None
    return min(max(0.0, delay_s), MAX_RETRY_AFTER_S)


def _backoff_s(state: "RetryCallState") -> float:
    """Returns the delay that the service requested, else 1, 2, 4, 8 s plus up to 1 s of jitter."""
    from tenacity import wait_exponential_jitter

    error = state.outcome.exception() if state.outcome else None
    requested_s = error.retry_after_s if isinstance(error, TransientError) else None
    if requested_s is not None:
        return requested_s
    return wait_exponential_jitter(initial=1, max=MAX_BACKOFF_S, jitter=1)(state)
