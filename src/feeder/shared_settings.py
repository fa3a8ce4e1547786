"""Settings that a repository shares with all who clone it, from a file that it contains."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from feeder.errors import UserError
from feeder.suggestions import did_you_mean

REPOSITORY_FILE = ".feeder.toml"
"""The file in which a repository has its settings and its own categories."""
_PYTHON_FILE = "pyproject.toml"
_TABLE = b"tool.feeder"
CATEGORY_TABLES = ("categories", "tags")
"""Tables of `.feeder.toml` for queries: a tag is a category by another name."""
WORDS, STATIC, MINILM = "words", "static", "minilm"
"""Values of `--model` besides a model's own name."""
SHARED_MODELS = (WORDS, STATIC, MINILM)
"""They run on this machine. A repository could name any other to be sent the code of its users."""
_KEYS = {"index": "PLACE", "model": STATIC}
"""Keys of both files, each with a value as an example."""
_REPOSITORY_KEYS = (*_KEYS, *CATEGORY_TABLES)
GITHUB_SCHEME = "github:"
"""Begins the place of an index in a release on GitHub."""
GITHUB_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
"""Variables of its token. The first that is set counts, as for GitHub's own command line."""
GITHUB_API = "GITHUB_API_URL"
_PULL_VARIABLE = "FEEDER_PULL"
_OFF = frozenset({"off", "no", "false", "0"})


@dataclass(frozen=True)
class SharedSettings:
    """The settings; empty where the repository says nothing."""

    index: str = ""
    """The place of its published index."""
    model: str = ""
    """The embedding model of an index on this machine: one of `SHARED_MODELS`."""


def read_shared_settings(root: Path) -> SharedSettings:
    """Reads `.feeder.toml`, and what it does not have from `[tool.feeder]` in `pyproject.toml`.

    Raises UserError for a file that is no TOML, and for an unknown key or value.
    """
    own, shared = _read(root / REPOSITORY_FILE), _read(root / _PYTHON_FILE)
    found: dict[str, str] = {}
    if shared and _TABLE in shared:
        tool = _parse(shared, _PYTHON_FILE).get("tool")
        table = tool.get("feeder") if isinstance(tool, dict) else None
        found = _settings(table, f"[tool.feeder] of {_PYTHON_FILE}", tuple(_KEYS))
    if own:
        found |= _settings(_parse(own, REPOSITORY_FILE), REPOSITORY_FILE, _REPOSITORY_KEYS)
    return SharedSettings(**found)


def index_to_pull(root: Path | None) -> str:
    """The place of the published index that a missing index starts from; empty for none.

    FEEDER_PULL names it, or is "off"; else the settings of the repository at `root`, if given.
    """
    chosen = os.environ.get(_PULL_VARIABLE, "").strip()
    if chosen.lower() in _OFF:
        return ""
    return chosen or (read_shared_settings(root).index if root else "")


def pull_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables with which a child process pulls what FEEDER_PULL names, and nothing else."""
    place = environ.get(_PULL_VARIABLE) or "off"
    needed = (*GITHUB_TOKENS, GITHUB_API) if place.startswith(GITHUB_SCHEME) else ()
    return {_PULL_VARIABLE: place, **{name: environ[name] for name in needed if name in environ}}


def _read(file: Path) -> bytes | None:
    try:
        return None if file.is_symlink() else file.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return None


def _parse(text: bytes, name: str) -> dict[str, Any]:
    import tomllib  # most repositories have no such file

    try:
        return tomllib.loads(text.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise UserError(f"{name} cannot be read: {exc}.", "Correct it.") from exc


def _settings(table: Any, place: str, keys: Sequence[str]) -> dict[str, str]:
    """The settings that a table has, without empty ones."""
    entries = table if isinstance(table, dict) else {"index": None}
    _check_keys(entries, place, keys)
    found: dict[str, Any] = {key: entries[key] for key in _KEYS if key in entries}
    for key, value in found.items():
        if not isinstance(value, str):
            raise UserError(f"{key} in {place} is not a string.", f'Write: {key} = "{_KEYS[key]}"')
    model = found.get("model", "")
    if model and model not in SHARED_MODELS:
        raise UserError(
            f"{place} names the model {model[:100]}. A repository can choose only a model that "
            f"comes with feeder: {', '.join(SHARED_MODELS)}.",
            "Choose other models with --model or FEEDER_MODEL.",
        )
    _check_place(found.get("index", ""), place)
    return {key: value for key, value in found.items() if value}


def check_repository_keys(entries: Iterable[str]) -> None:
    """Raises UserError for a key that `.feeder.toml` cannot have."""
    _check_keys(entries, REPOSITORY_FILE, _REPOSITORY_KEYS)


def _check_keys(entries: Iterable[str], place: str, keys: Sequence[str]) -> None:
    if unknown := next((key for key in entries if key not in keys), None):
        raise UserError(
            f"{place} has an unknown key: {unknown}.",
            did_you_mean(unknown, keys) or f"It may have: {', '.join(keys)}.",
        )


def _check_place(index: str, place: str) -> None:
    """Raises UserError for a place that only users may name.

    A request to this machine could change something in a program that listens there, and Windows
    signs in to a machine whose folder is opened.
    """
    if index.startswith("http://") or (index.startswith("https://") and re.search("[?#]", index)):
        problem = "an address with http://, ? or #"
    elif index.startswith(("//", "\\\\")):
        problem = "a folder of another machine"
    else:
        return
    raise UserError(
        f"index in {place} is {problem}, which a repository cannot choose.",
        f"Set it with {_PULL_VARIABLE}.",
    )
