"""Builds repositories of any size from copies of real files, each copy with other words."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path

from source.repos import Repo, raw_commit  # of tests/

File = tuple[bytes, tuple[str, bytes]]
"""A file name, with its mode and content."""


def repository(folder: Path, files: Iterable[File]) -> Path:
    """Creates a repository of these files, without a working tree."""
    repo = Repo(folder)
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    raw_commit(repo.path, dict(files))
    return repo.path


def files_of(corpus: Path) -> list[Path]:
    """Lists the regular files below a folder in order, without translations."""
    return [file for file in sorted(corpus.rglob("*")) if _is_source_file(file, corpus)]


def copies(corpus: Path, files: Sequence[Path]) -> Iterator[File]:
    """Yields copies of these files without end; each copy has its own folder and words."""
    if not files:
        raise SystemExit(f"{corpus} has no files.")
    for number in count(1):
        for file in files:
            name = f"copy{number}/{file.relative_to(corpus)}"
            content = file.read_bytes()
            for word in (b"self", b"class", b"the"):
                content = content.replace(b" " + word + b" ", b" %b%d " % (word, number))
            yield os.fsencode(name), ("100644", content)


def _is_source_file(file: Path, corpus: Path) -> bool:
    parts = file.relative_to(corpus).parts
    return file.is_file() and not file.is_symlink() and not {".git", "locale"} & set(parts)
