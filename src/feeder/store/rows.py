"""Encodes files and nodes as rows, and batches rows into JSON parameters that D1 accepts."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from feeder.errors import TooLargeError
from feeder.nodes import Member, Node, text_sha
from feeder.parse.compressed_source import SourceBlock
from feeder.store import Database, Row, Statement, Value
from feeder.text import append_compounds, expand_words

PARAM_BYTES = 1_500_000
"""D1 accepts strings of up to 2,000,000 bytes."""
ENCODE_BATCH = 16
"""Items that are encoded to JSON at once."""
KEY_BYTES = 128
"""Size of an id and two hashes in JSON."""
MEMBERS_HASH_DIGITS = 16
"""Hex digits of the hash before a node's members, which detects a change of them alone."""


Item = TypeVar("Item")
WriteTransaction = Callable[[list[Statement]], object]
"""Runs the statements as one transaction; raises TooLargeError if they are too much for one."""


class IndexedFile(NamedTuple):
    """A file as the index is to contain it; a skipped file has no nodes and a reason.

    `ids`, `text_shas` (of the embedding inputs), `compounds` (parts of compound words),
    `static_vectors` and `description_keys` belong to the nodes, in their order. `masked` counts
    masked secrets. `stopped` means that the parser was stopped by a limit, which another run may
    not reach. `static_vectors` are codes, empty without a static model. `source_parts` are set if
    the index stores source. A description key is the hash of the text that a description is made
    of, empty for nodes without one. `parser` identifies the parser and the static model; it is
    empty if the file was not read.
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
    parser: str = ""


def node_keys_json(files: Iterable[IndexedFile]) -> str:
    """Returns the keys of all nodes of the files, as a JSON object by id."""
    return json.dumps({id_: key for file in files for id_, key in node_keys(file)})


def node_keys(file: IndexedFile) -> Iterator[tuple[str, str]]:
    """Yields the id and key of each node: `text_sha` and members' hash, equal for equal nodes."""
    for id_, sha, node in zip(file.ids, file.text_shas, file.nodes, strict=True):
        yield id_, sha + encode_members(node.members)[:MEMBERS_HASH_DIGITS]


def encode_members(members: Iterable[Member]) -> str:
    """Encodes a node's members: a hash, then `RED:3 GREEN:4`; empty without members."""
    text = " ".join(f"{member.name}:{member.line}" for member in members)
    return f"{text_sha(text)[:MEMBERS_HASH_DIGITS]} {text}" if text else ""


def decode_members(text: str) -> Iterator[Member]:
    """Decodes what `encode_members` returned."""
    for member in text.split(" ")[1:]:
        name, _, line = member.rpartition(":")
        yield Member(name, int(line))


def doc_rows(files: Iterable[IndexedFile]) -> Iterator[list[Value]]:
    """Yields a row of `docs` for each node.

    Id, path, fields of the node, text_sha, members, description key.
    """
    for file in files:
        description_keys = file.description_keys or [""] * len(file.nodes)
        for id_, sha, node, key in zip(
            file.ids, file.text_shas, file.nodes, description_keys, strict=True
        ):
            *fields, _, members = node
            yield [id_, file.path, *fields, sha, encode_members(members), key]


def posting_rows(files: Iterable[IndexedFile]) -> Iterator[list[str]]:
    """Yields the indexed words of each node: id, then words of its name, path and text.

    The name is followed by those of its members; their parts are among the words of the text.
    """
    for file in files:
        path = expand_words(file.path)
        for id_, node, parts in zip(file.ids, file.nodes, file.compounds, strict=True):
            name = expand_words(node.symbol or node.logical_path or "")
            name = " ".join([name, *(member.name for member in node.members)])
            yield [id_, name, path, append_compounds(node.text, parts)]


def file_rows(files: Iterable[IndexedFile], *, pending: bool) -> Iterator[list[Value]]:
    """Yields a row of `files` for each.

    Path, blob, number of nodes, state, reason, stopped, parser.
    """
    for file in files:
        with_nodes = "pending" if pending and file.nodes else "clean"
        state = "skipped" if file.skipped else with_nodes
        yield [
            file.path,
            file.blob,
            len(file.nodes),
            state,
            file.reason,
            int(file.stopped),
            file.parser,
        ]


def file_batches(files: Iterable[IndexedFile]) -> Iterator[list[IndexedFile]]:
    """Groups the files so that the node keys of a group fit into one parameter."""
    batch: list[IndexedFile] = []
    size = 0
    for file in files:
        file_size = len(file.nodes) * KEY_BYTES
        if batch and size + file_size > PARAM_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file_size
    if batch:
        yield batch


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Splits the items into lists of at most `size`."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def paginate_rows(
    database: Database, sql: str, params: Sequence[Value], start: Sequence[Value], page_size: int
) -> Iterator[Row]:
    """Yields all rows of a query that is ordered by its first columns, one request a page.

    The parameters of `sql` are `params`, the first columns of the last row read (at first `start`),
    and the number of rows.
    """
    last = tuple(start)
    while True:
        [page] = database.run([Statement(sql, (*params, *last, page_size))])
        yield from page
        if len(page) < page_size:
            return
        last = page[-1][: len(last)]


def write_halving(
    items: Sequence[Item],
    build: Callable[[Sequence[Item]], list[Statement]],
    write: WriteTransaction,
) -> None:
    """Writes the items with one transaction; with smaller ones if the database wants that.

    Raises TooLargeError if a single item is too large.
    """
    try:
        write(build(items))
    except TooLargeError:
        if len(items) < 2:
            raise
        half = len(items) // 2
        write_halving(items[:half], build, write)
        write_halving(items[half:], build, write)


def json_pages(items: Iterable[object]) -> Iterator[str]:
    """Encodes the items as JSON arrays that each fit into a parameter.

    The JSON is ASCII, so a character is a byte.
    """
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
    """Encodes the items as JSON, several at once if they are small: that takes half the time."""
    for batch in batched(items, ENCODE_BATCH):
        text = json.dumps(batch)[1:-1]
        if len(text) <= PARAM_BYTES:
            yield text
        else:
            yield from map(json.dumps, batch)
