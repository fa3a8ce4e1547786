"""Builds what a language model is sent: the prompt, and the text of each method and class,
keyed by its hash.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from feeder.nodes import Node, text_sha

DESCRIBED_TYPES = ("method", "class")

MAX_TEXT_CHARS = 12_000
"""Of a text that a model is asked about: what comes after says little more."""

MAX_SIGNATURE_CHARS = 4_000
"""Of a class's members, beside its own text."""

_MAX_GAP_LINES = 2
"""From a piece's last line to the next one's first."""


class Subject(NamedTuple):
    """A method or class with the text that a model reads of it; `ids` are those of its nodes."""

    sha: str
    ids: tuple[str, ...]
    text: str
    name: str


def subjects(nodes: Sequence[Node], ids: Sequence[str]) -> list[Subject]:
    """Those of a file, in the order of their lines."""
    return [_build_subject(group, nodes) for group in _group_parts(nodes, ids)]


def subject_hashes(nodes: Sequence[Node]) -> list[str]:
    """By node the hash of its subject; empty where it is none."""
    places = [str(place) for place in range(len(nodes))]
    by_place = {place: one.sha for one in subjects(nodes, places) for place in one.ids}
    return [by_place.get(place, "") for place in places]


_NodeWithId = tuple[str, Node]


def _group_parts(nodes: Sequence[Node], ids: Sequence[str]) -> Iterator[list[_NodeWithId]]:
    """The pieces of each: those of a class wherever they lie, those of a method in a row."""
    some = [
        (id_, node)
        for id_, node in zip(ids, nodes, strict=True)
        if node.node_type in DESCRIBED_TYPES
    ]
    some.sort(key=lambda one: (one[1].node_type, _group_key(one[1]), one[1].start_line))
    for (node_type, *_), alike in groupby(
        some, key=lambda one: (one[1].node_type, _group_key(one[1]))
    ):
        if node_type == "class":
            yield list(alike)
        else:
            yield from _adjacent_parts(alike)


def _group_key(node: Node) -> tuple[str, str]:
    return node.symbol or "", node.signature or ""


def _adjacent_parts(parts: Iterable[_NodeWithId]) -> Iterator[list[_NodeWithId]]:
    run: list[_NodeWithId] = []
    for one in parts:
        if run and not 0 < one[1].start_line - run[-1][1].end_line <= _MAX_GAP_LINES:
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _build_subject(group: Sequence[_NodeWithId], nodes: Sequence[Node]) -> Subject:
    node = group[0][1]
    parts = (node.symbol or "").split(".")
    name = ".".join(parts[-2:] if node.node_type == "method" else parts[-1:])
    code = "\n".join(piece.text for _, piece in group)[:MAX_TEXT_CHARS]
    said = [f"{node.language} {node.node_type} {name}".rstrip(), "", code]
    if node.node_type == "class" and (signatures := _member_signatures(node, nodes)):
        said += ["", "Its members:", signatures]
    text = "\n".join(said)
    return Subject(text_sha(text), tuple(id_ for id_, _ in group), text, node.symbol or name)


def _member_signatures(owner: Node, nodes: Iterable[Node]) -> str:
    """What the members of a class are called, each once, without their bodies."""
    beginning = f"{owner.symbol}."
    found = dict.fromkeys(
        node.signature
        for node in nodes
        if node.signature
        and (node.symbol or "").startswith(beginning)
        and "." not in (node.symbol or "")[len(beginning) :]
        and owner.start_line <= node.start_line <= owner.end_line
    )
    return "\n".join(found)[:MAX_SIGNATURE_CHARS]


PROMPT_VERSION_DIGITS = 12


@cache
def prompt() -> str:
    """Its text."""
    return Path(__file__).with_name("prompt.txt").read_text("utf-8")


@cache
def prompt_version() -> str:
    """Tells one text of it from another."""
    return text_sha(prompt())[:PROMPT_VERSION_DIGITS]
