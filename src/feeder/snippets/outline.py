"""Lists the symbols and sections of files with their current lines and nesting, and rolls up the
folders of a large outline.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from feeder.corpus.corpus import Corpus
from feeder.corpus.index_status import IndexStatus, index_status
from feeder.corpus.unread_files import unread_notes
from feeder.escaping import count_of
from feeder.line_ranges import count_lines, decode_ranges
from feeder.nodes import MAX_GAP_LINES
from feeder.notes import unparsed_text
from feeder.snippets.excerpts import UNAVAILABLE_REASONS, ExcerptReader, Freshness, freshness_text
from feeder.store.hits import Hit, hits_from_rows, hits_in_files_statement
from feeder.store.rows import decode_members
from feeder.store.scope import Scope
from feeder.store.unread_files import unparsed_from_rows, unparsed_lines_statement

UNNAMED_TYPES = ("chunk", "md_codeblock", "doc_codeblock")
"""Types of nodes without a name of their own."""

MEMBER_TYPE = "member"
"""Node type of entries for constants and fields, which have no node of their own."""

MEMBER_OWNER_TYPES = ("chunk", "class")
"""Types of nodes whose members are listed."""


class OutlineEntry(NamedTuple):
    """A named node with its current lines and its nesting depth."""

    hit: Hit
    start_line: int
    end_line: int
    freshness: Freshness
    depth: int

    def as_json(self) -> dict[str, Any]:
        names = ("id", "node_type", "symbol", "logical_path", "signature", "language")
        lines = {"start_line": self.start_line, "end_line": self.end_line}
        return {name: getattr(self.hit, name) for name in names} | {
            **lines,
            "state": self.freshness.value or "same",
            "depth": self.depth,
        }


class Outline(NamedTuple):
    """The entries of each file in the order of their lines, and the state of the index.

    `unparsed` are the lines of files that their grammar does not know, as `line_ranges` encodes
    them.
    """

    files: dict[str, list[OutlineEntry]]
    status: IndexStatus
    unparsed: Mapping[str, str] = {}

    @property
    def unparsed_note(self) -> str:
        """How much of several files no grammar knows; of one, its line says it."""
        if len(self.files) < 2 or not self.unparsed:
            return ""
        lines = sum(count_lines(decode_ranges(text)) for text in self.unparsed.values())
        return f"{unparsed_text(len(self.unparsed), lines)}."

    def as_json(self) -> dict[str, Any]:
        files = [
            {
                "path": path,
                "nodes": [entry.as_json() for entry in entries],
                "unparsed": self.unparsed.get(path),
            }
            for path, entries in self.files.items()
        ]
        return {"files": files, "index": self.status.as_json(), "note": self.status.note}


def build_outline(corpus: Corpus, paths: Sequence[str]) -> Outline:
    """Lists the named nodes of files with their current lines."""
    hit_rows, unparsed_rows = corpus.database.run(
        [
            hits_in_files_statement(corpus.repo, paths),
            unparsed_lines_statement(corpus.repo, paths),
        ]
    )
    hits = hits_from_rows(hit_rows)
    reader = ExcerptReader(corpus.database, corpus.base, corpus.repo, hits, with_inner=False)
    files = {
        path: _file_entries(list(file_hits), reader)
        for path, file_hits in groupby(hits, key=lambda hit: hit.path)
    }
    status = index_status(corpus, len(reader.changed_paths), is_empty=not hits)
    if len(paths) == 1 and not any(files.values()):
        searched = Scope.of_repo(corpus.repo, paths[0])
        status = status._replace(unread=tuple(unread_notes(corpus.database, searched)))
    unparsed = unparsed_from_rows(unparsed_rows)
    return Outline({path: files.get(path, []) for path in paths}, status, unparsed)


def _file_entries(hits: Sequence[Hit], sources: ExcerptReader) -> list[OutlineEntry]:
    """The entries of named nodes and of the members of chunks and classes, in the order of their
    lines.
    """
    entries = [*_nested_entries(_merge_parts(hits, sources), sources)]
    owners = [hit for hit in hits if hit.node_type in MEMBER_OWNER_TYPES and hit.members]
    members = [
        entry
        for hit in owners
        for entry in _member_entries(hit, _member_depth(hit, entries), sources)
    ]
    return sorted([*entries, *members], key=lambda entry: entry.start_line)


def _member_depth(owner: Hit, entries: Iterable[OutlineEntry]) -> int:
    """One more than the depth of the entry with the class's lines; 0 for a chunk."""
    return max(
        (
            entry.depth + 1
            for entry in entries
            if owner.symbol
            and entry.hit.symbol == owner.symbol
            and entry.hit.start_line <= owner.start_line
            and owner.end_line <= entry.hit.end_line
        ),
        default=0,
    )


