"""Builds the span tree of a data file (JSON, YAML, TOML, XML): its keys, tables and elements
with their paths, and the comments that belong to each.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query

from feeder.parse.grammars import query_cursor
from feeder.parse.layout import SourceText, Span
from feeder.parse.splitting import PART_MAX

ENTRY_MIN = 100
"""Minimum characters of an entry that is a node; a smaller one stays with its parent."""

SCALAR_MIN = 400
"""The same for a single value, in a language that distinguishes values from collections."""

ITEM_MIN = 750
"""The same for an item of a sequence, which has only a number for a name."""

DEPTH_LIMIT = 100
"""Maximum depth of entries; deeper ones stay with their parent."""

KEY_LIMIT, PATH_LIMIT = 120, 500
"""Maximum characters of a key and of a whole path; the rest is cut."""

_SEPARATOR = re.compile(rb"[ \t]*,?[ \t]*")

_DOTTED_KEY = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|[^\s."\']+')

_PATH_SYNTAX = re.compile(r'[."\[\]]')


class Shape(NamedTuple):
    """The structure of a data format, by the names of its syntax nodes.

    `entries`, `values` and `items` map syntax nodes to node types: an entry has a name, the value
    inside it decides its type, and the items of a sequence (a key of `items`) are numbered. `root`
    is the node type of a file, `document` the syntax node of which a file may have several.

    The other fields are about names: `names` are the syntax nodes that hold them if the grammar has
    no field `key`; `numbered` entries are items of an array of their name; `dotted` keys have
    several parts; `xpath` joins names with `/` and numbers siblings of one name. An element with
    text of a `prose` kind is not split into entries.
    """

    root: str
    entries: Mapping[str, str]
    values: Mapping[str, str] = {}
    items: Mapping[str, str] = {}
    document: str | None = None
    names: Sequence[str] = ()
    numbered: Sequence[str] = ()
    prose: Sequence[str] = ()
    dotted: bool = False
    xpath: bool = False


class _EntryMember(NamedTuple):
    """An entry or, with its number, an item of a sequence."""

    syntax: Syntax
    number: int | None = None


def entry_tree(source: SourceText, root: Syntax, shape: Shape, query: Query) -> Span:
    """The span tree of a file's entries; a file that violates the format is one chunk.

    `query` captures comments as `@doc`.
    """
    return _EntryTreeBuilder(source, shape, _Comments(source, root, query)).root_span(root)


class _Comments:
    """The comments of a file: its `@doc` captures."""

    def __init__(self, source: SourceText, root: Syntax, query: Query) -> None:
        # in a tree that is one error, a query takes time that is quadratic in its size
        captures = {} if root.type == "ERROR" else query_cursor(query).captures(root)
        ranges = sorted((node.start_byte, node.end_byte) for node in captures.get("doc", ()))
        self._source = source
        self._starts = [start for start, _ in ranges]
        self._ends = [source.strip_end(end) for _, end in ranges]

    def start_with_comments(self, start: int, earliest: int) -> int:
        """The start of the comments right above `start`; `start` if there are none."""
        content = self._source.content
        while (index := bisect_right(self._ends, start) - 1) >= 0:
            comment = self._source.line_start(self._starts[index])
            between = content[self._ends[index] : start]
            if (
                comment < earliest
                or between.count(b"\n") != 1
                or between.strip()
                or content[comment : self._starts[index]].strip()
            ):
                break
            start = comment
        return start

    def end_with_comment(self, end: int) -> int:
        """The end of the comma and the comment that follow `end` on its line."""
        separator = _SEPARATOR.match(self._source.content, end)
        end = separator.end() if separator else end
        index = bisect_left(self._starts, end)
        if index < len(self._starts) and self._starts[index] == end:
            comment_end = self._ends[index]
            return comment_end if comment_end <= self._source.line_end(end) else end
        return end


class _EntryTreeBuilder:
    """Finds the entries of a file, each with its comments, and names them."""

    def __init__(self, source: SourceText, shape: Shape, comments: _Comments) -> None:
        self._source = source
        self._shape = shape
        self._comments = comments

    def root_span(self, root: Syntax) -> Span:
        size = len(self._source.content)
        documents = [child for child in root.children if child.type == self._shape.document]
        if len(documents) > 1:
            return Span(0, size, children=list(self._document_spans(documents)))
        if sum(child.type in self._shape.values for child in root.children) > 1:
            return Span(0, size)
        whole = Span(0, size, "chunk" if root.type == "ERROR" else self._root_type(root))
        if self._shape.xpath and len(elements := self._members(root)) == 1:
            root = elements[0].syntax
            whole.logical_path = self._raw_name(root)
        whole.children = list(self._entry_spans(root, whole, 1))
        return whole

    def _root_type(self, root: Syntax) -> str:
        return (not self._shape.document and self._value_type(root)) or self._shape.root

    def _document_spans(self, documents: list[Syntax]) -> Iterator[Span]:
        """A span for each document, from its comments to those of the next one."""
        starts = [0, *(self._start_with_comments(node.start_byte, 0) for node in documents[1:])]
        ends = [*starts[1:], len(self._source.content)]
        for document, start, end in zip(documents, starts, ends, strict=True):
            span = Span(start, self._source.strip_end(end), self._shape.root)
            if self._has_at_least(span.start, span.end, PART_MAX + 1):
                span.children = list(self._entry_spans(document, span, 1))
            yield span

    def _entry_spans(self, syntax: Syntax, outer: Span, depth: int) -> Iterator[Span]:
        """The spans of the direct entries of `syntax` that are large enough to be nodes."""
        members = self._members(syntax)
        spans = dict(self._node_sized_members(members, outer))
        if not spans:
            return
        paths = self._member_paths(outer.logical_path or "", members)
        for index, path in enumerate(paths):
            if span := spans.get(index):
                span.logical_path = path[:PATH_LIMIT]
                if depth < DEPTH_LIMIT and self._has_at_least(span.start, span.end, PART_MAX + 1):
                    span.children = list(self._entry_spans(members[index].syntax, span, depth + 1))
                yield span

    def _members(self, syntax: Syntax) -> list[_EntryMember]:
        """The nearest entries and items inside a syntax node, in order; none in mixed content."""
        members: list[_EntryMember] = []
        stack = [syntax] if syntax.type in self._shape.items else syntax.named_children[::-1]
        while stack:
            node = stack.pop()
            if node.type in self._shape.entries:
                members.append(_EntryMember(node))
            elif node.type in self._shape.items:
                items = (child for child in node.named_children if not child.is_extra)
                members.extend(_EntryMember(item, number) for number, item in enumerate(items))
            elif node.type in self._shape.prose and self._node_text(node).strip():
                return []
            else:
                stack.extend(node.named_children[::-1])
        return members

    def _node_sized_members(
        self, members: list[_EntryMember], outer: Span
    ) -> Iterator[tuple[int, Span]]:
        """The index and span of each member that is large enough without its comments."""
        for index, (syntax, number) in enumerate(members):
            if syntax.end_byte - syntax.start_byte < ENTRY_MIN:
                continue
            value_type = self._value_type(syntax)
            minimum = self._min_size(number, value_type)
            limit = self._member_start(members, index + 1, outer)
            end = self._source.strip_end(min(syntax.end_byte, limit))
            if self._has_at_least(syntax.start_byte, end, minimum):
                start = self._member_start(members, index, outer)
                end = min(self._comments.end_with_comment(end), limit)
                default = self._shape.entries.get(syntax.type, self._shape.root)
                yield index, Span(start, end, value_type or default)

    def _min_size(self, number: int | None, value_type: str | None) -> int:
        if number is not None:
            return ITEM_MIN
        is_scalar = self._shape.values and not value_type
        return SCALAR_MIN if is_scalar else ENTRY_MIN

    def _member_start(self, members: list[_EntryMember], index: int, outer: Span) -> int:
        """The start of a member with its comments; the end of `outer` after the last member."""
        if index == len(members):
            return outer.end
        earliest = members[index - 1].syntax.start_byte if index else outer.start
        return self._start_with_comments(members[index].syntax.start_byte, earliest)

    def _start_with_comments(self, start: int, earliest: int) -> int:
        """The start of an entry's line, or of the comments above it, if the line is its own."""
        # searches no further back than `earliest`: a line can be as long as the file
        line = self._source.content.rfind(b"\n", max(0, earliest - 1), start) + 1
        if line < earliest or self._source.content[line:start].strip():
            return start
        return self._comments.start_with_comments(line, earliest)

    def _value_type(self, syntax: Syntax) -> str | None:
        """The node type of the collection that is an entry's value; None for a single value."""
        node: Syntax | None = syntax
        while node:
            if node_type := self._shape.values.get(node.type):
                return node_type
            children = [child for child in node.named_children if not child.is_extra]
            node = children[-1] if children else None
            if node and node.type in self._shape.entries:
                break
        return None

    def _has_at_least(self, start: int, end: int, characters: int) -> bool:
        if end - start < characters:
            return False
        return end - start >= 4 * characters or len(self._source.text(start, end)) >= characters

    def _member_paths(self, outer: str, members: list[_EntryMember]) -> Iterator[str]:
        if self._shape.xpath:
            return _element_paths(outer, [self._raw_name(member.syntax) for member in members])
        return self._key_paths(outer, members)

    def _key_paths(self, outer: str, members: list[_EntryMember]) -> Iterator[str]:
        last: dict[str, int] = {}
        for syntax, number in members:
            if number is not None:
                yield f"{outer}[{number}]"
                continue
            path, keys = outer, self._path_keys(syntax)
            for position, key in enumerate(keys, 1):
                path = f"{path}.{key}" if path else key
                if position == len(keys) and syntax.type in self._shape.numbered:
                    last[path] = last.get(path, -1) + 1
                if path in last:
                    path = f"{path}[{last[path]}]"
            yield path

    def _path_keys(self, syntax: Syntax) -> list[str]:
        name = self._raw_name(syntax)
        return [
            _quote_key(part)
            for part in (_DOTTED_KEY.findall(name) if self._shape.dotted else [name])
        ]

    def _raw_name(self, syntax: Syntax) -> str:
        """The name of an entry as written in the file; empty without."""
        name = syntax.child_by_field_name("key")
        node: Syntax | None = syntax
        while self._shape.names and node and not name:
            node = node.named_children[0] if node.named_children else None
            name = node if node and node.type in self._shape.names else None
        return " ".join(self._node_text(name).split()) if name else ""

    def _node_text(self, syntax: Syntax) -> str:
        return self._source.text(syntax.start_byte, syntax.end_byte)


def _quote_key(raw_key: str) -> str:
    """A key as a part of a path, in quotes if it could be mistaken for several parts."""
    quote = raw_key[:1] if len(raw_key) > 1 and raw_key[0] == raw_key[-1] else ""
    key = raw_key[1:-1] if quote in ("'", '"') else raw_key
    if key and not _PATH_SYNTAX.search(key):
        return key[:KEY_LIMIT]
    escaped = key if quote == '"' else key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped[:KEY_LIMIT]}"'


def _element_paths(outer: str, names: list[str]) -> Iterator[str]:
    """The paths of sibling elements; those that share a name are numbered from 1."""
    repeated = {name for name, count in Counter(names).items() if count > 1}
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        number = f"[{seen[name]}]" if name in repeated else ""
        yield f"{outer}/{name[:KEY_LIMIT]}{number}"
