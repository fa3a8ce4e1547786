"""What does JSON with comments say, and how is it changed in one place while all else stays?

As wrangler and editors read it: with `//`, `/* */` and a comma after the last member, and of a name
that comes twice the last value counts.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

Key = str | int
DEEPEST = 100
_TOKEN = re.compile(
    r"(?P<blank>[\s\ufeff]+)"
    r"|(?P<comment>//[^\r\n]*|/\*.*?\*/)"
    r'|(?P<text>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<word>(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.]))"
    r"|(?P<mark>[][{}:,])",
    re.DOTALL,
)
_BREAK = re.compile(r"[\r\n]")
_EOL = re.compile(r"\r\n|\r|\n")


@dataclass
class Node:
    """A value, and from where to where it stands in the text.

    In an object or an array the last child stands from `head`, where its name begins, to `foot`;
    what follows it before the closing bracket, comma and comments, ends at `tail`. `heads` and
    `commas` are of all children that have one.
    """

    value: Any
    start: int
    end: int
    children: dict[Key, "Node"] = field(default_factory=dict)
    head: int = 0
    foot: int = 0
    tail: int = 0
    has_comma: bool = False
    heads: dict[Key, int] = field(default_factory=dict)
    commas: dict[Key, int] = field(default_factory=dict)


def loads(text: str) -> dict[str, Any]:
    """What the text says; raises ValueError, which names the place, for what is no such JSON."""
    facts: dict[str, Any] = _Reader(text).document().value
    return facts


def put(text: str, path: tuple[Key, ...], value: Any) -> str:
    """The text with a value at the path: in place of the one there, else behind its siblings.

    Objects that the path leads through are made where they are missing. Raises ValueError as
    `loads` does.
    """
    root = node = _Reader(text).document()
    *parents, last = path
    for at, key in enumerate(parents):
        if key not in node.children:
            last, value = key, _nested(path[at + 1 :], value)
            break
        node = node.children[key]
    if there := node.children.get(last):
        return text[: there.start] + _on_one_line(value) + text[there.end :]
    name = f"{_on_one_line(last)}: " if isinstance(last, str) else ""
    layout = _Layout(text, root)
    if node.children:
        return _after_siblings(text, node, layout.sibling(node, name, value))
    return _alone(text, node, layout.child(node, name, value), layout.before_bracket(node))


def drop(text: str, path: tuple[Key, ...]) -> str:
    """The text without the value at the path, its name and its comma; raises KeyError without one.

    Lines that it has for itself go with it. Raises ValueError as `loads` does.
    """
    node = _Reader(text).document()
    for key in path[:-1]:
        node = node.children[key]
    start, end = _cut(text, node, path[-1])
    head, foot = text[:start], text[end:]
    if len(node.children) == 1:
        return _closed(head, foot, node.start)
    if (comma := _lost_comma(node, path[-1])) is not None:
        head = head[:comma] + head[comma + 1 :]
    return head + foot


def _cut(text: str, node: Node, key: Key) -> tuple[int, int]:
    """From where to where a child goes: with the blanks beside it, or as whole lines."""
    comma = node.commas.get(key)
    start = node.heads[key]
    end = node.children[key].end if comma is None else comma + 1
    left = len(text[:start].rstrip(" \t"))
    right = len(text) - len(text[end:].lstrip(" \t"))
    is_first, is_last = text[left - 1] in "\r\n", _EOL.match(text, right)
    if is_first and is_last:
        return left, is_last.end()
    return (left, end) if comma is None else (start, right)


def _closed(head: str, foot: str, bracket: int) -> str:
    """An object that has lost its only child; `{}` where nothing else is in it."""
    inside = foot.lstrip()
    is_empty = not head[bracket + 1 :].strip() and inside[:1] in "]}"
    return head[: bracket + 1] + inside if is_empty else head + foot


def _lost_comma(node: Node, key: Key) -> int | None:
    """The comma that stood before the last child, which had none of its own."""
    if key in node.commas:
        return None
    return max((at for at in node.commas.values() if at < node.heads[key]), default=None)


def _nested(path: tuple[Key, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def shown(kind: str) -> str:
    """How a list of objects begins."""
    return f'"{kind}": [{{'


def _after_siblings(text: str, node: Node, child: str) -> str:
    """Behind the comments that follow the last one, which belong to it."""
    comma, last_comma = ("", ",") if node.has_comma else (",", "")
    between = text[node.foot : node.tail]
    return f"{text[: node.foot]}{comma}{between}{child}{last_comma}{text[node.tail :]}"


def _alone(text: str, node: Node, child: str, end: str) -> str:
    at = node.end - 1 if end else node.tail
    return text[:at] + child + end + text[at:]


class _Layout:
    """How a text is laid out: what is new looks like what is there."""

    def __init__(self, text: str, root: Node) -> None:
        self._text = text
        self._eol = "\r\n" if "\r\n" in text else "\n"
        self._unit = self._indentation(root.head) or "  "

    def sibling(self, node: Node, name: str, value: Any) -> str:
        """One that follows the last child: on a line of its own if that one is, or else beside."""
        if not self._before(node.head).strip():
            return self._on_new_line(self._indentation(node.head), name, value)
        if _BREAK.match(self._text, node.tail):
            return self.child(node, name, value)
        if _BREAK.search(self._text, node.head, node.foot):
            return f" {name}{self._on_lines(self._indentation(node.head), value)}"
        return f" {name}{_on_one_line(value)}"

    def child(self, node: Node, name: str, value: Any) -> str:
        """One that is a level deeper than the bracket."""
        return self._on_new_line(self._indentation(node.start) + self._unit, name, value)

    def before_bracket(self, node: Node) -> str:
        """What brings the closing bracket to a line of its own, where it is on none."""
        is_closed = _BREAK.search(self._text, node.tail, node.end)
        return "" if is_closed else self._eol + self._indentation(node.start)

    def _on_new_line(self, indentation: str, name: str, value: Any) -> str:
        return f"{self._eol}{indentation}{name}{self._on_lines(indentation, value)}"

    def _on_lines(self, indentation: str, value: Any) -> str:
        lines = json.dumps(value, ensure_ascii=False, indent=self._unit).split("\n")
        return (self._eol + indentation).join(lines)

    def _indentation(self, at: int) -> str:
        line = self._before(at)
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _before(self, at: int) -> str:
        """What stands before a place on its line."""
        return _BREAK.split(self._text[:at])[-1]


def _on_one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Token(NamedTuple):
    """A text, a number, a word or a mark; `gap` is where the token or comment before it ends."""

    text: str
    start: int
    gap: int


class _Reader:
    """Reads a text, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._next = next(self._tokens)

    def document(self) -> Node:
        """The object that the whole text is."""
        if self._next.text != "{":
            self._refuse("an object, {…}, is expected")
        root = self._value(0)
        if self._next.text:
            self._refuse("nothing more is expected")
        return root

    def _value(self, depth: int) -> Node:
        token = self._next
        if token.text in {"{", "["} and depth < DEEPEST:
            return self._container(depth + 1)
        if not token.text or token.text in "{}[]:,":
            self._refuse(f"a value is expected, at most {DEEPEST} deep")
        return Node(self._plain(), token.start, token.start + len(token.text))

    def _container(self, depth: int) -> Node:
        opening = self._take()
        node = Node(None, opening.start, 0, head=opening.start)
        is_object = opening.text == "{"
        closing = "}" if is_object else "]"
        goes_on = True
        while goes_on and self._next.text != closing:
            node.head = self._next.start
            key = self._name() if is_object else len(node.children)
            child = node.children[key] = self._value(depth)
            node.foot = child.end
            node.heads[key] = node.head
            node.commas.pop(key, None)
            if self._next.text == ",":
                node.commas[key] = self._next.start
            goes_on = node.has_comma = self._passes(",")
        if self._next.text != closing:
            self._refuse(f"a comma or {closing} is expected")
        bracket = self._take()
        node.tail, node.end = bracket.gap, bracket.start + 1
        values = {key: child.value for key, child in node.children.items()}
        node.value = values if is_object else list(values.values())
        return node

    def _name(self) -> str:
        if not self._next.text.startswith('"'):
            self._refuse("a name in double quotes is expected")
        name = str(self._plain())
        if not self._passes(":"):
            self._refuse("a colon is expected")
        return name

    def _plain(self) -> Any:
        """The next token, which is a value by itself."""
        try:
            value = json.loads(self._next.text)
        except ValueError:
            self._refuse("this value is not JSON")
        self._take()
        return value

    def _passes(self, mark: str) -> bool:
        """Takes the mark, where it is the next token."""
        is_next = self._next.text == mark
        if is_next:
            self._take()
        return is_next

    def _take(self) -> _Token:
        taken, self._next = self._next, next(self._tokens, self._next)
        return taken

    def _refuse(self, why: str) -> NoReturn:
        raise ValueError(_said(self._text, self._next.start, why))


def _tokens(text: str) -> Iterator[_Token]:
    """All of them, and an empty one at the end."""
    at = gap = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(_said(text, at, "this is no JSON"))
        if found.lastgroup not in {"blank", "comment"}:
            yield _Token(found[0], at, gap)
        at = found.end()
        gap = gap if found.lastgroup == "blank" else at
    yield _Token("", at, gap)


def _said(text: str, at: int, what: str) -> str:
    lines = _EOL.split(text[:at].lstrip("\ufeff"))
    return f"line {len(lines)}, column {len(lines[-1]) + 1}: {what}"
