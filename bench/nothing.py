"""Checks answers of `references` that say that nothing refers to a name: `python -m bench nothing`.

    python -m bench nothing CLONE … [--count 150] [--examples 5]

Takes names that the index of a clone defines once, and compares "nothing" with what `git grep`
finds in its code outside of comments and strings. The clone is indexed in its `.feeder`.
"""

import argparse
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from feeder.config import Settings
from feeder.corpus.corpus import Corpus
from feeder.errors import FeederError
from feeder.relations.references import ReferencePage, find_references
from feeder.relations.sites import ReferenceFilter
from feeder.relations.targets import resolve_target
from feeder.search.open_index import open_index
from feeder.store import Statement
from feeder.traits import traits

NAMED = """
SELECT path, symbol, language FROM docs
WHERE repo = ?1 AND symbol IS NOT NULL AND node_type IN ('class', 'method')
ORDER BY path, start_line
"""
NOT_CODE = re.compile(
    r"//.*|/\*.*?(?:\*/|$)|^\s*\*.*|#.*"
    r"|\"\"\"[^\"{]*\"\"\"|\"[^\"(){}$]*\"|'[^'(){}<>$]*'"
)


class Counts(NamedTuple):
    """Names asked for, those to which nothing refers, and the false ones among these."""

    asked: int
    nothing: int
    unresolved: int
    false: list[str]


def check(clone: Path, count: int) -> Counts:
    """Asks for the references of names that one definition of a clone has."""
    subprocess.run(
        ["feeder", "sync", "-q", "--no-vectors"], cwd=clone, check=True, capture_output=True
    )
    with open_index(Settings(clone, store="local", quiet=True, query_log=False)) as index:
        corpus = index.corpus
        asked, answers, unresolved = 0, [], 0
        for path, symbol in _names(corpus, count):
            name = f"{path}#{symbol}"
            try:
                page = find_references(
                    corpus, resolve_target(corpus, name), name, ReferenceFilter()
                )
            except FeederError:
                continue  # no declaration
            asked += 1
            unresolved += not page.total
            if not page.total and not page.name_lines.total:
                answers.append((name, page))
        false = [name for name, page in answers if len(list(_code_lines(clone, page))) > 1]
    return Counts(asked, len(answers), unresolved, false)


def _names(corpus: Corpus, count: int) -> Iterator[tuple[str, str]]:
    [rows] = corpus.database.run([Statement(NAMED, (corpus.repo,))])
    named = [
        (str(path), str(symbol))
        for path, symbol, language in rows
        if traits(str(language)).has_relations
    ]
    times = Counter(symbol.rpartition(".")[2] for _, symbol in named)
    once = [entry for entry in named if times[entry[1].rpartition(".")[2]] == 1]
    random.Random(1).shuffle(once)
    yield from once[:count]


def _code_lines(clone: Path, page: ReferencePage) -> Iterator[str]:
    """The lines of the target's kind of files with its name, outside of comments and strings."""
    name, extension = page.target.name, Path(page.target.path).suffix
    command = ["git", "grep", "-nwF", "-e", name, "--", f"*{extension}"]
    found = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    for line in found.stdout.splitlines():
        text = line.split(":", 2)[2]
        if word.search(NOT_CODE.sub(" ", text)):
            yield line


def main() -> int:
    """Prints a line for each clone; exit code 1 if an answer is false."""
    parser = argparse.ArgumentParser(prog="python -m bench nothing", description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--examples", type=int, default=5)
    options = parser.parse_args(sys.argv[2:])
    print("| repository | names | no reference | nothing has the name | of these false |")
    print("|---|---|---|---|---|")
    is_false = False
    for clone in options.clones:
        counts = check(clone.resolve(), options.count)
        print(
            f"| {clone.name} | {counts.asked} | {counts.unresolved} | {counts.nothing} "
            f"| {len(counts.false)} |"
        )
        for name in counts.false[: options.examples]:
            print(f"    {name}")
        is_false |= bool(counts.false)
    return int(is_false)
