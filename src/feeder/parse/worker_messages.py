"""Messages to a worker process: its settings, and the files to parse."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from feeder.parse import NodeEncoder, ParsedFile, StaticEmbedder
from feeder.source import file_types

if TYPE_CHECKING:
    from feeder.parse.grammars import Grammars

WALL_CLOCK_FACTOR = 4
"""Wall-clock limit of a file, as a multiple of its limit of processor time."""

File = tuple[str, bytes]


class ParseRequest(NamedTuple):
    """A file to parse: with its grammar, or as plain text for a reason.

    With an `encode`, the answer has what it returns in place of nodes.
    """

    path: str
    content: bytes
    plain_text_reason: str | None = None
    keep_source: bool = False
    encode: NodeEncoder | None = None


ParseFile = Callable[["Grammars", str, bytes], ParsedFile]


class Limits(NamedTuple):
    """Limits of time and memory for one file.

    Times are processor time; `WALL_CLOCK_FACTOR` times as much is allowed by the clock. Computing
    the static vectors of a batch has the limit of plain text. Only Linux enforces the memory limit.
    """

    timeout_s: float = 5.0
    plain_text_timeout_s: float = 4.0
    document_timeout_s: float = 30.0
    max_bytes: int = 1_500_000_000

    def timeout_for(self, path: str, plain_text_reason: str | None) -> float:
        """The limit of one request; with a `plain_text_reason` it is one for plain text."""
        if plain_text_reason:
            return self.plain_text_timeout_s
        return self.document_timeout_s if file_types.document_extension(path) else self.timeout_s


class WorkerConfig(NamedTuple):
    """The settings of a worker; `parse_file` replaces `file_parser.parse_file`."""

    grammar_file: Path | None
    parse_file: ParseFile | None
    limits: Limits
    mask_secrets: bool
    static_embedder: StaticEmbedder | None = None
