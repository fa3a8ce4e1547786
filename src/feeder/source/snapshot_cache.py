"""What did the last look at a working tree leave for the next one? A copy of git's index."""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

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
