"""Divides source text into blocks by indentation: a declaration, a statement, a section.

It needs no grammar, so it also works where a grammar loses its place. A text in a string or a
comment may look like a block; whoever uses blocks tries neighbouring blocks together.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

TAB_WIDTH = 4

_CLOSER = re.compile(rb"[)\]}]|end\b(?!\s*[=(:])|done\b|fi\b|esac\b|\*/")
"""The start of a line that ends the block above it."""

_CONTINUATION = re.compile(
    rb"[{]|(?:else|elif|elsif|elseif|catch|except|finally|rescue|ensure|then|do|begin|var|const)\b"
    rb"(?!\s+\w+\s*[=:])"
)
"""The start of a line that continues the block above it."""

_CASE = re.compile(rb"case\b")
_OPEN_MATCH = re.compile(rb"\b(?:match|catch)$")
"""The end of a line of Scala whose cases may stand at its own indentation."""

_PREFIX = re.compile(
    rb"@(?!end\b|implementation\b|interface\b|protocol\b)\w[^;{}]*$"
    rb"|#?\[[^;{}]*\]\s*$|template\b[^;{}]*$|\"[^\"]+\"$"
)
"""A line that belongs to the declaration right below it: an annotation, `template <class T>`."""

_RESULT_TYPE = re.compile(rb"[a-z_][\w:<>*& \t]*")
"""A line above a function's name and parameters: `static int`."""

_DIRECTIVE = re.compile(rb"#[ \t]*(if|el(?:se|if)|endif)\w*\b")
"""A directive between the lines of a block: `#ifdef`, `#else`."""

_OPEN_END = re.compile(rb"(?:[{(\[]|\b(?:do|then|begin|of|is))\s*(?://.*)?$")
"""The end of a line that opens a block."""


_TRIPLE_QUOTE = re.compile(rb"\"\"\"|'''")

_NO_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))


class Block(NamedTuple):
    """Lines `first` to `last`, counted from 0; `frame` are those at the block's own indentation."""

    first: int
    last: int
    frame: tuple[int, ...]

    @property
    def lines(self) -> range:
        return range(self.first, self.last + 1)

    def interior(self) -> list[int]:
        """The lines that are indented more than the block."""
        frame = set(self.frame)
        return [number for number in self.lines if number not in frame]


def split_blocks(lines: Sequence[bytes], numbers: Sequence[int]) -> list[Block]:
    """The blocks at the outer indentation of some lines, which are given in order.

    The first line sets the indentation. A line that is not indented more begins a block, unless it
    continues the one above: `}`, `{`, `else`. A closing line behind a block that is closed already
    is a block of its own: it closes what stands around.
    """
    blocks: list[_Growing] = []
    outer = None
    previous = -1
    for index, number in enumerate(numbers):
        text = lines[number].strip()
        if not text:
            continue
        indent = _indent(lines[number])
        directive = _DIRECTIVE.match(text)
        if (
            directive
            and blocks
            and (
                blocks[-1].conditionals + blocks[-1].balance > 0
                or _next_indent(lines, numbers, index) > (outer or 0)
            )
        ):
            blocks[-1].add(number, text, is_frame=False)
            blocks[-1].conditionals += {b"if": 1, b"en": -1}.get(directive[1][:2], 0)
            previous = number
            continue
        outer = indent if outer is None else outer
        is_frame = indent <= outer and not (blocks and blocks[-1].quote)
        if not blocks or (is_frame and not blocks[-1].goes_on(text, number - previous)):
            blocks.append(_Growing())
            is_frame = True
        blocks[-1].add(number, text, is_frame=is_frame)
        if directive and directive[1].startswith(b"if"):
            blocks[-1].conditionals += 1
        previous = number
    return [Block(block.numbers[0], block.numbers[-1], tuple(block.frame)) for block in blocks]


class _Growing:
    """A block while its lines are added."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.frame: list[int] = []
        self.balance = 0
        """Brackets that are open."""
        self.conditionals = 0
        """Directives such as `#if` that are open."""
        self.quote = b""
        """The triple quote that is open."""
        self._has_cases = False
        self._last = b""
        """The last line of the frame."""

    def add(self, number: int, text: bytes, *, is_frame: bool) -> None:
        self.numbers.append(number)
        if is_frame:
            self.frame.append(number)
            self._last = text
            self._has_cases |= bool(_OPEN_MATCH.search(text))
        self.balance += bracket_balance(text)
        self.quote = _open_quote(text, self.quote)

    def goes_on(self, text: bytes, distance: int) -> bool:
        """True if a line at the block's own indentation still belongs to it."""
        if _CLOSER.match(text):
            if len(self.numbers) == 1 and not _OPEN_END.search(self._last):
                return self.balance > 0
            ends_deeper = self.numbers[-1] != self.frame[-1]
            return bool(
                ends_deeper or _OPEN_END.search(self._last) or not _CLOSER.match(self._last)
            )
        if _CONTINUATION.match(text) or (self._has_cases and _CASE.match(text)):
            return True
        if distance > 1 or self.numbers[-1] != self.frame[-1]:
            return False
        return bool(
            _PREFIX.match(self._last) or (b"(" in text and _RESULT_TYPE.fullmatch(self._last))
        )


def _open_quote(text: bytes, quote: bytes) -> bytes:
    """The triple quote that is open behind a line."""
    for mark in _TRIPLE_QUOTE.findall(text) if b'""' in text or b"''" in text else ():
        if not quote or mark == quote:
            quote = b"" if quote else mark
    return quote


def _next_indent(lines: Sequence[bytes], numbers: Sequence[int], index: int) -> int:
    """The indentation of the first line below a directive that is none."""
    below = (lines[number] for number in numbers[index + 1 : index + 6])
    return next((_indent(line) for line in below if not _DIRECTIVE.match(line.strip())), 0)


def _indent(line: bytes) -> int:
    line = line.expandtabs(TAB_WIDTH)
    return len(line) - len(line.lstrip())


def bracket_balance(text: bytes) -> int:
    """How many brackets a text opens and does not close; below zero if it closes more."""
    brackets = text.translate(None, _NO_BRACKETS)
    if not brackets:
        return 0
    count = brackets.count
    return 2 * (count(b"(") + count(b"[") + count(b"{")) - len(brackets)
