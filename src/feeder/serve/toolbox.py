"""Which tools does a server of a directory have, and how fresh is what they answer?"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from feeder.config import Settings
from feeder.errors import UserError
from feeder.serve import AsItIs, Freshness, Look, Tell
from feeder.serve.desk import Desk

if TYPE_CHECKING:
    from feeder.tree import Tree


def desk(settings: Settings, *, follows: bool) -> Desk:
    """The tools, over an index that `follows` the working tree or is left as it is.

    Nothing is touched before a call.
    """
    return Desk(settings, Following(settings) if follows else AsItIs())


class Following:
    """A `Freshness` that finds out at the first answer what is to be followed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()

    def before_answer(self, tell: Tell) -> Look:
        """What the files are then, where they are followed."""
        with self._lock:
            freshness = self._freshness
        return freshness.before_answer(tell)

    @cached_property
    def _freshness(self) -> Freshness:
        """Of an index on this machine about a repository; any other is as its feeder left it."""
        from feeder.assembly.opening import current_workspace
        from feeder.assembly.trees import commit_tree, working_tree
        from feeder.cloudflare.credentials import choice
        from feeder.serve.upkeep import Upkeep, Upkept
        from feeder.tree import git

        settings = self._settings
        place = current_workspace(settings)
        if choice(settings).is_cloud or git.find_root(place.base) is None:
            return AsItIs()
        tree_of = commit_tree if git.is_bare(place.base) else working_tree
        look = partial(tree_of, place, settings)
        return Upkeep(Upkept(place, settings, lambda: _of_its_own(place.base, look)))


def _of_its_own(base: Path, look: Callable[[], Tree]) -> Tree:
    """The tree that a look finds; raises UserError where git finds another repository above."""
    from feeder.tree import git

    root = git.find_root(base)
    if root and root.resolve() != base:
        raise UserError(f"{base} is a folder of {root} by now. Put its .git back.")
    return look()
