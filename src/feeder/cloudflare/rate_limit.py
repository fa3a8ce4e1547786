"""Rate limiter for all Cloudflare services: reads the `Ratelimit` header and spreads the
remaining requests over the window.
"""

import re
import threading


class RateLimit:
    """Keeps the requests of all services below the limit that the `Ratelimit` header reports.

    Requests wait only when fewer than `SLOWDOWN_BELOW` remain in the window. These, less a reserve,
    are spread evenly over the rest of the window. Each of `concurrent_runs` runs takes an equal
    share, and begins to wait earlier. Times are in seconds, by the clock of the caller.
    """

    SLOWDOWN_BELOW = 200
    """Remaining requests below which a single run waits."""
    MAX_SLOWDOWN_BELOW = 1000
    """The same for any number of concurrent runs."""
    RESERVE = 20
    """Requests left for other users of the token."""

    def __init__(self, concurrent_runs: int = 1) -> None:
        self._concurrent_runs = concurrent_runs
        self._slowdown_below = min(self.SLOWDOWN_BELOW * concurrent_runs, self.MAX_SLOWDOWN_BELOW)
        self._lock = threading.Lock()
        self._remaining = self._slowdown_below
        self._resets_at = self._last_request = self._blocked_until = float("-inf")

    def read_header(self, header: str, now: float) -> None:
        """Reads the requests and seconds that are left; of several windows the one with fewest."""
        limits = re.findall(r"r=(\d+)\s*;\s*t=(\d+)", header)
        if limits:
            remaining, seconds = min((int(left), int(time_s)) for left, time_s in limits)
            with self._lock:
                self._remaining, self._resets_at = remaining, now + seconds

    def block_until(self, time_s: float) -> None:
        """Delays all requests until that time."""
        with self._lock:
            self._blocked_until = max(self._blocked_until, time_s)

    def reserve(self, now: float) -> float:
        """Returns the seconds that the next request has to wait, and counts it as sent then."""
        with self._lock:
            start = max(now, self._blocked_until)
            if start < self._resets_at and self._remaining < self._slowdown_below:
                spare = (self._remaining - self.RESERVE) / self._concurrent_runs
                gap = (self._resets_at - now) / spare if spare > 0 else 0.0
                start = max(start, self._last_request + gap if spare > 0 else self._resets_at)
            self._remaining -= 1
            self._last_request = start
            return start - now
