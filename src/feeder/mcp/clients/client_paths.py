"""Expands the path templates of client definitions for this machine and platform, and detects
which clients are installed.
"""

import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from feeder.errors import UserError
from feeder.mcp.clients import Scope
from feeder.mcp.clients.known_clients import Client, PathTemplates

_XDG = "{XDG_CONFIG_HOME:~/.config}"
_APPDATA = "{APPDATA:~/AppData/Roaming}"
_PLATFORM_FOLDERS: dict[str, Mapping[str, str]] = {
    "settings": {"win32": _APPDATA, "darwin": "~/Library/Application Support", "": _XDG},
    "zed": {"win32": f"{_APPDATA}/Zed", "": f"{_XDG}/zed"},
    "xdg": {"": _XDG},
}
"""Folders that differ by platform; the empty name is for all other platforms."""
_VARIABLE = re.compile(r"\{(\w+):([^{}]*)\}")


def expand_path(template: str, environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """Expands a path template: `{NAME:~/x}` is the environment variable or its default, `~/x`.

    `{settings}`, `{zed}` and `{xdg}` are folders of the platform. A leading `~` stays.
    """
    for name, folders in _PLATFORM_FOLDERS.items():
        template = template.replace(f"{{{name}}}", folders.get(platform, folders[""]))
    return _VARIABLE.sub(lambda match: environment.get(match[1]) or match[2], template)


def home_folder() -> Path:
    """The user's home; raises UserError if it is unknown."""
    try:
        return Path.home()
    except RuntimeError as exc:
        raise UserError(f"The home folder is unknown ({exc}).", "Set HOME.") from exc


def absolute_path(template: str, root: Path) -> Path:
    """The path of a template: below the home if it begins with `~`, else below `root`."""
    resolved = expand_path(template, os.environ)
    below_home = resolved == "~" or resolved.startswith("~/")
    return home_folder() / resolved[2:] if below_home else root / resolved


def candidate_files(templates: PathTemplates, scope: Scope, root: Path) -> list[Path]:
    """The names that a file may have in a scope; empty if the client has no such file."""
    names = templates.get(scope, ())
    return [absolute_path(name, root) for name in ([names] if isinstance(names, str) else names)]


def config_file(templates: PathTemplates, scope: Scope, root: Path) -> Path | None:
    """The first candidate that exists, else the first one; None if there is no candidate."""
    files = candidate_files(templates, scope, root)
    return next((file for file in [*filter(Path.exists, files), *files]), None)


def detect_client(client: Client) -> str | None:
    """The program or folder that shows that a client is installed; None if it is not."""
    programs = (shutil.which(binary) for binary in client.binaries)
    folder = absolute_path(client.config_folder, home_folder())
    return next(filter(None, programs), None) or (str(folder) if folder.is_dir() else None)
