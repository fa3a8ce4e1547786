"""The wrangler settings that the Worker needs, as changes to the project's configuration file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from feeder.cloudflare import wrangler
from feeder.cloudflare.wrangler import BindingNames, Change, KeyPath
from feeder.edge.several_repositories import RepositoryPlace
from feeder.errors import UserError

MODULE_FILE, ASSETS_FOLDER = "worker.js", "assets"

MODEL_FILE = "static_model.bin"
"""The static model, which the Worker's module imports; wrangler uploads it as data."""

OAUTH_FILE = "oauth.js"
"""The module with sign-in by OAuth, which imports the Worker's."""

RATE_LIMIT_BINDING = "LIMIT"

RATE_LIMIT_NAMESPACE = "8421"
"""Identifies the rate limit in its account; each Worker has its own."""

REQUESTS_PER_MINUTE = 300
"""Requests of one client; the page sends two for a query."""

WORKER_ROUTES = ["/api/*", "/mcp"]
"""Routes that are never files of the page."""

OAUTH_ROUTES = ["/oauth/*", "/.well-known/*"]
"""The same of the sign-in."""

OAUTH_STORE = "OAUTH_KV"
"""Binding of the store of clients and tokens; `wrangler deploy` creates it."""

OAUTH_FLAG = "global_fetch_strictly_public"
"""Compatibility flag without which a client's metadata document is not read."""

OAUTH_VARIABLES = {"OAUTH_GITHUB_ID": "", "OAUTH_USERS": ""}
"""Variables that the user has to set."""


def config_file(folder: Path, directory: Path) -> Path:
    """The configuration in the folder, else the project's unless it is another Worker's.

    Else the path of a new one in the folder.
    """
    own = next((file for name in wrangler.FILE_NAMES if (file := folder / name).is_file()), None)
    if own:
        return own
    project = wrangler.find_file(directory)
    if project and _is_usable(wrangler.read_settings(project), project, folder):
        return project
    return folder / wrangler.DEFAULT_FILE


class WorkerSettings(NamedTuple):
    """The names of the bindings and the values of the variables.

    `names` is None for a Worker over the databases of `places`. `has_oauth` asks for sign-in.
    """

    names: BindingNames | None
    variables: Mapping[str, str]
    places: Sequence[RepositoryPlace] = ()
    has_oauth: bool = False


def config_changes(
    config: Mapping[str, Any], file: Path, folder: Path, settings: WorkerSettings
) -> Iterator[Change]:
    """Yields the missing settings; equal ones and those that are the user's choice stay."""
    prefix = _relative_prefix(file, folder)
    has_oauth = settings.has_oauth or is_oauth(config)
    module = OAUTH_FILE if has_oauth else MODULE_FILE
    keys = {"main": f"{prefix}{module}", "compatibility_date": wrangler.COMPATIBILITY_DATE}
    for key, value in {**keys, "upload_source_maps": True}.items():
        if config.get(key) is None or (key == "main" and config[key] != value):
            yield (key,), value
    if settings.names:
        yield from wrangler.binding_changes(config, settings.names)
    elif "ai" not in config:
        yield ("ai",), {"binding": wrangler.AI_BINDING}
    own_variables = OAUTH_VARIABLES if has_oauth else {}
    yield from _variable_changes(config.get("vars"), {**settings.variables, **own_variables})
    routes = [*WORKER_ROUTES, *(OAUTH_ROUTES if has_oauth else ())]
    if "assets" not in config:
        assets = {"directory": f"{prefix}{ASSETS_FOLDER}", "run_worker_first": routes}
        yield ("assets",), assets
    elif has_oauth:
        path = ("assets", "run_worker_first")
        yield from _list_changes(config["assets"].get("run_worker_first"), path, routes)
    if has_oauth:
        yield from _oauth_changes(config)
    yield from _rate_limit_changes(config, file)
    if "observability" not in config:
        yield ("observability",), {"enabled": True}


def is_oauth(config: Mapping[str, Any]) -> bool:
    """True if the configuration is of a Worker with sign-in."""
    return Path(str(config.get("main", ""))).name == OAUTH_FILE


def _oauth_changes(config: Mapping[str, Any]) -> Iterator[Change]:
    """Yields the compatibility flag, and a store without an id, which wrangler creates."""
    flags = config.get("compatibility_flags")
    yield from _list_changes([] if flags is None else flags, ("compatibility_flags",), [OAUTH_FLAG])
    stores = config.get("kv_namespaces")
    store = {"binding": OAUTH_STORE}
    if stores is None:
        yield ("kv_namespaces",), [store]
    elif not any(one.get("binding") == OAUTH_STORE for one in stores):
        yield ("kv_namespaces", len(stores)), store


def _list_changes(existing: Any, path: KeyPath, values: Sequence[str]) -> Iterator[Change]:
    """Yields the list with the values that it lacks; none for a value that is no list."""
    if isinstance(existing, list) and not set(values) <= set(existing):
        yield path, [*existing, *(value for value in values if value not in existing)]


def _variable_changes(existing: Any, variables: Mapping[str, str]) -> Iterator[Change]:
    """Yields the variables that are not set."""
    if existing is None:
        yield ("vars",), dict(variables)
    else:
        yield from ((("vars", key), variables[key]) for key in variables if key not in existing)


def _rate_limit_changes(config: Mapping[str, Any], file: Path) -> Iterator[Change]:
    limits = config.get("ratelimits")
    if not all(isinstance(limit, dict) for limit in limits or ()):
        raise UserError(
            f"{file}: ratelimits is not a list of objects.",
            f"Write it as {wrangler.list_opening(file, 'ratelimits')}.",
        )
    simple = {"limit": REQUESTS_PER_MINUTE, "period": 60}
    rate_limit = {
        "name": RATE_LIMIT_BINDING,
        "namespace_id": RATE_LIMIT_NAMESPACE,
        "simple": simple,
    }
    if limits is None:
        yield ("ratelimits",), [rate_limit]
    elif not any(limit.get("name") == RATE_LIMIT_BINDING for limit in limits):
        yield ("ratelimits", len(limits)), rate_limit


def _is_usable(config: Mapping[str, Any], file: Path, folder: Path) -> bool:
    """True if it is this Worker's, or only has bindings, as `feeder init` writes it."""
    if "main" in config:
        prefix = _relative_prefix(file, folder)
        return config["main"] in (f"{prefix}{MODULE_FILE}", f"{prefix}{OAUTH_FILE}")
    return not {"assets", "site", "pages_build_output_dir"} & config.keys()


def _relative_prefix(file: Path, folder: Path) -> str:
    """The folder's path relative to the configuration, as a prefix of file names."""
    path = Path(os.path.relpath(folder, file.parent)).as_posix()
    return "" if path == "." else f"{path}/"
