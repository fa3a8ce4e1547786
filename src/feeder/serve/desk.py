"""Who takes a call to the index that is asked? The tools over one directory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import feeder
from feeder import shown as harmless
from feeder.config import Settings
from feeder.errors import FeederError
from feeder.serve import AsItIs, Freshness, Said, Tell
from feeder.serve.arguments import checked
from feeder.serve.catalogue import INSTRUCTIONS, LISTED, SCHEMAS
from feeder.serve.protocol import Server
from feeder.serve.remedies import in_tools

if TYPE_CHECKING:
    from feeder.serve.answering import Tool
    from feeder.serve.library import Library, Opened
    from feeder.serve.proof import Proof

Answer = TypeVar("Answer")


class Desk:
    """The tools of `catalogue.py` over the index of a directory.

    Neither that nor a model is touched before the first call, or before `warm`.
    """

    listed = LISTED

    def __init__(self, settings: Settings, freshness: Freshness | None = None) -> None:
        self._settings = settings
        self._freshness = freshness or AsItIs()
        self._lock = Lock()

    @property
    def server(self) -> Server:
        """What the protocol is spoken for."""
        return Server("feeder", feeder.__version__, INSTRUCTIONS, self)

    def call(self, name: str, arguments: Mapping[str, Any], tell: Tell) -> Said:
        """What the tool answers; what the user or the model has to change is an answer too."""
        try:
            said = checked(name, SCHEMAS[name], arguments)
            return self.ask(lambda opened, says: _tool(name)(opened, said, says), tell)
        except (FeederError, OSError) as exc:
            return Said(harmless.escape_line(in_tools(str(exc))), is_error=True)

    def ask(self, work: Callable[[Opened, str | None], Answer], tell: Tell) -> Answer:
        """What `work` makes of the index as it is now, and of what is to be said of it first.

        Raises UserError where there is none.
        """
        tell("opening the index")
        look = self._freshness.before_answer(tell)
        with self.library.lent() as opened:
            tell("looking")
            corpus = opened.corpus._replace(seen=look.tree)
            return work(opened._replace(corpus=corpus), look.says)

    def warm(self) -> None:
        """Makes the first answer quick."""
        self.library.warm()

    def close(self) -> None:
        """Closes what was opened, and is not in use."""
        if "_library" in self.__dict__:
            self.library.close()

    @property
    def library(self) -> Library:
        """The index; opened by the first who asks."""
        with self._lock:
            return self._library

    @property
    def proof(self) -> Proof:
        """The checks of the index; nothing is looked at before they begin."""
        with self._lock:
            return self._proof

    @cached_property
    def _proof(self) -> Proof:
        from feeder.serve.proof import Proof

        return Proof(self._settings)

    @cached_property
    def _library(self) -> Library:
        from feeder.serve.library import Library

        return Library(self._settings)


def _tool(name: str) -> Tool:
    from feeder.serve.answering import TOOLS

    return TOOLS[name]
