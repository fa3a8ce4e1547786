"""Which tools does a server of a directory have, and how fresh is what they answer?"""

from __future__ import annotations

from functools import cached_property, partial
from threading import Lock

from feeder.config import Settings
from feeder.serve import AsItIs, Freshness, Look, Tell
from feeder.serve.desk import Desk


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
        from feeder.assembly.opening import place_here
        from feeder.assembly.trees import commit_of, working_tree_of
        from feeder.cloudflare.credentials import choice
        from feeder.serve.upkeep import Upkeep, Upkept
        from feeder.tree import git

        settings = self._settings
        place = place_here(settings)
        if choice(settings).is_cloud or git.root(place.base) is None:
            return AsItIs()
        tree_of = commit_of if git.is_bare(place.base) else working_tree_of
        return Upkeep(Upkept(place, settings, partial(tree_of, place, settings)))
