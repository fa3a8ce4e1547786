"""Reads file contents and lines, current and as indexed, from the working tree and git.

Extracts the text of documents in an isolated process and caches it in memory and on disk.
"""

import hashlib
import os
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from feeder.atomic_file import replace_file
from feeder.config import default_cache_file
from feeder.parse.decoding import NotTextError, decode_text
from feeder.parse.extract import extractor_versions
from feeder.source import file_types, git, git_files, snapshot_cache
from feeder.source.git_files import read_available_blobs
from feeder.source.paths import path_in, regular_file_in, regular_files_in, unescape_path
from feeder.store import Database
from feeder.store.index_folder import working_tree_folder
from feeder.store.sqlite import SQLite


class Revision(NamedTuple):
    """The commit or tree in `repository` that an index equals; empty for none."""

    repository: Path
    name: str


def snapshot_repositories(database: Database) -> list[Path]:
    """Private repositories of working-tree snapshots beside an index, the newest first."""
    if not isinstance(database, SQLite):
        return []
    return snapshot_cache.private_repositories(working_tree_folder(Path(database.place)))


def indexed_revision(
    base: Path, database: Database, repo: str, meta: Mapping[str, str]
) -> Revision:
    """The revision that the index's `meta` names; empty for a working tree without a snapshot."""
    working = meta.get(f"{repo}:working", "")
    if not working:
        return Revision(base, meta.get(f"{repo}:head", ""))
    holder = snapshot_cache.repository_with_tree(snapshot_repositories(database), working)
    return Revision(holder or base, working if holder else "")


CACHE_FOLDER = "texts"

MAX_CACHE_BYTES = 300_000_000

CACHE_KEEP_SHARE = 0.8
"""The share of the limit that is left after an eviction."""


def read_cached_text(key: str) -> str | None:
    """The cached text under a key of hex digits; None if there is none or it cannot be read."""
    folder = _cache_folder()
    if folder is None:
        return None
    try:
        content = (folder / key).read_bytes()
        digest, text = content[:_DIGEST_BYTES], zlib.decompress(content[_DIGEST_BYTES:])
        if digest != _text_digest(key, text):  # damaged, or the text of another document
            return None
        os.utime(folder / key)
        return text.decode()
    except (OSError, zlib.error, ValueError):  # the text is taken out again
        return None


def cache_text(key: str, text: str) -> None:
    """Writes a text to the disk cache; errors are ignored, since it can be extracted again."""
    if folder := _cache_folder():
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            encoded = text.encode()
            replace_file(folder / key, _text_digest(key, encoded) + zlib.compress(encoded))
            _evict_oldest(folder)


_DIGEST_BYTES = 32


def _text_digest(key: str, text: bytes) -> bytes:
    return hashlib.sha256(key.encode() + text).digest()


def _cache_folder() -> Path | None:
    embedding_cache = default_cache_file()
    return embedding_cache.with_name(CACHE_FOLDER) if embedding_cache else None


def _evict_oldest(folder: Path) -> None:
    files = [(file.stat(), file) for file in folder.iterdir()]
    total_bytes = sum(status.st_size for status, _ in files)
    if total_bytes <= MAX_CACHE_BYTES:
        return
    for status, file in sorted(files, key=lambda one: one[0].st_mtime):
        if total_bytes <= CACHE_KEEP_SHARE * MAX_CACHE_BYTES:
            break
        file.unlink(missing_ok=True)
        total_bytes -= status.st_size


_MAX_IN_MEMORY = 8
"""Documents in memory; the text of one has at most 10 MB."""


_text_by_key: OrderedDict[str, str | None] = OrderedDict()

_lock = Lock()


def document_text(path: str, content: bytes) -> str | None:
    """Extracts the text of a document, or takes it from a cache; None if that is not possible."""
    ending = file_types.document_extension(path)
    made_by = f"{ending} {extractor_versions()} ".encode()
    key = hashlib.sha256(made_by + content).hexdigest()
    with _lock:  # several that ask for one document at once take its text out once
        if key not in _text_by_key:
            _text_by_key[key] = _cached_or_extracted(key, ending, content)
        _text_by_key.move_to_end(key)
        if len(_text_by_key) > _MAX_IN_MEMORY:
            _text_by_key.popitem(last=False)
        return _text_by_key[key]


def _cached_or_extracted(key: str, ending: str, content: bytes) -> str | None:
    text = read_cached_text(key)
    if text is None:
        text = _extract_text(ending, content)
        if text is not None:
            cache_text(key, text)
    return text


def _extract_text(ending: str, content: bytes) -> str | None:
    from feeder.parse.extract.formats import parse_document_text
    from feeder.parse.worker_pool import WorkerPool

    with WorkerPool(count=1, parse_file=parse_document_text) as workers:
        [parsed] = workers.parse([(f"document.{ending}", content)])
    return parsed.nodes[0].text if parsed.nodes else None


HASH_BY_LENGTH = {40: "sha1", 64: "sha256"}
"""Git's hash function by the number of hex digits."""


