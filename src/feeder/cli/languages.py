"""The command `languages try`: tries the description of a language on a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from feeder import relation as kinds
from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp, ShortHelpGroup
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.nodes import Node
    from feeder.parse.languages.trial import Trial

MAX_TEXT_COLUMNS = 60
"""Columns of a line of the file; the rest of a longer one is left out."""

RELATION_WORDS = {
    kinds.CALL: "calls",
    kinds.INHERITS: "inherits",
    kinds.IMPLEMENTS: "implements",
    kinds.UNNAMED: "unnamed",
    kinds.USE: "uses",
    kinds.MENTION: "mentions",
    kinds.IMPORT: "imports",
    kinds.EXPORT: "exports",
    kinds.BINDING: "binds",
    kinds.PARAMETER: "parameter",
    kinds.RETURNS: "returns",
    kinds.VISIBILITY: "visibility",
}


class RelationSite(NamedTuple):
    """A relation at a line of a file; `qualifier` is a receiver, a module or a type."""

    line: int
    kind: str
    name: str
    qualifier: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, self.name or "-", self.qualifier)))


def relation_sites(nodes: Sequence[Node]) -> list[RelationSite]:
    """The relations of a file's nodes, in the order of their lines."""
    sites = [
        RelationSite(line, RELATION_WORDS[relation.kind], relation.name, relation.qualifier)
        for node in nodes
        for relation in kinds.decode_relations(node.relations)
        for line in relation.line_numbers(node.start_line)
    ]
    return sorted(sites)


_EXAMPLES = (
    "feeder languages try languages/zig src/main.zig",
    "feeder languages try languages/go cart.go --json",
)


@click.group(cls=ShortHelpGroup, examples=_EXAMPLES)
def languages() -> None:
    """Test the definition of a language on a file."""


@languages.command(
    "try",
    cls=ShortHelp,
    examples=_EXAMPLES,
)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@options.output_options
def try_language(folder: Path, file: Path, **params: Any) -> None:
    """Print a file with the nodes and relations found in it.

    FOLDER defines the language, as described in languages/README.md of feeder's repository.
    """
    from feeder.parse.languages.trial import try_folder

    settings = Settings(**params)
    trial = try_folder(folder, file)
    sites = relation_sites(trial.nodes)
    console.print_result(settings, _as_json(trial, sites), _lines(trial, sites))
    if trial.error_lines and not settings.quiet:
        numbers = ", ".join(map(str, trial.error_lines))
        console.print_message(
            f"The grammar of '{trial.language}' cannot read all of {file.name}: syntax errors at "
            f"line {numbers}. Hide what it does not know with hidden.toml."
        )


def _as_json(trial: Trial, sites: Sequence[RelationSite]) -> dict[str, Any]:
    fields = ("node_type", "symbol", "logical_path", "signature", "start_line", "end_line")
    return {
        "language": trial.language,
        "nodes": [{name: getattr(node, name) for name in fields} for node in trial.nodes],
        "relations": [site._asdict() for site in sites],
        "error_lines": trial.error_lines,
    }


def _lines(trial: Trial, sites: Sequence[RelationSite]) -> Iterator[str]:
    """Yields each line of the file with what begins or stands there."""
    notes: dict[int, list[str]] = defaultdict(list)
    for node in trial.nodes:
        name = node.symbol or node.logical_path or ""
        range_ = f"{node.start_line}-{node.end_line}"
        notes[node.start_line].append(" ".join(filter(None, (node.node_type, name, range_))))
    for site in sites:
        notes[site.line].append(str(site))
    texts = [line.rstrip("\r").expandtabs(4) for line in trial.lines]
    if not texts[-1]:
        texts.pop()
    width = min(MAX_TEXT_COLUMNS, max(map(len, texts), default=0))
    digits = len(str(len(texts)))
    for number, text in enumerate(texts, 1):
        shown = text if len(text) <= width else f"{text[: width - 1]}…"
        yield f"{number:>{digits}}  {shown:<{width}}  {'; '.join(notes[number])}".rstrip()