def _member_entries(hit: Hit, depth: int, sources: ExcerptReader) -> Iterator[OutlineEntry]:
    excerpt = sources.read(hit)
    for name, line in decode_members(hit.members):
        current = sources.current_line(hit, line, excerpt) if excerpt.is_certain else None
        at = current or line
        freshness = excerpt.freshness if current is None else Freshness.SAME
        freshness = Freshness.MOVED if current not in (None, line) else freshness
        member = hit._replace(
            node_type=MEMBER_TYPE,
            symbol=f"{hit.symbol}.{name}" if hit.symbol else name,
            signature=None,
            start_line=line,
            end_line=line,
        )
        yield OutlineEntry(member, at, at, freshness, depth)


def _merge_parts(hits: Iterable[Hit], sources: ExcerptReader) -> list[Hit]:
    """The named nodes, each with the lines of all its parts."""
    nodes: dict[tuple[str | None, ...], list[Hit]] = {}
    for hit in hits:
        name = hit.symbol or hit.logical_path
        if hit.node_type in UNNAMED_TYPES or not name:
            continue
        same_name = nodes.setdefault((hit.node_type, name, hit.signature), [])
        if same_name and _continues(same_name[-1], hit, sources):
            same_name[-1] = same_name[-1]._replace(
                end_line=max(same_name[-1].end_line, hit.end_line)
            )
        else:
            same_name.append(hit)
    whole = [hit for same_name in nodes.values() for hit in same_name]
    return sorted(whole, key=lambda hit: (hit.start_line, -hit.end_line))


def _continues(before: Hit, hit: Hit, sources: ExcerptReader) -> bool:
    """Returns True if a hit is the next part of a node, and not another node of the same name.

    Parts may share lines, unlike nodes; a part does not begin with the signature.
    """
    if hit.start_line <= before.end_line:
        return True
    if hit.start_line > before.end_line + MAX_GAP_LINES:
        return False
    text = " ".join(" ".join(sources.read(hit).lines).split())
    return not (hit.signature and " ".join(hit.signature.split()) in text)


def _nested_entries(hits: Iterable[Hit], sources: ExcerptReader) -> Iterator[OutlineEntry]:
    outer: list[Hit] = []
    for hit in hits:
        while outer and not _contains(outer[-1], hit):
            outer.pop()
        excerpt = sources.read(hit)
        yield OutlineEntry(hit, excerpt.first, excerpt.last, excerpt.freshness, len(outer))
        outer.append(hit)


def _contains(outer: Hit, hit: Hit) -> bool:
    """Returns True if a node that begins no later contains the other; for equal lines by name."""
    if (outer.start_line, outer.end_line) == (hit.start_line, hit.end_line):
        name, within = (node.symbol or node.logical_path or "" for node in (outer, hit))
        rest = within.removeprefix(name)
        return rest != within and bool(rest) and not rest[0].isalnum()
    return hit.end_line <= outer.end_line


def entry_status(entry: OutlineEntry) -> str:
    """The freshness of an entry in words."""
    lines = entry.start_line, entry.end_line
    return freshness_text(entry.freshness, entry.hit, lines) or UNAVAILABLE_REASONS.get(
        entry.freshness, ""
    )


