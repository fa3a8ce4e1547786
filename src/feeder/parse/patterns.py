"""What do the regular expressions of a language find, where its grammar has no eye for it?"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tree_sitter import Node as Syntax


class Capture(Protocol):
    """A part of a file: a syntax node, or what a group of a pattern matched."""

    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    def child_by_field_name(self, name: str, /) -> Syntax | None: ...


Captures = Mapping[str, Sequence[Capture]]
"""What a query or a pattern matched, by the names of its captures or groups."""


@dataclass(frozen=True, slots=True)
class _PatternGroup:
    start_byte: int
    end_byte: int

    def child_by_field_name(self, _name: str, /) -> None:
        """A group has no fields."""


def pattern_matches(
    content: bytes, patterns: Sequence[re.Pattern[bytes]], start: int = 0, end: int = sys.maxsize
) -> Iterator[Captures]:
    """What the patterns match between two offsets.

    A group means what a capture of its name means in a query.
    """
    for pattern in patterns:
        for match in pattern.finditer(content, start, end):
            yield {
                name: [_PatternGroup(*match.span(name))]
                for name in pattern.groupindex
                if match.start(name) >= 0
            }
