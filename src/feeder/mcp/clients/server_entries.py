"""The server entry in a client's configuration file: the command that starts this program, and
adding, recognizing and removing the entry without changing anything else.
"""

import os
import shlex
import shutil
import sys
from copy import deepcopy
from pathlib import Path

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

    suffix = ".exe" if sys.platform == "win32" else ""
    own = Path(sys.executable).parent / f"{SERVER_NAME}{suffix}"
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


class EntryEditor:
    """Finds, adds and removes the server entry in the text of a JSON or TOML file.

    Raises ValueError for a text that cannot be edited.
    """

    def __init__(self, file_name: str, servers_key: str) -> None:
        is_toml = file_name.endswith(".toml")
        self._format, self._blank = (toml_edit, "") if is_toml else (jsonc, "{}\n")
        self._key = servers_key

    def own_entry(self, text: str) -> object:
        """The server entry of this program's name; None if there is none."""
        servers = self._format.loads(self._text_or_blank(text)).get(self._key)
        if not isinstance(servers, dict | None):
            raise ValueError(f"{self._key} is not a table of servers")
        entry: object = (servers or {}).get(SERVER_NAME)
        return entry

    def add(self, text: str, entry: ServerEntry, *, force: bool = False) -> str:
        """The text with the entry; of an existing entry only the keys of the command change."""
        existing, after = self.own_entry(text), self._text_or_blank(text)
        path = (self._key, SERVER_NAME)
        if isinstance(existing, dict) and is_own_entry(existing):
            changed = {
                k: v for k, v in entry.items() if k in _COMMAND_KEYS and existing.get(k) != v
            }
            for key, value in changed.items():
                after = self._format.set_value(after, (*path, key), value)
            return self._verified(text, after, {**existing, **changed}) if changed else text
        if existing is not None and not force:
            raise ValueError(
                f"it already has another server {SERVER_NAME}. Rename it there, or replace it with "
                "--force"
            )
        return self._verified(text, self._format.set_value(after, path, entry), entry)

    def remove(self, text: str) -> str:
        """The text without the entry, and without its table if that is empty then."""
        path = (self._key, SERVER_NAME)
        after = self._verified(text, self._format.remove_value(text, path), None)
        is_empty = self._format.loads(after).get(self._key) == {}
        return self._format.remove_value(after, path[:1]) if is_empty else after

    def _verified(self, before: str, after: str, entry: ServerEntry | None) -> str:
        """Returns `after`; raises ValueError if more than the entry differs from `before`."""
        others = deepcopy(self._format.loads(self._text_or_blank(before)))
        servers = {**(others.pop(self._key, None) or {}), SERVER_NAME: entry}
        if entry is None:
            del servers[SERVER_NAME]
        result = self._format.loads(after)
        # TOML loses an empty table with the last one below it
        if (result.pop(self._key, {}), result) != (servers, others):
            raise ValueError("its layout cannot be edited without changing other values")
        return after

    def _text_or_blank(self, text: str) -> str:
        is_blank = not text.strip("\ufeff \t\r\n")
        return text[: text.startswith("\ufeff")] + self._blank if is_blank else text
