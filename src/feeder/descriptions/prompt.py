"""Builds what a language model is sent: the prompt, and the text of each method and class,
keyed by its hash.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from feeder.nodes import MAX_GAP_LINES, Node, text_sha

DESCRIBED_TYPES = ("method", "class")

MAX_TEXT_CHARS = 12_000
"""Limit of a method's or class's own text: what follows adds little to its description."""

MAX_SIGNATURE_CHARS = 4_000
"""Limit of the signatures of a class's members, beside its own text."""


class Subject(NamedTuple):
    """A method or class with the text that a model is sent; it may be several nodes.

    `sha` is the hash of the text, under which its description is stored.
    """

    sha: str
    ids: tuple[str, ...]
    text: str
    name: str


def subjects(nodes: Sequence[Node], ids: Sequence[str]) -> list[Subject]:
    """Returns the methods and classes of a file."""
    return [_build_subject(group, nodes) for group in _group_parts(nodes, ids)]


def subject_hashes(nodes: Sequence[Node]) -> list[str]:
    """Returns the hash of each node's subject; empty for nodes that are not described."""
    positions = [str(position) for position in range(len(nodes))]
    hashes = {
        position: subject.sha for subject in subjects(nodes, positions) for position in subject.ids
    }
    return [hashes.get(position, "") for position in positions]


_NodeWithId = tuple[str, Node]


def _group_parts(nodes: Sequence[Node], ids: Sequence[str]) -> Iterator[list[_NodeWithId]]:
    """Groups the parts of each: of a class all of them, of a method those in adjacent lines."""
    described = [
        (id_, node)
        for id_, node in zip(ids, nodes, strict=True)
        if node.node_type in DESCRIBED_TYPES
    ]
    described.sort(key=lambda pair: (*_group_key(pair), pair[1].start_line))
    for (node_type, *_), parts in groupby(described, key=_group_key):
        if node_type == "class":
            yield list(parts)
        else:
            yield from _adjacent_parts(parts)


def _group_key(node_with_id: _NodeWithId) -> tuple[str, str, str]:
    _, node = node_with_id
    return node.node_type, node.symbol or "", node.signature or ""


def _adjacent_parts(parts: Iterable[_NodeWithId]) -> Iterator[list[_NodeWithId]]:
    group: list[_NodeWithId] = []
    for part in parts:
        if group and not 0 < part[1].start_line - group[-1][1].end_line <= MAX_GAP_LINES:
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def _build_subject(group: Sequence[_NodeWithId], nodes: Sequence[Node]) -> Subject:
    node = group[0][1]
    parts = (node.symbol or "").split(".")
    name = ".".join(parts[-2:] if node.node_type == "method" else parts[-1:])
    code = "\n".join(part.text for _, part in group)[:MAX_TEXT_CHARS]
    lines = [f"{node.language} {node.node_type} {name}".rstrip(), "", code]
    if node.node_type == "class" and (signatures := _member_signatures(node, nodes)):
        lines += ["", "Its members:", signatures]
    text = "\n".join(lines)
    return Subject(text_sha(text), tuple(id_ for id_, _ in group), text, node.symbol or name)


def _member_signatures(owner: Node, nodes: Iterable[Node]) -> str:
    """Returns the distinct signatures of a class's members, one per line."""
    prefix = f"{owner.symbol}."
    signatures = dict.fromkeys(
        node.signature
        for node in nodes
        if node.signature
        and (node.symbol or "").startswith(prefix)
        and "." not in (node.symbol or "")[len(prefix) :]
        and owner.start_line <= node.start_line <= owner.end_line
    )
    return "\n".join(signatures)[:MAX_SIGNATURE_CHARS]


PROMPT_VERSION_DIGITS = 12


@cache
def prompt() -> str:
    """Returns the text of prompt.txt."""
    return Path(__file__).with_name("prompt.txt").read_text("utf-8")


@cache
def prompt_version() -> str:
    """Returns a short hash of the prompt, which the index records with each description."""
    return text_sha(prompt())[:PROMPT_VERSION_DIGITS]
