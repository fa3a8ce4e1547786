"""Finds the databases of several repositories, and the settings of a Worker over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from feeder.cloudflare import wrangler
from feeder.cloudflare.account import AccountResources
from feeder.cloudflare.api import Api
from feeder.cloudflare.credentials import cloud_settings, default_names, require_settings
from feeder.cloudflare.wrangler import DATABASE_BINDING, INDEX_BINDING, Change
from feeder.config import Settings
from feeder.errors import UserError

REPOSITORIES_VARIABLE = "REPOSITORIES"
"""The variable with the binding of each repository's database."""


class RepositoryPlace(NamedTuple):
    """A repository with its database and its Vectorize index; "" for words alone."""

    repo: str
    database_name: str
    database_id: str
    index_name: str


def places_in_folders(folders: Iterable[Path], settings: Settings) -> Iterator[RepositoryPlace]:
    """Yields the repository of each folder, with what its wrangler configuration names.

    Raises UserError for a folder without a database.
    """
    from feeder.session.workspace import current_workspace

    for folder in folders:
        own = replace(settings, directory=folder, repo=None, database_id=None, index_name=None)
        repo = current_workspace(own).repo
        bindings = wrangler.read_bindings(wrangler.find_file(folder))
        if not bindings.database_id:
            raise UserError(f"{folder} names no D1 database.", "Run feeder init there.")
        names = default_names(repo)
        yield RepositoryPlace(
            repo,
            bindings.database_name or names[0],
            bindings.database_id,
            bindings.index_name or names[1],
        )


def places_in_account(repos: Sequence[str], settings: Settings) -> Iterator[RepositoryPlace]:
    """Yields each repository with the database and the index that `feeder init` made for it.

    They are looked up by their names in the account. Raises UserError if there is no database.
    """
    cloud = cloud_settings(settings, "")
    require_settings(cloud, database=False)
    with (
        closing(Api(cloud.token, cloud.account_id, base_url=cloud.base_url)) as api,
        closing(AccountResources(api)) as account,
    ):
        for repo in repos:
            database, index = default_names(repo)
            database_id = account.database_id(database)
            if not database_id:
                raise UserError(
                    f"The account has no database {database} for {repo}.",
                    "Run feeder init in a clone of it, or name that clone with --from if its "
                    "database has another name.",
                )
            index = index if account.index_config(index) else ""
            yield RepositoryPlace(repo, database, database_id, index)


def repositories_of(configuration: Path) -> list[str]:
    """The repositories of a Worker's configuration; none for a Worker of one repository."""
    variables = wrangler.read_settings(configuration).get("vars")
    repositories = variables.get(REPOSITORIES_VARIABLE) if isinstance(variables, dict) else None
    return sorted(repositories) if isinstance(repositories, dict) else []


def check_distinct(places: Sequence[RepositoryPlace]) -> None:
    """Raises UserError if a repository is named twice with different databases."""
    databases: dict[str, str] = {}
    for place in places:
        if databases.setdefault(place.repo, place.database_id) != place.database_id:
            raise UserError(
                f"{place.repo} is named twice, with different databases.", "Name it once."
            )


Step = Callable[[Mapping[str, Any]], Iterator[Change]]
"""Yields changes of a configuration; the next step sees them."""


def configuration_steps(
    config: Mapping[str, Any], places: Sequence[RepositoryPlace]
) -> Iterator[Step]:
    """Yields the steps that bind the databases and indexes, and map the repositories to them.

    A database that has a binding keeps it. An index gets a binding of its own unless it is that of
    the first database, which the Worker takes for all without one.
    """
    bindings = _database_bindings(config, places)
    common = next((p.index_name for p in places if bindings[p.database_id] == DATABASE_BINDING), "")
    for place in {place.database_id: place for place in places}.values():
        binding = bindings[place.database_id]
        database = {"database_name": place.database_name, "database_id": place.database_id}
        yield _binding_step("d1_databases", {"binding": binding, **database})
        own_index = binding.replace(DATABASE_BINDING, INDEX_BINDING)
        if place.index_name and (own_index == INDEX_BINDING or place.index_name != common):
            yield _binding_step("vectorize", {"binding": own_index, "index_name": place.index_name})
    if not places:
        return
    repositories = {place.repo: bindings[place.database_id] for place in places}
    yield lambda now: _variable_change(now, dict(sorted(repositories.items())))


def _database_bindings(
    config: Mapping[str, Any], places: Sequence[RepositoryPlace]
) -> dict[str, str]:
    """The binding of each database by its id: the existing one, else the next free name."""
    tables = [table for table in config.get("d1_databases") or [] if isinstance(table, dict)]
    bindings = {
        str(table["database_id"]): str(table["binding"])
        for table in tables
        if "database_id" in table and str(table.get("binding", "")).startswith(DATABASE_BINDING)
    }
    taken = {str(table.get("binding")) for table in tables}
    for place in places:
        if place.database_id not in bindings:
            binding = next(name for name in _binding_names() if name not in taken)
            taken.add(binding)
            bindings[place.database_id] = binding
    return bindings


def _binding_names() -> Iterator[str]:
    yield DATABASE_BINDING
    number = 2
    while True:
        yield f"{DATABASE_BINDING}_{number}"
        number += 1


def _binding_step(kind: str, table: dict[str, str]) -> Step:
    """Makes the step after which `kind` has the table, in place of the one with its binding."""

    def changes(config: Mapping[str, Any]) -> Iterator[Change]:
        tables = config.get(kind)
        if tables is None:
            yield (kind,), [table]
            return
        names = [table.get("binding") if isinstance(table, dict) else None for table in tables]
        if table["binding"] not in names:
            yield (kind, len(tables)), table
            return
        at = names.index(table["binding"])
        for key, value in table.items():
            if tables[at].get(key) != value:
                yield (kind, at, key), value

    return changes


def _variable_change(config: Mapping[str, Any], repositories: dict[str, str]) -> Iterator[Change]:
    """Yields the change of the map, which is written as a whole: it is generated."""
    if config.get("vars", {}).get(REPOSITORIES_VARIABLE) != repositories:
        yield ("vars", REPOSITORIES_VARIABLE), repositories
