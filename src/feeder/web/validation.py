"""Runs the checks of `feeder validate` in a background thread, one run at a time, and reports
progress and the last verdict as JSON for `/api/proof`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Condition, Thread
from typing import Any

from feeder.config import Settings
from feeder.errors import FeederError
from feeder.mcp.index_refresh import ProgressMonitor
from feeder.session.session import open_comparison, open_session
from feeder.session.workspace import current_workspace
from feeder.sync.validate import validate


class IndexValidation:
    """The last run of the checks, and the one under way; one at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = replace(settings, quiet=True)
        self._condition = Condition()
        self._monitor = ProgressMonitor(self._condition)
        self._is_running = False
        self._verdict: dict[str, Any] | None = None
        self._error: str | None = None

    def start(self) -> None:
        """Starts the checks, unless they run."""
        with self._condition:
            if self._is_running:
                return
            self._is_running, self._error, self._monitor = (
                True,
                None,
                ProgressMonitor(self._condition),
            )
        Thread(target=self._run, name="proof", daemon=True).start()

    def as_json(self) -> dict[str, Any]:
        """Whether they run, how far, and what they said last."""
        watch = self._monitor
        return {
            "running": self._is_running,
            "what": watch.step_name,
            "done": watch.done,
            "total": watch.total,
            "verdict": self._verdict,
            "failed": self._error,
        }

    def _run(self) -> None:
        failed: str | None = "The checks could not be run."
        try:
            self._verdict = self._validate()
            failed = None
        except (FeederError, OSError) as exc:
            failed = str(exc)
        finally:
            with self._condition:
                self._is_running, self._error = False, failed

    def _validate(self) -> dict[str, Any]:
        began_s = time.monotonic()
        settings = self._settings
        place = current_workspace(settings)
        with open_session(place, settings, writes=False, create=False, whole=False) as store:
            store.progress = self._monitor
            below = store.index.read_state_of([]).meta.get(store.index.meta_key("below"), "")
            with open_comparison(store, replace(settings, path=below or settings.path)) as feed:
                verdict = validate(feed)
            usage = store.backend.usage()
        advice = "" if verdict.passed else verdict.advice
        cost = {
            "requests": sum(usage.requests.values()) if usage else 0,
            "seconds": round(time.monotonic() - began_s, 2),
            "ended_s": round(time.time()),
        }
        return {**verdict.as_json(), "advice": advice, **cost}
