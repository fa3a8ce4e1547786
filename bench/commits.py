"""Measures how well the text of an issue finds the files that are changed for it.

    python -m bench commits REPOSITORY … [--commits 40] [--words 6] [--lines 1] [--by words,static]

Issues are represented by commit messages: each query is the message of a commit of the history
of HEAD, without trailers, links and paths, and its answers are the source files that the commit
changes. The index is that of the commit's parent, so that nothing is known that came later.
Commits with 1 to 5 changed source files that existed before count, if the message has enough words
and lines (those with 30 words and 2 lines resemble issues most); the last ones are taken. The table
has the share of queries with a right file in the first hit and in the first ten different files.
The queries are in two halves, so that constants can be chosen on one and checked on the other.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from processes import environment
from speed.repository import git

from feeder.config import Settings
from feeder.query.file_kinds import is_source
from feeder.query.query_plan import SearchRequest
from feeder.search.engine import search
from feeder.search.open_index import open_index

ROOT = Path(__file__).resolve().parents[1]
HALVES = ("tuning", "check")
MAX_FILES, MAX_HITS = 5, 100
SOURCE_SUFFIX = re.compile(
    r"\.(?:c|cc|cpp|cs|dart|exs?|go|groovy|h|hs|java|js|jsx|kt|php|py|rb|rs|scala|swift|ts|tsx)"
)
TRAILER = re.compile(r"^[A-Z][\w-]+(?:-by|-By): .*$|^\(cherry picked .*$", re.MULTILINE)
LINK = re.compile(r"https?://\S+|\(?#\d+\)?|\b[0-9a-f]{7,40}\b|\S+/\S+")
"""Links, numbers of issues, commit ids and paths: an issue would not name the changed files."""


class CommitQuery(NamedTuple):
    """A commit's parent and message, and the source files that it changes."""

    parent: str
    message: str
    paths: Sequence[str]


class Row(NamedTuple):
    """A query with its half, and the rank of the first right file among different files."""

    repository: str
    message: str
    half: str
    rank: int | None


def main() -> int:
    """Returns the exit code."""
    args = _parse_args()
    print("| repository | mode | half | queries | hit@1 | hit@10 |\n|---|---|---|---|---|---|")
    rows: dict[str, list[Row]] = {mode: [] for mode in args.by.split(",")}
    for repository in args.repositories:
        copy = _clone(repository, args.work / repository.parent.name)
        queries = list(islice(_queries(copy, args.words, args.lines), args.commits))
        for query in reversed(queries):  # the oldest first: most files stay the same
            git(copy, "checkout", "-q", "-f", query.parent)
            for mode, own_rows in rows.items():
                own_rows.append(_row(copy, query, mode))
        for mode, all_rows in rows.items():
            own = [row for row in all_rows if row.repository == copy.name]
            print(_line(copy.name, mode, "all", own), flush=True)
    for mode, all_rows in rows.items():
        for half in ("all", *HALVES):
            selected = [row for row in all_rows if half in ("all", row.half)]
            print(_line("together", mode, half, selected))
    if args.json:
        args.json.write_text(json.dumps([row._asdict() for own in rows.values() for row in own]))
    return 0 if any(rows.values()) else 1


def _clone(repository: Path, folder: Path) -> Path:
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        source = ["-c", "safe.directory=*", "clone", "-q", "--shared", "--no-checkout"]
        subprocess.run(["git", *source, str(repository), str(folder)], check=True)
    return folder


def _queries(copy: Path, min_words: int, min_lines: int) -> Iterator[CommitQuery]:
    for line in git(copy, "log", "--no-merges", "--format=%H %P", "origin/HEAD").splitlines():
        commit, *parents = line.split()
        if len(parents) != 1:
            continue
        raw = git(copy, "show", "--format=", "--name-status", "--no-renames", commit)
        changes = [change.split("\t") for change in raw.splitlines() if change]
        paths = [
            path
            for kind, path in changes
            if kind == "M" and is_source(path) and SOURCE_SUFFIX.fullmatch(Path(path).suffix)
        ]
        text = LINK.sub(" ", TRAILER.sub("", git(copy, "show", "-s", "--format=%B", commit)))
        lines = [line for line in text.splitlines() if line.strip()]
        is_long = len(text.split()) >= min_words and len(lines) >= min_lines
        if 1 <= len(paths) <= MAX_FILES and is_long:
            yield CommitQuery(parents[0], text.strip(), paths)


def _row(copy: Path, query: CommitQuery, mode: str) -> Row:
    command = [sys.executable, "-m", "feeder", "sync", "--quiet", "--store", "local"]
    subprocess.run(
        [*command, "--model", "static"],
        cwd=copy,
        env=environment(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    settings = Settings(copy, model=mode, store="local", quiet=True, query_log=False)
    with open_index(settings) as opened:
        index = opened.with_models(lambda line: print(line, file=sys.stderr))
        request = SearchRequest(query.message, limit=MAX_HITS, reads_files=False, is_logged=False)
        hits = search(index, request).hits
    files = list(dict.fromkeys(shown.result.hit.path for shown in hits))
    rank = next((rank for rank, path in enumerate(files, 1) if path in query.paths), None)
    half = HALVES[hashlib.sha256(query.message.encode()).digest()[0] % 2]
    return Row(copy.name, query.message, half, rank)


def _line(repository: str, mode: str, half: str, rows: Sequence[Row]) -> str:
    shares = [
        f"{fmean(row.rank is not None and row.rank <= most for row in rows):.3f}".removeprefix("0")
        if rows
        else ""
        for most in (1, 10)
    ]
    return f"| {repository} | {mode} | {half} | {len(rows)} | {' | '.join(shares)} |"


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench commits", description=__doc__)
    add = parser.add_argument
    add("repositories", type=Path, nargs="+", metavar="REPOSITORY", help="With its history.")
    add("--commits", type=int, default=40, metavar="N", help="Commits of each repository.")
    add("--words", type=int, default=6, metavar="N", help="Words that a message has at least.")
    add("--lines", type=int, default=1, metavar="N", help="Lines that a message has at least.")
    add("--by", default="words,static", metavar="MODE,…")
    add("--work", type=Path, default=ROOT / ".bench" / "commits", metavar="FOLDER")
    add("--json", type=Path, metavar="FILE", help="Write each query's rank.")
    return parser.parse_args(sys.argv[2:])
