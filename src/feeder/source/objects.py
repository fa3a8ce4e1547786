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

from feeder.source import git
from feeder.source.git_command import git_output

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
