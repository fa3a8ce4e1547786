"""Turns files into nodes, in isolated processes.

Input is `(path, content)`, output is one `ParsedFile` for each. Start with
`worker_pool.WorkerPool`, then `file_parser.parse_file`. `parse` never opens the network or the
index.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from feeder.line_ranges import LineRange
from feeder.nodes import LineRun, Node
from feeder.parse.compressed_source import SourceBlock


class ParsedFile(NamedTuple):
    """The nodes of a file and what is derived from them.

    `skip` is the reason why a file has no nodes (binary, not text). `reason` is why a file was
    parsed as plain text only; `stopped` is true if that was a limit of time or memory or a crash,
    which another run may not meet. `masked_count` is the number of masked secrets.

    `static_vectors` are the nodes' vectors by the static model, if there is one. `source_blocks` is
    the stored source, if requested and if there are nodes. `line_runs` has one for each
    node. `unparsed` are the lines of the file that its grammar could not parse, also those of
    embedded code. `encoded` is what a `NodeEncoder` has made of the file, which then has no
    `nodes`.
    """

    path: str
    nodes: list[Node]
    skip: str | None = None
    reason: str | None = None
    masked_count: int = 0
    stopped: bool = False
    static_vectors: tuple[bytes, ...] = ()
    source_blocks: tuple[SourceBlock, ...] = ()
    line_runs: tuple[LineRun, ...] = ()
    unparsed: tuple[LineRange, ...] = ()
    encoded: Any = None


class NodeEncoder(Protocol):
    """Encodes a file's nodes for the caller, in the worker that parses the file.

    It is a named tuple of texts and booleans, which each worker makes again by its name.
    """

    @property
    def result_type(self) -> type:
        """The type of what it returns: a named tuple."""

    def __call__(self, file: ParsedFile, /) -> object:
        """Returns what the caller gets as `ParsedFile.encoded`."""


class StaticEmbedder(Protocol):
    """An embedding model fast enough to run in the worker that parses the text.

    It is a named tuple of texts and booleans, which each worker makes again by its name; the first
    call there loads the model.
    """

    @property
    def model(self) -> str:
        """Its name, without blanks; part of the parser fingerprint."""

    def __call__(self, texts: Sequence[str]) -> list[bytes]:
        """A vector for each text: a little-endian float32 scale, then one byte per dimension."""


class Parser(Protocol):
    """Turns files into nodes; a file that cannot be parsed becomes plain-text chunks."""

    @property
    def fingerprint(self) -> str:
        """Identifies all that shapes the nodes; files are parsed again when it changes."""

    def start(self, count: int | None = None) -> None:
        """Starts so many processes ahead of the first file, all by default."""

    def parse(
        self,
        files: Iterable[tuple[str, bytes]],
        *,
        keep_source: bool = False,
        encode: NodeEncoder | None = None,
    ) -> Iterator[ParsedFile]:
        """Parses each `(path, content)`, in order.

        `keep_source` fills `source_blocks`, `encode` fills `encoded` in place of
        `nodes` and `line_runs`.
        """

    def close(self) -> None:
        """Ends the worker processes."""
