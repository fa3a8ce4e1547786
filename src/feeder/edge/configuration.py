"""What does wrangler have to know of the Worker, and in which file is it told?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from feeder.cloudflare import wrangler
from feeder.cloudflare.wrangler import BindingNames, Change
from feeder.edge.content import ASSETS, MODULE
from feeder.errors import UserError

LIMIT = "LIMIT"
NAMESPACE = "8421"
"""Of the limit in its account; another Worker's has another."""
A_MINUTE = 300
"""Questions of one who asks; a page asks twice at a pause."""
FIRST = ["/api/*", "/mcp"]
"""What is never a file of the page."""


def place(folder: Path, directory: Path) -> Path:
    """The configuration in the folder, else the project's where it is no other Worker's.

    Else one is to be made in the folder.
    """
    own = next((file for name in wrangler.FILE_NAMES if (file := folder / name).is_file()), None)
    if own:
        return own
    found = wrangler.find_file(directory)
    if found and _is_free(wrangler.read_settings(found), found, folder):
        return found
    return folder / wrangler.DEFAULT_FILE


class Wanted(NamedTuple):
    """What the bindings and the variables say."""

    names: BindingNames
    variables: Mapping[str, str]


def changes(facts: Mapping[str, Any], file: Path, folder: Path, wanted: Wanted) -> Iterator[Change]:
    """What has to be put where; what says the same, or is the user's to decide, stays."""
    here = _path(file, folder)
    keys = {"main": f"{here}{MODULE}", "compatibility_date": wrangler.COMPATIBILITY_DATE}
    for key, value in {**keys, "upload_source_maps": True}.items():
        if facts.get(key) is None or (key == "main" and facts[key] != value):
            yield (key,), value
    yield from wrangler.binding_changes(facts, wanted.names)
    yield from _said(facts.get("vars"), wanted.variables)
    if "assets" not in facts:
        yield ("assets",), {"directory": f"{here}{ASSETS}", "run_worker_first": FIRST}
    yield from _limited(facts, file)
    if "observability" not in facts:
        yield ("observability",), {"enabled": True}


def _said(there: Any, wanted: Mapping[str, str]) -> Iterator[Change]:
    """The variables that are not set."""
    if there is None:
        yield ("vars",), dict(wanted)
    elif isinstance(there, dict):
        yield from ((("vars", key), wanted[key]) for key in wanted if key not in there)


def _limited(facts: Mapping[str, Any], file: Path) -> Iterator[Change]:
    limits = facts.get("ratelimits")
    if not isinstance(limits, list | None) or not all(
        isinstance(one, dict) for one in limits or ()
    ):
        raise UserError(
            f"{file} has no list of ratelimits. Write it as {wrangler.list_opening(file, 'ratelimits')}."
        )
    simple = {"limit": A_MINUTE, "period": 60}
    wanted = {"name": LIMIT, "namespace_id": NAMESPACE, "simple": simple}
    if limits is None:
        yield ("ratelimits",), [wanted]
    elif not any(one.get("name") == LIMIT for one in limits):
        yield ("ratelimits", len(limits)), wanted


def _is_free(facts: Mapping[str, Any], file: Path, folder: Path) -> bool:
    """Whether it is ours, or only has bindings, as `feeder init` writes it."""
    if "main" in facts:
        return bool(facts["main"] == f"{_path(file, folder)}{MODULE}")
    return not {"assets", "site", "pages_build_output_dir"} & facts.keys()


def _path(file: Path, folder: Path) -> str:
    """The folder as seen from the configuration, to be written before a name."""
    path = Path(os.path.relpath(folder, file.parent)).as_posix()
    return "" if path == "." else f"{path}/"
