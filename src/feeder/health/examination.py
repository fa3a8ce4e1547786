"""All that is looked at, in the order in which a run meets it."""

import os
from collections.abc import Iterator
from pathlib import Path

from feeder.config import Settings
from feeder.errors import FeederError, problem_and_remedy
from feeder.health import Check, Finding, cloud, index, machine, models, program, repository
from feeder.parse.secrets import mask_text

CHECKS: dict[str, Check] = {
    "python": machine.python,
    "extras": program.extras,
    "sqlite": machine.sqlite,
    "open files": machine.limits,
    "temporary files": machine.temporary,
    "cache": machine.cache,
    "parser": machine.parser,
    "git": repository.version,
    "repository": repository.here,
    "settings": repository.own_settings,
    "credentials": cloud.credentials,
    "vectorize": cloud.services,
    "disk": index.room,
    "index": index.index,
    "model": models.asked,
    "describing": models.describing,
}
"""By what a check is called that cannot look."""


def examined(settings: Settings) -> Iterator[Finding]:
    """What each check finds; one that fails keeps none of the others from looking.

    What hinders several is told of the first.
    """
    told = set()
    for name, check in CHECKS.items():
        try:
            yield from map(_unnamed, check(settings))
        except (FeederError, OSError) as exc:
            wrong, remedy = problem_and_remedy(exc)
            if wrong not in told:
                yield _unnamed(Finding(name, wrong, remedy or "Mend what it says.", stops=True))
            told.add(wrong)


def _unnamed(finding: Finding) -> Finding:
    """Without the folder that has the user's name, and without tokens, wherever they stand."""
    says, remedy = map(_open_to_all, finding[1:3])
    return finding._replace(says=says, remedy=remedy)


def _open_to_all(text: str) -> str:
    home = os.fspath(Path.home())
    shown = mask_text("doctor.txt", text.replace(home, "~").encode(errors="replace"))
    return shown.content.decode()