class DetailLevel(NamedTuple):
    """A way to shorten an outline, and the note that says so.

    `symbols` is `all`, `definitions` (without constants and fields), `top` (without nested ones),
    `names` or `count`. Folders from `folder_levels` on are rolled up; None for no folder.
    """

    symbols: str
    folder_levels: int | None
    note: str


_NARROW_HINT = "Outline a file or a subfolder."
DETAIL_LEVELS = (
    DetailLevel("all", None, ""),
    DetailLevel("definitions", None, "Shortened: no constants and fields."),
    DetailLevel("top", None, f"Shortened to top-level symbols. {_NARROW_HINT}"),
    DetailLevel("names", None, f"Shortened to top-level names. {_NARROW_HINT}"),
    DetailLevel("names", 3, f"Shortened to top-level names in 3 levels of folders. {_NARROW_HINT}"),
    DetailLevel("names", 2, f"Shortened to top-level names in 2 levels of folders. {_NARROW_HINT}"),
    DetailLevel("names", 1, f"Shortened to top-level names in 1 level of folders. {_NARROW_HINT}"),
    DetailLevel("count", 1, f"Shortened to symbol counts in 1 level of folders. {_NARROW_HINT}"),
)
"""From the most detailed to the shortest."""

FILE_DETAIL_LEVELS = 2
"""The first ones, for the outline of one file, which has pages instead of the others."""

NAME_SEPARATORS = (".", " > ", "::", "#")
"""Separators between an owner's name and the name of a member."""

MODULE_KEYWORDS = ("module", "defmodule")
"""First words of the signatures of modules, whose node type is `class` too.

Namespaces are no nodes.
"""

MAX_NAMES = 40
"""Names of a file that an outline lists on one line."""


MAX_RANGES_CHARS = 60
"""Characters of the lines that no grammar knows, on the line of their file."""


class OutlineRow(NamedTuple):
    """A file with the entries to show, or a rolled-up folder with its number of `files`.

    `unparsed` are the file's lines that its grammar does not know.
    """

    path: str
    entries: Sequence[OutlineEntry] = ()
    files: int = 0
    unparsed: str = ""

    @property
    def mark(self) -> str:
        """Says which lines of the file are not parsed, with a blank before it; else empty."""
        shown = self.unparsed
        if len(shown) > MAX_RANGES_CHARS:
            shown = f"{shown[:MAX_RANGES_CHARS].rpartition(',')[0]},…"
        return f" (lines not parsed: {shown})" if shown else ""


def outline_rows(outline: Outline, level: DetailLevel, depth: int | None) -> list[OutlineRow]:
    """The rows of an outline: of each folder first its files, then its folders.

    `depth` limits the levels of folders that are listed by file, and the nesting of symbols.
    """
    files = outline.files
    limits = [limit for limit in (depth, level.folder_levels) if limit is not None]
    counts = Counter(_rolled_up(files, min(limits, default=None)))
    nesting = 1 if level.symbols == "top" else depth
    return [
        OutlineRow(
            path,
            [file for file in files[path] if _is_listed(file, nesting, level.symbols)],
            unparsed=outline.unparsed.get(path, ""),
        )
        if path in files
        else OutlineRow(path, files=count)
        for path, count in counts.items()
    ]


def _is_listed(entry: OutlineEntry, nesting: int | None, symbols: str) -> bool:
    is_dropped = symbols == "definitions" and entry.hit.node_type == MEMBER_TYPE
    return not is_dropped and (nesting is None or entry.depth < nesting)


class OutlineLine(NamedTuple):
    """An entry with the part of its name that the lines above do not say; without an entry a
    heading, the namespace or type whose members follow.
    """

    depth: int
    name: str
    entry: OutlineEntry | None = None


