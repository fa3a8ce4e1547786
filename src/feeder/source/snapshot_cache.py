"""Stores what a working-tree snapshot leaves for the next one: the copy of git's index, and
private object repositories.
"""

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from feeder.source import git
from feeder.source.git_command import git_output

_COPY_VERSION = 1
"""Raised when a copy is to be read or made otherwise than before."""

RACY_INDEX_NS = 2_000_000_000
"""An index that was written so lately may be of the second in which files were written."""


class IndexCopy(NamedTuple):
    """An index as the last look left it, and what that look knew.

    `untracked` are the names that git's own index has not, `missing` those that it alone has.
    `root` is the tree that the copy is. Files as new as `written_ns` are in doubt, as git has it.
    `failed` has the files at which a filter has failed, with their stat and when it was tried.
    """

    content: bytes
    written_ns: int
    untracked: frozenset[bytes] = frozenset()
    missing: frozenset[bytes] = frozenset()
    root: str = ""
    failed_filters: Mapping[bytes, tuple[str, float]] = MappingProxyType({})
    snapshot_count: int = 0

    def write_to(self, place: Path) -> None:
        """Writes the index, as old as it says that it is."""
        if self.written_ns:
            place.write_bytes(self.content)
            os.utime(place, ns=(self.written_ns, self.written_ns))


def read_git_index(place: Path) -> IndexCopy:
    """git's index as it is now; an empty one before the first file was added."""
    try:
        with place.open("rb") as file:
            return IndexCopy(file.read(), os.fstat(file.fileno()).st_mtime_ns)
    except FileNotFoundError:
        return IndexCopy(b"", 0)


def cache_file_name(own: IndexCopy, *more: object) -> str:
    """What a copy is called that was made from git's own index, and of `more`.

    git's hash of an index is at its end.
    """
    said = _COPY_VERSION, own.written_ns, len(own.content), own.content[-32:], *more
    return f"index-{hashlib.sha256(repr(said).encode()).hexdigest()[:32]}"


def load_copy(place: Path) -> IndexCopy | None:
    """The copy that a look has left at a place; None where there is none, or of no use."""
    try:
        first, _, content = place.read_bytes().partition(b"\n")
        facts = json.loads(first)
        untracked, missing = (
            frozenset(map(bytes.fromhex, facts[key])) for key in ("untracked", "missing")
        )
        failed = {bytes.fromhex(name): tuple(was) for name, was in facts["failed"].items()}
        rest = facts["written_ns"], untracked, missing, facts["root"], failed, facts["looks"]
        return IndexCopy(content, *rest)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save_copy(place: Path, copy: IndexCopy) -> None:
    """Leaves a copy for the next look; whoever reads there sees it whole or another one."""
    facts = {
        "written_ns": copy.written_ns,
        "untracked": [name.hex() for name in sorted(copy.untracked)],
        "missing": [name.hex() for name in sorted(copy.missing)],
        "root": copy.root,
        "failed": {name.hex(): was for name, was in copy.failed_filters.items()},
        "looks": copy.snapshot_count,
    }
    beside = place.with_name(f"making-{secrets.token_hex(8)}")
    beside.write_bytes(json.dumps(facts).encode() + b"\n" + copy.content)
    beside.replace(place)
    for other in place.parent.glob("index-*"):
        if other != place:
            other.unlink(missing_ok=True)


MAX_OBJECT_BYTES = 64_000_000
"""Of objects on the disk, before a new repository is begun."""

UNUSED_RETENTION_S = 3600.0
"""How long an old one stays for whom reads it, after its last use."""


_USED_FILE, _FIRST_SIZE_FILE = "used", "first"


def current_repository(cache_folder: Path, layout: git.RepositoryLayout) -> Path:
    """The repository below `place` that objects are written to, made where there is none."""
    ours = next(iter(private_repositories(cache_folder)), None) or _create_repository(
        cache_folder, layout
    )
    _set_alternates(ours, layout)
    (ours / _USED_FILE).touch()
    return ours


def private_repositories(cache_folder: Path) -> list[Path]:
    """All that are below `place`, the newest first."""
    found = (path for path in cache_folder.glob("objects-*") if (path / _USED_FILE).exists())
    return sorted(found, reverse=True)


def repository_with_tree(repositories: Iterable[Path], tree: str) -> Path | None:
    """The one that has a tree; None where none has it any more."""
    return next((ours for ours in repositories if git.has_tree(ours, tree)), None)


def objects_folder(repository: Path) -> Path:
    """Where its objects lie."""
    return repository / ".git" / "objects"


def prune_repositories(cache_folder: Path, layout: git.RepositoryLayout) -> None:
    """Begins a new repository where the current one is large; old and unused ones go."""
    newest, *others = private_repositories(cache_folder)
    size = sum(_file_sizes(objects_folder(newest)))
    first = newest / _FIRST_SIZE_FILE
    if not first.exists():  # a first look may be as large as it has to be
        first.write_text(str(size), "utf-8")
    if size > max(MAX_OBJECT_BYTES, 2 * int(first.read_text("utf-8") or 0)):
        _create_repository(cache_folder, layout)
    for old in others:
        with suppress(OSError):
            if time.time() - (old / _USED_FILE).stat().st_mtime > UNUSED_RETENTION_S:
                shutil.rmtree(old)


def _create_repository(cache_folder: Path, layout: git.RepositoryLayout) -> Path:
    """One that nobody sees before it is whole."""
    name = f"objects-{time.time_ns():020}-{secrets.token_hex(4)}"
    making = cache_folder / f"making-{name}"
    making.mkdir(mode=0o700, parents=True)
    git_output(making, "init", "-q", "--template=", f"--object-format={layout.object_format}")
    (making / _USED_FILE).touch()
    return making.rename(cache_folder / name)


def _set_alternates(repository: Path, layout: git.RepositoryLayout) -> None:
    """Lets it read what the repository has, which may have been moved since."""
    quoted = b"".join(b"\\%03o" % byte for byte in os.fsencode(layout.objects))
    wanted = b'"%b"\n' % quoted
    alternates = objects_folder(repository) / "info" / "alternates"
    if not alternates.exists() or alternates.read_bytes() != wanted:
        alternates.parent.mkdir(exist_ok=True)
        beside = alternates.with_name(secrets.token_hex(8))
        beside.write_bytes(wanted)
        beside.replace(alternates)


def _file_sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        with suppress(OSError):
            yield path.stat().st_size
