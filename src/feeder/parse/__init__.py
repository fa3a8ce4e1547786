"""Turns files into nodes, in isolated processes.

Input is `(path, content)`, output is one `ParsedFile` for each. Start with
`worker_pool.WorkerPool`, then `file_parser.parse_file`. `parse` never opens the network or the
index.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from feeder.nodes import Node
from feeder.parse.compressed_source import SourceBlock


class ParsedFile(NamedTuple):
    """A file's nodes.

    `skip` says why a file that has none was left out (binary, not text), `reason` why a file with
    nodes has only plain-text chunks: because the parser was `stopped`, which another time may not
    hold, or for what the file contains. `masked` counts the secrets that are not in the nodes.
    `shas` are the hashes of their embedding texts, `compounds` the parts of the compound words of
    each, `meanings` their vectors as codes, where a model is asked with the words. `texts` is what
    is kept of the file, where that is asked for: without nodes nothing.
    """

    path: str
    nodes: list[Node]
    skip: str | None = None
    reason: str | None = None
    masked_count: int = 0
    shas: tuple[str, ...] = ()
    compounds: tuple[str, ...] = ()
    stopped: bool = False
    static_vectors: tuple[bytes, ...] = ()
    source_blocks: tuple[SourceBlock, ...] = ()


class StaticEmbedder(Protocol):
    """A model so quick that texts are embedded where they are parsed.

    It travels into the processes that parse: `__call__` loads it there.
    """

    @property
    def model(self) -> str:
        """The name of it, without blanks: nodes of another one are made anew."""

    def __call__(self, texts: Sequence[str]) -> list[bytes]:
        """A code for each text: its scale as a little-endian float32, and a byte a dimension."""


class Parser(Protocol):
    """Turns files into nodes; a file that cannot be parsed costs nothing but its structure."""

    @property
    def fingerprint(self) -> str:
        """What shapes the nodes: an index made by another one is made anew."""

    def parse(
        self, files: Iterable[tuple[str, bytes]], *, keep_source: bool = False
    ) -> Iterator[ParsedFile]:
        """The nodes of each `(path, content)`, in the order of the files; `texts` where wanted."""

    def close(self) -> None:
        """Ends what the parser keeps running."""
