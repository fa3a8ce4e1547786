"""Encodes files and nodes as rows, and batches rows into JSON parameters that D1 accepts."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from feeder.bigrams import split_text
from feeder.errors import TooLargeError
from feeder.line_ranges import LineRange, encode_ranges
from feeder.nodes import LineRun, Member, Node, embedding_input, node_ids, text_sha
from feeder.parse.compressed_source import SourceBlock
from feeder.store import Database, Row, Statement, Value
from feeder.text import append_compounds, compound_parts_of, expand_words

PARAM_BYTES = 1_500_000
"""D1 accepts strings of up to 2,000,000 bytes."""
ENCODE_BATCH = 16
"""Items that are encoded to JSON at once."""
POSTINGS_BATCH = 64
"""Nodes whose compound words are found at once; those of a large file would take much memory."""
KEY_BYTES = 128
"""Size of an id and two hashes in JSON."""
TEXT_SHA_DIGITS = 64
MEMBERS_HASH_DIGITS = 16
"""Hex digits of the hash before a node's members, which detects a change of them alone."""


Item = TypeVar("Item")
WriteTransaction = Callable[[list[Statement]], object]
"""Runs the statements as one transaction; raises TooLargeError if they are too much for one."""


class NodeRows(NamedTuple):
    """The rows of a file's nodes, encoded in the process that parses the file.

    `ids`, `keys` (`text_sha`, members' hash and `+` for a part: equal for equal nodes), `types` and
    `input_bytes` (sizes of the embedding inputs) have an item for each node. `docs` and `postings`
    are texts of JSON that fit into a parameter: rows of `doc_row` and `posting_row`, separated by
    commas.
    `language` and `lines` are the file's: the first language of its nodes by name, and their last
    line. `chars` is the length of the nodes' text. A description key is the hash of the text that a
    description is made of, empty for nodes without one; there are none unless the index stores
    descriptions.
    """

    ids: Sequence[str] = ()
    keys: Sequence[str] = ()
    types: Sequence[str] = ()
    input_bytes: Sequence[int] = ()
    description_keys: Sequence[str] = ()
    docs: Sequence[str] = ()
    postings: Sequence[str] = ()
    language: str | None = None
    lines: int | None = None
    chars: int = 0


NO_ROWS = NodeRows()


class IndexedFile(NamedTuple):
    """A file as the index is to contain it; a skipped file has no nodes and a reason.

    `masked` counts masked secrets. `stopped` means that the parser was stopped by a limit, which
    another run may not reach. `static_vectors` are codes in the order of the nodes, empty without a
    static model. `source_parts` are set if the index stores source. `parser` identifies the parser
    and the static model; it is empty if the file was not read. `unparsed` are lines that its
    grammar could not parse.
    """

    path: str
    blob: str
    rows: NodeRows = NO_ROWS
    skipped: bool = False
    reason: str | None = None
    masked: int = 0
    stopped: bool = False
    static_vectors: Sequence[bytes] = ()
    source_parts: Sequence[SourceBlock] = ()
    parser: str = ""
    unparsed: Sequence[LineRange] = ()

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the nodes, in their order."""
        return self.rows.ids


def encode_nodes(
    repo: str,
    path: str,
    nodes: Sequence[Node],
    description_keys: Sequence[str] = (),
    line_runs: Sequence[LineRun] = (),
) -> NodeRows:
    """Encodes the nodes of a file as the rows of a repository's index."""
    ids = node_ids(repo, path, nodes)
    inputs = (embedding_input(path, node).encode("utf-8", "surrogatepass") for node in nodes)
    hashed = [(hashlib.sha256(text).hexdigest(), len(text)) for text in inputs]
    shas = [sha for sha, _ in hashed]
    members = [encode_members(node.members) for node in nodes]
    parts = _part_flags(nodes)
    docs = [
        [id_, path, *node[:-3], sha, encoded_members, key, is_part, node.relations, *run]
        for id_, node, sha, encoded_members, key, is_part, run in zip(
            *(ids, nodes, shas, members, description_keys or [""] * len(nodes), parts),
            _run_columns(line_runs, parts) if line_runs else [(None, None)] * len(nodes),
            strict=True,
        )
    ]
    return NodeRows(
        ids,
        [
            sha + text[:MEMBERS_HASH_DIGITS] + "+" * is_part
            for sha, text, is_part in zip(shas, members, parts, strict=True)
        ],
        [node.node_type for node in nodes],
        [size for _, size in hashed],
        description_keys,
        list(_encode_items(docs)),
        list(_encode_items(posting_rows(path, ids, nodes))),
        min([node.language for node in nodes if node.language], default=None),
        max([node.end_line for node in nodes], default=None),
        sum(len(node.text) for node in nodes),
    )


