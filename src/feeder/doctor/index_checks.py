"""Checks the index: disk space, store, freshness, contents. Only reads."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from feeder.cloudflare.credentials import choose_store
from feeder.config import Settings
from feeder.doctor import Finding
from feeder.parse.extract import NOT_INSTALLED, extractor_versions, includes_documents
from feeder.search.index_status import read_index_status
from feeder.session.backends import index_file
from feeder.session.session import Session, open_session
from feeder.session.workspace import Workspace, current_workspace, has_index
from feeder.source import file_types
from feeder.store.inventory import Statistics, files_below, statistics
from feeder.store.migrations import missing_migrations
from feeder.store.sqlite import SQLite
from feeder.store.stored_descriptions import undescribed_count_statement

CREATE_HINT = "Make it: feeder sync (outside git: feeder process --path .)"
MIN_FREE_BYTES = 100_000_000
"""Bytes on the disk of an index: of a middle-sized repository it takes as much."""


def check_disk(settings: Settings) -> Iterator[Finding]:
    """Whether an index on this machine can be written."""
    if choose_store(settings).is_cloud:
        return
    file = index_file(current_workspace(settings).base, settings)
    there = next(path for path in (file, *file.parents) if path.exists())
    # SQLite writes beside the file too
    for place in (there, there if there.is_dir() else there.parent):
        if not os.access(place, os.W_OK):
            remedy = "Give yourself the right to write there, or name another place: --db FILE."
            yield Finding("disk", f"{place} cannot be written", remedy, stops=True)
            return
    free = shutil.disk_usage(there if there.is_dir() else there.parent).free
    is_low = free < max(MIN_FREE_BYTES, 2 * _file_bytes(file))
    remedy = "Make room, or name a place on another disk: --db FILE." if is_low else ""
    yield Finding("disk", f"{free / 1e9:,.1f} GB free at {there}", remedy, is_low)


def check_index(settings: Settings) -> Iterator[Finding]:
    """Which store it is, what the index equals, and what it lacks."""
    chosen, place = choose_store(settings), current_workspace(settings)
    where = "Cloudflare" if chosen.is_cloud else "this machine"
    yield Finding("store", f"{where} ({chosen.reason})")
    if not has_index(place, settings):
        yield Finding("index", "there is none yet", CREATE_HINT)
        return
    if missing := missing_migration(place, settings):
        says = f"{index_file(place.base, settings)} is of an older version, without {missing}"
        yield Finding("index", says, "Any other command brings it up to date: feeder sync")
        return
    words = replace(settings, vectors=False, describe=None)  # the models have checks of their own
    with open_session(place, words, writes=False, create=False) as store:
        facts = statistics(store.index.database, store.workspace.repo)
        yield from _index_findings(store, facts)


def missing_migration(workspace: Workspace, settings: Settings) -> str:
    """The first migration that an index on this machine lacks, with which others would open it."""
    if choose_store(settings).is_cloud or not has_index(workspace, settings):
        return ""
    with closing(SQLite(index_file(workspace.base, settings))) as database:
        missing = missing_migrations(database)
    return missing[0].name if missing else ""


def _index_findings(session: Session, facts: Statistics) -> Iterator[Finding]:
    place = session.workspace
    meta = session.index.read_state_of([]).meta
    if session.index.meta_key("run") not in meta:
        yield Finding("index", f"it has nothing of {place.repo}", "Feed it: feeder sync")
        return
    age = read_index_status(place.base, place.repo, meta)
    is_now = not age.unfinished and not age.partial and age.equals == age.head
    equals = age.note or f"It is of {facts.files.get('clean', 0):,} files as they were given."
    yield Finding("index", f"{_index_location(session)}. {equals}", "" if is_now else "feeder sync")
    yield _contents(facts)
    yield from _side_table_findings(session, facts)


def _contents(facts: Statistics) -> Finding:
    """Files that wait for their vectors are found by their words meanwhile."""
    files = ", ".join(f"{count:,} {state}" for state, count in facts.files.items())
    pending = facts.files.get("pending", 0)
    remedy = "The next run makes the vectors that lack: feeder sync" if pending else ""
    nodes = sum(facts.node_types.values())
    return Finding("holds", f"{nodes:,} nodes of {files or 'no files'}", remedy)


def _side_table_findings(session: Session, facts: Statistics) -> Iterator[Finding]:
    """Whose vectors it has, and what it keeps besides: texts of files, lines on methods."""
    yield Finding("vectors", " and ".join(facts.models) or "none, words only")
    yield from _document_findings(session, facts)
    if rows := facts.texts["rows"]:
        yield Finding("texts", f"{rows:,} rows, {facts.texts['bytes'] / 1e6:,.1f} MB compressed")
    if facts.descriptions:
        yield _description_finding(session, facts)


def _document_findings(session: Session, facts: Statistics) -> Iterator[Finding]:
    """Those that are kept out; a run refuses to take out what another installation has read."""
    remedy = "Install what reads them, then feeder sync: pip install 'headfeed[documents]'"
    if kept_out := facts.skipped.get(NOT_INSTALLED):
        yield Finding("documents", f"{kept_out:,} kept out", remedy)
    if not extractor_versions() and includes_documents(facts.meta.get("parser", "")):
        paths = files_below(session.index.database, session.workspace.repo, "")
        held = [path for path in paths if file_types.document_extension(path)]
        says = f"the index has {len(held):,}; here none can be read, and a run that meets one ends"
        yield Finding("documents", says, remedy, stops=bool(held))


def _description_finding(session: Session, facts: Statistics) -> Finding:
    """Methods and classes that a model has described, and those that wait for a line."""
    [[row]] = session.index.database.run(
        [undescribed_count_statement(session.workspace.repo, None)]
    )
    waiting = int(str(row[0]))
    says = ", ".join(f"{nodes:,} nodes by {model}" for model, nodes in facts.descriptions.items())
    remedy = f"{waiting:,} wait for a line: feeder sync --describe MODEL" if waiting else ""
    return Finding("descriptions", says, remedy)


def _index_location(session: Session) -> str:
    file = session.backend.file
    return f"{file}, {_file_bytes(file) / 1e6:,.1f} MB" if file else session.backend.label


def _file_bytes(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
