"""`Backend`: the database, vectors and models behind a session; and the local one, a single
SQLite file.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from feeder.config import Settings
from feeder.embedding import NO_USAGE, Embedder, ServiceUsage
from feeder.embedding.quantization import StaticQuantizer
from feeder.errors import UserError
from feeder.notes import Note
from feeder.session.model_selection import (
    missing_minilm_note,
    select_describer,
    select_embedder,
    select_static_model,
    with_shared_model,
)
from feeder.session.workspace import index_file, missing_index
from feeder.store import Database, Statement, Vectors
from feeder.store.index_folder import create_index_folder
from feeder.store.inventory import indexed_repositories
from feeder.store.migrations import migrate
from feeder.store.sqlite import IN_MEMORY, SQLite
from feeder.store.sqlite_vectors import SQLiteVectors
from feeder.sync.budget import Budget

if TYPE_CHECKING:
    from feeder.cloudflare.free_tier import Usage
    from feeder.descriptions import Describer
    from feeder.sync.report import Report


@dataclass
class Backend:
    """An opened database with its vectors and models; without an embedder it has no vectors."""

    label: str
    """Names the store for people."""
    database: Database
    embedder: Embedder | None
    vectors: Vectors | None
    describer: Describer | None = None
    static_model: StaticQuantizer | None = None
    keeps_static_vectors: bool = False
    file: Path | None = None
    """The index on this machine."""
    missing_model_note: Note | None = None
    """The reason why the model of the index is not used."""
    budget: Budget = field(default_factory=Budget)
    usage: Callable[[], Usage | None] = lambda: None
    """Returns what was used so far; None where nothing is counted."""
    select_embedder: Callable[[Settings], Embedder | None] | None = None
    """Makes the embedder of other settings, where the index decides which model is used."""
    estimate: Callable[[Report, ServiceUsage], Usage | None] = lambda report, planned: None
    """Returns what the run of a dry run's report would use, its models included."""

    @property
    def spent(self) -> ServiceUsage:
        """The usage of both models."""
        return total_spent(self.embedder, self.describer)


def total_spent(embedder: Embedder | None, describer: Describer | None) -> ServiceUsage:
    """Returns what both models have used together."""
    both = [model.usage for model in (embedder, describer) if model] or [NO_USAGE]
    return ServiceUsage(*map(sum, zip(*both, strict=True)))


def local_backend(  # noqa: PLR0913 - a place, and how it is opened
    base: Path,
    settings: Settings,
    stack: ExitStack,
    *,
    writes: bool,
    create: bool,
    file: Path | None = None,
) -> Backend:
    """Opens the index of a base folder; `file` is its path, if the caller has just checked that.

    With `create` a missing one is made, in memory only unless the run `writes`. Raises UserError
    where there is no index to read.
    """
    file = file or index_file(base, settings)
    if not create and not file.exists():
        raise UserError(*missing_index(file, settings))
    in_memory = not writes and not file.exists()
    if writes and settings.db is None:
        create_index_folder(file.parent)
    database = SQLite(IN_MEMORY if in_memory else file)
    stack.callback(database.close)
    migrate(database)
    index_model = _index_model(database)
    settings, note = with_shared_model(base, settings, index_model)
    embedder = select_embedder(settings, index_model=index_model)
    backend = Backend(
        f"local index {file}",
        database,
        embedder,
        SQLiteVectors(database) if embedder else None,
        describer=select_describer(settings),
        static_model=select_static_model(settings),
        keeps_static_vectors=True,
        file=None if in_memory else file,
        missing_model_note=None if embedder else note or missing_minilm_note(settings, index_model),
    )
    if backend.describer:
        stack.callback(backend.describer.close)
    backend.budget = _budget(settings, backend)
    if embedder or backend.describer:
        backend.usage = lambda: _usage(backend.spent)
        backend.estimate = lambda _, planned: _usage(planned)
    return backend


def _budget(settings: Settings, backend: Backend) -> Budget:
    """Counts requests to models elsewhere; a write takes none."""
    embedder = backend.embedder
    if not embedder and not backend.describer:
        return Budget(requests_per_write=0)
    return Budget(
        settings.max_embeddings,
        settings.max_requests,
        lambda: backend.spent.requests,
        lambda texts: embedder.estimate([0] * texts).requests if embedder else 0,
        requests_per_write=0,
    )


def _index_model(database: SQLite) -> dict[str, str]:
    """The model and dimensions that the index records: model "" without model vectors, and
    nothing for an empty index.
    """
    query = "SELECT key, value FROM meta WHERE key IN ('model', 'dimensions')"
    [rows] = database.run([Statement(query)])
    none = {"model": ""} if indexed_repositories(database) else {}
    return none | {str(key): str(value) for key, value in rows}


def _usage(spent: ServiceUsage) -> Usage | None:
    """Usage of a model elsewhere; one on this machine is not counted."""
    from feeder.cloudflare.free_tier import Usage

    return Usage({"model": spent.requests}, tokens=spent.tokens) if spent.requests else None
