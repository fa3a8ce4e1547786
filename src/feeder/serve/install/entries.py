"""What does a client's file look like with the server in it, and without?"""

from copy import deepcopy
from typing import Any, Protocol

from feeder import jsonc
from feeder.serve.install import NAME, tables
from feeder.serve.install.clients import Entry
from feeder.serve.install.starting import is_ours

_STARTS = ("type", "command", "args", "transport")
"""What says how the server is started; the rest of an entry is the user's once it is there."""


class Form(Protocol):
    """How a file is written: the modules `jsonc` and `tables`. ValueError is for what is not so."""

    def loads(self, text: str) -> dict[str, Any]:
        """What it says."""

    def put(self, text: str, path: tuple[Any, ...], value: Any) -> str:
        """The text with a value put in place, or behind its siblings; the rest stays."""

    def drop(self, text: str, path: tuple[Any, ...]) -> str:
        """The text without a value; the rest stays."""


class Entries:
    """The servers of a text: what of them is ours, and the text with it and without."""

    def __init__(self, file_name: str, keys: tuple[str, ...]) -> None:
        self._form: Form = tables if file_name.endswith(".toml") else jsonc
        self._blank = "" if self._form is tables else "{}\n"
        self._keys = keys

    def ours(self, text: str) -> object:
        """What the text says of a server of our name, None where nothing.

        Raises ValueError where the text is not in its form.
        """
        node: Any = self._form.loads(self._text(text))
        for key in (*self._keys, NAME):
            if not isinstance(node, dict):
                raise ValueError(f"{'.'.join(self._keys)} is no table of servers")
            node = node.get(key)
            if node is None:
                return None
        found: object = node
        return found

    def with_ours(self, text: str, entry: Entry, *, is_forced: bool = False) -> str:
        """The text with the entry; of one that is there only what starts the server changes."""
        there = self.ours(text)
        before = self._text(text)
        path = (*self._keys, NAME)
        if there is None or (is_forced and not is_ours(there)):
            return self._checked(before, self._form.put(before, path, entry), entry)
        if not isinstance(there, dict) or not is_ours(there):
            raise ValueError(
                f"it has a server {NAME} that is not this program's. Rename it there, or replace "
                "it with --force"
            )
        after, wanted = before, deepcopy(there)
        for key in (key for key in _STARTS if key in entry and there.get(key) != entry[key]):
            after = self._form.put(after, (*path, key), entry[key])
            wanted[key] = entry[key]
        return self._checked(before, after, wanted) if after != before else text

    def without_ours(self, text: str) -> str:
        """The text without the entry, nor a table that it leaves empty."""
        after = self._checked(text, self._form.drop(text, (*self._keys, NAME)), None)
        for depth in range(len(self._keys), 0, -1):
            path = self._keys[:depth]
            if self._at(after, path) != {}:
                break
            after = self._form.drop(after, path)
        return after

    def _checked(self, before: str, after: str, entry: Entry | None) -> str:
        """The text after; raises ValueError if more than the entry has become another."""
        wanted = deepcopy(self._form.loads(before))
        node = wanted
        for key in self._keys:
            node = node.setdefault(key, {})
        if entry is None:
            del node[NAME]
        else:
            node[NAME] = entry
        known = self._form.loads(after)
        if known != wanted and known != _without_empty(wanted, self._keys):
            raise ValueError("it is written in a way that cannot be edited without harm")
        return after

    def _at(self, text: str, path: tuple[str, ...]) -> object:
        node: Any = self._form.loads(text)
        for key in path:
            node = node.get(key) if isinstance(node, dict) else None
        found: object = node
        return found

    def _text(self, text: str) -> str:
        is_blank = not text.strip("\ufeff \t\r\n")
        return text[: text.startswith("\ufeff")] + self._blank if is_blank else text


def says_nothing(text: str) -> bool:
    """Whether a client's file could as well not be there."""
    return not text.strip("\ufeff \t\r\n{}")


def _without_empty(facts: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """What TOML says once the last table below one that has no header of its own is gone."""
    return {key: value for key, value in facts.items() if key != keys[0] or value}
