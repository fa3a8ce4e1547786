"""Runs a language's queries and regular expressions over a file and collects the declarations,
doc comments and member names that they capture.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

from msgspec import Struct, field
from tree_sitter import Node as Syntax
from tree_sitter import Query

from feeder.parse.grammars import Capture, Captures, Matches
from feeder.parse.layout import MemberName, SourceText
from feeder.parse.relation_names import Site
from feeder.parse.relations import RelationCollector

NAME_LIMIT = 100
"""Maximum characters of a name; the name of a call is a string, which may have any length."""

NODE_TYPES = {
    "method": "method",
    "call": "method",
    "type": "class",
    "object": "class",
    "holder": "class",
    "namespace": "chunk",
    "closure": "chunk",
    "package": "chunk",
}
"""The node type of a declaration, by the capture that names its kind."""

_NAME_BYTES_READ = 4 * NAME_LIMIT + 40
"""Maximum bytes of the source that are read for one name."""

_ANONYMOUS_KINDS = frozenset({"closure", "namespace"})

_FUNCTION_FIELDS = ("value", "right", "definition", "declaration")

_SEPARATORS = ("::", "\\")

_GLOBAL_NAME = re.compile(rb"::\s*[^\W\d]")

_WORD_CHARACTER = re.compile(r"\w")
"""Part of every name except an operator's, which may consist of separators: `::`, `+:`."""

_NAME_DECORATION = re.compile(r"(?<=\w)<(?!=)[^<>]*>|(?<!\w)[&@](?=\w)|(?<=\w) (?=[^\w\s]+$)")
"""Type arguments (`Cart<T>`), the mark of a name that would be a keyword (`&End`, `@class`), and
the blank in `operator ()`."""

_INLINE_NAMESPACE = re.compile(r"(?<=::)inline (?=\w)")
"""A word that is no part of the name: `namespace shop::inline v2` of C++."""

_CUT_ARGUMENTS = re.compile(r"(?<=\w) ?<(?=[ \w(])(?!.*>\.\w+$).*")
"""Type arguments that `_NAME_DECORATION` does not match, as their end is cut off or as `<` in them
is an operator: `Cart<T, enable_if<0 < size>>`."""

_QUOTES = "\"\"\"|'''|\"|'|`"

_STRING_LITERAL = re.compile(
    rf"(?P<quote>{_QUOTES})(?P<text>.*?)(?P=quote)?"
    rf"|[^\W\d]{{0,3}}[$@#]{{0,3}}(?P<mark>{_QUOTES})(?P<marked>.+)(?P=mark)",
    re.DOTALL,
)
"""A string literal, including prefixes such as `r"` and `$@"`."""


class _PatternGroup(Struct, frozen=True):
    start_byte: int
    end_byte: int

    def child_by_field_name(self, _name: str, /) -> None:
        """Returns None: a group has no fields."""


class DocComment(NamedTuple):
    """The byte range of a comment or an annotation.

    It belongs to the declaration on the next line, or after one blank line if `allows_blank_line`.
    """

    start: int
    end: int
    allows_blank_line: bool


class Declaration(Struct):
    """A declaration that a query matched; offsets are in bytes, `body` is where its body begins,
    and `name_end` where its name ends, 0 if it is not in the text.

    `pattern` is the index of the query's pattern. With `can_join` it is one clause of a declaration
    that has several, and is joined with its neighbours, with the next one only if it ends with
    `clause_end`. The name may include enclosing names if
    `may_be_qualified`; it includes all of them if `is_fully_qualified`. A declaration with a
    `nesting_rule` is never nested in a method: with `cuts` it ends the method if it begins a line,
    otherwise it is ignored there. A holder becomes a node only if it `has_declarations`.
    """

    pattern: int
    kind: str
    name: str
    start: int
    end: int
    body: int
    can_join: bool = False
    clause_end: str = ""
    may_be_qualified: bool = False
    is_fully_qualified: bool = False
    nesting_rule: str | None = None
    has_declarations: bool = False
    name_end: int = 0
    children: list["Declaration"] = field(default_factory=list)


class FileCaptures(NamedTuple):
    """The declarations of a file as matched, and in order its doc comments, member names,
    attributes that methods assign, and relations.
    """

    declarations: list[Declaration]
    docs: list[DocComment]
    members: list[MemberName]
    attributes: list[MemberName]
    relations: list[Site]


def pattern_matches(
    content: bytes, patterns: Sequence[re.Pattern[bytes]], start: int = 0, end: int = sys.maxsize
) -> Iterator[Captures]:
    """Yields the matches of the patterns between two byte offsets.

    A group has the meaning of the capture with its name.
    """
    for pattern in patterns:
        for match in pattern.finditer(content, start, end):
            yield {
                name: [_PatternGroup(*match.span(name))]
                for name in pattern.groupindex
                if match.start(name) >= 0
            }


