"""Opens runs over a session: the context of a sync or of a comparison, with its parser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

from feeder.config import Settings
from feeder.descriptions import Describer
from feeder.embedding import NO_USAGE
from feeder.errors import UserError
from feeder.github.event import Event, current_event
from feeder.session.session import Session
from feeder.session.workspace import indexed_tree
from feeder.source import Tree, git
from feeder.sync.concurrency import manual_run_token
from feeder.sync.context import DescriptionOptions, SyncContext
from feeder.sync.report import Report

if TYPE_CHECKING:
    from feeder.parse.worker_pool import WorkerPool
    from feeder.parse.worker_process import WorkerProcess


def start_workers(
    session: Session, settings: Settings, processes: list[WorkerProcess] | None = None
) -> WorkerPool:
    """Returns the parser of a session's runs, to be closed; its processes start when needed.

    It takes those of `processes` from that list.
    """
    from feeder.parse.worker_pool import WorkerPool

    return WorkerPool(
        settings.grammar,
        mask_secrets=settings.mask_secrets,
        count=settings.jobs,
        static_embedder=session.backend.static_model,
        processes=processes,
    )


@contextmanager
def open_run(  # noqa: PLR0913 - what a run works on, and its parser
    session: Session,
    tree: Tree,
    settings: Settings,
    *,
    dry_run: bool,
    parser: WorkerPool | None = None,
    processes: list[WorkerProcess] | None = None,
) -> Iterator[SyncContext]:
    """Opens a run; without a `parser`, one is started that ends with the block.

    It takes its first processes from the list `processes`.

    At the end of the block the report has the run's time and usage, also after an error.
    """
    backend = session.backend
    report = Report(session.workspace.repo, session.workspace.branch, tree.commit, dry_run=dry_run)
    token, event = _run_token(tree, settings)
    with ExitStack() as stack:
        parser = parser or stack.enter_context(start_workers(session, settings, processes))
        parser.on_progress = session.progress.set_position
        try:
            run = SyncContext(
                tree,
                parser,
                session.index,
                session.model_vectors,
                report,
                session.progress,
                token,
                backend.budget,
                shard=settings.shard,
                event=event,
                force=settings.force,
                store_source=settings.texts,
                description_options=_description_options(settings, backend.describer),
                static_model=backend.static_model,
            )
            if settings.forward_only:
                run.is_older_than = partial(git.is_ancestor, session.workspace.base, tree.commit)
            run.follow_index_model = partial(_follow_index_model, session, run)
            yield run
        finally:
            report.seconds = report.elapsed_s
            model_vectors = session.model_vectors
            planned = model_vectors.embedder.estimated_usage if model_vectors else NO_USAGE
            report.usage = backend.estimate(report, planned) if dry_run else backend.usage()
            report.requests.update(report.usage.requests if report.usage else {})


def _follow_index_model(session: Session, run: SyncContext, meta: Mapping[str, str]) -> bool:
    if not session.follow_index_model(meta):
        return False
    run.model_vectors = session.model_vectors
    if "model" in meta:
        message = f"The index has vectors by {meta['model']}, and this run makes the same."
    else:
        assert run.model_vectors
        message = f"feeder init was given the model {run.model_vectors.embedder.model}."
    run.progress.message(message)
    return True


@contextmanager
def open_comparison(session: Session, settings: Settings) -> Iterator[SyncContext]:
    """Opens a run that compares the index with HEAD, or with the working tree if it is of one.

    Raises UserError if the index is of a commit and git finds none.
    """
    meta, key = session.index.read_state_of([]).meta, session.index.meta_key
    session.follow_index_model(meta)
    tree = indexed_tree(session.workspace, settings, working=bool(meta.get(key("working"))))
    base = session.workspace.base
    if meta.get(key("tree")) and not tree.root_tree_id and (base / ".git").exists():
        raise UserError(
            f"The index was made from commit {meta.get(key('head'), '')[:7]}, but git finds no "
            f"commit at HEAD of {base}.",
            f"Repair the repository: git -C {quote(str(base))} status",
        )
    with open_run(session, tree, settings, dry_run=False) as run:
        yield run


def _run_token(tree: Tree, settings: Settings) -> tuple[str, Event | None]:
    """The token that names this run, and the event that started it.

    Processes with the same name and commit are one run.
    """
    event = current_event()
    name = settings.run or (event.run_id if event else "")
    if settings.shard and not name:
        raise UserError("Shards need a common name: give all of them the same --run NAME.")
    token = f"{name}-{tree.commit[:10]}" if name else manual_run_token()
    return token, event if event and event.order else None


def _description_options(
    settings: Settings, describer: Describer | None
) -> DescriptionOptions | None:
    """Returns the options of `--describe`; raises UserError for --redescribe without it."""
    if settings.redescribe and not describer:
        raise UserError("--redescribe needs a language model.", "Name it with --describe.")
    if not settings.describe:
        return None
    return DescriptionOptions(
        describer,
        settings.redescribe,
        settings.max_descriptions,
        settings.max_description_tokens,
        settings.mask_secrets,
    )
