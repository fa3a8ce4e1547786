"""Encodes files and nodes as rows, and batches rows into JSON parameters that D1 accepts."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from feeder.nodes import Member, Node, text_sha
from feeder.parse.compressed_source import SourceBlock
from feeder.store import Database, Row, Statement, Value
from feeder.text import append_compounds, expand_words

PARAM_BYTES = 1_500_000
"""D1 takes strings up to 2,000,000 bytes."""
ENCODE_BATCH = 16
"""That are turned to JSON at once."""
KEY_BYTES = 128
"""An id and two hashes in JSON."""
MEMBERS_HASH_DIGITS = 16
"""Hex digits before the members of a node, which tell a change of them alone."""


class IndexedFile(NamedTuple):
    """A file as the index shall hold it; one that is kept out has no nodes and a reason.

    `ids`, `shas` (of what is embedded) and `compounds` (the parts of compound words) belong to the
    nodes, in their order; `masked` counts the secrets that are not in them. `stopped` says that the
    reason is the parser's end, which another time may not hold. `meanings` are the nodes' vectors
    as codes, none where no model is asked with the words. `texts` are kept where an index has them,
    and so is what each node `describes`: the hash of what a model is asked of it, empty for others.
    """

    path: str
    blob: str
    nodes: Sequence[Node] = ()
    ids: Sequence[str] = ()
    text_shas: Sequence[str] = ()
    compounds: Sequence[str] = ()
    skipped: bool = False
    reason: str | None = None
    masked: int = 0
    stopped: bool = False
    static_vectors: Sequence[bytes] = ()
    source_parts: Sequence[SourceBlock] = ()
    description_keys: Sequence[str] = ()


def node_keys_json(files: Iterable[IndexedFile]) -> str:
    """Of all their nodes, in JSON."""
    return json.dumps({id_: key for file in files for id_, key in node_keys(file)})


def node_keys(file: IndexedFile) -> Iterator[tuple[str, str]]:
    """By id, what tells whether a node is there already: `text_sha` and the members' hash."""
    for id_, sha, node in zip(file.ids, file.text_shas, file.nodes, strict=True):
        yield id_, sha + encode_members(node.members)[:MEMBERS_HASH_DIGITS]


def encode_members(members: Iterable[Member]) -> str:
    """A node's members as the index keeps them: a hash, then `RED:3 GREEN:4`; empty without any."""
    text = " ".join(f"{member.name}:{member.line}" for member in members)
    return f"{text_sha(text)[:MEMBERS_HASH_DIGITS]} {text}" if text else ""


def decode_members(text: str) -> Iterator[Member]:
    """What `members_text` was made of."""
    for member in text.split(" ")[1:]:
        name, _, line = member.rpartition(":")
        yield Member(name, int(line))


def doc_rows(files: Iterable[IndexedFile]) -> Iterator[list[Value]]:
    """A row of `docs` for each node: id, path, what it says of itself, text_sha, members, and the
    hash of what is described of it."""
    for file in files:
        described = file.description_keys or [""] * len(file.nodes)
        for id_, sha, node, asked in zip(
            file.ids, file.text_shas, file.nodes, described, strict=True
        ):
            *facts, _, members = node
            yield [id_, file.path, *facts, sha, encode_members(members), asked]


def posting_rows(files: Iterable[IndexedFile]) -> Iterator[list[str]]:
    """What is indexed by word for each node: id, then the words of its name, path and text.

    Beside its name stand those of its members, whole: their parts are among those of the text.
    """
    for file in files:
        path = expand_words(file.path)
        for id_, node, parts in zip(file.ids, file.nodes, file.compounds, strict=True):
            name = expand_words(node.symbol or node.logical_path or "")
            name = " ".join([name, *(member.name for member in node.members)])
            yield [id_, name, path, append_compounds(node.text, parts)]


def file_rows(files: Iterable[IndexedFile], *, pending: bool) -> Iterator[list[Value]]:
    """A row of `files` each: path, blob, number of nodes, state, reason, stopped."""
    for file in files:
        with_nodes = "pending" if pending and file.nodes else "clean"
        state = "skipped" if file.skipped else with_nodes
        yield [file.path, file.blob, len(file.nodes), state, file.reason, int(file.stopped)]


def file_batches(files: Iterable[IndexedFile]) -> Iterator[list[IndexedFile]]:
    """The files in groups whose `keys` fit into one parameter."""
    group: list[IndexedFile] = []
    size = 0
    for file in files:
        file_size = len(file.nodes) * KEY_BYTES
        if group and size + file_size > PARAM_BYTES:
            yield group
            group, size = [], 0
        group.append(file)
        size += file_size
    if group:
        yield group


Item = TypeVar("Item")


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of at most so many."""
    rest = iter(items)
    while piece := list(islice(rest, size)):
        yield piece


def paginate_rows(database: Database, sql: str, repo: str, page_size: int) -> Iterator[Row]:
    """All rows of a question, which begin with a path and an id and come in their order.

    It is asked `most` rows at a time, behind the last: ?1 the repository, ?2 and ?3 that path and
    id, ?4 how many.
    """
    path, id_ = "", ""
    while True:
        [page] = database.run([Statement(sql, (repo, path, id_, page_size))])
        yield from page
        if len(page) < page_size:
            return
        path, id_ = map(str, page[-1][:2])


def json_pages(items: Iterable[object]) -> Iterator[str]:
    """The items as JSON arrays that fit into a parameter; all ASCII, so a character is a byte."""
    page: list[str] = []
    size = 0
    for text in _encode_items(items):
        if page and size + len(text) > PARAM_BYTES:
            yield f"[{','.join(page)}]"
            page, size = [], 0
        page.append(text)
        size += len(text) + 1
    if page:
        yield f"[{','.join(page)}]"


def _encode_items(items: Iterable[object]) -> Iterator[str]:
    """The items in JSON, several at once where they are small: that takes half the time."""
    for some in batched(items, ENCODE_BATCH):
        text = json.dumps(some)[1:-1]
        if len(text) <= PARAM_BYTES:
            yield text
        else:
            yield from map(json.dumps, some)
