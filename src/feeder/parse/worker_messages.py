"""Messages to a worker process: its settings, and the files to parse."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from feeder.parse import ParsedFile
from feeder.source import file_types

if TYPE_CHECKING:
    from feeder.parse.grammars import Grammars

WALL_CLOCK_FACTOR = 4
"""Wall-clock limit of a file, as a multiple of its limit of processor time."""

File = tuple[str, bytes]


class CodeReference(NamedTuple):
    """Names a function of a module, or a named tuple that can be called, with its `fields`."""

    module: str
    name: str
    fields: tuple[str | bool | None, ...] | None = None

    @classmethod
    def to(cls, code: Callable[..., object]) -> Self:
        """Refers to a function at the top of a module, or to a named tuple with plain fields."""
        if isinstance(code, tuple):
            return cls(type(code).__module__, type(code).__qualname__, tuple(code))
        return cls(code.__module__, code.__qualname__)

    def load(self) -> Any:
        """Imports what it refers to."""
        return _load(self)


@cache
def _load(reference: CodeReference) -> Any:
    code = getattr(import_module(reference.module), reference.name)
    return code if reference.fields is None else code(*reference.fields)


class ParseRequest(NamedTuple):
    """A file to parse: with its grammar, or as plain text for a reason.

    With an `encode`, which refers to a `NodeEncoder`, the answer has what that returns in place of
    nodes.
    """

    path: str
    content: bytes
    plain_text_reason: str | None = None
    keep_source: bool = False
    encode: CodeReference | None = None


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
    """The settings of a worker; `parse_file` replaces `file_parser.parse_file`.

    The references are to a `ParseFile` and to a `StaticEmbedder`.
    """

    grammar_file: Path | None
    parse_file: CodeReference | None
    limits: Limits
    mask_secrets: bool
    static_embedder: CodeReference | None = None
