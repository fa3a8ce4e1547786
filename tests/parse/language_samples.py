"""Constructs that hostile files nest or leave unterminated, for each language."""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from parse.outlines import GRAMMARS, LANGUAGES_FOLDER, SAMPLE_FILES

ROOT = Path(__file__).resolve().parents[2]
BLOCKS, WORDS = 6, 12
"""Of so many different blocks and first words of a sample hostile files are made."""

LANGUAGES = (*GRAMMARS.languages, "text")
"""Every language that has a grammar, and plain text."""


class LanguageConstructs(NamedTuple):
    """The path of a sample file, and the constructs to nest and to leave unterminated.

    If the opening part of a nest ends with a newline, its contents are indented by their depth.
    """

    path: str
    nests: tuple[tuple[str, str], ...]
    endless: tuple[str, ...]


@cache
def language_constructs(language: str) -> LanguageConstructs:
    """Collects a language's constructs from its samples and from `hostile.toml` beside them."""
    samples = files_of_language(language, SAMPLE_FILES)
    lines = [
        line
        for sample in samples
        for line in sample.read_text("utf-8").splitlines()
        if line.strip()
    ]
    file = LANGUAGES_FOLDER / language / "hostile.toml"
    more = tomllib.loads(file.read_text("utf-8")) if file.exists() else {"nests": [], "endless": []}
    blocks = dict.fromkeys(_blocks(lines))
    words = dict.fromkeys(f"{line.split()[0]} " for line in lines)
    return LanguageConstructs(
        samples[0].name,
        (*map(tuple, more["nests"]), *list(blocks)[: 2 * BLOCKS]),
        (*more["endless"], *list(words)[:WORDS]),
    )


def _blocks(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yields the first and last line of each block, with increasing indentation and without."""
    for index, (above, below) in enumerate(pairwise(lines), 1):
        if _indent(below) > (outer := _indent(above)):
            ends = (line.strip() for line in lines[index:] if _indent(line) <= outer)
            yield f"{above.strip()}\n", ""
            yield f"\n{above.strip()}", f"\n{next(ends, '')}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@cache
def real_files(language: str) -> tuple[bytes, ...]:
    """Reads the files of a language in this repository."""
    places = (*SAMPLE_FILES, *ROOT.glob("*"), *ROOT.glob("docs/*"), *ROOT.glob("src/*/*.json"))
    return tuple(place.read_bytes() for place in files_of_language(language, places))


def files_of_language(language: str, places: Iterable[Path]) -> list[Path]:
    """Returns the files whose names belong to the language."""
    files = (place for place in sorted(places) if place.is_file())
    return [file for file in files if GRAMMARS.detect_language(file.name, b"")[0] == language]
