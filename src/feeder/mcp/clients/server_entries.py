"""The server entry in a client's configuration file: the command that starts this program, and
adding, recognizing and removing the entry without changing anything else.
"""

import os
import shlex
import shutil
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any, Protocol

from feeder import jsonc
from feeder.errors import UserError
from feeder.mcp.clients import SERVER_NAME, Scope, toml_edit
from feeder.mcp.clients.known_clients import ServerEntry

_MCP_ARGUMENTS = ["mcp"]

_UVX_CACHE_FOLDER = "archive-v0"
"""The folder in uv's cache from which `uvx` runs what is not installed."""


def server_command(scope: Scope) -> list[str]:
    """What a client is to run; no path of this machine in a project's file, which others have."""
    return [SERVER_NAME, *_MCP_ARGUMENTS] if scope == "project" else [*_program(), *_MCP_ARGUMENTS]


def _program() -> list[str]:
    """`feeder` where a new shell finds this one by that name, else its path."""
    own = Path(sys.executable).parent / (
        f"{SERVER_NAME}.exe" if sys.platform == "win32" else SERVER_NAME
    )
    if _UVX_CACHE_FOLDER in own.parts:
        raise UserError(
            "uvx runs this feeder out of its cache, where a client will not find it for long. "
            "Install it with `uv tool install headfeed`, or say --scope project."
        )
    if not own.is_file():
        return [sys.executable, "-m", "feeder"]
    by_name = shutil.which(SERVER_NAME, path=_path_of_a_new_shell())
    return [SERVER_NAME] if by_name and Path(by_name).resolve() == own.resolve() else [str(own)]


def _path_of_a_new_shell() -> str:
    """PATH without the environment that happens to be active here."""
    active = os.environ.get("VIRTUAL_ENV")
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    kept = [one for one in folders if not (active and Path(one).is_relative_to(active))]
    return os.pathsep.join(kept)


def shell_command(command: list[str]) -> str:
    """What a person or a model types before the name of a command."""
    return shlex.join(command[: -len(_MCP_ARGUMENTS)])


def is_own_entry(entry: object) -> bool:
    """Whether what a client's file says of a server starts a feeder, this one or another."""
    words = _command_words(entry)
    program = Path(words[0].replace("\\", "/")).name.removesuffix(".exe") if words else ""
    runs = program == SERVER_NAME or "headfeed" in words or words[1:3] == ["-m", "feeder"]
    return runs and "mcp" in words[1:]


def _command_words(entry: object) -> list[str]:
    """The command line of an entry, in whichever shape."""
    if not isinstance(entry, dict):
        return []
    if "transport" in entry:
        return _command_words(entry["transport"])
    said = [entry.get("command"), entry.get("args")]
    parts = [one if isinstance(one, list) else [one] for one in said if one]
    return [str(word) for part in parts for word in part]


_COMMAND_KEYS = ("type", "command", "args", "transport")
"""What says how the server is started; the rest of an entry is the user's once it is there."""


class ConfigFormat(Protocol):
    """How a file is written: the modules `jsonc` and `tables`. ValueError is for what is not so."""

    def loads(self, text: str) -> dict[str, Any]:
        """What it says."""

    def set_value(self, text: str, path: tuple[Any, ...], value: Any) -> str:
        """The text with a value put in place, or behind its siblings; the rest stays."""

    def remove_value(self, text: str, path: tuple[Any, ...]) -> str:
        """The text without a value; the rest stays."""


class EntryEditor:
    """The servers of a text: what of them is ours, and the text with it and without."""

    def __init__(self, file_name: str, keys: tuple[str, ...]) -> None:
        self._format: ConfigFormat = toml_edit if file_name.endswith(".toml") else jsonc
        self._blank = "" if self._format is toml_edit else "{}\n"
        self._keys = keys

    def own_entry(self, text: str) -> object:
        """What the text says of a server of our name, None where nothing.

        Raises ValueError where the text is not in its form.
        """
        node: Any = self._format.loads(self._text_or_blank(text))
        for key in (*self._keys, SERVER_NAME):
            if not isinstance(node, dict):
                raise ValueError(f"{'.'.join(self._keys)} is no table of servers")
            node = node.get(key)
            if node is None:
                return None
        found: object = node
        return found

    def add(self, text: str, entry: ServerEntry, *, force: bool = False) -> str:
        """The text with the entry; of one that is there only what starts the server changes."""
        there = self.own_entry(text)
        before = self._text_or_blank(text)
        path = (*self._keys, SERVER_NAME)
        if there is None or (force and not is_own_entry(there)):
            return self._verified(before, self._format.set_value(before, path, entry), entry)
        if not isinstance(there, dict) or not is_own_entry(there):
            raise ValueError(
                f"it has a server {SERVER_NAME} that is not this program's. Rename it there, or "
                "replace "
                "it with --force"
            )
        after, wanted = before, deepcopy(there)
        for key in (key for key in _COMMAND_KEYS if key in entry and there.get(key) != entry[key]):
            after = self._format.set_value(after, (*path, key), entry[key])
            wanted[key] = entry[key]
        return self._verified(before, after, wanted) if after != before else text

    def remove(self, text: str) -> str:
        """The text without the entry, nor a table that it leaves empty."""
        after = self._verified(
            text, self._format.remove_value(text, (*self._keys, SERVER_NAME)), None
        )
        for depth in range(len(self._keys), 0, -1):
            path = self._keys[:depth]
            if self._value_at(after, path) != {}:
                break
            after = self._format.remove_value(after, path)
        return after

    def _verified(self, before: str, after: str, entry: ServerEntry | None) -> str:
        """The text after; raises ValueError if more than the entry has become another."""
        wanted = deepcopy(self._format.loads(before))
        node = wanted
        for key in self._keys:
            node = node.setdefault(key, {})
        if entry is None:
            del node[SERVER_NAME]
        else:
            node[SERVER_NAME] = entry
        known = self._format.loads(after)
        if known != wanted and known != _without_empty_table(wanted, self._keys):
            raise ValueError("it is written in a way that cannot be edited without harm")
        return after

    def _value_at(self, text: str, path: tuple[str, ...]) -> object:
        node: Any = self._format.loads(text)
        for key in path:
            node = node.get(key) if isinstance(node, dict) else None
        found: object = node
        return found

    def _text_or_blank(self, text: str) -> str:
        is_blank = not text.strip("\ufeff \t\r\n")
        return text[: text.startswith("\ufeff")] + self._blank if is_blank else text


def is_blank_config(text: str) -> bool:
    """Whether a client's file could as well not be there."""
    return not text.strip("\ufeff \t\r\n{}")


def _without_empty_table(facts: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """What TOML says once the last table below one that has no header of its own is gone."""
    return {key: value for key, value in facts.items() if key != keys[0] or value}
