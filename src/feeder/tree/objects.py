"""Where do objects lie that are not the repository's? In repositories of ours that read its own.

Such a repository has no settings, no remote and no working tree; git reads in it what a look at the
working tree has written, and what the repository has. It is left for a new one when it is large.
"""

import os
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from feeder.tree import git
from feeder.tree.command import ask

MAX_BYTES = 64_000_000
"""Of objects on the disk, before a new repository is begun."""
KEPT_S = 3600.0
"""How long an old one stays for whom reads it, after its last use."""

_USED, _FIRST = "used", "first"


def current(place: Path, theirs: git.Layout) -> Path:
    """The repository below `place` that objects are written to, made where there is none."""
    ours = next(iter(repositories(place)), None) or _made(place, theirs)
    _read_from(ours, theirs)
    (ours / _USED).touch()
    return ours


def repositories(place: Path) -> list[Path]:
    """All that are below `place`, the newest first."""
    found = (path for path in place.glob("objects-*") if (path / _USED).exists())
    return sorted(found, reverse=True)


def holding(repositories: Iterable[Path], tree: str) -> Path | None:
    """The one that has a tree; None where none has it any more."""
    return next((ours for ours in repositories if git.has_tree(ours, tree)), None)


def folder_of(ours: Path) -> Path:
    """Where its objects lie."""
    return ours / ".git" / "objects"


def tidy(place: Path, theirs: git.Layout) -> None:
    """Begins a new repository where the current one is large; old and unused ones go."""
    newest, *others = repositories(place)
    size = sum(_sizes(folder_of(newest)))
    first = newest / _FIRST
    if not first.exists():  # a first look may be as large as it has to be
        first.write_text(str(size), "utf-8")
    if size > max(MAX_BYTES, 2 * int(first.read_text("utf-8") or 0)):
        _made(place, theirs)
    for old in others:
        with suppress(OSError):
            if time.time() - (old / _USED).stat().st_mtime > KEPT_S:
                shutil.rmtree(old)


def _made(place: Path, theirs: git.Layout) -> Path:
    """One that nobody sees before it is whole."""
    name = f"objects-{time.time_ns():020}-{secrets.token_hex(4)}"
    making = place / f"making-{name}"
    making.mkdir(mode=0o700, parents=True)
    ask(making, "init", "-q", "--template=", f"--object-format={theirs.object_format}")
    (making / _USED).touch()
    return making.rename(place / name)


def _read_from(ours: Path, theirs: git.Layout) -> None:
    """Lets it read what the repository has, which may have been moved since."""
    quoted = b"".join(b"\\%03o" % byte for byte in os.fsencode(theirs.objects))
    wanted = b'"%b"\n' % quoted
    alternates = folder_of(ours) / "info" / "alternates"
    if not alternates.exists() or alternates.read_bytes() != wanted:
        alternates.parent.mkdir(exist_ok=True)
        beside = alternates.with_name(secrets.token_hex(8))
        beside.write_bytes(wanted)
        beside.replace(alternates)


def _sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*"):
        with suppress(OSError):
            yield path.stat().st_size
