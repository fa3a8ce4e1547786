"""Publishes the index on this machine to a store."""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from feeder import __version__
from feeder.errors import FeederError, ServiceError, UserError
from feeder.escaping import count_of, size_of
from feeder.private_files import temporary_folder
from feeder.share.manifest import (
    LATEST,
    MAX_FILE_BYTES,
    MAX_JSON_BYTES,
    Entry,
    Listing,
    Manifest,
    Pack,
    decode,
    decode_manifest,
    encode,
    manifest_name,
    page_table_name,
    sha256,
)
from feeder.share.packs import PageTable, encode_pack, page_digests, plan_packs
from feeder.share.stores import Source, Target, Versioned
from feeder.source import git
from feeder.store import Statement
from feeder.store.index_copy import copy_index
from feeder.store.migrations import known_migrations
from feeder.store.recorded_meta import read_meta
from feeder.store.sqlite import SQLite

MAX_TRIES = 5
GRACE_S = 3600.0
"""Age before an unused file is deleted: a publish that has not finished may need it."""
_THREADS = 4
# ?1 the repository
_DELETE_OWN_RECORDS = """
DELETE FROM meta WHERE key IN (?1 || ':options', ?1 || ':named')
OR substr(key, 1, length(?1) + 6) = ?1 || ':cost:'
"""
_NO_DIGEST = "0" * 64


class Publication(NamedTuple):
    """The result of a publish; sizes in bytes."""

    repo: str
    commit: str
    index_bytes: int
    download_bytes: int
    """Compressed size of the index."""
    uploaded_bytes: int
    uploaded_files: int
    commits: int
    """Published commits in the store, this one included."""
    manifest: str
    """SHA-256 of the manifest."""
    is_new: bool = True
    """False if the store already had this commit, indexed in the same way."""

    def lines(self) -> list[str]:
        """Describes it for people."""
        if not self.is_new:
            return [f"{self.commit[:7]} is already published."]
        sizes = f"{size_of(self.index_bytes)}, {size_of(self.download_bytes)} compressed"
        return [
            f"Published {self.repo} at {self.commit[:7]}: {sizes}.",
            f"Uploaded {size_of(self.uploaded_bytes)} in {count_of(self.uploaded_files, 'file')}.",
        ]


def publish(index: Path, repository: Path, target: Target, keep: int) -> Publication:
    """Publishes an index as it is, and keeps the newest `keep` commits of the store.

    Raises UserError for an index that is not of one commit, and ServiceError if the target fails or
    other publishes come in between again and again.
    """
    entry = _entry_of(index, repository)
    with temporary_folder() as folder:
        copy = folder / "index.db"
        copy_index(index, copy, entry.repo)
        delete_own_records(copy, entry.repo)
        clear_free_pages(copy)
        with copy.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
            for _ in range(MAX_TRIES):
                with memoryview(pages) as view:
                    done = _Publish(view, entry, target, keep).run()
                if done:
                    return done
    raise ServiceError(
        "Other publishes kept replacing the list of commits.", "Run feeder publish again later."
    )


def _entry_of(index: Path, repository: Path) -> Entry:
    """What the index says that it is of; raises UserError if that is not one whole commit."""
    meta = read_meta(index)
    repos = [key.removesuffix(":run") for key in meta if key.endswith(":run")]
    if len(repos) != 1:
        raise UserError(
            f"{index} has {len(repos)} repositories.", "Publish an index of one repository."
        )
    [repo] = repos
    of = {key.removeprefix(f"{repo}:"): value for key, value in meta.items()}
    is_whole = of.get("tree") and of.get("done") == of.get("run") and not of.get("below")
    if not is_whole or of.get("working"):
        raise UserError(
            f"Only an index of a complete commit can be published, which {index} is not.",
            "Run first: feeder sync",
        )
    return Entry(
        commit=of.get("head", ""),
        tree=of["tree"],
        repo=repo,
        committed_s=git.commit_time(repository, of.get("head", "")),
        schema=known_migrations()[-1].name,
        parser=of.get("parser", ""),
        model=meta.get("model", ""),
        manifest=_NO_DIGEST,
    )


