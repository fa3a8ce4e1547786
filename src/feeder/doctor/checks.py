"""Runs all checks, in the order in which a run would meet their errors."""

import os
from collections.abc import Iterator
from pathlib import Path

from feeder.config import Settings
from feeder.doctor import CheckFunction, Finding, environment, index_checks, services
from feeder.errors import FeederError, problem_and_remedy
from feeder.parse.secrets import mask_text

CHECKS: dict[str, CheckFunction] = {
    "python": environment.check_python,
    "extras": environment.check_extras,
    "sqlite": environment.check_sqlite,
    "open files": environment.check_open_files,
    "temporary files": environment.check_temporary_files,
    "cache": environment.check_cache,
    "parser": environment.check_parser,
    "git": environment.check_git,
    "repository": environment.check_repository,
    "settings": environment.check_settings_files,
    "credentials": services.check_credentials,
    "disk": index_checks.check_disk,
    "index": index_checks.check_index,
    "vectorize": services.check_vectorize,
    "model": services.check_embedding_models,
    "describing": services.check_describer,
}
"""The keys name the findings of checks that raise an error."""

FALLBACK_REMEDY = "Fix this, then run feeder doctor again."
"""For errors that have no remedy of their own."""


def run_checks(settings: Settings) -> Iterator[Finding]:
    """Yields the findings of all checks; one that raises an error does not end the others.

    An error that several checks raise is reported once.
    """
    reported = set()
    for name, check in CHECKS.items():
        try:
            yield from map(_redact, check(settings))
        except (FeederError, OSError) as exc:
            problem, remedy = problem_and_remedy(exc)
            if problem not in reported:
                yield _redact(Finding(name, problem, remedy or FALLBACK_REMEDY, stops=True))
            reported.add(problem)


def _redact(finding: Finding) -> Finding:
    """Replaces the home folder, which has the user's name, and tokens wherever they are."""
    message, remedy = map(_redact_text, finding[1:3])
    return finding._replace(says=message, remedy=remedy)


def _redact_text(text: str) -> str:
    home = os.fspath(Path.home())
    shown = mask_text("doctor.txt", text.replace(home, "~").encode(errors="replace"))
    return shown.content.decode()
