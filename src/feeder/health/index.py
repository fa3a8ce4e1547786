"""Is the index there, whole and of today? It is only read; at Cloudflare that is two requests."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from feeder.assembly.local import index_file
from feeder.assembly.opening import Store, has_index, opened, place_here
from feeder.cloudflare.credentials import choice
from feeder.config import Settings
from feeder.health import Finding
from feeder.search.age import age_of
from feeder.store.reading import Statistics, statistics

LEAST_FREE = 100_000_000
"""Bytes on the disk of an index: of a middle-sized repository it takes as much."""


def room(settings: Settings) -> Iterator[Finding]:
    """Whether an index on this machine can be written."""
    if choice(settings).is_cloud:
        return
    file = index_file(place_here(settings).base, settings)
    there = next(path for path in (file, *file.parents) if path.exists())
    if not os.access(there, os.W_OK):
        remedy = "Give yourself the right to write there, or name another place: --db FILE."
        yield Finding("disk", f"{there} cannot be written", remedy, stops=True)
        return
    free = shutil.disk_usage(there if there.is_dir() else there.parent).free
    is_low = free < max(LEAST_FREE, 2 * _bytes(file))
    remedy = "Make room, or name a place on another disk: --db FILE." if is_low else ""
    yield Finding("disk", f"{free / 1e9:,.1f} GB free at {there}", remedy, is_low)


def index(settings: Settings) -> Iterator[Finding]:
    """Which store it is, what the index equals, and what it lacks."""
    chosen, place = choice(settings), place_here(settings)
    where = "Cloudflare" if chosen.is_cloud else "this machine"
    yield Finding("store", f"{where} ({chosen.why})")
    if not has_index(place, settings):
        yield Finding("index", "there is none yet", "Make it: feeder sync")
        return
    with opened(place, settings, writes=False, create=False) as store:
        facts = statistics(store.index.database, store.place.repo)
        yield from _of(store, facts)


def _of(store: Store, facts: Statistics) -> Iterator[Finding]:
    place = store.place
    meta = store.index.state_of([]).meta
    if store.index.key("run") not in meta:
        yield Finding("index", f"it has nothing of {place.repo}", "Feed it: feeder sync")
        return
    age = age_of(place.base, place.repo, meta)
    is_now = not age.unfinished and not age.partial and age.equals == age.head
    equals = age.note or f"of {facts.files.get('clean', 0):,} files as they were given"
    yield Finding("index", f"{equals}{_size(store)}", "" if is_now else "feeder sync")
    yield _counts(facts)
    yield from _models(store, facts, meta)


def _counts(facts: Statistics) -> Finding:
    """Files that wait for their vectors are found by their words meanwhile."""
    files = ", ".join(f"{count:,} {state}" for state, count in facts.files.items())
    pending = facts.files.get("pending", 0)
    remedy = "The next run makes the vectors that lack: feeder sync" if pending else ""
    nodes = sum(facts.node_types.values())
    return Finding("holds", f"{nodes:,} nodes of {files or 'no files'}", remedy)


def _models(store: Store, facts: Statistics, meta: Mapping[str, str]) -> Iterator[Finding]:
    """Those of the index, and whether the one that would be asked now is one of them."""
    asked = store.semantics.embedder.model if store.semantics else ""
    own = meta.get("model", "")
    is_other = bool(asked and own and asked != own)
    remedy = f"Name it: --model as {own}, or make its vectors anew by {asked}: feeder sync"
    says = " and ".join(facts.models) or "none, words only"
    yield Finding("models", says, remedy if is_other else "")


def _size(store: Store) -> str:
    file = store.parts.file
    return f" {file}, {_bytes(file) / 1e6:,.1f} MB." if file else f" {store.parts.place}."


def _bytes(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
