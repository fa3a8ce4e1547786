"""Parses JSON with comments, and sets or removes one value while all other text stays as it is.

Accepts what wrangler and editors accept: `//`, `/* */`, a trailing comma. Of a repeated name the
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
    r'|(?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<word>(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.]))"
    r"|(?P<punctuation>[][{}:,])",
    re.DOTALL,
)
_LINE_BREAK = re.compile(r"[\r\n]")
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass
class Element:
    """A value and its range in the text.

    In an object or an array, the last child begins at `last_child_start`, with its name, and ends
    at `last_child_end`. `content_end` is the end of the comma and comments that follow it.
    `child_starts` and `comma_positions` cover all children, the latter those with a comma.
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
    """Parses the text; raises ValueError with the position of an error."""
    values: dict[str, Any] = _Parser(text).parse_document().value
    return values


def set_value(text: str, path: tuple[Key, ...], value: Any) -> str:
    """Returns the text with the value at the path, replaced or appended after its siblings.

    Objects on the path that are missing or null are created. Raises ValueError as `loads` does.
    """
    root = node = _Parser(text).parse_document()
    *parents, last = path
    for at, key in enumerate(parents):
        child = node.children.get(key)
        if child is None or child.value is None:
            last, value = key, _wrap_in_objects(path[at + 1 :], value)
            break
        node = child
    if existing := node.children.get(last):
        return text[: existing.start] + _format_inline(value) + text[existing.end :]
    name = f"{_format_inline(last)}: " if isinstance(last, str) else ""
    formatter = _Formatter(text, root)
    if node.children:
        return _insert_after_siblings(text, node, formatter.sibling(node, name, value))
    return _insert_only_child(
        text, node, formatter.child(node, name, value), formatter.closing_indentation(node)
    )


def remove_value(text: str, path: tuple[Key, ...]) -> str:
    """Returns the text without the value at the path, its name and its comma.

    Lines that contain nothing else are removed too. Raises KeyError if there is no such value, and
    ValueError as `loads` does.
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
    """Returns the range to remove for a child: whole lines, or it and the blanks beside it."""
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
    """Joins the text around a removed only child; `{}` if nothing else is in the object."""
    inside = foot.lstrip()
    is_empty = not head[bracket + 1 :].strip() and inside[:1] in "]}"
    return head[: bracket + 1] + inside if is_empty else head + foot


def _preceding_comma(node: Element, key: Key) -> int | None:
    """Returns the position of the comma before a last child that has none of its own."""
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
    """Returns how a list of objects begins."""
    return f'"{kind}": [{{'


def _insert_after_siblings(text: str, node: Element, child: str) -> str:
    """Inserts the child after the comments that follow the last one."""
    comma, last_comma = ("", ",") if node.has_trailing_comma else (",", "")
    between = text[node.last_child_end : node.content_end]
    before, after = text[: node.last_child_end], text[node.content_end :]
    return f"{before}{comma}{between}{child}{last_comma}{after}"


def _insert_only_child(text: str, node: Element, child: str, end: str) -> str:
    at = node.end - 1 if end else node.content_end
    return text[:at] + child + end + text[at:]


class _Formatter:
    """Formats a new value in the style of the text: its indentation and line ends."""

    def __init__(self, text: str, root: Element) -> None:
        self._text = text
        self._eol = "\r\n" if "\r\n" in text else "\n"
        self._indent_unit = self._indentation(root.last_child_start) or "  "

    def sibling(self, node: Element, name: str, value: Any) -> str:
        """Formats a value after the last child: on a line of its own if that child has one."""
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
        """Formats a value one level deeper than the bracket."""
        return self._format_on_new_line(
            self._indentation(node.start) + self._indent_unit, name, value
        )

    def closing_indentation(self, node: Element) -> str:
        """Returns the line end and indentation that the closing bracket needs, if any."""
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
        return _LINE_BREAK.split(self._text[:at])[-1]


def _format_inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Token(NamedTuple):
    """A string, number, word or punctuation mark; `previous_end` ends the token before it."""

    text: str
    start: int
    previous_end: int


class _Parser:
    """Recursive descent over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokenize(text)
        self._next = next(self._tokens)

    def parse_document(self) -> Element:
        """Parses the whole text as one object."""
        if self._next.text != "{":
            self._fail("an object, {…}, is expected")
        root = self._parse_value(0)
        if self._next.text:
            self._fail("the end of the text is expected")
        return root

    def _parse_value(self, depth: int) -> Element:
        token = self._next
        if token.text in {"{", "["} and depth < MAX_DEPTH:
            return self._parse_container(depth + 1)
        if not token.text or token.text in "{}[]:,":
            self._fail(f"a value is expected, nested at most {MAX_DEPTH} levels deep")
        return Element(self._parse_scalar(), token.start, token.start + len(token.text))

    def _parse_container(self, depth: int) -> Element:
        opening = self._advance()
        node = Element(None, opening.start, 0, last_child_start=opening.start)
        is_object = opening.text == "{"
        closing = "}" if is_object else "]"
        has_more = True
        while has_more and self._next.text != closing:
            node.last_child_start = self._next.start
            key = self._parse_name() if is_object else len(node.children)
            child = node.children[key] = self._parse_value(depth)
            node.last_child_end = child.end
            node.child_starts[key] = node.last_child_start
            node.comma_positions.pop(key, None)
            if self._next.text == ",":
                node.comma_positions[key] = self._next.start
            has_more = node.has_trailing_comma = self._accept(",")
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
        try:
            value = json.loads(self._next.text)
        except ValueError:
            self._fail("this is not a JSON value")
        self._advance()
        return value

    def _accept(self, mark: str) -> bool:
        """Consumes the mark if it is the next token, and tells so."""
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
    """Yields all tokens, then an empty one at the end."""
    at = previous_end = 0
    while at < len(text):
        match = _TOKEN_PATTERN.match(text, at)
        if match is None:
            raise ValueError(_error_message(text, at, "this is not valid JSON"))
        if match.lastgroup not in {"blank", "comment"}:
            yield _Token(match[0], at, previous_end)
        at = match.end()
        if match.lastgroup != "blank":
            previous_end = at
    yield _Token("", at, previous_end)


def _error_message(text: str, at: int, message: str) -> str:
    lines = _LINE_END.split(text[:at].lstrip("\ufeff"))
    return f"line {len(lines)}, column {len(lines[-1]) + 1}: {message}"