class FileContent(NamedTuple):
    """A file's contents, None if they cannot be read.

    `commit` is set if they are not from the working tree, where the file may have been deleted.
    """

    content: bytes | None = None
    commit: str | None = None
    is_deleted: bool = False

    def has_blob_id(self, blob: str) -> bool:
        """Returns True if the contents have this blob id."""
        if self.content is None or len(blob) not in HASH_BY_LENGTH:
            return False
        return git.blob_id(self.content, HASH_BY_LENGTH[len(blob)]) == blob


def current_files(base: Path, paths: Iterable[str]) -> dict[str, FileContent]:
    """Reads files by path; those that are missing or may not be read from HEAD, with one request
    to git.
    """
    distinct = list(dict.fromkeys(paths))
    files = regular_files_in(base, distinct)
    now = {
        path: FileContent(_read_bytes(files[path]) if path in files else None) for path in distinct
    }
    unread = [
        path
        for path in distinct
        if now[path].content is None and (path in files or _is_absent(base, path))
    ]
    return now | _read_at_head(base, unread)


def read_blobs(
    base: Path, blobs: Sequence[str], other_repositories: Iterable[Path] = ()
) -> dict[str, bytes]:
    """Contents by blob id, as far as git has them here or in one of `other_repositories`."""
    blob_ids = [blob for blob in dict.fromkeys(blobs) if len(blob) in HASH_BY_LENGTH]
    if not blob_ids or git.find_root(base) is None:
        return {}
    contents: dict[str, bytes] = {}
    for repository in (base, *other_repositories):
        missing = [blob for blob in blob_ids if blob not in contents]
        texts = zip(missing, read_available_blobs(repository, missing), strict=True)
        contents |= {blob: text for blob, text in texts if text is not None}
    return contents


def file_size(base: Path, path: str) -> int:
    """The size of a file in bytes; 0 if there is none."""
    file = regular_file_in(base, path)
    try:
        return file.stat().st_size if file else 0
    except OSError:
        return 0


def indexed_content(base: Path, path: str, blob: str) -> bytes | None:
    """A file's contents if they are the indexed ones, with the blob id `blob`, else None.

    Contents of a missing file are read from git.
    """
    if _is_absent(base, path):
        return read_blobs(base, [blob]).get(blob)
    file = regular_file_in(base, path)
    now = FileContent(_read_bytes(file) if file else None)
    return now.content if now.has_blob_id(blob) else None


def indexed_lines(
    base: Path, blobs: Mapping[str, str], *, other_repositories: Iterable[Path] = ()
) -> dict[str, list[str] | None]:
    """The lines of files as they were indexed, given blob ids by path.

    None for contents that neither the files nor git have any more.
    """
    texts = indexed_texts(base, blobs, other_repositories=other_repositories)
    return {path: None if text is None else text.split("\n") for path, text in texts.items()}


def indexed_texts(
    base: Path, blobs: Mapping[str, str], *, other_repositories: Iterable[Path] = ()
) -> dict[str, str | None]:
    """The same as texts."""
    now = current_files(base, blobs)
    same = {path: file.content for path, file in now.items() if file.has_blob_id(blobs[path])}
    others = read_blobs(
        base, [blob for path, blob in blobs.items() if path not in same], other_repositories
    )
    contents = {path: same.get(path, others.get(blob)) for path, blob in blobs.items()}
    return {
        path: None if content is None else indexed_text(path, content)
        for path, content in contents.items()
    }


def decode_lines(path: str, content: bytes | None) -> list[str] | None:
    """The lines of a file or of a document's text, as they are indexed; None if it is no text."""
    text = None if content is None else indexed_text(path, content)
    return None if text is None else text.split("\n")


def masked_lines(
    path: str, content: bytes | None, *, mask_secrets: bool = True
) -> list[str] | None:
    """The lines of a file with secrets masked; None for a file that is not text."""
    text = None if content is None else indexed_text(path, content)
    if text is None:
        return None
    if mask_secrets:
        from feeder.parse.secrets import mask_text  # imports the scanner

        text = mask_text(path, text.encode()).content.decode()
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def indexed_text(path: str, content: bytes) -> str | None:
    """The text of a file as it is indexed; None if it is no text."""
    if file_types.document_extension(path):
        return document_text(path, content)
    try:
        return decode_text(content).decode("utf-8", "replace")
    except NotTextError:
        return None


def is_unreadable_document(path: str) -> bool:
    """Returns True for a document if no installed package can extract its text."""
    return bool(file_types.document_extension(path)) and not extractor_versions()


def _is_absent(base: Path, path: str) -> bool:
    """Returns True if there is nothing at the path, not even something else than a file."""
    try:
        return not os.path.lexists(path_in(base, path))
    except ValueError:
        return False


def _is_deleted(base: Path, path: str) -> bool:
    """Returns False for a file in a folder that may not be read, which git takes for deleted."""
    try:
        path_in(base, path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass
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
    contents = git_files.read_files(base, commit, list(names))
    has_working_tree = bool(contents) and not git.is_bare(base)
    deleted = git_files.deleted_files(base, list(contents)) if has_working_tree else []
    for name, content in contents.items():
        is_deleted = name in deleted and _is_deleted(base, names[name])
        yield names[name], FileContent(content, commit, is_deleted)
