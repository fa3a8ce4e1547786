"""What is in a file now, and what was indexed? The working tree has it, else git."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.parse.decoding import NotTextError, decode_text
from feeder.parse.extract import extractor_versions
from feeder.source import file_types, git
from feeder.source.blobs import read_available_blobs
from feeder.source.paths import path_in, regular_file_in, regular_files_in, unescape_path

HASH_BY_LENGTH = {40: "sha1", 64: "sha256"}
"""Which one git names contents by, from the digits of a name."""


class FileContent(NamedTuple):
    """A file's contents, None where there is no such file or it cannot be read.

    `commit` is the commit that they are from, where they do not lie in the working tree.
    """

    content: bytes | None = None
    commit: str | None = None

    def has_blob_id(self, blob: str) -> bool:
        """Whether git calls these contents so."""
        if self.content is None or len(blob) not in HASH_BY_LENGTH:
            return False
        return git.blob_id(self.content, HASH_BY_LENGTH[len(blob)]) == blob


def current_files(base: Path, paths: Iterable[str]) -> dict[str, FileContent]:
    """Files by path; git is asked at once for all those that are not there."""
    wanted = list(dict.fromkeys(paths))
    files = regular_files_in(base, wanted)
    now = {
        path: FileContent(_read_bytes(files[path]) if path in files else None) for path in wanted
    }
    absent = [path for path in wanted if path not in files and _is_absent(base, path)]
    return now | _read_at_head(base, absent)


def read_blobs(
    base: Path, blobs: Sequence[str], other_repositories: Iterable[Path] = ()
) -> dict[str, bytes]:
    """What git has under these names, as far as it is here, or in a repository `beside`."""
    known = [blob for blob in dict.fromkeys(blobs) if len(blob) in HASH_BY_LENGTH]
    if not known or git.find_root(base) is None:
        return {}
    found: dict[str, bytes] = {}
    for repository in (base, *other_repositories):
        wanted = [blob for blob in known if blob not in found]
        texts = zip(wanted, read_available_blobs(repository, wanted), strict=True)
        found |= {blob: text for blob, text in texts if text is not None}
    return found


def file_size(base: Path, path: str) -> int:
    """How large the file is that lies there; 0 where there is none."""
    file = regular_file_in(base, path)
    try:
        return file.stat().st_size if file else 0
    except OSError:
        return 0


def indexed_content(base: Path, path: str, blob: str) -> bytes | None:
    """A file's contents where git calls them `blob`, as what was indexed; None for any others.

    Git is asked for those of a file that is not there.
    """
    if _is_absent(base, path):
        return read_blobs(base, [blob]).get(blob)
    file = regular_file_in(base, path)
    now = FileContent(_read_bytes(file) if file else None)
    return now.content if now.has_blob_id(blob) else None


def indexed_lines(
    base: Path, blobs: Mapping[str, str], *, other_repositories: Iterable[Path] = ()
) -> dict[str, list[str] | None]:
    """The lines of files, by path with git's name of what was indexed, as they were then.

    None where they are nowhere any more, neither in git nor in a repository `beside`.
    """
    now = current_files(base, blobs)
    same = {path: file.content for path, file in now.items() if file.has_blob_id(blobs[path])}
    others = read_blobs(
        base, [blob for path, blob in blobs.items() if path not in same], other_repositories
    )
    return {
        path: decode_lines(path, same.get(path, others.get(blob))) for path, blob in blobs.items()
    }


def decode_lines(path: str, content: bytes | None) -> list[str] | None:
    """The lines as they were when they were indexed; None for what is no text.

    Those of a document are of the text that is taken out of it.
    """
    text = None if content is None else indexed_text(path, content)
    return None if text is None else text.split("\n")


def indexed_text(path: str, content: bytes) -> str | None:
    """The text as it was indexed; None for what is none."""
    if file_types.document_extension(path):
        from feeder.search.extracted import document_text

        return document_text(path, content)
    try:
        return decode_text(content).decode("utf-8", "replace")
    except NotTextError:
        return None


def is_unreadable_document(path: str) -> bool:
    """Whether it is a document, and nothing is installed that takes its text out."""
    return bool(file_types.document_extension(path)) and not extractor_versions()


def _is_absent(base: Path, path: str) -> bool:
    """Whether nothing lies there; what lies in a file's place says nothing of the file."""
    try:
        return not os.path.lexists(path_in(base, path))
    except ValueError:
        return False


def _read_bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def _read_at_head(base: Path, paths: Sequence[str]) -> dict[str, FileContent]:
    commit = git.head_commit_or_none(base) if paths else None
    return dict(_read_at_commit(base, commit, paths)) if commit else {}


def _read_at_commit(
    base: Path, commit: str, paths: Sequence[str]
) -> Iterator[tuple[str, FileContent]]:
    names = {unescape_path(path): path for path in paths}
    for name, content in git.read_files(base, commit, list(names)).items():
        yield names[name], FileContent(content, commit)
