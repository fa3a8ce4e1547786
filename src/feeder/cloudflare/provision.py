"""Creates the missing resources of an index at Cloudflare: database, migrations, Vectorize index,
metadata indexes, wrangler bindings.
"""

import json
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
from feeder.cloudflare.free_tier import ROWS_WRITTEN_PER_DAY, format_percent
from feeder.config import INDEX_FOLDER, Settings
from feeder.errors import ServiceError, UserError
from feeder.http_client import json_bytes
from feeder.private_files import create_private_folder, reject_symlinks
from feeder.store import Statement
from feeder.store.index_folder import create_index_folder
from feeder.store.inventory import count_nodes
from feeder.store.migrations import known_migrations, migrate, migration_rows, missing_migrations
from feeder.store.sql import CHOSEN_MODEL_KEY, SET_META

DATABASES_PATH, INDEXES_PATH = "d1/database", "vectorize/v2/indexes"
METRIC: Final = "cosine"
METADATA_PROPERTIES = ("path", "language", "node_type", "repo", "branch")
"""Vector metadata that a query can filter by. A metadata index covers only vectors written
after it was created."""
MIGRATIONS_FOLDER = "migrations"


class Resource(NamedTuple):
    """A resource that an index needs, and whether it existed before.

    A resource that comes `later` is requested and becomes visible within minutes. A metadata index
    is not created where `older` vectors exist, since it would not cover them. A migration writes
    `rows` in an index that has nodes.
    """

    name: str
    is_there: bool
    later: bool = False
    older: int = 0
    rows: int = 0

    def describe(self, *, dry_run: bool) -> str:
        """Describes the resource and what was done, for a person."""
        if self.is_there:
            return f"exists: {self.name}"
        if self.older:
            return (
                f"skipped: {self.name}, which would hide the {self.older} existing vectors. "
                "Fill another index: feeder init --index-name NAME, then feeder sync"
            )
        if self.rows:
            share = format_percent(self.rows / ROWS_WRITTEN_PER_DAY)
            price = f"{self.rows:,} rows written, {share} of D1's free day"
            return f"{'would be created' if dry_run else 'created'}: {self.name} ({price})"
        if dry_run:
            return f"would be created: {self.name}"
        if self.later:
            return f"requested: {self.name}, visible in Vectorize within minutes"
        return f"created: {self.name}"


class ProvisionRequest(NamedTuple):
    """The dimensions of the vectors, and the database's name if the user gives one.

    Dimensions that the user has not chosen are only for a new index; an existing one keeps its own.
    A chosen `model` is recorded, for the first run that names none.
    """

    dimensions: int
    database_name: str | None
    is_chosen: bool = True
    model: str | None = None


class ExistingResources(NamedTuple):
    """The resources that exist; `migrations` names those that the database lacks."""

    database_name: str
    database_id: str | None
    migrations: list[str]
    has_index: bool
    dimensions: int
    properties: set[str]
    vectors: int
    nodes: int


