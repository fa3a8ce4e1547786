"""Finds patterns in files whose lines git does not see as a reader does: they have a byte order
mark, carriage returns or another encoding than UTF-8.

Start with `find_decoded_files`. The list of a repository is cached, and brought up to date with the
files that differ from the revision for which it was made.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from feeder.corpus.file_contents import Revision, cache_text, read_cached_text
from feeder.parse.decoding import (
    NotTextError,
    decode_text,
    has_byte_order_mark,
    other_encoding,
)
from feeder.source import SkipReason, file_types
from feeder.source.git_files import differing_names, read_files
from feeder.source.grep import PatternOptions, Truncation, files_with_non_ascii
from feeder.source.paths import escape_name, regular_files_in, unescape_path

CACHE_VERSION = "1"
"""Raised when the same contents get another entry."""

BATCH = 500
"""Files that are in memory at a time while the list is made."""

_CRLF = "\r\n"
"""In place of an encoding: UTF-8 without a mark, in which every CR is followed by LF."""

_PLAIN_TEXT = re.compile(r"[^\\.^$*+?{}\[\]|()]+")


class DecodedFiles(NamedTuple):
    """The files of a revision to decode, with their encodings; empty for UTF-8 and a marked one.

    Some are missing with a `truncation`.
    """

    revision: Revision
    encodings: Mapping[str, str]
    truncation: Truncation = Truncation.NONE

    def to_search(self, pattern: str, options: PatternOptions) -> list[str]:
        """The paths of the files in which git cannot find the pattern itself.

        In lines that end with CR LF it finds plain text.
        """
        if options.fixed_strings or _PLAIN_TEXT.fullmatch(pattern):
            return [path for path, encoding in self.encodings.items() if encoding != _CRLF]
        return list(self.encodings)

    def read(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The contents of the files as UTF-8 with `\\n` as line end, without those that are no
        text.
        """
        texts = {}
        for path, content in _contents(self.revision, list(paths)):
            encoding = self.encodings[path]
            try:
                texts[path] = decode_text(content, "" if encoding == _CRLF else encoding)
            except NotTextError:
                continue
        return texts


def find_decoded_files(revision: Revision, timeout_s: float) -> DecodedFiles:
    """Lists the files to decode; raises UserError if git fails."""
    key = hashlib.sha256(
        f"lines {CACHE_VERSION} {revision.repository.resolve()}".encode()
    ).hexdigest()
    cached = _read_list(revision, key) if revision.name else None
    if cached and cached.revision == revision:
        return cached
    names = cached and differing_names(revision.repository, cached.revision.name, revision.name)
    if cached and names is not None:
        changed = {escape_name(name) for name in names}
        same = {path: name for path, name in cached.encodings.items() if path not in changed}
        result = DecodedFiles(revision, same | _encodings(revision, sorted(changed)))
    else:
        listed = files_with_non_ascii(revision.repository, revision.name or None, timeout_s)
        result = DecodedFiles(revision, _encodings(revision, listed.paths), listed.truncation)
    if revision.name and not result.truncation:
        cache_text(key, json.dumps({"revision": revision.name, "encodings": result.encodings}))
    return result


def _read_list(revision: Revision, key: str) -> DecodedFiles | None:
    """The list that was cached for a revision of the repository; None if it is missing or bad."""
    text = read_cached_text(key)
    try:
        facts = json.loads(text) if text else {}
        name, encodings = facts["revision"], facts["encodings"]
        return DecodedFiles(Revision(revision.repository, str(name)), dict(encodings))
    except (ValueError, KeyError, TypeError):
        return None


def _encodings(revision: Revision, paths: Sequence[str]) -> dict[str, str]:
    readable = [path for path in paths if _may_be_text(path)]
    encodings = {}
    for path, content in _contents(revision, readable):
        encoding = _encoding(content)
        if encoding is not None:
            encodings[path] = encoding
    return encodings


def _may_be_text(path: str) -> bool:
    is_binary = file_types.skip_reason(path) is SkipReason.BINARY
    return not is_binary and not file_types.document_extension(path)


def _encoding(content: bytes) -> str | None:
    """The entry of a file; None if git sees its lines as a reader does, or if it is no text."""
    if has_byte_order_mark(content):
        return ""
    if b"\0" in content:
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return other_encoding(content)
        except NotTextError:
            return None
    returns = content.count(b"\r")
    if not returns:
        return None
    return _CRLF if content.count(b"\r\n") == returns else ""


def _contents(revision: Revision, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for start in range(0, len(paths), BATCH):
        batch = paths[start : start + BATCH]
        if revision.name:
            names = {unescape_path(path): path for path in batch}
            read = read_files(revision.repository, revision.name, list(names))
            yield from ((names[name], content) for name, content in read.items())
        else:
            for path, file in regular_files_in(revision.repository, batch).items():
                yield path, file.read_bytes()
