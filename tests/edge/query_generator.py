"""Generates queries from an index: names, words, misspelt names, filters and nonsense."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

QueryParams = dict[str, str]


class SymbolNode(NamedTuple):
    """A node with its symbol and place."""

    path: str
    language: str
    node_type: str
    symbol: str
    line: int

    @property
    def last(self) -> str:
        return re.split(r"\.|::", self.symbol)[-1]

    @property
    def words(self) -> str:
        found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", self.last)
        return " ".join(found).lower() or "what"

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0] or self.path

    @property
    def file(self) -> str:
        return self.path.rpartition("/")[2]


def misspelt(name: str, at: int) -> str:
    at %= max(len(name) - 1, 1)
    return f"{name[:at]}{name[at + 1 : at + 2]}{name[at : at + 1]}{name[at + 2 :]}"


def _trace(one: SymbolNode, other: SymbolNode) -> str:
    place = f'  File "/x/{one.path}", line {one.line}, in {one.last}'
    return f"Traceback (most recent call last):\n{place}\n    pass\nValueError: {other.words}"


RULES: tuple[Callable[[SymbolNode, SymbolNode, int], QueryParams], ...] = (
    lambda one, other, at: {"q": one.symbol},
    lambda one, other, at: {"q": one.last},
    lambda one, other, at: {"q": misspelt(one.last, at)},
    lambda one, other, at: {"q": one.last[:-1] or "x"},
    lambda one, other, at: {"q": f"where is {one.words}"},
    lambda one, other, at: {"q": f"how does {one.words} {other.words} work"},
    lambda one, other, at: {"q": one.path},
    lambda one, other, at: {"q": one.file},
    lambda one, other, at: {"q": f"{one.words} lang:{one.language}"},
    lambda one, other, at: {"q": f"{other.words} type:{one.node_type}"},
    lambda one, other, at: {"q": f"{one.words} path:{one.folder}"},
    lambda one, other, at: {"q": f"{other.words} path:{one.file}"},
    lambda one, other, at: {"q": f"{other.words} -path:{one.path}"},
    lambda one, other, at: {"q": f"path:*.{one.path.rpartition('.')[2]} {other.words}"},
    lambda one, other, at: {"q": f"{one.words} tests:{('no', 'only')[at % 2]}"},
    lambda one, other, at: {"q": f"{other.words} {one.words} -{one.words.split()[0]}x"},
    lambda one, other, at: {"q": f"{one.last[:3]}*"},
    lambda one, other, at: {"q": f"symbol:{one.last}"},
    lambda one, other, at: {"q": f"lang:{one.language} path:{one.folder}"},
    lambda one, other, at: {"q": f"category:{('docs', 'code', 'config')[at % 3]} {one.words}"},
    lambda one, other, at: {"q": one.words, "language": one.language, "not_path": one.path},
    lambda one, other, at: {"q": other.words, "node_type": one.node_type, "tests": "no"},
    lambda one, other, at: {"q": misspelt("zxqjkwvy", at) + str(at)},
    lambda one, other, at: {"q": _trace(one, other)},
    lambda one, other, at: {"q": f"{one.words} {other.words}", "offset": str(at % 7)},
    lambda one, other, at: {"q": f"{one.words} path:no/such/{one.file}"},
    lambda one, other, at: {"q": f"{one.words} lang:no{one.language}"},
)


def generate_queries(nodes: Sequence[SymbolNode], count: int) -> Iterator[QueryParams]:
    """Returns this many queries, by each rule in turn; always the same ones."""
    choice = random.Random(17)
    for at in range(count):
        yield RULES[at % len(RULES)](choice.choice(nodes), choice.choice(nodes), at)
