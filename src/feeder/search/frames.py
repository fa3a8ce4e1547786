"""Which functions does a pasted trace name? Those that were running, the innermost first."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from feeder.search.asked import QueryText
from feeder.store import Row, Statement
from feeder.store.name_search import NameMatch, exact_name_statement, name_matches
from feeder.store.scope import Scope
from feeder.symbols import normalize_symbol, symbol_ends_with

MAX_FRAMES = 12
"""Functions that are looked for, at most."""

# no pattern looks at a sign more than twice: what is pasted may be long, and anything
LOCATION = re.compile(r'(?<![\w.@+-])([\w.@+-]+\.\w+)(?:", line |:line |:)\d+')
PYTHON_NAME = re.compile(r", in (\w+)")
RUBY_NAME = re.compile(r":in [`'](?:[a-z]+ in )?([\w.:#?!]+)'")
NAME_BEFORE = (
    # Java's, Kotlin's, JavaScript's and C#'s
    re.compile(r"\s*at (?:async |new )?([\w.$/@]+) ?[(\[]"),
    # a debugger's `#1 0x4005 in shop::add (n=1) at cart.c:12`
    re.compile(r"\#\d+ +(?:0x\w+ in )?([\w:~]+) \("),
)
NAME_ABOVE = (
    # Go's `example.com/shop.(*Cart).add(0x0)`
    re.compile(r"(?:[^\s/(]+/)*((?:[\w.]|\(\*\w+\))+)\("),
    # Rust's `4: shop::cart::add`
    re.compile(r" *\d+: +([\w:]+)$"),
)
ANONYMOUS_PATTERN = re.compile(r"\.func\d[\d.]*$")


class Frame(NamedTuple):
    """A function that was running, by the last parts of its name, and its file's name."""

    name: str
    file: str


def parse_frames(query_text: QueryText) -> list[Frame]:
    """Of a question in several lines, each once, the innermost first."""
    lines = query_text.text.split("\n")
    found = [one for above, line in pairwise(["", *lines]) for one in _parse_line(above, line)]
    ordered = reversed(found) if _is_outermost_first(query_text.text) else iter(found)
    return list(islice(dict.fromkeys(ordered), MAX_FRAMES)) if len(lines) > 1 else []


def frame_statements(query_text: QueryText, scope: Scope) -> list[Statement]:
    """What the index is asked: the nodes that are called like each frame."""
    lasts = (frame.name.rpartition(".")[2] for frame in parse_frames(query_text))
    return [exact_name_statement(f'symbol : "{last}"', last, scope) for last in lasts]


def frame_node_ids(query_text: QueryText, row_sets: Sequence[Iterable[Row]]) -> list[str]:
    """The ids of those that lie in the file which their frame names."""
    answered = zip(parse_frames(query_text), row_sets, strict=True)
    ids = (id_ for frame, rows in answered for id_ in _nodes_in_file(frame, name_matches(rows)))
    return list(dict.fromkeys(ids))


def _parse_line(above: str, line: str) -> Iterator[Frame]:
    """The frame that a line, or one with the line above it, tells."""
    place = LOCATION.search(line)
    if place is None:
        return
    after = (pattern.match(line, place.end()) for pattern in (PYTHON_NAME, RUBY_NAME))
    before = (pattern.match(line) for pattern in NAME_BEFORE)
    higher = (pattern.match(above) for pattern in NAME_ABOVE)
    for found in filter(None, (*after, *before, *higher)):
        yield Frame(_short_name(found[1]), place[1])
        return


def _short_name(name: str) -> str:
    """The last two parts of a name, as the index writes them."""
    plain = ANONYMOUS_PATTERN.sub("", name.rpartition("/")[2].replace("(*", "").replace(")", ""))
    return ".".join(normalize_symbol(plain).split(".")[-2:])


def _is_outermost_first(text: str) -> bool:
    return "Traceback (most recent call last)" in text


def _nodes_in_file(frame: Frame, nodes: Iterable[NameMatch]) -> Iterator[str]:
    """Those whose owner is the frame's too, where there are any: `Mux.route`, not `node.route`."""
    there = [node for node in nodes if PurePosixPath(node.path).name == frame.file]
    own = [node for node in there if symbol_ends_with(normalize_symbol(node.name), frame.name)]
    return (node.id for node in own or there)