def collect_captures(
    source: SourceText, query: Query, matches: Matches, pattern_captures: Iterable[Captures]
) -> FileCaptures:
    """Collects the matches of a language's query and of its patterns (`pattern_captures`)."""
    declarations: list[Declaration] = []
    docs: list[DocComment] = []
    members: set[MemberName] = set()
    attributes: set[MemberName] = set()
    relations = RelationCollector(source.content, query.pattern_settings)
    query_captures: Iterable[tuple[int, Captures]] = matches
    all_matches = chain(query_captures, zip(repeat(query.pattern_count), pattern_captures))
    for pattern, captures in relations.collect(all_matches):
        if names := captures.get("member"):
            settings = query.pattern_settings(pattern) if pattern < query.pattern_count else {}
            if (scope := settings.get("scope")) == "object":
                attributes.update(_member_names(source, names))
                continue
            members.update(_member_names(source, names))
            relations.declare_member(names, is_of_file=scope == "file")
        elif whole := captures.get("doc"):
            end = source.strip_end(whole[-1].end_byte)
            docs.append(DocComment(whole[0].start_byte, end, "apart" in captures))
        elif kind := next(filter(captures.__contains__, NODE_TYPES), None):
            is_query = pattern < query.pattern_count
            settings = query.pattern_settings(pattern) if is_query else {}
            name = declared_name(source, captures) or settings.get("name") or ""
            if kind == "call" and not _is_meaningful_name(name):
                continue  # `configure("2")`: a version or a separator does not describe the call
            if "name" in captures:
                relations.declare(captures["name"], kind)
            if name or kind in _ANONYMOUS_KINDS:
                declaration = _declaration(source, pattern, kind, name, captures)
                declaration.nesting_rule = settings.get("outermost")
                declaration.clause_end = settings.get("clause_end") or ""
                declaration.is_fully_qualified |= settings.get("name_scope") == "global"
                declarations.append(declaration)
    sites = relations.sites()
    return FileCaptures(
        declarations, _outermost_docs(docs), sorted(members), sorted(attributes), sites
    )


def declared_name(source: SourceText, captures: Captures) -> str:
    """The name from the first `@name` to the last, after the names in `@scope`; empty without.

    If there are `@label` captures, it is all of them, joined with colons: `setRates:upload`.
    """
    if "name" not in captures:
        return ""
    first, last = captures["name"][0], captures["name"][-1]
    parts = [_clean_name(source, part, part) for part in captures.get("scope", ())]
    if labels := captures.get("label"):
        selector = ":".join(_clean_name(source, label, label) for label in labels)
        return ".".join([*parts, selector[:NAME_LIMIT]])
    return ".".join([*parts, _clean_name(source, first, last)])


def is_fully_qualified(source: SourceText, captures: Captures) -> bool:
    """True if the name starts in the global namespace: `::Cart`."""
    names = captures.get("name", ())
    return any(_GLOBAL_NAME.match(source.content, name.start_byte) for name in names[:1])


def _clean_name(source: SourceText, first: Capture, last: Capture) -> str:
    name = source.text(first.start_byte, min(last.end_byte, first.start_byte + _NAME_BYTES_READ))
    if name.isidentifier():
        return name[:NAME_LIMIT]
    if string := _STRING_LITERAL.fullmatch(name):
        return _single_line(string["text"] or string["marked"] or "")
    name = _single_line(name)
    if not _WORD_CHARACTER.search(name):
        return name
    name = _INLINE_NAMESPACE.sub("", name)
    for separator in _SEPARATORS:
        name = name.replace(separator, ".")
    while (bare := _NAME_DECORATION.sub("", name)) != name:
        name = bare
    if "<" in name:
        name = _CUT_ARGUMENTS.sub("", name)
    bare = name.strip('"`.:')
    # a quote behind a name is part of it in Haskell: foldl'
    return (bare.strip("'") if bare.startswith("'") else bare) or name


def _single_line(text: str) -> str:
    """The text with single blanks and no control characters, cut at `NAME_LIMIT`."""
    text = " ".join(text.split())
    return "".join(filter(str.isprintable, text))[:NAME_LIMIT].strip()


def _member_names(source: SourceText, names: Sequence[Capture]) -> Iterator[MemberName]:
    for capture in names:
        name = declared_name(source, {"name": [capture]})
        if name and " " not in name:  # a string with a blank is not a name
            yield MemberName(capture.start_byte, name)


def _outermost_docs(docs: list[DocComment]) -> list[DocComment]:
    """The docs in order, without those inside others, such as comments in a decorator's arguments.

    If two have the same range, the one that allows a blank line remains.
    """
    outermost: list[DocComment] = []
    for doc in sorted(docs, key=lambda doc: (doc.start, -doc.end, not doc.allows_blank_line)):
        if not outermost or outermost[-1].end < doc.end:
            outermost.append(doc)
    return outermost


def _declaration(
    source: SourceText, pattern: int, kind: str, name: str, captures: Captures
) -> Declaration:
    whole = captures[kind][0]
    tail = captures["end"][-1] if "end" in captures else whole
    end = source.strip_end(max(whole.end_byte, tail.end_byte))
    body = captures["body"][0] if "body" in captures else _body_node(whole)
    return Declaration(
        pattern,
        kind,
        name,
        whole.start_byte,
        end,
        body.start_byte if body else end,
        can_join="clause" in captures,
        may_be_qualified="scope" not in captures,
        is_fully_qualified=is_fully_qualified(source, captures),
        name_end=captures["name"][-1].end_byte if "name" in captures else 0,
    )


def _body_node(node: Capture) -> Syntax | None:
    """The body of a declaration, or of the function that it assigns to a name."""
    if body := node.child_by_field_name("body"):
        return body
    functions = filter(None, map(node.child_by_field_name, _FUNCTION_FIELDS))
    bodies = (function.child_by_field_name("body") for function in functions)
    return next(filter(None, bodies), None)


def _is_meaningful_name(name: str) -> bool:
    """True if the string that names a call has a letter or is the path of a route."""
    return name.startswith("/") or any(map(str.isalpha, name))
