"""Pulls the published index that is nearest to HEAD."""

from __future__ import annotations

import hashlib
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from feeder.config import Settings
from feeder.errors import ServiceError, UserError
from feeder.escaping import size_of
from feeder.share.manifest import LATEST, MAX_JSON_BYTES, Entry, Manifest, Pack
from feeder.share.packs import decode_pack
from feeder.share.publish import read_listing, read_manifest, read_whole
from feeder.share.stores import Source, Versioned
from feeder.share.untrusted import check_index
from feeder.source import git
from feeder.store.index_copy import place_index
from feeder.store.migrations import known_migrations
from feeder.sync.parser_identity import ParserIdentity

MAX_TRIES = 3
"""Tries to pull while others publish."""
_THREADS = 8


class Pulled(NamedTuple):
    """A pulled index; `differing_files` from HEAD is None if its commit is not in this clone."""

    repo: str
    commit: str
    differing_files: int | None
    downloaded_bytes: int
    index_bytes: int

    def __str__(self) -> str:
        size = size_of(self.downloaded_bytes)
        start = f"Pulled the index of commit {self.commit[:7]} ({size})"
        if self.differing_files is None:
            return f"{start}. Files that differ are indexed now."
        files = "file differs" if self.differing_files == 1 else "files differ"
        return f"{start}: {self.differing_files} {files} from HEAD."


def pull(
    source: Source,
    repository: Path,
    target: Path,
    settings: Settings,
    verify: Callable[[bytes], None] = lambda _: None,
) -> Pulled | None:
    """Makes the missing index `target` from the published one that is nearest to HEAD.

    `verify` is called with its manifest, and raises an error if it does not accept that.

    Returns None if another process has made it meanwhile. Raises ServiceError if no published index
    can be used, is what its manifest says, or is safe to open.
    """
    found = source.read(LATEST, MAX_JSON_BYTES)
    for _ in range(MAX_TRIES - 1):
        try:
            return _pull_listed(source, found, repository, target, settings, verify=verify)
        except ServiceError:
            # a publish may have deleted what was being read
            before, found = found, source.read(LATEST, MAX_JSON_BYTES)
            if found == before:
                raise
    return _pull_listed(source, found, repository, target, settings, verify=verify)


def _pull_listed(  # noqa: PLR0913 - a source and its list, and what `pull` has
    source: Source,
    found: Versioned | None,
    repository: Path,
    target: Path,
    settings: Settings,
    *,
    verify: Callable[[bytes], None],
) -> Pulled | None:
    """As `pull`, from one state of the list of published indexes."""
    entry, differing = _nearest(_usable(read_listing(found), settings), repository)
    manifest = read_manifest(source, entry, verify)
    free = shutil.disk_usage(target.parent).free
    if free < manifest.index_bytes:
        raise ServiceError(f"It needs {manifest.index_bytes / 1e6:,.0f} MB of disk space.")

    def download(file: Path) -> None:
        _download(source, manifest, file)
        check_index(file, entry.repo)

    if not place_index(target, download):
        return None
    return Pulled(
        entry.repo, entry.commit, differing, manifest.download_bytes, manifest.index_bytes
    )


def _usable(entries: list[Entry], settings: Settings) -> list[Entry]:
    """The indexes that cost less to bring up to date than to make: those of the same parser.

    With another parser every file is read again. Raises ServiceError if there is none.
    """
    from feeder.parse.grammar_files import load_grammars
    from feeder.parse.worker_pool import code_fingerprint

    if not entries:
        raise ServiceError("Nothing is published there.")
    schema = known_migrations()[-1].name
    own = code_fingerprint(load_grammars(settings.grammar), mask_secrets=settings.mask_secrets)
    usable = [
        entry
        for entry in entries
        if entry.schema == schema and ParserIdentity.from_fingerprint(entry.parser).common == own
    ]
    if not usable:
        raise ServiceError(
            "It was made by another version of feeder or of a grammar, or with other options."
        )
    return usable


def _nearest(entries: list[Entry], repository: Path) -> tuple[Entry, int | None]:
    """The entry whose commit differs from HEAD in the fewest files, and their number.

    Ancestors of HEAD come before other commits, and those before commits that this clone lacks, as
    a shallow one does.
    """
    head = git.head_commit_or_none(repository)
    if head is None:
        raise UserError(f"{repository} has no commit.", "Commit something first.")
    same = next((entry for entry in entries if entry.commit == head), None)
    if same:
        return same, 0

    def distance(entry: Entry) -> tuple[bool, bool, int]:
        count = differing[entry.commit]
        is_ancestor = count is not None and git.is_ancestor(repository, entry.commit, head)
        return count is None, not is_ancestor, count or 0

    differing = {
        entry.commit: git.count_differing_files(repository, entry.commit, head) for entry in entries
    }
    nearest = min(entries, key=distance)
    return nearest, differing[nearest.commit]


def _download(source: Source, manifest: Manifest, file: Path) -> None:
    """Writes the index's file; raises ServiceError unless it is what the manifest says."""
    size = manifest.page_size
    written = bytearray(manifest.pages)

    def read(pack: Pack) -> list[tuple[int, memoryview]]:
        return list(decode_pack(pack, read_whole(source, pack.name, pack.size), size))

    with file.open("r+b") as opened:
        opened.truncate(manifest.index_bytes)
        for pages in _read_ahead(read, manifest.packs):
            for first, content in pages:
                # a pack may have pages of a longer index
                count = min(len(content) // size, max(manifest.pages - first, 0))
                if count:
                    opened.seek(first * size)
                    opened.write(content[: count * size])
                    written[first : first + count] = b"\1" * count
        if not all(written):
            raise ServiceError("Its packs lack pages.")
        opened.seek(0)
        if hashlib.file_digest(opened, "sha256").hexdigest() != manifest.digest:
            raise ServiceError("Its packs do not belong to the index that its manifest describes.")


def _read_ahead(
    read: Callable[[Pack], list[tuple[int, memoryview]]], packs: list[Pack]
) -> Iterator[list[tuple[int, memoryview]]]:
    """Yields the contents of each pack; a few are read and unpacked ahead at the same time."""
    waiting: deque[Future[list[tuple[int, memoryview]]]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            for pack in packs:
                waiting.append(pool.submit(read, pack))
                if len(waiting) >= _THREADS:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
