"""When may the next request go out? Cloudflare counts them all, whatever service they ask."""

import re
import threading


class Pace:
    """Keeps the requests of all services below the API's limit, as its `Ratelimit` header tells.

    Far from the wall nobody waits. Near it, what is left is spread over the rest of the window,
    and some of it is left to others who use the same token. Of `sharers` that run at once each
    takes its part, and begins to wait the earlier.
    """

    CALM = 200
    CALM_AT_MOST = 1000
    RESERVE = 20

    def __init__(self, sharers: int = 1) -> None:
        self._sharers = sharers
        self._calm = min(self.CALM * sharers, self.CALM_AT_MOST)
        self._lock = threading.Lock()
        self._remaining = self._calm
        self._ends = self._last = self._held_until = float("-inf")

    def read(self, header: str, now: float) -> None:
        """Takes in what the server says is left of the window; the tightest of several limits."""
        limits = re.findall(r"r=(\d+)\s*;\s*t=(\d+)", header)
        if limits:
            remaining, seconds = min((int(left), int(time_s)) for left, time_s in limits)
            with self._lock:
                self._remaining, self._ends = remaining, now + seconds

    def hold(self, until: float) -> None:
        """Nobody asks before that time."""
        with self._lock:
            self._held_until = max(self._held_until, until)

    def wait(self, now: float) -> float:
        """Seconds that the next request has to wait; it is counted as made then."""
        with self._lock:
            start = max(now, self._held_until)
            if start < self._ends and self._remaining < self._calm:
                spare = (self._remaining - self.RESERVE) / self._sharers
                gap = (self._ends - now) / spare if spare > 0 else 0.0
                start = max(start, self._last + gap if spare > 0 else self._ends)
            self._remaining -= 1
            self._last = start
            return start - now
