"""The Cloudflare backend of a session: D1, Vectorize and Workers AI."""

from contextlib import ExitStack
from pathlib import Path

from feeder.cloudflare.api import Api
from feeder.cloudflare.credentials import (
    TOKEN_VARIABLE,
    cloud_settings,
    missing_database_remedy,
    require_settings,
)
from feeder.cloudflare.d1 import D1
from feeder.cloudflare.vectorize import Vectorize
from feeder.config import Settings
from feeder.session.backends import Backend
from feeder.session.cost_estimate import estimated_usage, measured_usage
from feeder.session.model_selection import select_describer, select_embedder
from feeder.source import git
from feeder.store.index_folder import checked_index_folder, create_index_folder
from feeder.store.migrations import VerifiedDatabase, migrate
from feeder.store.sqlite import IN_MEMORY, SQLite
from feeder.sync.budget import Budget


def cloud_backend(
    base: Path, repo: str, settings: Settings, stack: ExitStack, *, writes: bool
) -> Backend:
    """Opens the index that the settings name, without a request.

    Raises UserError for settings that are missing.
    """
    cloud = cloud_settings(settings, repo)
    require_settings(cloud, database=True)
    api = Api(cloud.token, cloud.account_id, base_url=cloud.base_url)
    stack.callback(api.close)
    if settings.shard:
        api.set_concurrent_runs(settings.shard.total)
    database = D1(api, cloud.database_id, missing_database_remedy(settings, repo))
    vectors = Vectorize(api, cloud.index_name)
    embedder, describer = select_embedder(settings, api), select_describer(settings, api)
    if describer:
        stack.callback(describer.close)
    if writes and git.find_root(base) is None:
        # commands in folders below find the base folder by it
        create_index_folder(checked_index_folder(base))
    backend = Backend(
        f"Cloudflare, {database.place}, {vectors.place}",
        VerifiedDatabase(database),
        embedder,
        vectors if embedder else None,
        describer=describer,
        usage=lambda: measured_usage(api, database, vectors, backend.spent),
        select_embedder=lambda chosen: select_embedder(chosen, api),
        estimate=lambda report, planned: estimated_usage(report, backend.embedder, planned),
    )
    backend.budget = Budget(
        settings.max_embeddings,
        settings.max_requests,
        lambda: api.requests.total() + backend.spent.requests,
        lambda texts: backend.embedder.estimate([0] * texts).requests if backend.embedder else 0,
    )
    return backend


def planning_backend(settings: Settings, stack: ExitStack) -> Backend:
    """Opens an empty index in memory, to plan a first sync without a token and without requests."""
    database = SQLite(IN_MEMORY)
    stack.callback(database.close)
    migrate(database)
    api = Api("none", "none")
    stack.callback(api.close)
    embedder = select_embedder(settings, api)
    return Backend(
        f"Cloudflare without {TOKEN_VARIABLE}: planned for an empty index",
        database,
        embedder,
        Vectorize(api, "none") if embedder else None,
        describer=select_describer(settings, api),
        estimate=lambda report, planned: estimated_usage(report, embedder, planned),
    )
