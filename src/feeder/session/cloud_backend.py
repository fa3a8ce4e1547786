"""The store at Cloudflare: D1, Vectorize and Workers AI, and what their use costs."""

import math
from contextlib import ExitStack
from pathlib import Path

from feeder.cloudflare.api import Api
from feeder.cloudflare.credentials import TOKEN_VARIABLE, cloud_settings, require_settings
from feeder.cloudflare.d1 import D1
from feeder.cloudflare.free_tier import Usage
from feeder.cloudflare.vectorize import MAX_DELETE_IDS, Vectorize
from feeder.cloudflare.workers_ai import WorkersAIEmbedder
from feeder.config import Settings
from feeder.embedding import Embedder, ServiceUsage
from feeder.parse.compressed_source import BLOCK_BYTES
from feeder.session.backends import Backend, total_spent
from feeder.session.describers import select_describer
from feeder.session.model_selection import select_embedder
from feeder.source import git
from feeder.store.index_folder import checked_index_folder, create_index_folder
from feeder.store.lookup_table import LookupTable
from feeder.store.migrations import migrate
from feeder.store.schema import VerifiedDatabase
from feeder.store.sqlite import IN_MEMORY, SQLite
from feeder.store.stored_source import DELETE_BATCH
from feeder.sync.budget import Budget
from feeder.sync.context import BATCH_CHARS, BATCH_NODES
from feeder.sync.report import Report
from feeder.sync.vectors import BATCH_VECTORS

ROWS_PER_NEW_NODE, ROWS_PER_DELETED_NODE, ROWS_PER_FILE, ROWS_PER_RUN = 6, 4, 2, 20
"""Rows that D1 bills: a node with its indexes and posting, its removal with the outbox, a file, and
what each run that writes notes of itself."""


def cloud_backend(
    base: Path, repo: str, settings: Settings, stack: ExitStack, *, writes: bool
) -> Backend:
    """The index that the settings name; no request yet. Raises UserError for what is not said."""
    cloud = cloud_settings(settings, repo)
    require_settings(cloud, database=True)
    api = Api(cloud.token, cloud.account_id, base_url=cloud.base_url)
    stack.callback(api.close)
    if settings.shard:
        api.set_concurrent_runs(settings.shard.total)
    database = D1(api, cloud.database_id)
    vectors = Vectorize(api, cloud.index_name)
    embedder, describer = select_embedder(settings, api), select_describer(settings, api)
    if describer:
        stack.callback(describer.close)
    lookup = worker_lookup_table(embedder)
    if writes and git.find_root(base) is None:
        create_index_folder(
            checked_index_folder(base)
        )  # by which the base is known again from a folder below
    return Backend(
        f"Cloudflare, {database.place}, {vectors.place}",
        VerifiedDatabase(database),
        embedder,
        vectors if embedder else None,
        lookup=lookup,
        describer=describer,
        budget=Budget(
            settings.max_embeddings,
            settings.max_requests,
            lambda: api.requests.total() + total_spent(embedder, describer).requests,
            lambda texts: embedder.estimate([0] * texts).requests if embedder else 0,
        ),
        usage=lambda: measured_usage(api, database, vectors, total_spent(embedder, describer)),
        estimate=lambda report, planned: estimated_usage(report, embedder, planned, lookup),
    )


def planning_backend(settings: Settings, stack: ExitStack) -> Backend:
    """What tells without a token how large a first feed is: an empty index, and no request."""
    database = SQLite(IN_MEMORY)
    stack.callback(database.close)
    migrate(database)
    api = Api("none", "none")
    stack.callback(api.close)
    embedder = select_embedder(settings, api)
    lookup = worker_lookup_table(embedder)
    return Backend(
        f"Cloudflare without {TOKEN_VARIABLE}: planned against an empty index",
        database,
        embedder,
        Vectorize(api, "none") if embedder else None,
        lookup=lookup,
        describer=select_describer(settings, api),
        estimate=lambda report, planned: estimated_usage(report, embedder, planned, lookup),
    )


def worker_lookup_table(embedder: Embedder | None) -> LookupTable | None:
    """A Worker has no static model, and asks for the rows that it needs of it."""
    from feeder.embedding.static_lookup import build_lookup
    from feeder.embedding.static_model import StaticEmbedder

    return build_lookup() if isinstance(embedder, StaticEmbedder) else None


def measured_usage(api: Api, database: D1, vectors: Vectorize, spent: ServiceUsage) -> Usage:
    """What these objects have used so far, and what models have taken."""
    return Usage(
        dict(api.requests) | ({"model": spent.requests} if spent.requests else {}),
        dict(api.retries),
        round(api.waited_s, 1),
        database.rows["read"],
        database.rows["written"],
        vectors.dimensions_written,
        spent.tokens,
        spent.neurons,
        database.size_bytes,
    )


def estimated_usage(
    report: Report, embedder: Embedder | None, planned: ServiceUsage, lookup: LookupTable | None
) -> Usage:
    """What the run of a report would take, roughly: nobody has sent anything yet."""
    files = report.files_processed + report.files_deleted
    table = lookup if report.lookup_rows else None
    if not (files or report.texts_embedded or table or report.text_rows or report.text_rows_gone):
        return Usage({"d1": 1})
    vectors = report.texts_embedded + report.texts_cached
    is_theirs = embedder is None or isinstance(embedder, WorkersAIEmbedder)
    upserts = math.ceil(vectors / BATCH_VECTORS)
    batches = (report.nodes_new + report.files_processed) / BATCH_NODES
    words = max(1, math.ceil(max(batches, report.text_rows * BLOCK_BYTES / BATCH_CHARS)))
    words += math.ceil(report.text_rows_gone / DELETE_BATCH)
    is_first = bool(vectors and not report.files_unchanged)  # then it is asked whether they fit
    requests = {
        "d1": 2 + words + max(0, upserts - 1) + (table.request_count if table else 0),
        "vectorize": (is_first + upserts + math.ceil(report.nodes_deleted / MAX_DELETE_IDS))
        if embedder
        else 0,
        "ai" if is_theirs else "model": planned.requests,
    }
    return Usage(
        requests,
        rows_written=ROWS_PER_RUN
        + report.nodes_new * ROWS_PER_NEW_NODE
        + report.nodes_deleted * ROWS_PER_DELETED_NODE
        + files * ROWS_PER_FILE
        + report.lookup_rows
        + report.text_rows
        + report.text_rows_gone,
        dimensions=vectors * embedder.dimensions if embedder and vectors else 0,
        tokens=planned.tokens,
        neurons=planned.neurons,
        lookup_rows=report.lookup_rows,
        text_rows=report.text_rows,
        text_bytes=report.text_bytes,
    )
