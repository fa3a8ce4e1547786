"""Where may lines be cut? Between statements rather than in brackets or below a heading line."""

import re
from collections.abc import Iterator, Sequence

TAB_WIDTH = 4
BRACKET_COST, HEADING_COST, END_COST = 8, 4, 2
MAX_DEPTH_COST = 3
"""A cut deeper in is no worse."""
QUOTED_PATTERN = re.compile(r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'")
CONTINUATION = re.compile(
    r"\s*(?:[)\]}]|(?:end|else|elif|elsif|except|finally|catch|rescue|ensure|fi|done|esac)\b)"
)


class Layout:
    """How lines are nested, by their indentation and by brackets that are open."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.count = len(lines)
        self._lines = lines
        self._indents = list(_indents(lines))
        self._depths = list(_nesting_depths(self._indents))
        self._open_brackets = list(_open_bracket_counts(lines))

    def start_cost(self, row: int) -> int:
        """What it costs to leave out the lines above this one."""
        return self._cost(row) if row else 0

    def end_cost(self, row: int) -> int:
        """What it costs to leave out this line and all below."""
        if row >= self.count:
            return 0
        is_deeper = self._indents[row] > self._indents[row - 1]
        return self._cost(row) + is_deeper * HEADING_COST

    def _cost(self, row: int) -> int:
        cost = (
            min(MAX_DEPTH_COST, self._depths[row]) + bool(self._open_brackets[row]) * BRACKET_COST
        )
        cost += bool(CONTINUATION.match(self._lines[row])) * END_COST
        return cost - (not self._lines[row - 1].strip())


def _indents(lines: Sequence[str]) -> Iterator[int]:
    """Columns before the first letter; a blank line is as its next one."""
    following = 0
    found = []
    for line in reversed(lines):
        text = line.lstrip()
        if text:
            following = len(line[: len(line) - len(text)].expandtabs(TAB_WIDTH))
        found.append(following)
    return reversed(found)


def _nesting_depths(indents: Sequence[int]) -> Iterator[int]:
    """In how many others each line lies."""
    outer: list[int] = []
    for indent in indents:
        while outer and outer[-1] >= indent:
            outer.pop()
        yield len(outer)
        outer.append(indent)


def _open_bracket_counts(lines: Sequence[str]) -> Iterator[int]:
    """How many round and square brackets are open before each line."""
    depth = 0
    for line in lines:
        yield depth
        text = QUOTED_PATTERN.sub("", line)
        opened = text.count("(") + text.count("[")
        depth = max(0, depth + opened - text.count(")") - text.count("]"))
