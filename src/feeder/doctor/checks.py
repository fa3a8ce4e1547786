"""Runs all checks in the order in which a run meets what they check."""

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
    "vectorize": services.check_vectorize,
    "disk": index_checks.check_disk,
    "index": index_checks.check_index,
    "model": services.check_embedding_models,
    "describing": services.check_describer,
}
"""By what a check is called that cannot look."""


def run_checks(settings: Settings) -> Iterator[Finding]:
    """What each check finds; one that fails keeps none of the others from looking.

    What hinders several is told of the first.
    """
    told = set()
    for name, check in CHECKS.items():
        try:
            yield from map(_redact, check(settings))
        except (FeederError, OSError) as exc:
            wrong, remedy = problem_and_remedy(exc)
            if wrong not in told:
                yield _redact(Finding(name, wrong, remedy or "Mend what it says.", stops=True))
            told.add(wrong)


def _redact(finding: Finding) -> Finding:
    """Without the folder that has the user's name, and without tokens, wherever they stand."""
    says, remedy = map(_redact_text, finding[1:3])
    return finding._replace(says=says, remedy=remedy)


def _redact_text(text: str) -> str:
    home = os.fspath(Path.home())
    shown = mask_text("doctor.txt", text.replace(home, "~").encode(errors="replace"))
    return shown.content.decode()
