"""Creates the missing resources of an index at Cloudflare: database, migrations, Vectorize index,
metadata indexes, wrangler bindings.
"""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from feeder.cloudflare import wrangler
from feeder.cloudflare.account import METRIC, AccountResources
from feeder.cloudflare.api import Api
from feeder.cloudflare.credentials import (
    CloudSettings,
    cloud_settings,
    default_names,
    missing_database_remedy,
    require_settings,
)
from feeder.cloudflare.d1 import D1
from feeder.cloudflare.error_responses import MissingResourceError
from feeder.cloudflare.free_tier import ROWS_WRITTEN_PER_DAY, format_percent
from feeder.config import INDEX_FOLDER, Settings
from feeder.errors import UserError
from feeder.private_files import create_private_folder, reject_symlinks
from feeder.store import Statement
from feeder.store.index_folder import create_index_folder
from feeder.store.inventory import IndexSize, index_size
from feeder.store.migrations import known_migrations, migrate, migration_rows, missing_migrations
from feeder.store.sql import CHOSEN_MODEL_KEY, DELETE_ALL_VECTORS_KEYS, SET_META

METADATA_PROPERTIES = ("path", "language", "node_type", "repo", "branch", "tests")
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
    A chosen `model` is recorded, for the first run that names none. Whether the token may use
    Workers AI is checked where the model needs it.
    """

    dimensions: int
    database_name: str | None
    is_chosen: bool = True
    model: str | None = None
    needs_workers_ai: bool = False


class ExistingResources(NamedTuple):
    """The resources that exist; `migrations` names those that the database lacks."""

    database_name: str
    database_id: str | None
    migrations: list[str]
    has_index: bool
    dimensions: int
    properties: set[str]
    vectors: int
    size: IndexSize


def provision(
    root: Path, repo: str, settings: Settings, request: ProvisionRequest, *, dry_run: bool
) -> Iterator[Resource]:
    """Creates the missing resources of a repository's index and yields each one when it is done.

    With `dry_run` nothing is created. All existing resources are read before the first is created,
    which also shows whether the token may use each service. Raises UserError where an existing
    index has another shape, and if the SDK is not installed.
    """
    cloud = cloud_settings(settings, repo)
    require_settings(cloud, database=False)
    with (
        closing(Api(cloud.token, cloud.account_id, base_url=cloud.base_url)) as api,
        closing(AccountResources(api)) as account,
    ):
        if request.database_name:  # the wrangler file may name another database
            cloud = replace(cloud, database_id=settings.database_id or "")
        database_named = _find_database(account, cloud.database_id, request.database_name, repo)
        if database_named is None:
            raise UserError(
                f"There is no D1 database {cloud.database_id} in the account {cloud.account_id}.",
                missing_database_remedy(settings, repo),
            )
        existing = _find_existing(account, api, cloud, database_named, request)
        database_id = existing.database_id
        if not dry_run:
            database_id = database_id or account.create_database(existing.database_name)
            database = D1(api, database_id)
            migrate(database)
            if request.model:
                chosen = {"model": request.model, "dimensions": request.dimensions}
                record = json.dumps({CHOSEN_MODEL_KEY: json.dumps(chosen)})
                database.run([Statement(SET_META, (record,))])
            if existing.database_id and not existing.has_index:
                # the recorded vectors are lost, which the next run would not look for
                database.run([Statement(DELETE_ALL_VECTORS_KEYS)])
        yield Resource(f"D1 database {existing.database_name}", existing.database_id is not None)
        for migration in known_migrations():
            is_there = migration.name not in existing.migrations
            rows = 0 if is_there else migration_rows(migration.name, *existing.size)
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


def _find_database(
    account: AccountResources, id_: str, chosen_name: str | None, repo: str
) -> tuple[str, str | None] | None:
    """Returns the name of the database, and its id if it exists.

    None if there is none with the configured id, and no name that may replace it.
    """
    if id_:
        try:
            return account.database_name(id_), id_
        except MissingResourceError:
            if not chosen_name:
                return None
    name = chosen_name or default_names(repo)[0]
    return name, account.database_id(name)


def _find_existing(
    account: AccountResources,
    api: Api,
    cloud: CloudSettings,
    database_named: tuple[str, str | None],
    request: ProvisionRequest,
) -> ExistingResources:
    database_name, database_id = database_named
    database = D1(api, database_id) if database_id else None
    migrations = missing_migrations(database) if database else known_migrations()
    is_older = database is not None and 0 < len(migrations) < len(known_migrations())
    size = index_size(database) if database and is_older else IndexSize()
    index = account.index_config(cloud.index_name)
    dimensions = request.dimensions
    if index and not request.is_chosen:
        dimensions = index.dimensions
    if index and index != (dimensions, METRIC):
        raise UserError(
            f"The Vectorize index {cloud.index_name} has {index.dimensions} dimensions and the "
            f"metric {index.metric}; the model needs {dimensions} and {METRIC}.",
            "Choose another --index-name, the index's --model and --dimensions, or delete the "
            "index.",
        )
    if request.needs_workers_ai and (request.is_chosen or not index):
        _check_workers_ai(account)
    properties = account.metadata_properties(cloud.index_name) if index else set()
    lacks = index is not None and not properties.issuperset(METADATA_PROPERTIES)
    vectors = account.vector_count(cloud.index_name) if lacks else 0
    names = [migration.name for migration in migrations]
    return ExistingResources(
        database_name, database_id, names, index is not None, dimensions, properties, vectors, size
    )


def _check_workers_ai(account: AccountResources) -> None:
    """Raises UserError if the token may not use Workers AI: the first `feeder sync` would fail."""
    try:
        account.check_workers_ai()
    except UserError as exc:
        raise UserError(
            f"{exc} Nothing was created.",
            "The static model needs no Workers AI: feeder init --model static",
        ) from exc


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
