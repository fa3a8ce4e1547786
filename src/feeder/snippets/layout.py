"""`Layout`: the nesting of lines, and what it costs to cut between two of them."""

import re
from collections.abc import Iterator, Sequence

TAB_WIDTH = 4

BRACKET_COST, HEADING_COST, END_COST = 8, 4, 2

MAX_DEPTH_COST = 3
"""The highest cost of a cut by nesting depth."""

QUOTED_PATTERN = re.compile(r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'")

CONTINUATION = re.compile(
    r"\s*(?:[)\]}]|(?:end|else|elif|elsif|except|finally|catch|rescue|ensure|fi|done|esac)\b)"
)


class Layout:
    """The nesting of lines, by indentation and open brackets, and the cost of a cut."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.count = len(lines)
        self._lines = lines
        self._indents = list(_indents(lines))
        self._depths = list(_nesting_depths(self._indents))
        self._open_brackets = list(_open_bracket_counts(lines))
        self._costs: dict[int, int] = {}

    def start_cost(self, row: int) -> int:
        """The cost of leaving out the lines above a row."""
        return self._cost(row) if row else 0

    def end_cost(self, row: int) -> int:
        """The cost of leaving out a row and all below."""
        if row >= self.count:
            return 0
        is_deeper = self._indents[row] > self._indents[row - 1]
        return self._cost(row) + is_deeper * HEADING_COST

    def _cost(self, row: int) -> int:
        """The cost of a cut above a row; computed once, since many cuts are compared."""
        cost = self._costs.get(row)
        if cost is None:
            cost = self._costs[row] = self._cost_above(row)
        return cost

    def _cost_above(self, row: int) -> int:
        cost = (
            min(MAX_DEPTH_COST, self._depths[row]) + bool(self._open_brackets[row]) * BRACKET_COST
        )
        cost += bool(CONTINUATION.match(self._lines[row])) * END_COST
        return cost - (not self._lines[row - 1].strip())


def _indents(lines: Sequence[str]) -> Iterator[int]:
    """Yields the indentation of each line in columns; a blank line has that of the next one."""
    following = 0
    indents = []
    for line in reversed(lines):
        text = line.lstrip()
        if text:
            following = len(line) - len(text)
            if "\t" in line[:following]:
                following = len(line[:following].expandtabs(TAB_WIDTH))
        indents.append(following)
    return reversed(indents)


def _nesting_depths(indents: Sequence[int]) -> Iterator[int]:
    """The number of lines above that each line is nested in."""
    outer: list[int] = []
    for indent in indents:
        while outer and outer[-1] >= indent:
            outer.pop()
        yield len(outer)
        outer.append(indent)


def _open_bracket_counts(lines: Sequence[str]) -> Iterator[int]:
    """The number of round and square brackets that are open before each line."""
    depth = 0
    for line in lines:
        yield depth
        if not ("(" in line or ")" in line or "[" in line or "]" in line):
            continue
        text = QUOTED_PATTERN.sub("", line) if '"' in line or "'" in line else line
        opened = text.count("(") + text.count("[")
        depth = max(0, depth + opened - text.count(")") - text.count("]"))
