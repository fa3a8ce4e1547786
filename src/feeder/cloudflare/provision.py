"""Creates what an index at Cloudflare needs and lacks: database, migrations, Vectorize index,
metadata indexes, wrangler bindings.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from feeder.cloudflare import wrangler
from feeder.cloudflare.api import Api, Call
from feeder.cloudflare.credentials import (
    CloudSettings,
    cloud_settings,
    default_names,
    require_settings,
)
from feeder.cloudflare.d1 import D1
from feeder.config import INDEX_FOLDER, Settings
from feeder.errors import ServiceError, UserError
from feeder.http_client import json_bytes
from feeder.private_files import create_private_folder, reject_symlinks
from feeder.store.index_folder import create_index_folder
from feeder.store.migrations import known_migrations, migrate, missing_migrations

DATABASES_PATH, INDEXES_PATH = "d1/database", "vectorize/v2/indexes"
METRIC: Final = "cosine"
METADATA_PROPERTIES = ("path", "language", "node_type", "repo", "branch")
"""What a search can narrow vectors by: only those written after its metadata index are in it."""
MIGRATIONS_FOLDER = "migrations"


class Resource(NamedTuple):
    """A part of what an index consists of, and whether it was seen before.

    What comes `later` is only asked for: until it is there, it is not seen. A metadata index is not
    made where so many vectors are `older`, which it would not have.
    """

    name: str
    is_there: bool
    later: bool = False
    older: int = 0

    def describe(self, *, dry_run: bool) -> str:
        """It, for a person."""
        if self.is_there:
            return f"there already: {self.name}"
        if self.older:
            return (
                f"left out: {self.name}, which would hide the {self.older} vectors that are there. "
                "Fill another index: feeder init --index-name NAME, then feeder sync"
            )
        if dry_run:
            return f"would be made: {self.name}"
        if self.later:
            return f"asked for: {self.name}, which Vectorize shows within minutes"
        return f"made: {self.name}"


class ProvisionRequest(NamedTuple):
    """The dimensions of the vectors, and the database's name where somebody says one."""

    dimensions: int
    database_name: str | None


class ExistingResources(NamedTuple):
    """What the account has of it: the database's id and the migrations it lacks, and so on."""

    database_name: str
    database_id: str | None
    migrations: list[str]
    has_index: bool
    properties: set[str]
    vectors: int


class AccountResources:
    """What the account has, and what is made in it."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def database_name(self, database_id: str) -> str:
        """What the database of that id is called; raises UserError where there is none."""
        return str(self._call("d1", f"{DATABASES_PATH}/{_quote_path_segment(database_id)}")["name"])

    def database_id(self, name: str) -> str | None:
        """The id of the database of that name."""
        found = self._api.call(Call("d1", DATABASES_PATH, params={"name": name}))
        ids = [str(database["uuid"]) for database in found if database["name"] == name]
        return ids[0] if ids else None

    def create_database(self, name: str) -> str:
        """A new database's id."""
        try:
            made = self._call("d1", DATABASES_PATH, {"name": name})
        except ServiceError:
            # made by a try whose answer was lost
            if found := self.database_id(name):
                return found
            raise
        return str(made["uuid"])

    def index_config(self, name: str) -> dict[str, Any] | None:
        """How the index of that name is made: `dimensions` and `metric`."""
        found = self._call("vectorize", INDEXES_PATH)
        return next((dict(index["config"]) for index in found if index["name"] == name), None)

    def create_index(self, name: str, dimensions: int) -> None:
        """A new index."""
        config = {"dimensions": dimensions, "metric": METRIC}
        try:
            self._call("vectorize", INDEXES_PATH, {"name": name, "config": config})
        except ServiceError:
            if self.index_config(name) is None:
                raise

    def metadata_properties(self, index: str) -> set[str]:
        """What the index has metadata indexes of."""
        found = self._call(
            "vectorize", f"{INDEXES_PATH}/{_quote_path_segment(index)}/metadata_index/list"
        )
        return {str(one["propertyName"]) for one in found["metadataIndexes"] or []}

    def vector_count(self, index: str) -> int:
        """How many the index has, as readers see it."""
        return int(
            self._call("vectorize", f"{INDEXES_PATH}/{_quote_path_segment(index)}/info")[
                "vectorCount"
            ]
        )

    def create_metadata_index(self, index: str, name: str) -> None:
        """A metadata index of strings; one that is there already stays."""
        made = {"propertyName": name, "indexType": "string"}
        self._call(
            "vectorize", f"{INDEXES_PATH}/{_quote_path_segment(index)}/metadata_index/create", made
        )

    def _call(self, service: str, path: str, body: object = None) -> Any:
        """The answer's `result`; with a body something is made."""
        return self._api.call(Call(service, path, None if body is None else json_bytes(body)))