class _Publish:
    """One try to publish a copy of an index."""

    def __init__(self, index: memoryview, entry: Entry, target: Target, keep: int) -> None:
        self._index = index
        self._entry = entry
        self._target = target
        self._keep = keep
        self._page_size = _page_size(index)
        self._uploaded: list[int] = []

    def run(self) -> Publication | None:
        """Returns None if another publish came in between."""
        found = self._target.read(LATEST, MAX_JSON_BYTES)
        entries = read_listing(found)
        names = self._target.names()
        same = next((entry for entry in entries if entry.is_same_index(self._entry)), None)
        if same:
            with suppress(FeederError):  # damaged: published again
                manifest = read_manifest(self._target, same)
                if {pack.name for pack in manifest.packs} <= names.keys():
                    return self._publication(manifest, same.manifest, len(entries), is_new=False)
        manifest = self._upload(self._previous(entries), set(names))
        data = encode(manifest)
        entry = replace(self._entry, manifest=sha256(data))
        self._write(manifest_name(entry.manifest), data)
        listed = merge_entries(entries, entry, self._keep)
        version = found.version if found else None
        if not self._target.replace(LATEST, encode(Listing(entries=listed)), version):
            return None
        delete_unused(self._target, listed, names)
        return self._publication(manifest, entry.manifest, len(listed))

    def _publication(
        self, manifest: Manifest, digest: str, commits: int, *, is_new: bool = True
    ) -> Publication:
        return Publication(
            self._entry.repo,
            self._entry.commit,
            manifest.index_bytes,
            manifest.download_bytes,
            sum(self._uploaded),
            len(self._uploaded),
            commits,
            digest,
            is_new,
        )

    def _previous(self, entries: list[Entry]) -> tuple[Manifest, PageTable] | None:
        """The newest published index that can be read."""
        for entry in entries:
            with suppress(FeederError):
                manifest = read_manifest(self._target, entry)
                table = read_whole(self._target, page_table_name(manifest.page_table))
                return manifest, PageTable.decode(table, manifest.pages)
        return None

    def _upload(self, previous: tuple[Manifest, PageTable] | None, names: set[str]) -> Manifest:
        digests = page_digests(self._index, self._page_size)
        plan = plan_packs(digests, self._page_size, previous, names)

        def upload(pages: list[int]) -> Pack:
            pack, data = encode_pack(self._index, self._page_size, pages)
            self._write(pack.name, data)
            return pack

        with ThreadPoolExecutor(_THREADS) as pool:
            packs = [*plan.kept, *pool.map(upload, plan.new)]
        table = plan.table.encode()
        self._write(page_table_name(sha256(table)), table)
        return Manifest(
            entry=self._entry,
            page_size=self._page_size,
            pages=len(digests),
            digest=sha256(self._index),
            packs=packs,
            page_table=sha256(table),
            feeder=__version__,
        )

    def _write(self, name: str, data: bytes) -> None:
        self._target.write(name, data)
        self._uploaded.append(len(data))


def read_listing(found: Versioned | None) -> list[Entry]:
    """Returns the entries of `latest.json`; empty without one. Raises ServiceError."""
    return decode(found.data, Listing).entries if found else []


def read_manifest(
    source: Source, entry: Entry, verify: Callable[[bytes], None] = lambda _: None
) -> Manifest:
    """Reads the manifest of an entry; raises ServiceError if it is missing or another one.

    Its bytes are given to `verify`, which raises an error if it does not accept them.
    """
    data = read_whole(source, manifest_name(entry.manifest), MAX_JSON_BYTES)
    manifest = decode_manifest(data, entry)
    verify(data)
    return manifest


def read_whole(source: Source, name: str, limit: int = MAX_FILE_BYTES) -> bytes:
    """Reads a file; raises ServiceError if it is missing or larger than `limit` bytes."""
    found = source.read(name, limit)
    if found is None:
        raise ServiceError(f"{name[:14]}… is missing.")
    return found.data


def merge_entries(entries: list[Entry], added: Entry, keep: int) -> list[Entry]:
    """Returns the entries with one more, the newest commits first, at most `keep`.

    Of two publishers, the one that writes last does not have to have the newer commit. The added
    one stays, also if it is older than all others, as after a force push.
    """
    others = [entry for entry in entries if not entry.is_same_index(added)]
    others.sort(key=lambda one: one.committed_s, reverse=True)
    kept = [added, *others[: keep - 1]]
    return sorted(kept, key=lambda one: one.committed_s, reverse=True)


def delete_unused(target: Target, entries: list[Entry], names: Mapping[str, float]) -> None:
    """Deletes files that no manifest names, unless they are new."""
    oldest_s = time.time() - GRACE_S
    own = {manifest_name(entry.manifest) for entry in entries}
    old = {
        name
        for name, changed_s in names.items()
        if changed_s < oldest_s and name[:2] in ("p-", "m-", "t-") and name not in own
    }
    if not old:
        return
    try:
        manifests = [read_manifest(target, entry) for entry in entries]
    except FeederError:  # what it names is not known
        return
    used = {pack.name for manifest in manifests for pack in manifest.packs}
    used |= {page_table_name(manifest.page_table) for manifest in manifests}
    target.delete(sorted(old - used))


def delete_own_records(file: Path, repo: str) -> None:
    """Deletes from `meta` what is not of the commit: options, a given name, and costs of runs."""
    with closing(SQLite(file)) as database:
        database.connection.pragma("secure_delete", True)
        database.run([Statement(_DELETE_OWN_RECORDS, (repo,))])


def clear_free_pages(file: Path) -> None:
    """Overwrites the unused pages of a database with zeros: they have contents of deleted rows."""
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), 0) as data:
        page_size = _page_size(data)
        trunk = int.from_bytes(data[32:36], "big")
        while trunk:
            at = (trunk - 1) * page_size
            trunk, count = (int.from_bytes(data[at + i : at + i + 4], "big") for i in (0, 4))
            end = at + 8 + 4 * count
            for leaf in range(at + 8, end, 4):
                start = (int.from_bytes(data[leaf : leaf + 4], "big") - 1) * page_size
                data[start : start + page_size] = bytes(page_size)
            data[end : at + page_size] = bytes(at + page_size - end)


def _page_size(index: memoryview | mmap.mmap) -> int:
    """The page size in a database's header, where 1 stands for what two bytes cannot say."""
    size = int.from_bytes(index[16:18], "big")
    return 65_536 if size == 1 else size
