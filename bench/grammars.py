"""Compares the grammars of the language pack with those of the languages' own packages.

    python -m bench grammars CLONE … [--package LANGUAGE=PACKAGE …] [--base COMMIT] [--limit 300]

Parses the same files of each clone with both grammars and counts the lines that feeder could not
read, after hiding and recovery, and the definitions and relations that only one of them has. By
default the languages that have a package are compared; `--package` tries another one, which has to
be installed. With `--base`, the pack's grammars get the queries of that commit: those of today may
name nodes that the pack does not have. Times are processor time of all parsing, also of recovery.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from feeder.nodes import Node
from feeder.parse.file_parser import parse_file
from feeder.parse.grammars import Grammars
from feeder.relation import decode_relations

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = "src/feeder/grammar_queries.json"
SIZE = 1_000_000
"""The default of `--max-file-bytes`."""
IN_PACK_UNSAFE = "markdown"
"""A grammar of the pack that crashes the process."""

HEAD = """\
| language | repository | files | lines | unparsed: pack | own package | definitions lost | found \
| relations lost | found | time |
|---|---|---|---|---|---|---|---|---|---|---|"""


class Reading(NamedTuple):
    """What one grammar made of a file."""

    unparsed: int
    definitions: Counter[tuple[str, str, int]]
    relations: Counter[tuple[int, str, str]]
    seconds: float


class Comparison:
    """The sums over the files of one language in a clone, and the files where something is lost."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.seconds = {"pack": 0.0, "own": 0.0}
        self.worse: list[str] = []

    def add(self, path: str, content: bytes, pack: Reading, own: Reading) -> None:
        """Adds a file that both grammars have read."""
        lost, found = pack.definitions - own.definitions, own.definitions - pack.definitions
        unrelated, related = pack.relations - own.relations, own.relations - pack.relations
        self.counts.update(
            files=1,
            lines=content.count(b"\n"),
            pack=pack.unparsed,
            own=own.unparsed,
            lost=lost.total(),
            found=found.total(),
            unrelated=unrelated.total(),
            related=related.total(),
        )
        self.seconds["pack"] += pack.seconds
        self.seconds["own"] += own.seconds
        if lost or unrelated or own.unparsed > pack.unparsed:
            self.worse.append(
                f"{path}: {pack.unparsed} → {own.unparsed} lines; lost {[*lost][:4]} "
                f"{[*unrelated][:4]}; found {[*found][:4]} {[*related][:4]}"
            )

    def row(self, language: str, repository: str) -> str:
        """A row of the table."""
        keys = ("files", "lines", "pack", "own", "lost", "found", "unrelated", "related")
        cells = [f"{self.counts[key]:,}" for key in keys]
        ratio = self.seconds["own"] / self.seconds["pack"]
        return f"| {' | '.join((language, repository, *cells, f'{ratio:.2f}'))} |"


def read(grammars: Grammars, path: str, content: bytes) -> Reading:
    """Parses a file."""
    start = time.process_time()
    parsed = parse_file(grammars, path, content, mask_secrets=False)
    seconds = time.process_time() - start
    return Reading(
        sum(last - first + 1 for first, last in parsed.unparsed),
        Counter(_definitions(parsed.nodes)),
        Counter(_relations(parsed.nodes)),
        seconds,
    )


def _definitions(nodes: list[Node]) -> Iterator[tuple[str, str, int]]:
    for node in nodes:
        if node.symbol:
            yield node.node_type, node.symbol, node.start_line


def _relations(nodes: list[Node]) -> Iterator[tuple[int, str, str]]:
    for node in nodes:
        for relation in decode_relations(node.relations):
            for line in relation.line_numbers(node.start_line):
                yield line, relation.kind, relation.name


def compare(clone: Path, language: str, pack: Grammars, own: Grammars, limit: int) -> Comparison:
    """Reads so many of a clone's files in a language with both grammars."""
    result = Comparison()
    named = [
        path
        for path in _git(clone, "ls-files", "-z").split("\0")
        if path and own.detect_language(path, b"")[0] == language
    ]
    Random(1).shuffle(named)
    for path in sorted(named[:limit]):
        file = clone / path
        if file.is_symlink() or not file.is_file() or file.stat().st_size > SIZE:
            continue
        content = file.read_bytes()
        result.add(path, content, *(read(grammars, path, content) for grammars in (pack, own)))
    return result


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def main() -> int:
    """Prints a row for each language of each clone."""
    parser = argparse.ArgumentParser(prog="python -m bench grammars", description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--package", action="append", default=[], metavar="LANGUAGE=PACKAGE")
    parser.add_argument("--base", metavar="COMMIT", help="default: the working tree")
    parser.add_argument("--limit", type=int, default=300, help="files per clone and language")
    parser.add_argument("--examples", type=int, default=0, help="files with losses to print")
    options = parser.parse_args(sys.argv[2:])
    settings = json.loads((ROOT / SETTINGS).read_bytes())
    base = (
        json.loads(_git(ROOT, "show", f"{options.base}:{SETTINGS}")) if options.base else settings
    )
    packages = dict(entry.split("=") for entry in options.package) or {
        language: package
        for language, package in settings["packages"].items()
        if language != IN_PACK_UNSAFE
    }
    pack, own = Grammars(base | {"packages": {}}), Grammars(settings | {"packages": packages})
    print(HEAD)
    for clone in options.clones:
        for language in packages:
            # compiled before the times are taken
            for grammars in (pack, own):
                grammars.grammar(language)
            result = compare(clone.resolve(), language, pack, own, options.limit)
            if result.counts["files"]:
                print(result.row(language, clone.name), flush=True)
            for line in result.worse[: options.examples]:
                print(f"    {line}")
    return 0
