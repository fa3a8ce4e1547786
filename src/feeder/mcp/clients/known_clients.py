"""The supported MCP clients, from clients.toml, and where their files are on this machine."""

import os
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from feeder.errors import UserError
from feeder.mcp.clients import Scope

Kind = Literal["server", "instructions", "agent", "skill", "hook", "script"]
KINDS: tuple[Kind, ...] = ("server", "instructions", "agent", "skill", "hook", "script")
ServerEntry = dict[str, Any]

_XDG = "{XDG_CONFIG_HOME:~/.config}"
_APPDATA = "{APPDATA:~/AppData/Roaming}"
_PLATFORM_FOLDERS: dict[str, Mapping[str, str]] = {
    "settings": {"win32": _APPDATA, "darwin": "~/Library/Application Support", "": _XDG},
    "zed": {"win32": f"{_APPDATA}/Zed", "": f"{_XDG}/zed"},
    "xdg": {"": _XDG},
}
"""Folders that differ by platform; the empty name is for all other platforms."""
_VARIABLE = re.compile(r"\{(\w+):([^{}]*)\}")


class Client(NamedTuple):
    """An MCP client; clients.toml explains the fields."""

    name: str
    title: str
    programs: Sequence[str]
    folder: str
    files: Mapping[Kind, Mapping[Scope, Sequence[str]]]
    """Path templates; a scope is missing if the client has no such file for it."""
    entry: ServerEntry
    project_entry: ServerEntry | None = None
    servers_key: str = "mcpServers"
    agent_tools: str = ""

    def server_entry(self, scope: Scope, command: list[str]) -> ServerEntry:
        """Returns the server entry for a command in the client's file of that scope."""
        template = (self.project_entry if scope == "project" else None) or self.entry
        entry: ServerEntry = _fill_template(template, command)
        return entry

    def candidate_files(self, kind: Kind, scope: Scope, root: Path) -> list[Path]:
        """Returns the names that a file may have; empty if the client has no such file."""
        return [absolute_path(name, root) for name in self.files[kind].get(scope, ())]

    def detected_by(self) -> str | None:
        """Returns the program or folder that shows that the client is installed, if any."""
        programs = (shutil.which(program) for program in self.programs)
        folder = absolute_path(self.folder, home_folder())
        return next(filter(None, programs), None) or (str(folder) if folder.is_dir() else None)


def _fill_template(template: Any, command: list[str]) -> Any:
    """Returns the template with the command's words in place of `$program` and `$arguments`."""
    if isinstance(template, dict):
        return {key: _fill_template(value, command) for key, value in template.items()}
    if isinstance(template, list):
        words = (command[1:] if word == "$arguments" else [word] for word in template)
        return [_fill_template(word, command) for group in words for word in group]
    return command[0] if template == "$program" else template


def expand_path(template: str, environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """Expands the variables and platform folders of a path template; a leading `~` stays."""
    for name, folders in _PLATFORM_FOLDERS.items():
        template = template.replace(f"{{{name}}}", folders.get(platform, folders[""]))
    return _VARIABLE.sub(lambda match: environment.get(match[1]) or match[2], template)


def absolute_path(template: str, root: Path) -> Path:
    """Returns the path of a template: below the home if it begins with `~`, else below `root`."""
    path = expand_path(template, os.environ)
    return home_folder() / path[2:] if path == "~" or path.startswith("~/") else root / path


def home_folder() -> Path:
    """Returns the user's home; raises UserError if it is unknown."""
    try:
        return Path.home()
    except RuntimeError as exc:
        raise UserError(f"The home folder is unknown ({exc}).", "Set HOME.") from exc


def _read_clients() -> dict[str, Client]:
    rows = tomllib.loads(Path(__file__).with_name("clients.toml").read_text("utf-8"))
    return {
        name: Client(
            name,
            programs=row.pop("programs", [name]),
            entry=row.pop("entry", {"command": "$program", "args": ["$arguments"]}),
            files={kind: row.pop(kind, {}) for kind in KINDS},
            **row,
        )
        for name, row in rows.items()
    }


CLIENTS: Mapping[str, Client] = _read_clients()
"""The clients by name."""
