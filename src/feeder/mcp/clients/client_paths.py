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
"""Of which each system has its own; what stands for all others has no name."""
_VARIABLE = re.compile(r"\{(\w+):([^{}]*)\}")


def expand_path(template: str, environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """A file as `clients` writes it: `{NAME:~/x}` is the variable, else what follows the colon.

    `~` is left as it is.
    """
    for name, folders in _PLATFORM_FOLDERS.items():
        template = template.replace(f"{{{name}}}", folders.get(platform, folders[""]))
    return _VARIABLE.sub(lambda found: environment.get(found[1]) or found[2], template)


def home_folder() -> Path:
    """The user's; raises UserError where there is none."""
    try:
        return Path.home()
    except RuntimeError as exc:
        raise UserError(f"the home folder is unknown ({exc}). Set HOME.") from exc


def absolute_path(template: str, root: Path) -> Path:
    """Where a file is: below the home, else below the root."""
    resolved = expand_path(template, os.environ)
    below_home = resolved == "~" or resolved.startswith("~/")
    return home_folder() / resolved[2:] if below_home else root / resolved


def candidate_files(templates: PathTemplates, scope: Scope, root: Path) -> list[Path]:
    """Where the file for a scope may be, under one name or another; none where there is no such."""
    written = templates.get(scope, ())
    return [
        absolute_path(one, root) for one in ([written] if isinstance(written, str) else written)
    ]


def config_file(templates: PathTemplates, scope: Scope, root: Path) -> Path | None:
    """The file for a scope: of several the first that is there, else the first; None without."""
    places = candidate_files(templates, scope, root)
    return next((one for one in [*filter(Path.exists, places), *places]), None)


def detect_client(client: Client) -> str | None:
    """By what a client is seen to be on this machine; None where it is not."""
    on_path = (shutil.which(binary) for binary in client.binaries)
    folder = absolute_path(client.config_folder, home_folder())
    return next(filter(None, on_path), None) or (str(folder) if folder.is_dir() else None)
