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

from feeder import jsonc, toml_edit
from feeder.errors import UserError
from feeder.mcp.clients import SERVER_NAME, Scope
from feeder.mcp.clients.known_clients import ServerEntry

_MCP_ARGUMENTS = ["mcp"]
_COMMAND_KEYS = ("type", "command", "args", "transport")
"""The keys of an entry that start the server; the other keys of an existing one stay."""


def server_command(scope: Scope) -> list[str]:
    """The command that starts the server; without a path in a project's file, which is shared."""
    return [SERVER_NAME, *_MCP_ARGUMENTS] if scope == "project" else [*_program(), *_MCP_ARGUMENTS]


def _program() -> list[str]:
    """`feeder` if a new shell finds this program by that name, else its path."""
    from feeder.installation import is_run_by_uvx, uv_tool_command

    own = Path(sys.executable).parent / (
        f"{SERVER_NAME}.exe" if sys.platform == "win32" else SERVER_NAME
    )
    if is_run_by_uvx():
        raise UserError(
            "uvx runs feeder from its cache, where a client may not find it later.",
            f"Install it with: {uv_tool_command()}; or use --scope project.",
        )
    if not own.is_file():
        return [sys.executable, "-m", "feeder"]
    by_name = shutil.which(SERVER_NAME, path=_path_of_a_new_shell())
    return [SERVER_NAME] if by_name and Path(by_name).resolve() == own.resolve() else [str(own)]


def _path_of_a_new_shell() -> str:
    """PATH without the virtual environment that is active in this shell."""
    active = os.environ.get("VIRTUAL_ENV")
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(
        folder for folder in folders if not (active and Path(folder).is_relative_to(active))
    )


def shell_command(command: list[str]) -> str:
    """The program as it is typed in a shell, before the name of a command."""
    return shlex.join(command[: -len(_MCP_ARGUMENTS)])


def is_own_entry(entry: object) -> bool:
    """True for a server entry that starts this program, wherever it is installed."""
    words = _command_words(entry)
    program = Path(words[0].replace("\\", "/")).name.removesuffix(".exe") if words else ""
    is_feeder = program == SERVER_NAME or "headfeed" in words or words[1:3] == ["-m", "feeder"]
    return is_feeder and "mcp" in words[1:]


def _command_words(entry: object) -> list[str]:
    """The command line of an entry in any client's shape."""
    if not isinstance(entry, dict):
        return []
    if "transport" in entry:
        return _command_words(entry["transport"])
    values = [value for value in (entry.get("command"), entry.get("args")) if value]
    parts = [value if isinstance(value, list) else [value] for value in values]
    return [str(word) for part in parts for word in part]


class ConfigFormat(Protocol):
    """A file format, as the modules `jsonc` and `toml_edit` implement it; errors are ValueError."""

    def loads(self, text: str) -> dict[str, Any]:
        """Parses the text."""

    def set_value(self, text: str, path: tuple[Any, ...], value: Any) -> str:
        """The text with a value replaced, or added after its siblings; the rest stays."""

    def remove_value(self, text: str, path: tuple[Any, ...]) -> str:
        """The text without a value; the rest stays."""


class EntryEditor:
    """Finds, adds and removes the server entry in the text of a configuration file."""

    def __init__(self, file_name: str, keys: tuple[str, ...]) -> None:
        self._format: ConfigFormat = toml_edit if file_name.endswith(".toml") else jsonc
        self._blank = "" if self._format is toml_edit else "{}\n"
        self._keys = keys

    def own_entry(self, text: str) -> object:
        """The server entry of this program's name; None if there is none.

        Raises ValueError if the text cannot be parsed.
        """
        node: Any = self._format.loads(self._text_or_blank(text))
        for key in (*self._keys, SERVER_NAME):
            if not isinstance(node, dict):
                raise ValueError(f"{'.'.join(self._keys)} is not a table of servers")
            node = node.get(key)
            if node is None:
                return None
        value: object = node
        return value

    def add(self, text: str, entry: ServerEntry, *, force: bool = False) -> str:
        """The text with the entry; of an existing entry only the keys of the command change."""
        existing = self.own_entry(text)
        before = self._text_or_blank(text)
        path = (*self._keys, SERVER_NAME)
        if existing is None or (force and not is_own_entry(existing)):
            return self._verified(before, self._format.set_value(before, path, entry), entry)
        if not isinstance(existing, dict) or not is_own_entry(existing):
            raise ValueError(
                f"it has a server {SERVER_NAME} that does not start this program. Rename it there, "
                "or replace it with --force"
            )
        after, expected = before, deepcopy(existing)
        for key in _COMMAND_KEYS:
            if key in entry and existing.get(key) != entry[key]:
                after = self._format.set_value(after, (*path, key), entry[key])
                expected[key] = entry[key]
        return self._verified(before, after, expected) if after != before else text

    def remove(self, text: str) -> str:
        """The text without the entry, and without tables that are empty then."""
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
        """Returns `after`; raises ValueError if more than the entry differs from `before`."""
        expected = deepcopy(self._format.loads(before))
        node = expected
        for key in self._keys:
            node[key] = {} if node.get(key) is None else node[key]
            node = node[key]
        if entry is None:
            del node[SERVER_NAME]
        else:
            node[SERVER_NAME] = entry
        result = self._format.loads(after)
        if result != expected and result != _without_empty_table(expected, self._keys):
            raise ValueError("its layout cannot be edited without changing other values")
        return after

    def _value_at(self, text: str, path: tuple[str, ...]) -> object:
        node: Any = self._format.loads(text)
        for key in path:
            node = node.get(key) if isinstance(node, dict) else None
        value: object = node
        return value

    def _text_or_blank(self, text: str) -> str:
        is_blank = not text.strip("\ufeff \t\r\n")
        return text[: text.startswith("\ufeff")] + self._blank if is_blank else text


def is_blank_config(text: str) -> bool:
    """True for a configuration file without any setting."""
    return not text.strip("\ufeff \t\r\n{}")


def _without_empty_table(data: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """The data without an empty table: TOML loses it with the last table below it."""
    return {key: value for key, value in data.items() if key != keys[0] or value}