def provision(
    root: Path, repo: str, settings: Settings, request: ProvisionRequest, *, dry_run: bool
) -> Iterator[Resource]:
    """Makes what an index of the repository lacks, each as it is told; with `dry_run` only tells.

    Everything is looked at before anything is made. Raises UserError for what is somebody else's
    or has another shape.
    """
    cloud = cloud_settings(settings, repo)
    require_settings(cloud, database=False)
    with closing(Api(cloud.token, cloud.account_id, base_url=cloud.base_url)) as api:
        account = AccountResources(api)
        if request.database_name:  # what wrangler.toml binds may be another database
            cloud = replace(cloud, database_id=settings.database_id or "")
        found = _find_existing(
            account, api, cloud, request.database_name or default_names(repo)[0], request.dimensions
        )
        database_id = found.database_id
        if not dry_run:
            database_id = database_id or account.create_database(found.database_name)
            migrate(D1(api, database_id))
        yield Resource(f"D1 database {found.database_name}", found.database_id is not None)
        for migration in known_migrations():
            is_there = migration.name not in found.migrations
            yield Resource(f"migration {migration.name}", is_there)
        yield from _provision_index(
            account, cloud.index_name, found, request.dimensions, dry_run=dry_run
        )
    file = wrangler.find_file(settings.directory) or root / wrangler.DEFAULT_FILE
    names = wrangler.BindingNames(
        found.database_name,
        database_id or "",
        cloud.index_name,
        Path(os.path.relpath(root / INDEX_FOLDER / MIGRATIONS_FOLDER, file.parent)).as_posix(),
    )
    yield _write_bindings(file, root, names, dry_run=dry_run)


def _quote_path_segment(name: str) -> str:
    """A name as one part of a path."""
    return quote(name, safe="")


def _provision_index(
    account: AccountResources,
    name: str,
    existing: ExistingResources,
    dimensions: int,
    *,
    dry_run: bool,
) -> Iterator[Resource]:
    """The index, and its metadata indexes before the first vector comes.

    One that came later would have the newer vectors alone, and a search within a folder no others;
    without it the whole index is searched, and narrowed afterwards.
    """
    if not dry_run and not existing.has_index:
        account.create_index(name, dimensions)
    yield Resource(
        f"Vectorize index {name} ({dimensions} dimensions, {METRIC})", existing.has_index
    )
    for prop in METADATA_PROPERTIES:
        is_there = prop in existing.properties
        if not (dry_run or is_there or existing.vectors):
            account.create_metadata_index(name, prop)
        older = 0 if is_there else existing.vectors
        yield Resource(f"metadata index {prop}", is_there, later=True, older=older)


def _find_existing(
    account: AccountResources, api: Api, cloud: CloudSettings, database_name: str, dimensions: int
) -> ExistingResources:
    database_id: str | None = cloud.database_id
    if database_id:
        database_name = account.database_name(database_id)
    else:
        database_id = account.database_id(database_name)
    migrations = missing_migrations(D1(api, database_id)) if database_id else known_migrations()
    index = account.index_config(cloud.index_name)
    if index and (index["dimensions"], index["metric"]) != (dimensions, METRIC):
        raise UserError(
            f"The Vectorize index {cloud.index_name} is there with {index['dimensions']} "
            f"dimensions and the metric {index['metric']}, and the model needs {dimensions} and "
            f"{METRIC}. Name another with --index-name, choose --model or --dimensions as it has "
            "them, or delete it."
        )
    properties = account.metadata_properties(cloud.index_name) if index else set()
    lacks = index is not None and not properties.issuperset(METADATA_PROPERTIES)
    vectors = account.vector_count(cloud.index_name) if lacks else 0
    names = [migration.name for migration in migrations]
    return ExistingResources(
        database_name, database_id, names, index is not None, properties, vectors
    )


def _write_bindings(
    file: Path, root: Path, names: wrangler.BindingNames, *, dry_run: bool
) -> Resource:
    """wrangler.toml's bindings; the migrations lie where a new one says, for wrangler to find."""
    if dry_run:
        said = wrangler.read_bindings(file if file.exists() else None)
        is_there = (said.database_id, said.index_name) == (names.database_id, names.index_name)
        return Resource(f"bindings in {file}", is_there)
    folder = root / INDEX_FOLDER / MIGRATIONS_FOLDER
    create_index_folder(folder.parent)
    create_private_folder(reject_symlinks(folder))
    for migration in known_migrations():
        (folder / migration.name).write_bytes(migration.sql.encode())
    return Resource(f"bindings in {file}", not wrangler.write_bindings(file, names))
