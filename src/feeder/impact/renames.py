"""Finds the files that a change renames, by their contents, as git does.

Entry point: `find_renames`.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Mapping

MIN_SIMILARITY = 0.5
"""The share of bytes in common lines that makes a removed and an added file one, as in git."""

MAX_PAIRS = 10_000
"""Pairs of files that are compared by lines; beyond, only equal files are renames."""

_Contents = Mapping[str, bytes]


def find_renames(before: _Contents, after: _Contents) -> dict[str, str]:
    """The old path of each renamed file, by its new one.

    Equal contents come first, of several files the one with the same name; then the files of one
    ending whose lines are the most similar. Empty files are never renamed.
    """
    removed = {path: text for path, text in before.items() if text and path not in after}
    added = {path: text for path, text in after.items() if text and path not in before}
    renames = _equal(removed, added)
    taken = {*renames.values()}
    left = {path: text for path, text in removed.items() if path not in taken}
    new = {path: text for path, text in added.items() if path not in renames}
    if len(left) * len(new) <= MAX_PAIRS:
        renames.update(_similar(left, new))
    return renames


def _equal(removed: _Contents, added: _Contents) -> dict[str, str]:
    by_content: defaultdict[bytes, list[str]] = defaultdict(list)
    for path, text in removed.items():
        by_content[text].append(path)
    renames = {}
    for path, text in added.items():
        if same := by_content[text]:
            name = posixpath.basename(path)
            old = next((old for old in same if posixpath.basename(old) == name), same[0])
            same.remove(old)
            renames[path] = old
    return renames


def _similar(removed: _Contents, added: _Contents) -> dict[str, str]:
    lines = {
        path: Counter(text.splitlines(keepends=True))
        for files in (removed, added)
        for path, text in files.items()
    }
    pairs = [
        (-similarity, new, old)
        for new, new_text in added.items()
        for old, old_text in removed.items()
        if posixpath.splitext(old)[1] == posixpath.splitext(new)[1]
        and (similarity := _similarity(lines[old], lines[new], len(old_text), len(new_text)))
        >= MIN_SIMILARITY
    ]
    renames: dict[str, str] = {}
    taken = set()
    for _, new, old in sorted(pairs):
        if new not in renames and old not in taken:
            renames[new] = old
            taken.add(old)
    return renames


def _similarity(old: Counter[bytes], new: Counter[bytes], old_size: int, new_size: int) -> float:
    """The bytes in common lines as a share of the larger file's, from 0 to 1."""
    smaller, larger = sorted((old_size, new_size))
    if smaller < larger * MIN_SIMILARITY:
        return 0.0
    return sum(len(line) * count for line, count in (old & new).items()) / larger
