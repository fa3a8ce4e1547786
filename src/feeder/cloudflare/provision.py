"""What does an index at Cloudflare need that is not there? It is made, and nothing else."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from feeder.cloudflare import wrangler
from feeder.cloudflare.api import Api
from feeder.cloudflare.credentials import Known, known, names_of, require
from feeder.cloudflare.d1 import D1
from feeder.config import INDEX_FOLDER, Settings
from feeder.errors import ServiceError, UserError
from feeder.private import make_folder, unlinked
from feeder.store.folder import made_folder
from feeder.store.migrations import known_migrations, migrate, missing_migrations

if TYPE_CHECKING:
    import httpx
    from cloudflare._response import APIResponse

METRIC: Final = "cosine"
PROPERTIES = ("path", "language", "node_type", "repo", "branch")
"""What a search can narrow vectors by: only those written after its metadata index are in it."""
MIGRATIONS = "migrations"


class Thing(NamedTuple):
    """A part of what an index consists of, and whether it was there before."""

    name: str
    is_there: bool

    def line(self, *, dry_run: bool) -> str:
        """It, for a person."""
        made = "would be made" if dry_run else "made"
        return f"{'there already' if self.is_there else made}: {self.name}"


class Wanted(NamedTuple):
    """The dimensions of the vectors, and the database's name where somebody says one."""

    dimensions: int
    database_name: str | None


class Found(NamedTuple):
    """What the account has of it: the database's id and the migrations it lacks, and so on."""

    database_name: str
    database_id: str | None
    migrations: list[str]
    has_index: bool
    properties: set[str]


class Account:
    """The control plane: Cloudflare's SDK says what is asked where, the border what it means."""

    def __init__(self, cloud: Known, api: Api) -> None:
        import cloudflare

        self._cloudflare = cloudflare
        self._api = api
        self._account_id = cloud.account_id
        self._sdk = cloudflare.Cloudflare(api_token=cloud.token, base_url=cloud.base_url)
        # it would take these from the environment and leave the token out
        self._sdk.api_key = self._sdk.api_email = self._sdk.user_service_key = None

    def database_name(self, database_id: str) -> str:
        """What the database of that id is called; raises UserError where there is none."""
        databases = self._sdk.d1.database.with_raw_response
        return str(
            self._ask("d1", lambda: databases.get(database_id, account_id=self._account_id))["name"]
        )

    def database_id(self, name: str) -> str | None:
        """The id of the database of that name."""
        databases = self._sdk.d1.database.with_raw_response
        found = self._ask("d1", lambda: databases.list(name=name, account_id=self._account_id))
        ids = [str(database["uuid"]) for database in found if database["name"] == name]
        return ids[0] if ids else None

    def make_database(self, name: str) -> str:
        """A new database's id."""
        databases = self._sdk.d1.database.with_raw_response
        try:
            made = self._ask("d1", lambda: databases.create(name=name, account_id=self._account_id))
        except ServiceError:
            # made by a try whose answer was lost
            if found := self.database_id(name):
                return found
            raise
        return str(made["uuid"])

    def index(self, name: str) -> dict[str, Any] | None:
        """How the index of that name is made: `dimensions` and `metric`."""
        indexes = self._sdk.vectorize.indexes.with_raw_response
        found = self._ask("vectorize", lambda: indexes.list(account_id=self._account_id))
        return next((dict(index["config"]) for index in found if index["name"] == name), None)

    def make_index(self, name: str, dimensions: int) -> None:
        """A new index."""
        indexes = self._sdk.vectorize.indexes.with_raw_response
        try:
            self._ask(
                "vectorize",
                lambda: indexes.create(
                    name=name,
                    config={"dimensions": dimensions, "metric": METRIC},
                    account_id=self._account_id,
                ),
            )
        except ServiceError:
            if self.index(name) is None:
                raise

    def properties(self, index: str) -> set[str]:
        """What the index has metadata indexes of."""
        asked = self._sdk.vectorize.indexes.metadata_index.with_raw_response
        found = self._ask("vectorize", lambda: asked.list(index, account_id=self._account_id))
        return {str(one["propertyName"]) for one in found["metadataIndexes"] or []}

    def make_property(self, index: str, name: str) -> None:
        """A metadata index of strings; one that is there already stays."""
        asked = self._sdk.vectorize.indexes.metadata_index.with_raw_response
        self._ask(
            "vectorize",
            lambda: asked.create(
                index, index_type="string", property_name=name, account_id=self._account_id
            ),
        )

    def _ask(self, service: str, send: "Callable[[], APIResponse[Any]]") -> Any:
        """The answer's `result`; the one place in which the SDK's exceptions are known."""
        try:
            response: httpx.Response = send().http_response
        except self._cloudflare.APIStatusError as exc:
            response = exc.response
        except self._cloudflare.APIConnectionError as exc:
            if exc.__cause__ is None:
                raise ServiceError(f"{self._api.address} gave no answer ({exc}).") from exc
            raise self._api.unreachable(exc.__cause__) from None  # type: ignore[arg-type]
        return self._api.result(service, response)


