"""Runs the checks of `feeder validate` in a background thread, and reports progress and the last
verdict as JSON for `/api/proof`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Condition, Thread
from typing import Any

from feeder.config import Settings
from feeder.errors import FeederError
from feeder.mcp.index_refresh import ProgressMonitor
from feeder.session.opening import open_session
from feeder.session.runs import open_comparison
from feeder.session.workspace import current_workspace
from feeder.sync.validate import validate


class IndexValidation:
    """Runs the checks, one run at a time, and keeps the last verdict."""

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
            self._is_running, self._error = True, None
            self._monitor = ProgressMonitor(self._condition)
        Thread(target=self._run, name="validation", daemon=True).start()

    def as_json(self) -> dict[str, Any]:
        """The state of the checks, their progress and the last verdict."""
        monitor = self._monitor
        return {
            "running": self._is_running,
            "what": monitor.step_name,
            "done": monitor.done,
            "total": monitor.total,
            "verdict": self._verdict,
            "failed": self._error,
        }

    def _run(self) -> None:
        error: str | None = "The checks could not be run."
        try:
            self._verdict = self._validate()
            error = None
        except (FeederError, OSError) as exc:
            error = str(exc)
        finally:
            with self._condition:
                self._is_running, self._error = False, error

    def _validate(self) -> dict[str, Any]:
        began_s = time.monotonic()
        settings = self._settings
        place = current_workspace(settings)
        with open_session(place, settings, writes=False, create=False, whole=False) as session:
            session.progress = self._monitor
            below = session.index.read_state_of([]).meta.get(session.index.meta_key("below"), "")
            with open_comparison(session, replace(settings, path=below or settings.path)) as run:
                verdict = validate(run)
            usage = session.backend.usage()
        advice = "" if verdict.passed else verdict.advice
        cost = {
            "requests": sum(usage.requests.values()) if usage else 0,
            "seconds": round(time.monotonic() - began_s, 2),
            "ended_s": round(time.time()),
        }
        return {**verdict.as_json(), "advice": advice, **cost}
