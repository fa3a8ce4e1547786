"""Opens an index as a `Session` and prepares runs over it."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from feeder.cloudflare.credentials import choose_store, has_token
from feeder.config import Settings
from feeder.embedding import NO_USAGE, STATIC_MODEL_NAME
from feeder.embedding.cache import default_cache_file
from feeder.embedding.quantization import StaticQuantizer
from feeder.errors import FeederError, UserError
from feeder.github.event import Event, current_event
from feeder.progress import ProgressReporter
from feeder.session.backends import Backend
from feeder.session.model_selection import description_options
from feeder.session.workspace import Workspace, indexed_tree
from feeder.source import Tree
from feeder.store.index import Index
from feeder.store.index_state import static_model_name
from feeder.store.inventory import indexed_repositories, matching_repositories, resolve_repository
from feeder.store.static_vectors import has_vectors, setup_statements
from feeder.sync.concurrency import manual_run_token
from feeder.sync.context import ModelVectors, SyncContext
from feeder.sync.report import Report

if TYPE_CHECKING:
    from feeder.parse.worker_pool import WorkerPool


@dataclass
class Session:
    """An opened index."""

    workspace: Workspace
    index: Index
    model_vectors: ModelVectors | None
    progress: ProgressReporter
    backend: Backend


@contextmanager
def open_session(
    workspace: Workspace, settings: Settings, *, writes: bool, create: bool, whole: bool = True
) -> Iterator[Session]:
    """The index of a place, closed at the end; raises UserError where there is none to read.

    With `create` a missing local one is made, in memory only unless the run `writes`. A run that is
    not over the `whole` tree leaves it with or without vectors as it was made.
    """
    talk = ProgressReporter(quiet=settings.quiet)
    chosen = choose_store(settings)
    with ExitStack() as stack:
        parts_of = _cloud_backend if chosen.is_cloud else _local_backend
        parts = parts_of(workspace, settings, stack, writes=writes, create=create)
        semantics = _model_vectors(
            parts, stack, _embedding_cache(settings, talk, writes=writes), talk
        )
        # at Cloudflare the question is a request, which a name with its owner does not need
        if (
            settings.repo
            and not create
            and (parts.keeps_static_vectors or "/" not in settings.repo)
        ):
            workspace.repo = _indexed_repo_name(settings.repo, parts, whole=whole)
        index = Index(parts.database, workspace.repo, workspace.branch)
        if parts.keeps_static_vectors:
            if not whole:
                parts.static_model = _static_model_of_index(parts.static_model, index)
            index.start_statements = setup_statements(
                workspace.repo, enabled=parts.static_model is not None
            )
        by = _model_names(parts, semantics, settings)
        talk.message(f"{workspace.repo}: {parts.label}, {by}; {chosen.reason}")
        for said in filter(
            None, (parts.note, parts.missing_model_note) if writes and whole else ()
        ):
            talk.message(said)
        yield Session(workspace, index, semantics, talk, parts)


def _local_backend(
    workspace: Workspace, settings: Settings, stack: ExitStack, *, writes: bool, create: bool
) -> Backend:
    from feeder.session.backends import local_backend

    return local_backend(workspace.base, settings, stack, writes=writes, create=create)


def _cloud_backend(
    workspace: Workspace, settings: Settings, stack: ExitStack, *, writes: bool, create: bool
) -> Backend:
    """Without a token what a first run would meet."""
    from feeder.session.cloud_backend import cloud_backend, planning_backend

    if create and not writes and not has_token():
        return planning_backend(settings, stack)
    return cloud_backend(workspace.base, workspace.repo, settings, stack, writes=writes)


def _model_names(backend: Backend, model_vectors: ModelVectors | None, settings: Settings) -> str:
    """Which models are asked, for a person."""
    models = [backend.static_model.model] if backend.static_model else []
    models += [model_vectors.embedder.model] if model_vectors else []
    none = "words only" if settings.vectors else "words only (--no-vectors)"
    return " and ".join(models) or none


def _indexed_repo_name(name: str, backend: Backend, *, whole: bool) -> str:
    """What the index calls the repository that is meant; a run over a part may be its first."""
    there = indexed_repositories(backend.database)
    may_be_new = not there or (not whole and not matching_repositories(name, there))
    return name if may_be_new else resolve_repository(name, there)


def _static_model_of_index(
    static_model: StaticQuantizer | None, index: Index
) -> StaticQuantizer | None:
    """The model that comes with the words where the index has one, of whatever version."""
    made_by = index.read_state_of([]).meta.get(index.meta_key("parser"))
    if made_by is None:
        return static_model
    has_some = static_model_name(made_by) or has_vectors(index.database, index.repo)
    return StaticQuantizer(STATIC_MODEL_NAME) if has_some else None


def model_error(session: Session) -> FeederError | None:
    """Why the model cannot be asked how long its vectors are, where only it knows.

    The store then goes on with words alone.
    """
    try:
        if session.model_vectors:
            session.model_vectors.model_identity()
    except FeederError as exc:
        session.model_vectors = None
        return exc
    return None


def comparable_vectors(
    session: Session, meta: Mapping[str, str], on_warning: Callable[[str], None]
) -> ModelVectors | None:
    """What a search by meaning needs; None where the index, which says `meta`, lacks it.

    What it lacks for this search is said; what has failed is told.
    """
    semantics = session.model_vectors
    if session.index.meta_key("run") not in meta:
        fed = sorted(key.removesuffix(":run") for key in meta if key.endswith(":run"))
        others = f" It has {', '.join(fed)}: --repo names one." if fed else ""
        session.progress.message(
            f"The index has nothing of {session.workspace.repo}: feeder sync.{others}"
        )
    elif refused := model_error(session):
        on_warning(f"By words alone: {refused}")
    elif semantics and not semantics.model_identity().items() <= meta.items():
        session.progress.message(
            f"The index has no vectors by {semantics.embedder.model}. "
            "Make them: feeder sync, with --model as here"
        )
    else:
        return semantics
    return None


def start_workers(session: Session, settings: Settings) -> "WorkerPool":
    """What parses for a store's runs, to be closed; processes are started when there is work."""
    from feeder.parse.worker_pool import WorkerPool

    masks, meaning = settings.mask_secrets, session.backend.static_model
    return WorkerPool(
        settings.grammar, mask_secrets=masks, count=settings.jobs, static_embedder=meaning
    )