def provision(
    base: Path, repo: str, settings: Settings, wanted: Wanted, *, dry_run: bool
) -> Iterator[Thing]:
    """Makes what an index of the repository lacks, each as it is told; with `dry_run` only tells.

    Everything is looked at before anything is made. Raises UserError for what is somebody else's
    or has another shape.
    """
    cloud = known(settings, repo)
    require(cloud, database=False)
    with closing(Api(cloud.token, cloud.account_id, base_url=cloud.base_url)) as api:
        account = Account(cloud, api)
        if wanted.database_name:  # what wrangler.toml binds may be another database
            cloud = replace(cloud, database_id=settings.database_id or "")
        found = _found(
            account, api, cloud, wanted.database_name or names_of(repo)[0], wanted.dimensions
        )
        database_id = found.database_id
        if not dry_run:
            database_id = database_id or account.make_database(found.database_name)
            migrate(D1(api, database_id))
        yield Thing(f"D1 database {found.database_name}", found.database_id is not None)
        for migration in known_migrations():
            is_there = migration.name not in found.migrations
            yield Thing(f"migration {migration.name}", is_there)
        yield from _index(account, cloud.index_name, found, wanted.dimensions, dry_run=dry_run)
    file = wrangler.find(settings.directory) or base / wrangler.FILE
    names = wrangler.Names(
        found.database_name,
        database_id or "",
        cloud.index_name,
        Path(os.path.relpath(base / INDEX_FOLDER / MIGRATIONS, file.parent)).as_posix(),
    )
    yield _bound(file, base, names, dry_run=dry_run)


def _index(
    account: Account, name: str, found: Found, dimensions: int, *, dry_run: bool
) -> Iterator[Thing]:
    """The index, and its metadata indexes before the first vector comes."""
    if not dry_run and not found.has_index:
        account.make_index(name, dimensions)
    yield Thing(f"Vectorize index {name} ({dimensions} dimensions, {METRIC})", found.has_index)
    for prop in PROPERTIES:
        if not dry_run and prop not in found.properties:
            account.make_property(name, prop)
        yield Thing(f"metadata index {prop}", prop in found.properties)


def _found(account: Account, api: Api, cloud: Known, database_name: str, dimensions: int) -> Found:
    database_id: str | None = cloud.database_id
    if database_id:
        database_name = account.database_name(database_id)
    else:
        database_id = account.database_id(database_name)
    migrations = missing_migrations(D1(api, database_id)) if database_id else known_migrations()
    index = account.index(cloud.index_name)
    if index and (index["dimensions"], index["metric"]) != (dimensions, METRIC):
        raise UserError(
            f"The Vectorize index {cloud.index_name} is there with {index['dimensions']} "
            f"dimensions and the metric {index['metric']}, and the model needs {dimensions} and "
            f"{METRIC}. Name another with --index-name, choose --model or --dimensions as it has "
            "them, or delete it."
        )
    properties = account.properties(cloud.index_name) if index else set()
    names = [migration.name for migration in migrations]
    return Found(database_name, database_id, names, index is not None, properties)


def _bound(file: Path, base: Path, names: wrangler.Names, *, dry_run: bool) -> Thing:
    """wrangler.toml's bindings; the migrations lie where a new one says, for wrangler to find."""
    if dry_run:
        said = wrangler.read(file if file.exists() else None)
        is_there = (said.database_id, said.index_name) == (names.database_id, names.index_name)
        return Thing(f"bindings in {file}", is_there)
    folder = base / INDEX_FOLDER / MIGRATIONS
    made_folder(folder.parent)
    make_folder(unlinked(folder))
    for migration in known_migrations():
        (folder / migration.name).write_bytes(migration.sql.encode())
    return Thing(f"bindings in {file}", not wrangler.write(file, names))
