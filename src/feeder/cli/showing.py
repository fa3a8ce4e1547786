"""How is a search's answer shown? With the lines of each node as they are in the working tree.

What is not checked out, as in a bare repository or a sparse checkout, is shown as it is committed.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from feeder.parse.text import NotText, decode
from feeder.search.ranking import MEANING, VECTOR, WORD, Found
from feeder.tree import git
from feeder.tree.names import file_inside, place, unescape


class Source(NamedTuple):
    """A file's lines, None where they cannot be shown, and the commit where they are from one."""

    lines: list[str] | None = None
    commit: str | None = None

    def of(self, one: Found, *, from_member: bool = False) -> list[str] | None:
        """The lines of a node of the file; of a notebook's those of its cells.

        With `from_member` from the line on that was asked for by name, where one was.
        """
        first, last = one.hit.start_line, one.hit.end_line
        if from_member and one.member:
            first = one.member.line
        if self.lines and one.hit.language == "notebook":
            from feeder.parse.notebooks import source_lines

            cells = source_lines("\n".join(self.lines).encode(), first, last)
            if cells is not None:
                return cells
        return self.lines and self.lines[first - 1 : last]


def as_json(found: Sequence[Found], base: Path, equal: str = "") -> list[dict[str, Any]]:
    """A dictionary each: what the index says of the node, its ranks, and its `text` or null.

    `text_of` is the commit that the text is of, null for the working tree's; `equal` is the commit
    that the index equals.
    """
    sources = _sources(found, base, equal)
    return [
        {
            **_facts(one),
            "score": round(one.score, 6),
            **{f"{name}_rank": one.ranks.get(name) for name in (WORD, MEANING, VECTOR)},
            "text": None if (lines := source.of(one)) is None else "\n".join(lines),
            "text_of": source.commit,
        }
        for one, source in ((one, sources[one.hit.path]) for one in found)
    ]


def as_text(found: Sequence[Found], base: Path, shown: int, equal: str = "") -> Iterator[str]:
    """Path, lines, type and name, and the first `shown` lines of each.

    Of a node that holds what was asked for by name, from the line on where that is.
    """
    if not found:
        yield "Nothing found."
    sources = _sources(found, base, equal)
    for one in found:
        hit, member, source = one.hit, one.member, sources[one.hit.path]
        name = ".".join(filter(None, [hit.symbol or hit.logical_path, member and member.name]))
        where = member.line if member else f"{hit.start_line}-{hit.end_line}"
        of = f"  (as committed in {source.commit[:10]})" if source.commit else ""
        yield f"{hit.path}:{where}  {hit.node_type}  {name}".rstrip() + of
        lines = source.of(one, from_member=True)
        yield from (f"    {line}" for line in _excerpt(lines, shown))


def _facts(one: Found) -> dict[str, Any]:
    """What the index says of the node, and of the member of it that was asked for."""
    facts = one.hit._asdict()
    del facts["members"]
    return {**facts, "member": one.member._asdict() if one.member else None}


def _excerpt(lines: list[str] | None, shown: int) -> Iterator[str]:
    if lines is None:
        yield "(not in the working tree any more)"
        return
    yield from lines[:shown]
    if (more := len(lines) - shown) > 0 and shown:
        yield f"… {more} more"


def _sources(found: Sequence[Found], base: Path, equal: str) -> dict[str, Source]:
    """The files of these nodes by path; git is asked for all those that are not there at once."""
    paths = dict.fromkeys(one.hit.path for one in found)
    absent = [path for path in paths if _is_absent(base, path)]
    return {path: Source(_read(base, path)) for path in paths} | _committed(base, absent, equal)


def _is_absent(base: Path, path: str) -> bool:
    """Whether nothing lies there; what lies in a file's place says nothing of the file."""
    try:
        return not os.path.lexists(place(base, path))
    except ValueError:
        return False


def _read(base: Path, path: str) -> list[str] | None:
    file = file_inside(base, path)
    try:
        return _split(file.read_bytes()) if file else None
    except OSError:
        return None


def _committed(base: Path, paths: Sequence[str], equal: str) -> dict[str, Source]:
    """Files by path as in the commit that the index equals, or in HEAD where that is not here."""
    if not paths or git.root(base) is None:
        return {}
    commit = (git.commit(base, equal) if equal else None) or git.commit(base, "HEAD")
    if commit is None:
        return {}
    names = {unescape(path): path for path in paths}
    texts = git.files_at(base, commit, list(names))
    return {names[name]: Source(_split(text), commit) for name, text in texts.items()}


def _split(content: bytes) -> list[str] | None:
    try:
        return decode(content).decode("utf-8", "replace").split("\n")
    except NotText:
        return None