@contextmanager
def open_run(
    session: Session,
    tree: Tree,
    settings: Settings,
    *,
    dry_run: bool,
    parser: "WorkerPool | None" = None,
) -> Iterator[SyncContext]:
    """A run over a store; without a `parser` that is kept, with parsers that end with it."""
    report = Report(session.workspace.repo, session.workspace.branch, tree.commit, dry_run=dry_run)
    index, semantics, budget = session.index, session.model_vectors, session.backend.budget
    token, event = _run_token(tree, settings)
    with ExitStack() as stack:
        parser = parser or stack.enter_context(start_workers(session, settings))
        parser.on_progress = session.progress.set_position
        feed = SyncContext(tree, parser, index, semantics, report, session.progress, token, budget)
        try:
            texts, force = settings.texts, settings.force
            feed = replace(feed, shard=settings.shard, event=event, force=force, store_source=texts)
            feed = replace(feed, static_model=session.backend.static_model)
            yield replace(
                feed, description_options=description_options(settings, session.backend.describer)
            )
        finally:
            report.seconds = report.elapsed_s
            planned = semantics.embedder.estimated_usage if semantics else NO_USAGE
            parts = session.backend
            report.usage = parts.estimate(report, planned) if dry_run else parts.usage()
            report.requests.update(report.usage.requests if report.usage else {})


def _embedding_cache(
    settings: Settings, progress: ProgressReporter, *, writes: bool
) -> Path | None:
    """Where embeddings are remembered; None where they are not, which is said of a run's."""
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
    """The embedder behind its cache, and what keeps the vectors."""
    from feeder.embedding.cache import CachedEmbedder

    if backend.embedder is None or backend.vectors is None:
        return None
    embedder = CachedEmbedder(backend.embedder, cache, on_warning=progress.message)
    stack.callback(embedder.close)
    return ModelVectors(embedder, backend.vectors, backend.lookup)


def _run_token(tree: Tree, settings: Settings) -> tuple[str, Event | None]:
    """Who this run is, and the event that it answers to.

    Those that share a name and a commit are one run.
    """
    event = current_event()
    name = settings.run or (event.run_id if event else "")
    if settings.shard and not name:
        raise UserError("Shards have to know each other: give all the same --run NAME.")
    token = f"{name}-{tree.commit[:10]}" if name else manual_run_token()
    return token, event if event and event.order else None


@contextmanager
def open_comparison(session: Session, settings: Settings) -> Iterator[SyncContext]:
    """A run over the tree that the index says it equals: HEAD's, or the working tree as it is.

    Raises UserError where the index is of a commit and git finds none.
    """
    meta, key = session.index.read_state_of([]).meta, session.index.meta_key
    tree = indexed_tree(session.workspace, settings, working=bool(meta.get(key("working"))))
    base = session.workspace.base
    if meta.get(key("tree")) and not tree.root_tree_id and (base / ".git").exists():
        raise UserError(
            f"The index is of the commit {meta.get(key('head'), '')[:7]}, and git finds no commit "
            f"at HEAD of {base}. Mend the repository: git -C {quote(str(base))} status"
        )
    with open_run(session, tree, settings, dry_run=False) as feed:
        yield feed
