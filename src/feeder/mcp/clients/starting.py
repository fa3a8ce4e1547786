"""What starts this very program, wherever a client runs it?"""

import os
import shlex
import shutil
import sys
from pathlib import Path

from feeder.errors import UserError
from feeder.mcp.clients import SERVER_NAME, Scope

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
