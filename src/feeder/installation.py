"""Finds the installer of this program, and the command that adds an extra to the installation.

Reads what the installers leave: `direct_url.json`, by all of them, says where the package came
from; `uv-receipt.toml` (uv tool) or `pipx_metadata.json` (pipx) is in the environment's folder.
"""

import json
import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

DISTRIBUTION = "headfeed"
"""The name of the package, in `pyproject.toml`."""
_UVX_CACHE_FOLDER = "archive-v0"
"""The folder in uv's cache from which `uvx` runs a program without installing it."""
_EXTRA_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*;.*extra == ['\"](?P<extra>\w+)['\"]")


class Source(NamedTuple):
    """The folder, file or address that an installer was given; from an index, the name."""

    text: str
    is_folder: bool = False
    is_editable: bool = False

    def requirement(self, extras: list[str]) -> str:
        """The requirement with extras, quoted for a shell."""
        brackets = f"[{','.join(extras)}]" if extras else ""
        if self.is_folder or self.text == DISTRIBUTION:
            return shlex.quote(f"{self.text}{brackets}")
        return shlex.quote(f"{DISTRIBUTION}{brackets} @ {self.text}")


def install_hint(extra: str) -> str:
    """The sentence that says how to add an extra."""
    steps = install_steps(extra)
    is_command = steps == install_command(extra)
    return f"Install it with: {steps}" if is_command else f"{steps[0].upper()}{steps[1:]}"


def install_steps(extra: str = "") -> str:
    """`install_command`, after how to get back the folder that it reads, if that is gone."""
    source, command = _find_source(), install_command(extra)
    if not source.is_folder or Path(source.text).exists():
        return command
    clone = shlex.quote(source.text)
    return f"the clone {clone} that feeder was installed from is gone; restore it, then: {command}"


def install_command(extra: str = "") -> str:
    """The command that adds an extra and keeps the others; without one, that installs again."""
    source, folder = _find_source(), Path(sys.prefix)
    own = [extra] if extra else []
    # uvx, uv tool and pipx make a new environment
    every = source.requirement(sorted({*installed_extras(), *own}))
    editable = "--editable " if source.is_editable else ""
    if is_run_by_uvx():
        return f"uvx --from {every} feeder"
    if (folder / "uv-receipt.toml").is_file():
        return f"uv tool install {'' if extra else '--reinstall '}{editable}{every}"
    if (folder / "pipx_metadata.json").is_file():
        return f"pipx install --force {editable}{every}"
    python, requirement = shlex.quote(sys.executable), source.requirement(own)
    if find_spec("pip") is None:  # as in an environment by uv
        again = "" if extra else "--reinstall --no-deps "
        return f"uv pip install --python {python} {again}{editable}{requirement}"
    again = "" if extra else "--force-reinstall --no-deps "
    return f"{python} -m pip install {again}{editable}{requirement}"


def uv_tool_command() -> str:
    """The command that installs this program with uv, for one that `uvx` runs from its cache."""
    return f"uv tool install {_find_source().requirement(installed_extras())}"


def is_run_by_uvx() -> bool:
    """True for a program in uv's cache, which may be gone later."""
    return _UVX_CACHE_FOLDER in Path(sys.executable).parts


def packages_by_extra() -> dict[str, list[str]]:
    """The packages of each extra; empty for a program that is not installed."""
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return {}
    packages: dict[str, list[str]] = {}
    for match in filter(None, map(_EXTRA_REQUIREMENT.match, requirements)):
        packages.setdefault(match["extra"], []).append(match["name"])
    return packages


def installed_extras() -> list[str]:
    """The extras whose packages are all installed."""
    return [
        extra
        for extra, packages in packages_by_extra().items()
        if all(map(_is_installed, packages))
    ]


def _is_installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


def _find_source() -> Source:
    """Returns the origin of the package. A clone that runs uninstalled counts as editable."""
    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return Source(str(Path(__file__).resolve().parents[2]), is_folder=True, is_editable=True)
    return _source_of(json.loads(text)) if text else Source(DISTRIBUTION)


def _source_of(direct_url: dict[str, Any]) -> Source:
    """The source that PEP 610 describes."""
    url = direct_url["url"]
    if "dir_info" in direct_url:
        is_editable = bool(direct_url["dir_info"].get("editable"))
        folder = url2pathname(urlsplit(url).path)
        return Source(folder, is_folder=True, is_editable=is_editable)
    if vcs := direct_url.get("vcs_info"):
        revision = vcs.get("requested_revision") or vcs["commit_id"]
        return Source(f"{vcs['vcs']}+{url}@{revision}")
    return Source(url)
