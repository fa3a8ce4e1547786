"""Opens an index as a `Session`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from feeder.cloudflare.credentials import choose_store, has_token
from feeder.config import Settings, default_cache_file
from feeder.embedding import STATIC_MODEL_NAME
from feeder.embedding.quantization import StaticQuantizer
from feeder.progress import ProgressReporter
from feeder.session.backends import Backend
from feeder.session.folder_index import name_in_index
from feeder.session.model_selection import recorded_model
from feeder.session.session import Session
from feeder.session.workspace import Workspace
from feeder.store.index import Index
from feeder.store.index_state import static_model_name
from feeder.store.inventory import indexed_repositories, matching_repositories, resolve_repository
from feeder.store.sqlite import SQLite
from feeder.store.static_vectors import has_vectors, setup_statements

if TYPE_CHECKING:
    from feeder.sync.context import ModelVectors


@contextmanager
def open_session(
    workspace: Workspace, settings: Settings, *, writes: bool, create: bool, whole: bool = True
) -> Iterator[Session]:
    """Opens the index of a workspace for the length of the block.

    With `create` a missing local index is made, in memory only unless the run `writes`. A run over
    a part of the source tree (not `whole`) keeps the kinds of vectors that the index has. Raises
    UserError where there is no index to read.
    """
    progress = ProgressReporter(quiet=settings.quiet)
    store = choose_store(settings)
    with ExitStack() as stack:
        open_backend = _cloud_backend if store.is_cloud else _local_backend
        backend = open_backend(workspace, settings, stack, writes=writes, create=create)
        cache = _embedding_cache(settings, progress, writes=writes)
        model_vectors = _model_vectors(backend, stack, cache, progress)
        # at Cloudflare resolving a name takes a request; a name with its owner needs none
        is_resolvable = backend.keeps_static_vectors or "/" not in (settings.repo or "")
        if settings.repo and not create and is_resolvable:
            workspace.repo = _indexed_repo_name(settings.repo, backend, whole=whole)
        if isinstance(backend.database, SQLite):
            workspace.repo = name_in_index(
                workspace, settings, backend.database, progress, writes=writes
            )
        index = Index(backend.database, workspace.repo, workspace.branch)
        if backend.keeps_static_vectors:
            if not whole:
                backend.static_model = _static_model_of_index(backend.static_model, index)
            index.start_statements = setup_statements(
                workspace.repo, enabled=backend.static_model is not None
            )
        models = _model_names(backend, model_vectors, settings)
        reason = f" ({store.reason})" if store.reason else ""
        is_usual = not store.is_cloud and not reason and models == STATIC_MODEL_NAME
        if writes or not is_usual:
            progress.message(f"{workspace.repo}: {backend.label}{reason}, {models}")
        if writes and whole and backend.missing_model_note:
            progress.message(str(backend.missing_model_note))
        session = Session(workspace, index, model_vectors, progress, backend)
        session.named_model = settings.model

        followed: list[Settings] = []

        def follow_index_model(meta: Mapping[str, str]) -> bool:
            recorded = recorded_model(settings, meta, backend.embedder)
            if recorded is None or backend.select_embedder is None or recorded in followed:
                return False
            followed.append(recorded)
            backend.embedder = backend.select_embedder(recorded)
            session.model_vectors = _model_vectors(backend, stack, cache, progress)
            return True

        if store.is_cloud:
            session.follow_index_model = follow_index_model
        yield session


def _local_backend(
    workspace: Workspace, settings: Settings, stack: ExitStack, *, writes: bool, create: bool
) -> Backend:
    from feeder.session.backends import local_backend

    return local_backend(
        workspace.base, settings, stack, writes=writes, create=create, file=workspace.index_file
    )


def _cloud_backend(
    workspace: Workspace, settings: Settings, stack: ExitStack, *, writes: bool, create: bool
) -> Backend:
    """Without a token, a backend that plans a first sync."""
    from feeder.session.cloud_backend import cloud_backend, planning_backend

    if create and not writes and not has_token():
        return planning_backend(settings, stack)
    return cloud_backend(workspace.base, workspace.repo, settings, stack, writes=writes)


def _model_names(backend: Backend, model_vectors: ModelVectors | None, settings: Settings) -> str:
    """Names the models that are used, for people."""
    models = [backend.static_model.model] if backend.static_model else []
    models += [model_vectors.embedder.model] if model_vectors else []
    if models and backend.select_embedder and settings.model is None:
        return f"{models[-1]} unless the index has another model"
    none = "words only" if settings.vectors else "words only (--no-vectors)"
    return " and ".join(models) or none


def _indexed_repo_name(name: str, backend: Backend, *, whole: bool) -> str:
    """Resolves a repository's name to that in the index; a run over a part may be its first run."""
    indexed = indexed_repositories(backend.database)
    may_be_new = not indexed or (not whole and not matching_repositories(name, indexed))
    return name if may_be_new else resolve_repository(name, indexed)


def _static_model_of_index(
    static_model: StaticQuantizer | None, index: Index
) -> StaticQuantizer | None:
    """Returns the static model if the index has its vectors, of whatever version."""
    parser = index.read_state_of([]).meta.get(index.meta_key("parser"))
    if parser is None:
        return static_model
    is_used = static_model_name(parser) or has_vectors(index.database, index.repo)
    return StaticQuantizer(STATIC_MODEL_NAME) if is_used else None


def _embedding_cache(
    settings: Settings, progress: ProgressReporter, *, writes: bool
) -> Path | None:
    """The file of the embedding cache; None without one, with a message if the run writes."""
    file = settings.cache or default_cache_file()
    if file is None and settings.vectors and writes:
        progress.message(
            "There is no home folder for the embedding cache. This run continues without it. "
            "Set --cache FILE to have one."
        )
    return file if file and (writes or os.access(file, os.F_OK)) else None


def _model_vectors(
    backend: Backend, stack: ExitStack, cache: Path | None, progress: ProgressReporter
) -> ModelVectors | None:
    """The embedder behind its cache, and the store of its vectors."""
    if backend.embedder is None or backend.vectors is None:
        return None
    from feeder.embedding.cache import CachedEmbedder
    from feeder.sync.context import ModelVectors

    embedder = CachedEmbedder(backend.embedder, cache, on_warning=progress.message)
    stack.callback(embedder.close)
    return ModelVectors(embedder, backend.vectors)
