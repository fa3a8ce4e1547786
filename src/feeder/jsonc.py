"""Parses JSON with comments, and sets or removes one value while all other text stays as it is.

Reads what wrangler and editors accept: `//`, `/* */`, a trailing comma; of a repeated name the
last value counts.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

Key = str | int
MAX_DEPTH = 100
_TOKEN_PATTERN = re.compile(
    r"(?P<blank>[\s\ufeff]+)"
    r"|(?P<comment>//[^\r\n]*|/\*.*?\*/)"
    r'|(?P<text>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<word>(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.]))"
    r"|(?P<mark>[][{}:,])",
    re.DOTALL,
)
_LINE_BREAK = re.compile(r"[\r\n]")
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass
class Element:
    """A value, and from where to where it stands in the text.

    In an object or an array the last child stands from `head`, where its name begins, to `foot`;
    what follows it before the closing bracket, comma and comments, ends at `tail`. `heads` and
    `commas` are of all children that have one.
    """

    value: Any
    start: int
    end: int
    children: dict[Key, "Element"] = field(default_factory=dict)
    last_child_start: int = 0
    last_child_end: int = 0
    content_end: int = 0
    has_trailing_comma: bool = False
    child_starts: dict[Key, int] = field(default_factory=dict)
    comma_positions: dict[Key, int] = field(default_factory=dict)


def loads(text: str) -> dict[str, Any]:
    """What the text says; raises ValueError, which names the place, for what is no such JSON."""
    facts: dict[str, Any] = _Parser(text).parse_document().value
    return facts


def set_value(text: str, path: tuple[Key, ...], value: Any) -> str:
    """The text with a value at the path: in place of the one there, else behind its siblings.

    Objects that the path leads through are made where they are missing. Raises ValueError as
    `loads` does.
    """
    root = node = _Parser(text).parse_document()
    *parents, last = path
    for at, key in enumerate(parents):
        if key not in node.children:
            last, value = key, _wrap_in_objects(path[at + 1 :], value)
            break
        node = node.children[key]
    if there := node.children.get(last):
        return text[: there.start] + _format_inline(value) + text[there.end :]
    name = f"{_format_inline(last)}: " if isinstance(last, str) else ""
    layout = _Formatter(text, root)
    if node.children:
        return _insert_after_siblings(text, node, layout.sibling(node, name, value))
    return _insert_only_child(
        text, node, layout.child(node, name, value), layout.closing_indentation(node)
    )


def remove_value(text: str, path: tuple[Key, ...]) -> str:
    """The text without the value at the path, its name and its comma; raises KeyError without one.

    Lines that it has for itself go with it. Raises ValueError as `loads` does.
    """
    node = _Parser(text).parse_document()
    for key in path[:-1]:
        node = node.children[key]
    start, end = _removal_range(text, node, path[-1])
    head, foot = text[:start], text[end:]
    if len(node.children) == 1:
        return _collapse_empty(head, foot, node.start)
    if (comma := _preceding_comma(node, path[-1])) is not None:
        head = head[:comma] + head[comma + 1 :]
    return head + foot


def _removal_range(text: str, node: Element, key: Key) -> tuple[int, int]:
    """From where to where a child goes: with the blanks beside it, or as whole lines."""
    comma = node.comma_positions.get(key)
    start = node.child_starts[key]
    end = node.children[key].end if comma is None else comma + 1
    left = len(text[:start].rstrip(" \t"))
    right = len(text) - len(text[end:].lstrip(" \t"))
    is_first, is_last = text[left - 1] in "\r\n", _LINE_END.match(text, right)
    if is_first and is_last:
        return left, is_last.end()
    return (left, end) if comma is None else (start, right)


def _collapse_empty(head: str, foot: str, bracket: int) -> str:
    """An object that has lost its only child; `{}` where nothing else is in it."""
    inside = foot.lstrip()
    is_empty = not head[bracket + 1 :].strip() and inside[:1] in "]}"
    return head[: bracket + 1] + inside if is_empty else head + foot


def _preceding_comma(node: Element, key: Key) -> int | None:
    """The comma that stood before the last child, which had none of its own."""
    if key in node.comma_positions:
        return None
    return max(
        (at for at in node.comma_positions.values() if at < node.child_starts[key]), default=None
    )


def _wrap_in_objects(path: tuple[Key, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def list_opening(kind: str) -> str:
    """How a list of objects begins."""
    return f'"{kind}": [{{'


def _insert_after_siblings(text: str, node: Element, child: str) -> str:
    """Behind the comments that follow the last one, which belong to it."""
    comma, last_comma = ("", ",") if node.has_trailing_comma else (",", "")
    between = text[node.last_child_end : node.content_end]
    before, after = text[: node.last_child_end], text[node.content_end :]
    return f"{before}{comma}{between}{child}{last_comma}{after}"


def _insert_only_child(text: str, node: Element, child: str, end: str) -> str:
    at = node.end - 1 if end else node.content_end
    return text[:at] + child + end + text[at:]


class _Formatter:
    """How a text is laid out: what is new looks like what is there."""

    def __init__(self, text: str, root: Element) -> None:
        self._text = text
        self._eol = "\r\n" if "\r\n" in text else "\n"
        self._indent_unit = self._indentation(root.last_child_start) or "  "

    def sibling(self, node: Element, name: str, value: Any) -> str:
        """One that follows the last child: on a line of its own if that one is, or else beside."""
        if not self._line_before(node.last_child_start).strip():
            return self._format_on_new_line(self._indentation(node.last_child_start), name, value)
        if _LINE_BREAK.match(self._text, node.content_end):
            return self.child(node, name, value)
        if _LINE_BREAK.search(self._text, node.last_child_start, node.last_child_end):
            return (
                f" {name}{self._format_multiline(self._indentation(node.last_child_start), value)}"
            )
        return f" {name}{_format_inline(value)}"

    def child(self, node: Element, name: str, value: Any) -> str:
        """One that is a level deeper than the bracket."""
        return self._format_on_new_line(
            self._indentation(node.start) + self._indent_unit, name, value
        )

    def closing_indentation(self, node: Element) -> str:
        """What brings the closing bracket to a line of its own, where it is on none."""
        is_closed = _LINE_BREAK.search(self._text, node.content_end, node.end)
        return "" if is_closed else self._eol + self._indentation(node.start)

    def _format_on_new_line(self, indentation: str, name: str, value: Any) -> str:
        return f"{self._eol}{indentation}{name}{self._format_multiline(indentation, value)}"

    def _format_multiline(self, indentation: str, value: Any) -> str:
        lines = json.dumps(value, ensure_ascii=False, indent=self._indent_unit).split("\n")
        return (self._eol + indentation).join(lines)

    def _indentation(self, at: int) -> str:
        line = self._line_before(at)
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _line_before(self, at: int) -> str:
        """What stands before a place on its line."""
        return _LINE_BREAK.split(self._text[:at])[-1]


def _format_inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Token(NamedTuple):
    """A text, a number, a word or a mark; `gap` is where the token or comment before it ends."""

    text: str
    start: int
    previous_end: int


class _Parser:
    """Reads a text, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokenize(text)
        self._next = next(self._tokens)

    def parse_document(self) -> Element:
        """The object that the whole text is."""
        if self._next.text != "{":
            self._fail("an object, {…}, is expected")
        root = self._parse_value(0)
        if self._next.text:
            self._fail("nothing more is expected")
        return root

    def _parse_value(self, depth: int) -> Element:
        token = self._next
        if token.text in {"{", "["} and depth < MAX_DEPTH:
            return self._parse_container(depth + 1)
        if not token.text or token.text in "{}[]:,":
            self._fail(f"a value is expected, at most {MAX_DEPTH} deep")
        return Element(self._parse_scalar(), token.start, token.start + len(token.text))

    def _parse_container(self, depth: int) -> Element:
        opening = self._advance()
        node = Element(None, opening.start, 0, last_child_start=opening.start)
        is_object = opening.text == "{"
        closing = "}" if is_object else "]"
        goes_on = True
        while goes_on and self._next.text != closing:
            node.last_child_start = self._next.start
            key = self._parse_name() if is_object else len(node.children)
            child = node.children[key] = self._parse_value(depth)
            node.last_child_end = child.end
            node.child_starts[key] = node.last_child_start
            node.comma_positions.pop(key, None)
            if self._next.text == ",":
                node.comma_positions[key] = self._next.start
            goes_on = node.has_trailing_comma = self._accept(",")
        if self._next.text != closing:
            self._fail(f"a comma or {closing} is expected")
        bracket = self._advance()
        node.content_end, node.end = bracket.previous_end, bracket.start + 1
        values = {key: child.value for key, child in node.children.items()}
        node.value = values if is_object else list(values.values())
        return node

    def _parse_name(self) -> str:
        if not self._next.text.startswith('"'):
            self._fail("a name in double quotes is expected")
        name = str(self._parse_scalar())
        if not self._accept(":"):
            self._fail("a colon is expected")
        return name

    def _parse_scalar(self) -> Any:
        """The next token, which is a value by itself."""
        try:
            value = json.loads(self._next.text)
        except ValueError:
            self._fail("this value is not JSON")
        self._advance()
        return value

    def _accept(self, mark: str) -> bool:
        """Takes the mark, where it is the next token."""
        is_next = self._next.text == mark
        if is_next:
            self._advance()
        return is_next

    def _advance(self) -> _Token:
        taken, self._next = self._next, next(self._tokens, self._next)
        return taken

    def _fail(self, reason: str) -> NoReturn:
        raise ValueError(_error_message(self._text, self._next.start, reason))


def _tokenize(text: str) -> Iterator[_Token]:
    """All of them, and an empty one at the end."""
    at = gap = 0
    while at < len(text):
        found = _TOKEN_PATTERN.match(text, at)
        if found is None:
            raise ValueError(_error_message(text, at, "this is no JSON"))
        if found.lastgroup not in {"blank", "comment"}:
            yield _Token(found[0], at, gap)
        at = found.end()
        gap = gap if found.lastgroup == "blank" else at
    yield _Token("", at, gap)


def _error_message(text: str, at: int, message: str) -> str:
    lines = _LINE_END.split(text[:at].lstrip("\ufeff"))
    return f"line {len(lines)}, column {len(lines[-1]) + 1}: {message}"