class AccountResources:
    """Reads and creates resources of an account."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def database_name(self, database_id: str) -> str:
        """Returns the name of a database; raises UserError if the id does not exist."""
        return str(self._call("d1", f"{DATABASES_PATH}/{quote(database_id, safe='')}")["name"])

    def database_id(self, name: str) -> str | None:
        """Returns the id of the database with this name."""
        databases = self._api.call(Call("d1", DATABASES_PATH, params={"name": name}))
        ids = [str(database["uuid"]) for database in databases if database["name"] == name]
        return ids[0] if ids else None

    def create_database(self, name: str) -> str:
        """Creates a database and returns its id."""
        try:
            created = self._call("d1", DATABASES_PATH, {"name": name})
        except ServiceError:
            # an earlier try may have created it and lost its response
            if existing := self.database_id(name):
                return existing
            raise
        return str(created["uuid"])

    def index_config(self, name: str) -> dict[str, Any] | None:
        """Returns `dimensions` and `metric` of the index with this name."""
        indexes = self._call("vectorize", INDEXES_PATH)
        return next((dict(index["config"]) for index in indexes if index["name"] == name), None)

    def create_index(self, name: str, dimensions: int) -> None:
        """Creates a Vectorize index."""
        config = {"dimensions": dimensions, "metric": METRIC}
        try:
            self._call("vectorize", INDEXES_PATH, {"name": name, "config": config})
        except ServiceError:
            if self.index_config(name) is None:
                raise

    def metadata_properties(self, index: str) -> set[str]:
        """Returns the properties that have a metadata index."""
        answer = self._call("vectorize", f"{_index_path(index)}/metadata_index/list")
        return {str(one["propertyName"]) for one in answer["metadataIndexes"] or []}

    def vector_count(self, index: str) -> int:
        """Returns the number of vectors that readers see now."""
        return int(self._call("vectorize", f"{_index_path(index)}/info")["vectorCount"])

    def create_metadata_index(self, index: str, name: str) -> None:
        """Creates a metadata index of strings; an existing one stays."""
        body = {"propertyName": name, "indexType": "string"}
        self._call("vectorize", f"{_index_path(index)}/metadata_index/create", body)

    def _call(self, service: str, path: str, body: object = None) -> Any:
        return self._api.call(Call(service, path, None if body is None else json_bytes(body)))


def provision(
    root: Path, repo: str, settings: Settings, request: ProvisionRequest, *, dry_run: bool
) -> Iterator[Resource]:
    """Creates the missing resources of a repository's index and yields each one when it is done.

    With `dry_run` nothing is created. All existing resources are read before the first is created.
    Raises UserError where an existing index has another shape.
    """
    cloud = cloud_settings(settings, repo)
    require_settings(cloud, database=False)
    with closing(Api(cloud.token, cloud.account_id, base_url=cloud.base_url)) as api:
        account = AccountResources(api)
        if request.database_name:  # the wrangler file may name another database
            cloud = replace(cloud, database_id=settings.database_id or "")
        existing = _find_existing(
            account, api, cloud, request.database_name or default_names(repo)[0], request
        )
        database_id = existing.database_id
        if not dry_run:
            database_id = database_id or account.create_database(existing.database_name)
            database = D1(api, database_id)
            migrate(database)
            if request.model:
                chosen = {"model": request.model, "dimensions": request.dimensions}
                record = json.dumps({CHOSEN_MODEL_KEY: json.dumps(chosen)})
                database.run([Statement(SET_META, (record,))])
        yield Resource(f"D1 database {existing.database_name}", existing.database_id is not None)
        for migration in known_migrations():
            is_there = migration.name not in existing.migrations
            rows = 0 if is_there else migration_rows(migration.name, existing.nodes)
            yield Resource(f"migration {migration.name}", is_there, rows=rows)
        yield from _provision_index(account, cloud.index_name, existing, dry_run=dry_run)
    file = wrangler.find_file(settings.directory) or root / wrangler.DEFAULT_FILE
    names = wrangler.BindingNames(
        existing.database_name,
        database_id or "",
        cloud.index_name,
        Path(os.path.relpath(root / INDEX_FOLDER / MIGRATIONS_FOLDER, file.parent)).as_posix(),
    )
    yield _write_bindings(file, root, names, dry_run=dry_run)


def _index_path(name: str) -> str:
    return f"{INDEXES_PATH}/{quote(name, safe='')}"


def _provision_index(
    account: AccountResources,
    name: str,
    existing: ExistingResources,
    *,
    dry_run: bool,
) -> Iterator[Resource]:
    """Creates the Vectorize index, and metadata indexes only while it has no vectors.

    A later metadata index would cover only newer vectors and hide the others from filtered queries.
    Without one the whole index is queried and the results are filtered afterwards.
    """
    if not dry_run and not existing.has_index:
        account.create_index(name, existing.dimensions)
    yield Resource(
        f"Vectorize index {name} ({existing.dimensions} dimensions, {METRIC})", existing.has_index
    )
    for prop in METADATA_PROPERTIES:
        is_there = prop in existing.properties
        if not (dry_run or is_there or existing.vectors):
            account.create_metadata_index(name, prop)
        older = 0 if is_there else existing.vectors
        yield Resource(f"metadata index {prop}", is_there, later=True, older=older)


def _find_existing(
    account: AccountResources,
    api: Api,
    cloud: CloudSettings,
    database_name: str,
    request: ProvisionRequest,
) -> ExistingResources:
    database_id: str | None = cloud.database_id
    if database_id:
        database_name = account.database_name(database_id)
    else:
        database_id = account.database_id(database_name)
    database = D1(api, database_id) if database_id else None
    migrations = missing_migrations(database) if database else known_migrations()
    is_older = database is not None and 0 < len(migrations) < len(known_migrations())
    nodes = count_nodes(database) if database and is_older else 0
    index = account.index_config(cloud.index_name)
    dimensions = request.dimensions
    if index and not request.is_chosen:
        dimensions = int(index["dimensions"])
    if index and (index["dimensions"], index["metric"]) != (dimensions, METRIC):
        raise UserError(
            f"The Vectorize index {cloud.index_name} has {index['dimensions']} dimensions and the "
            f"metric {index['metric']}; the model needs {dimensions} and {METRIC}. Choose another "
            "--index-name, the index's --model and --dimensions, or delete the index."
        )
    properties = account.metadata_properties(cloud.index_name) if index else set()
    lacks = index is not None and not properties.issuperset(METADATA_PROPERTIES)
    vectors = account.vector_count(cloud.index_name) if lacks else 0
    names = [migration.name for migration in migrations]
    return ExistingResources(
        database_name, database_id, names, index is not None, dimensions, properties, vectors, nodes
    )


def _write_bindings(
    file: Path, root: Path, names: wrangler.BindingNames, *, dry_run: bool
) -> Resource:
    """Writes the wrangler file's bindings, and the migrations that a new binding refers to."""
    if dry_run:
        now = wrangler.read_bindings(file if file.exists() else None)
        is_there = (now.database_id, now.index_name) == (names.database_id, names.index_name)
        return Resource(f"bindings in {file}", is_there)
    folder = root / INDEX_FOLDER / MIGRATIONS_FOLDER
    create_index_folder(folder.parent)
    create_private_folder(reject_symlinks(folder))
    for migration in known_migrations():
        (folder / migration.name).write_bytes(migration.sql.encode())
    return Resource(f"bindings in {file}", not wrangler.write_bindings(file, names))
