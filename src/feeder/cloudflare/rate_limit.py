"""Rate limiter for all Cloudflare services: reads the `Ratelimit` header and spreads the
remaining requests over the window.
"""

import re
import threading


class RateLimit:
    """Keeps the requests of all services below the API's limit, as its `Ratelimit` header tells.

    Far from the wall nobody waits. Near it, what is left is spread over the rest of the window,
    and some of it is left to others who use the same token. Of `sharers` that run at once each
    takes its part, and begins to wait the earlier.
    """

    SLOWDOWN_BELOW = 200
    MAX_SLOWDOWN_BELOW = 1000
    RESERVE = 20

    def __init__(self, concurrent_runs: int = 1) -> None:
        self._concurrent_runs = concurrent_runs
        self._slowdown_below = min(self.SLOWDOWN_BELOW * concurrent_runs, self.MAX_SLOWDOWN_BELOW)
        self._lock = threading.Lock()
        self._remaining = self._slowdown_below
        self._window_ends = self._last_request = self._blocked_until = float("-inf")

    def read_header(self, header: str, now: float) -> None:
        """Takes in what the server says is left of the window; the tightest of several limits."""
        limits = re.findall(r"r=(\d+)\s*;\s*t=(\d+)", header)
        if limits:
            remaining, seconds = min((int(left), int(time_s)) for left, time_s in limits)
            with self._lock:
                self._remaining, self._window_ends = remaining, now + seconds

    def block_until(self, time_s: float) -> None:
        """Nobody asks before that time."""
        with self._lock:
            self._blocked_until = max(self._blocked_until, time_s)

    def reserve(self, now: float) -> float:
        """Seconds that the next request has to wait; it is counted as made then."""
        with self._lock:
            start = max(now, self._blocked_until)
            if start < self._window_ends and self._remaining < self._slowdown_below:
                spare = (self._remaining - self.RESERVE) / self._concurrent_runs
                gap = (self._window_ends - now) / spare if spare > 0 else 0.0
                start = max(start, self._last_request + gap if spare > 0 else self._window_ends)
            self._remaining -= 1
            self._last_request = start
            return start - now
