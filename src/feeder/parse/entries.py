"""Builds the span tree of a data file (JSON, YAML, TOML, XML): its keys, tables and elements
with their paths, and the comments that belong to each.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.grammars import QUERY_DEPTH
from feeder.parse.layout import SourceText, Span
from feeder.parse.splitting import PART_MAX

_SEPARATOR = re.compile(rb"[ \t]*,?[ \t]*")


class Comments:
    """The comments of a file: what the queries of its language capture as `@doc`."""

    def __init__(self, source: SourceText, root: Syntax, query: Query) -> None:
        cursor = QueryCursor(query)
        cursor.set_max_start_depth(QUERY_DEPTH)
        # in a tree that is one error, a query takes time that is quadratic in its size
        captures = {} if root.type == "ERROR" else cursor.captures(root)
        found = sorted((one.start_byte, one.end_byte) for one in captures.get("doc", ()))
        self._source = source
        self._starts = [start for start, _ in found]
        self._ends = [source.strip_end(end) for _, end in found]

    def start_with_comments(self, start: int, earliest: int) -> int:
        """The start of the comments that stand right above, without a blank line, else `start`."""
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
        """Where the comma and the comment end that follow on the line of what ends at `end`."""
        separator = _SEPARATOR.match(self._source.content, end)
        at = separator.end() if separator else end
        index = bisect_left(self._starts, at)
        if index < len(self._starts) and self._starts[index] == at:
            comment = self._ends[index]
            return comment if comment <= self._source.line_end(at) else at
        return at


ENTRY_MIN = 100
"""Characters of an entry that is a node of its own; what is smaller stays with its parent."""

SCALAR_MIN = 400
"""The same where a language tells collections from single values, and the value is a single one."""

ITEM_MIN = 750
"""The same for what a sequence holds, which has only a number for a name."""

DEPTH_LIMIT = 100
"""Levels of entries that are looked into; what lies deeper stays with its parent."""

KEY_LIMIT, PATH_LIMIT = 120, 500
"""Characters of a key and of a whole path: longer ones are cut."""


_DOTTED_KEY = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|[^\s."\']+')

_PATH_SYNTAX = re.compile(r'[."\[\]]')


class Shape(NamedTuple):
    """How a language of data is built, in the names of its syntax nodes.

    `entries`, `values` and `items` give node types: an entry is what has a name, a value inside it
    gives it its type, and what a sequence (a key of `items`) holds is numbered. `root` is the type
    of a file, `document` the syntax node of which a file may have several. The other fields are
    about names: `names` holds them where the grammar has no field `key`, `numbered` entries are
    items of an array of their name, `dotted` keys have parts, `xpath` joins names with `/` and
    numbers those of several siblings. An element with text of a `prose` kind is not taken apart.
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
    """An entry or, with its number, an item."""

    syntax: Syntax
    number: int | None = None


def entry_tree(source: SourceText, root: Syntax, shape: Shape, comments: Comments) -> Span:
    """The tree of a file's entries; a file that is not of the language's form is one chunk."""
    return _EntryTreeBuilder(source, shape, comments).root_span(root)


class _EntryTreeBuilder:
    """Finds the entries of a file, each with the comments above it, and names them."""

    def __init__(self, source: SourceText, shape: Shape, comments: Comments) -> None:
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
        """A span for each document, from its comments to the next one's."""
        starts = [0, *(self._start_with_comments(one.start_byte, 0) for one in documents[1:])]
        ends = [*starts[1:], len(self._source.content)]
        for document, start, end in zip(documents, starts, ends, strict=True):
            span = Span(start, self._source.strip_end(end), self._shape.root)
            if self._has_at_least(span.start, span.end, PART_MAX + 1):
                span.children = list(self._entry_spans(document, span, 1))
            yield span

    def _entry_spans(self, syntax: Syntax, outer: Span, depth: int) -> Iterator[Span]:
        """The spans of the entries right inside `syntax` that are large enough to be nodes."""
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
        found: list[_EntryMember] = []
        todo = [syntax] if syntax.type in self._shape.items else syntax.named_children[::-1]
        while todo:
            one = todo.pop()
            if one.type in self._shape.entries:
                found.append(_EntryMember(one))
            elif one.type in self._shape.items:
                items = (child for child in one.named_children if not child.is_extra)
                found.extend(_EntryMember(item, number) for number, item in enumerate(items))
            elif one.type in self._shape.prose and self._node_text(one).strip():
                return []
            else:
                todo.extend(one.named_children[::-1])
        return found

    def _node_sized_members(
        self, members: list[_EntryMember], outer: Span
    ) -> Iterator[tuple[int, Span]]:
        """The index and the span of each member that is large enough; comments do not count."""
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
        """Where a member begins, with the comments above it; behind the last one `outer` ends."""
        if index == len(members):
            return outer.end
        earliest = members[index - 1].syntax.start_byte if index else outer.start
        return self._start_with_comments(members[index].syntax.start_byte, earliest)

    def _start_with_comments(self, start: int, earliest: int) -> int:
        """Where what precedes an entry on its line, and the comments above it, begin."""
        # looks no further back than `earliest`: a line can be as long as the file
        line = self._source.content.rfind(b"\n", max(0, earliest - 1), start) + 1
        if line < earliest or self._source.content[line:start].strip():
            return start
        return self._comments.start_with_comments(line, earliest)

    def _value_type(self, syntax: Syntax) -> str | None:
        """The node type that a collection gives to its entry, looked for down the last children."""
        inside: Syntax | None = syntax
        while inside:
            if found := self._shape.values.get(inside.type):
                return found
            children = [child for child in inside.named_children if not child.is_extra]
            inside = children[-1] if children else None
            if inside and inside.type in self._shape.entries:
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
        """The name of an entry as it is written, empty where it has none."""
        name = syntax.child_by_field_name("key")
        inside: Syntax | None = syntax
        while self._shape.names and inside and not name:
            inside = inside.named_children[0] if inside.named_children else None
            name = inside if inside and inside.type in self._shape.names else None
        return " ".join(self._node_text(name).split()) if name else ""

    def _node_text(self, syntax: Syntax) -> str:
        return self._source.text(syntax.start_byte, syntax.end_byte)


def _quote_key(raw_key: str) -> str:
    """A key as a part of a path, quoted where it could pass for several parts."""
    quote = raw_key[:1] if len(raw_key) > 1 and raw_key[0] == raw_key[-1] else ""
    key = raw_key[1:-1] if quote in ("'", '"') else raw_key
    if key and not _PATH_SYNTAX.search(key):
        return key[:KEY_LIMIT]
    escaped = key if quote == '"' else key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped[:KEY_LIMIT]}"'


def _element_paths(outer: str, names: list[str]) -> Iterator[str]:
    """Paths of elements; of several siblings with one name each has its number, from 1."""
    several = {name for name, count in Counter(names).items() if count > 1}
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        number = f"[{seen[name]}]" if name in several else ""
        yield f"{outer}/{name[:KEY_LIMIT]}{number}"
