"""Where may lines be cut? Between statements rather than in brackets or below a heading line."""

import re
from collections.abc import Iterator, Sequence

TAB = 4
IN_BRACKETS, UNDER_ITS_HEADING, BEFORE_ITS_END = 8, 4, 2
DEEPEST = 3
"""A cut deeper in is no worse."""
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'")
_GOES_ON = re.compile(
    r"\s*(?:[)\]}]|(?:end|else|elif|elsif|except|finally|catch|rescue|ensure|fi|done|esac)\b)"
)


class Layout:
    """How lines are nested, by their indentation and by brackets that are open."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.count = len(lines)
        self._lines = lines
        self._indents = list(_indents(lines))
        self._levels = list(_levels(self._indents))
        self._open = list(_open(lines))

    def start_cost(self, row: int) -> int:
        """What it costs to leave out the lines above this one."""
        return self._cost(row) if row else 0

    def end_cost(self, row: int) -> int:
        """What it costs to leave out this line and all below."""
        if row >= self.count:
            return 0
        is_deeper = self._indents[row] > self._indents[row - 1]
        return self._cost(row) + is_deeper * UNDER_ITS_HEADING

    def _cost(self, row: int) -> int:
        cost = min(DEEPEST, self._levels[row]) + bool(self._open[row]) * IN_BRACKETS
        cost += bool(_GOES_ON.match(self._lines[row])) * BEFORE_ITS_END
        return cost - (not self._lines[row - 1].strip())


def _indents(lines: Sequence[str]) -> Iterator[int]:
    """Columns before the first letter; a blank line is as its next one."""
    following = 0
    found = []
    for line in reversed(lines):
        text = line.lstrip()
        if text:
            following = len(line[: len(line) - len(text)].expandtabs(TAB))
        found.append(following)
    return reversed(found)


def _levels(indents: Sequence[int]) -> Iterator[int]:
    """In how many others each line lies."""
    outer: list[int] = []
    for indent in indents:
        while outer and outer[-1] >= indent:
            outer.pop()
        yield len(outer)
        outer.append(indent)


def _open(lines: Sequence[str]) -> Iterator[int]:
    """How many round and square brackets are open before each line."""
    depth = 0
    for line in lines:
        yield depth
        text = _QUOTED.sub("", line)
        opened = text.count("(") + text.count("[")
        depth = max(0, depth + opened - text.count(")") - text.count("]"))