def nested_lines(entries: Sequence[OutlineEntry]) -> Iterator[OutlineLine]:
    """The lines of a file: `Cart` and, below it and deeper, `add` for `Cart.add`.

    Consecutive entries whose namespace or type is no entry around them, such as members that a
    file defines outside of their class, share a heading.
    """
    headings = dict(_headings(entries))
    heading: str | None = None
    around: list[str] = []
    for at, entry in enumerate(entries):
        if not entry.depth:
            previous, heading = heading, headings.get(at)
            if heading and heading != previous:
                yield OutlineLine(0, heading)
        name = entry_name(entry)
        del around[entry.depth :]
        shown = _inner_name(name, around[-1] if around else heading or "")
        yield OutlineLine(entry.depth + bool(heading), shown, entry)
        around.append(name)


def _headings(entries: Sequence[OutlineEntry]) -> Iterator[tuple[int, str]]:
    """The heading of each outermost entry that has one, by its index."""
    outermost = [(at, _owner(entry)) for at, entry in enumerate(entries) if not entry.depth]
    for owner, run in groupby(outermost, key=itemgetter(1)):
        places = [at for at, _ in run]
        if owner and len(places) > 1:
            yield from ((at, owner) for at in places)


def _owner(entry: OutlineEntry) -> str:
    """The namespace or type before a symbol's last name."""
    is_code = entry.hit.symbol and entry.hit.node_type != MEMBER_TYPE
    return entry_name(entry).rpartition(".")[0] if is_code else ""


def _inner_name(name: str, outer: str) -> str:
    """The name without its owner's name."""
    if outer and name.startswith(outer):
        rest = name[len(outer) :]
        for separator in NAME_SEPARATORS:
            if rest.startswith(separator) and len(rest) > len(separator):
                return rest[len(separator) :]
    return name


def _rolled_up(paths: Iterable[str], levels: int | None) -> Iterator[str]:
    """Each file, or the folder that it is rolled up in, counted from their common folder."""
    folders = {path: path.split("/")[:-1] for path in paths}
    first, last = (choose(folders.values(), default=[]) for choose in (min, max))
    common = next(
        (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other),
        min(len(first), len(last)),
    )
    for path in sorted(folders, key=_folder_order):
        is_deep = levels is not None and len(folders[path]) >= common + levels
        yield f"{'/'.join(folders[path][: common + (levels or 0)])}/" if is_deep else path


def _folder_order(path: str) -> list[tuple[bool, str]]:
    """A sort key that puts the files of a folder before its folders."""
    *folders, name = path.split("/")
    return [*((True, folder) for folder in folders), (False, name)]


def top_level_names(entries: Sequence[OutlineEntry]) -> list[str]:
    """The names of entries that are in no other one, by lines or by name; the first `MAX_NAMES`.

    In place of a single module that holds only classes and modules, their names.
    """
    names = {entry_name(entry) for entry in entries}
    outer = dict.fromkeys(
        name
        for name in (entry_name(entry) for entry in entries if not entry.depth)
        if name.rpartition(".")[0] not in names
    )
    listed, depth = list(outer), 0
    level = [entry for entry in entries if not entry.depth]
    while len(listed) == 1 and all(map(_is_module, level)):
        depth += 1
        level = [entry for entry in entries if entry.depth == depth]
        if not level or any(entry.hit.node_type != "class" for entry in level):
            break
        listed = list(dict.fromkeys(map(entry_name, level)))
    more = len(listed) - MAX_NAMES
    return [*listed[:MAX_NAMES], f"and {more} more"] if more > 0 else listed


def _is_module(entry: OutlineEntry) -> bool:
    return (entry.hit.signature or "").partition(" ")[0] in MODULE_KEYWORDS


def entry_name(entry: OutlineEntry) -> str:
    """The symbol of an entry, or its logical path."""
    return entry.hit.symbol or entry.hit.logical_path or ""


def file_count(count: int) -> str:
    """A number of files in words."""
    return count_of(count, "file")
