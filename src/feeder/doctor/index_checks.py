"""Checks the index: disk space, store, freshness, contents. Only reads."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from feeder.cloudflare.credentials import choose_store
from feeder.config import Settings
from feeder.corpus.index_status import read_index_status
from feeder.doctor import Finding
from feeder.escaping import count_of, size_of
from feeder.installation import install_steps
from feeder.notes import unparsed_text
from feeder.parse.extract import NOT_INSTALLED, extractor_versions, includes_documents
from feeder.session.opening import open_session
from feeder.session.session import Session
from feeder.session.workspace import (
    Workspace,
    creation_command,
    current_workspace,
    has_index,
    index_file,
)
from feeder.source import file_types
from feeder.store import Statement
from feeder.store.batch import read_number, read_texts
from feeder.store.inventory import Statistics, files_below, statistics
from feeder.store.migrations import missing_migrations
from feeder.store.sqlite import SQLite
from feeder.store.stored_descriptions import undescribed_count_statement

MIN_FREE_BYTES = 100_000_000
"""Free disk space that an index should have: enough for a medium-sized repository, in bytes."""


def check_disk(settings: Settings) -> Iterator[Finding]:
    """Checks that a local index is writable and its disk has space."""
    if choose_store(settings).is_cloud:
        return
    file = index_file(current_workspace(settings).base, settings)
    existing = next(path for path in (file, *file.parents) if path.exists())
    folder = existing if existing.is_dir() else existing.parent
    for path in (existing, folder):  # SQLite writes beside the file too
        if not os.access(path, os.W_OK):
            remedy = "Make it writable, or name another file for the index: --db FILE."
            yield Finding("disk", f"{path} is not writable", remedy, stops=True)
            return
    free = shutil.disk_usage(folder).free
    is_low = free < max(MIN_FREE_BYTES, 2 * _file_bytes(file))
    remedy = "Free some space, or name a file on another disk: --db FILE." if is_low else ""
    yield Finding("disk", f"{free / 1e9:,.1f} GB free at {existing}", remedy, is_low)


def check_index(settings: Settings) -> Iterator[Finding]:
    """Reports the store, the commit of the index, and its contents."""
    store, workspace = choose_store(settings), current_workspace(settings)
    place = "Cloudflare" if store.is_cloud else "this machine"
    yield Finding("store", f"{place} ({store.reason or 'the default'})")
    if not has_index(workspace, settings):
        yield Finding("index", "there is none yet", f"Create it: {creation_command(settings)}")
        return
    if missing := missing_migration(workspace, settings):
        message = f"{index_file(workspace.base, settings)} has an older schema, without {missing}"
        yield Finding("index", message, "Any other command updates it: feeder sync")
        return
    # the models have checks of their own
    words_only = replace(settings, vectors=False, describe=None)
    with open_session(workspace, words_only, writes=False, create=False) as session:
        if damage := _damage(session):
            file = index_file(workspace.base, settings)
            remedy = f"Delete {file}, then run: feeder sync"
            yield Finding("index", f"{file} is damaged: {damage}", remedy, stops=True)
            return
        content = statistics(session.index.database, session.workspace.repo)
        yield from _index_findings(session, content)


def _damage(session: Session) -> str:
    """The first thing that is wrong with the pages of a local index; empty if nothing is."""
    if not isinstance(session.index.database, SQLite):
        return ""
    [result] = read_texts(session.index.database, Statement("PRAGMA quick_check(1)"))
    return "" if result == "ok" else result.splitlines()[-1]


def missing_migration(workspace: Workspace, settings: Settings) -> str:
    """Returns the first migration that a local index lacks; other commands would apply it."""
    if choose_store(settings).is_cloud or not has_index(workspace, settings):
        return ""
    with closing(SQLite(index_file(workspace.base, settings))) as database:
        missing = missing_migrations(database)
    return missing[0].name if missing else ""


def _index_findings(session: Session, content: Statistics) -> Iterator[Finding]:
    workspace = session.workspace
    meta = session.index.read_state_of([]).meta
    if session.index.meta_key("run") not in meta:
        yield Finding("index", f"it has no repository '{workspace.repo}'", "Add it: feeder sync")
        return
    status = read_index_status(workspace.base, workspace.repo, meta)
    is_current = not status.unfinished and not status.partial and status.equals == status.head
    files = f"{count_of(content.files.get('clean', 0), 'file')} indexed one by one."
    message = f"{_index_location(session)}. {status.note or files}"
    yield Finding("index", message, "" if is_current else "feeder sync")
    yield _content_finding(content)
    yield from _side_table_findings(session, content)


def _content_finding(content: Statistics) -> Finding:
    """Counts nodes and files; files without vectors are found by their words meanwhile."""
    indexed, pending, skipped = (
        content.files.get(state, 0) for state in ("clean", "pending", "skipped")
    )
    files = indexed + pending
    nodes = sum(content.node_types.values())
    message = f"{count_of(nodes, 'node')} in {count_of(files, 'file')}"
    message += f", {pending:,} of them without vectors" if pending else ", all up to date"
    message += f"; {skipped:,} skipped" if skipped else ""
    remedy = "The next run adds the missing vectors: feeder sync" if pending else ""
    return Finding("contents", message, remedy)


def _side_table_findings(session: Session, content: Statistics) -> Iterator[Finding]:
    """Reports the models of the vectors, lines that no grammar knows, documents, stored source and
    descriptions.
    """
    yield Finding("vectors", " and ".join(content.models) or "none, words only")
    if files := content.unparsed["files"]:
        yield Finding("unparsed", unparsed_text(files, content.unparsed["lines"]))
    yield from _document_findings(session, content)
    if rows := content.texts["rows"]:
        size = f"{size_of(content.texts['bytes'])} compressed"
        yield Finding("stored source", f"{rows:,} rows, {size}")
    if content.descriptions:
        yield _description_finding(session, content)


def _document_findings(session: Session, content: Statistics) -> Iterator[Finding]:
    """Reports skipped documents; a run refuses to remove what another installation has read."""
    remedy = f"Install the readers, then feeder sync: {install_steps('documents')}"
    if skipped := content.skipped.get(NOT_INSTALLED):
        yield Finding("documents", f"{skipped:,} skipped", remedy)
    if not extractor_versions() and includes_documents(content.meta.get("parser", "")):
        paths = files_below(session.index.database, session.workspace.repo, "")
        documents = [path for path in paths if file_types.document_extension(path)]
        message = f"the index has {len(documents):,}; this installation cannot read any"
        yield Finding("documents", message, remedy, stops=bool(documents))


def _description_finding(session: Session, content: Statistics) -> Finding:
    """Counts described nodes by model, and those without a description."""
    statement = undescribed_count_statement(session.workspace.repo, None)
    waiting = read_number(session.index.database, statement)
    message = ", ".join(
        f"{nodes:,} nodes by {model}" for model, nodes in content.descriptions.items()
    )
    remedy = f"Describe {waiting:,} more: feeder sync --describe MODEL" if waiting else ""
    return Finding("descriptions", message, remedy)


def _index_location(session: Session) -> str:
    file = session.backend.file
    return f"{file}, {size_of(_file_bytes(file))}" if file else session.backend.label


def _file_bytes(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