def _run_columns(
    line_runs: Sequence[LineRun], parts: Iterable[int]
) -> list[tuple[int | None, str | None]]:
    """Returns `lines_hash` of each node, and `part_run` of each part."""
    return [
        (digest, f"[{first},{last},{count}]" if is_part else None)
        for (first, last, count, digest), is_part in zip(line_runs, parts, strict=True)
    ]


def _part_flags(nodes: Sequence[Node]) -> list[int]:
    """Returns 1 for each node that is named, typed and declared like another one of its file."""
    names = [
        (node.node_type, node.symbol, node.signature, node.logical_path)
        if node.symbol or node.logical_path
        else None
        for node in nodes
    ]
    counts = Counter(names)
    return [int(name is not None and counts[name] > 1) for name in names]


def posting_rows(path: str, ids: Sequence[str], nodes: Sequence[Node]) -> Iterator[list[str]]:
    """Yields the indexed words of each node: id, then words of its name, path and text.

    The name is followed by those of its members; their parts are among the words of the text. Runs
    are split into pairs.
    """
    path_words = expand_words(split_text(path))
    for batch in batched(zip(ids, nodes, strict=True), POSTINGS_BATCH):
        names = [split_text(node.symbol or node.logical_path or "") for _, node in batch]
        texts = [split_text(node.text) for _, node in batch]
        parts = compound_parts_of([*names, *texts])
        for (id_, node), name, text, name_parts, text_parts in zip(
            batch, names, texts, parts, parts[len(batch) :], strict=False
        ):
            words = append_compounds(name, name_parts)
            symbol = " ".join([words, *(split_text(member.name) for member in node.members)])
            yield [id_, symbol, path_words, append_compounds(text, text_parts)]


def node_keys_json(files: Iterable[IndexedFile]) -> str:
    """Returns the keys of all nodes of the files, as a JSON object by id."""
    return json.dumps({id_: key for file in files for id_, key in node_keys(file)})


def node_keys(file: IndexedFile) -> Iterator[tuple[str, str]]:
    """Yields the id and key of each node."""
    return zip(file.rows.ids, file.rows.keys, strict=True)


def text_shas(file: IndexedFile) -> list[str]:
    """Returns the hashes of the nodes' embedding inputs."""
    return [key[:TEXT_SHA_DIGITS] for key in file.rows.keys]


def encode_members(members: Iterable[Member]) -> str:
    """Encodes a node's members: a hash, then `RED:3 GREEN:4`; empty without members."""
    text = " ".join(f"{member.name}:{member.line}" for member in members)
    return f"{text_sha(text)[:MEMBERS_HASH_DIGITS]} {text}" if text else ""


def decode_members(text: str) -> Iterator[Member]:
    """Decodes what `encode_members` returned."""
    for member in text.split(" ")[1:]:
        name, _, line = member.rpartition(":")
        yield Member(name, int(line))


def file_rows(files: Iterable[IndexedFile], *, pending: bool) -> Iterator[list[Value]]:
    """Yields a row of `files` for each.

    Path, blob, number of nodes, state, reason, stopped, parser, language, lines, unparsed.
    """
    for file in files:
        with_nodes = "pending" if pending and file.ids else "clean"
        state = "skipped" if file.skipped else with_nodes
        yield [
            file.path,
            file.blob,
            len(file.ids),
            state,
            file.reason,
            int(file.stopped),
            file.parser,
            file.rows.language,
            file.rows.lines,
            encode_ranges(file.unparsed) or None,
        ]


def file_batches(files: Iterable[IndexedFile]) -> Iterator[list[IndexedFile]]:
    """Groups the files so that the node keys of a group fit into one parameter."""
    batch: list[IndexedFile] = []
    size = 0
    for file in files:
        file_size = len(file.ids) * KEY_BYTES
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
    """Encodes the items as JSON arrays that each fit into a parameter."""
    return join_pages(_encode_items(items))


def join_pages(texts: Iterable[str]) -> Iterator[str]:
    """Joins JSON texts of one or more items into arrays that each fit into a parameter.

    The JSON is ASCII, so a character is a byte.
    """
    page: list[str] = []
    size = 0
    for text in texts:
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
