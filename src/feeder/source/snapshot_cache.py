"""Stores what a working-tree snapshot leaves for the next one: the copy of git's index, and
private object repositories.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from feeder.atomic_file import replace_file
from feeder.errors import UserError
from feeder.source import git
from feeder.source.git_command import git_output

_COPY_VERSION = 3
"""Incremented when the form or the meaning of a cached copy changes."""

MAX_OBJECT_BYTES = 64_000_000
"""Size of a private repository's objects from which a new one is created."""

UNUSED_RETENTION_S = 3600.0
"""Time after its last use for which an old private repository stays readable."""

_USED_FILE = "used"
"""A file whose modification time is the repository's last use."""
_FIRST_SIZE_FILE = "first"
"""A file with the size of the objects after the first snapshot, in bytes."""

RACY_INDEX_NS = 2_000_000_000
"""Age below which an index may have been written in the same second as files in it."""


class IndexCopy(NamedTuple):
    """The index as the last snapshot left it, and facts about that snapshot.

    `untracked` are the names that git's index does not have, `missing` those that only git's index
    has. `root` is the tree id of the copy. Files as new as `written_ns` may have changed since.
    `failed_filters` has the files whose filter failed, with their stat and the time of the attempt.
    """

    content: bytes
    written_ns: int
    untracked: frozenset[bytes] = frozenset()
    missing: frozenset[bytes] = frozenset()
    root: str = ""
    failed_filters: Mapping[bytes, tuple[str, float]] = MappingProxyType({})
    snapshot_count: int = 0

    def write_to(self, place: Path) -> None:
        """Writes the index to a file with the modification time `written_ns`."""
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


def cache_file_name(git_index: IndexCopy, *inputs: object) -> str:
    """The file name of a copy, from git's index (which ends with its hash) and other inputs."""
    content = git_index.content
    key = _COPY_VERSION, git_index.written_ns, len(content), content[-32:], *inputs
    return f"index-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}"


def load_copy(place: Path) -> IndexCopy | None:
    """The cached copy at a path; None if there is none or it is damaged."""
    try:
        digest, _, rest = place.read_bytes().partition(b"\n")
        if digest != _digest(place, rest):
            return None
        first, _, content = rest.partition(b"\n")
        facts = json.loads(first)
        untracked, missing = (
            frozenset(map(bytes.fromhex, facts[key])) for key in ("untracked", "missing")
        )
        failed = {bytes.fromhex(name): tuple(stat) for name, stat in facts["failed"].items()}
        return IndexCopy(
            content,
            facts["written_ns"],
            untracked,
            missing,
            facts["root"],
            failed,
            facts["snapshots"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save_copy(place: Path, copy: IndexCopy) -> None:
    """Caches a copy atomically, and deletes the other ones."""
    facts = {
        "written_ns": copy.written_ns,
        "untracked": [name.hex() for name in sorted(copy.untracked)],
        "missing": [name.hex() for name in sorted(copy.missing)],
        "root": copy.root,
        "failed": {name.hex(): stat for name, stat in copy.failed_filters.items()},
        "snapshots": copy.snapshot_count,
    }
    rest = json.dumps(facts).encode() + b"\n" + copy.content
    replace_file(place, _digest(place, rest) + b"\n" + rest)
    for other in place.parent.glob("index-*"):
        if other != place:
            other.unlink(missing_ok=True)


def _digest(place: Path, content: bytes) -> bytes:
    """Identifies the content of a copy with this name."""
    return hashlib.sha256(place.name.encode() + content).hexdigest().encode()


def current_repository(cache_folder: Path, layout: git.RepositoryLayout) -> Path:
    """The private repository that objects are written to; created if there is none.

    Raises UserError if nothing can be written to it.
    """
    repositories = private_repositories(cache_folder)
    newest = repositories[0] if repositories else _create_repository(cache_folder, layout)
    if not os.access(newest, os.W_OK):
        remedy = "Change its permissions, or choose another location with --db."
        raise UserError(f"{cache_folder} is not writable.", remedy)
    _set_alternates(newest, layout)
    (newest / _USED_FILE).touch()
    return newest


def private_repositories(cache_folder: Path) -> list[Path]:
    """All private repositories below a folder, the newest first."""
    folders = (path for path in cache_folder.glob("objects-*") if (path / _USED_FILE).exists())
    return sorted(folders, reverse=True)


def discard_repositories(cache_folder: Path) -> bool:
    """Deletes the private repositories below a folder, which are damaged; False if it cannot.

    Snapshots that other processes are reading end with an error, and are taken again.
    """
    import shutil

    repositories = [path for path in private_repositories(cache_folder) if os.access(path, os.W_OK)]
    for repository in repositories:
        (repository / _USED_FILE).unlink(missing_ok=True)
        shutil.rmtree(repository, ignore_errors=True)
    return bool(repositories)


def repository_with_tree(repositories: Iterable[Path], tree: str) -> Path | None:
    """The first repository that has a tree; None if none has it any more."""
    return next((path for path in repositories if git.has_tree(path, tree)), None)


def objects_folder(repository: Path) -> Path:
    """The folder of a private repository's objects."""
    return repository / ".git" / "objects"


def prune_repositories(cache_folder: Path, layout: git.RepositoryLayout) -> None:
    """Creates a new repository if the current one is large; deletes old unused ones."""
    import shutil  # a search, which makes no snapshot, does not need it

    newest, *others = private_repositories(cache_folder)
    size = sum(_file_sizes(objects_folder(newest)))
    first = newest / _FIRST_SIZE_FILE
    if not first.exists():  # the first snapshot's size is no reason to start again
        first.write_text(str(size), "utf-8")
    digits = first.read_text("utf-8", "replace")
    if size > max(MAX_OBJECT_BYTES, 2 * int(digits if digits.isdecimal() else 0)):
        _create_repository(cache_folder, layout)
    for old in others:
        with suppress(OSError):
            if time.time() - (old / _USED_FILE).stat().st_mtime > UNUSED_RETENTION_S:
                shutil.rmtree(old)


def _create_repository(cache_folder: Path, layout: git.RepositoryLayout) -> Path:
    """Creates a private repository under a temporary name, then renames it."""
    name = f"objects-{time.time_ns():020}-{os.urandom(4).hex()}"
    temporary = cache_folder / f"making-{name}"
    temporary.mkdir(mode=0o700, parents=True)
    git_output(temporary, "init", "-q", "--template=", f"--object-format={layout.object_format}")
    (temporary / _USED_FILE).touch()
    return temporary.rename(cache_folder / name)


def _set_alternates(repository: Path, layout: git.RepositoryLayout) -> None:
    """Makes the objects of the user's repository, which may have been moved, readable in it."""
    quoted = b"".join(b"\\%03o" % byte for byte in os.fsencode(layout.objects))
    expected = b'"%b"\n' % quoted
    alternates = objects_folder(repository) / "info" / "alternates"
    if not alternates.exists() or alternates.read_bytes() != expected:
        alternates.parent.mkdir(exist_ok=True)
        replace_file(alternates, expected)


def _file_sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        with suppress(OSError):
            yield path.stat().st_size
