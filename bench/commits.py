"""Measures how well the text of an issue finds the files that are changed for it.

    python -m bench commits REPOSITORY … [--commits 40] [--words 6] [--lines 1] [--by words,static]
        [--tokens 8192]

Issues are represented by commit messages: each query is the message of a commit of the history
of HEAD, without trailers, links and paths, and its answers are the source files that the commit
changes. The index is that of the commit's parent, so that nothing is known that came later.
Commits with 1 to 5 changed source files that existed before count, if the message has enough words
and lines (those with 30 words and 2 lines resemble issues most); the last ones are taken. The table
has the share of queries with a right file in the first hit and in the first ten different files,
and, of those whose commit changes lines of a function, the share with such a function among the
first twenty hits. The queries are in two halves, so that constants can be chosen on one and checked
on the other.

The columns after them are about the answer of the MCP tool `search` with a budget of `--tokens`:
the share of answers that name a right file and a changed function, the share of the changed lines
that an answer shows (of lines that are only added, the one before), and an answer's tokens as 3.2
bytes each and by o200k_base (if `npm ci` has installed it).
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from processes import environment
from speed.repository import git

from feeder.config import Settings
from feeder.mcp import tools
from feeder.mcp.token_budget import BYTES_PER_TOKEN, byte_size
from feeder.mcp.tool_schemas import INPUT_SCHEMAS, validate_arguments
from feeder.query.file_kinds import is_source
from feeder.query.query_plan import SearchRequest
from feeder.search.engine import search
from feeder.search.open_index import SearchIndex, open_index
from feeder.store import Statement

ROOT = Path(__file__).resolve().parents[1]
HALVES = ("tuning", "check")
MAX_FILES, MAX_HITS = 5, 100
HAS_TOKENIZER = (ROOT / "node_modules" / "js-tiktoken").exists()
COUNT_TOKENS = ROOT / "tests" / "mcp_server" / "official_clients" / "tokens.mjs"
HUNK = re.compile(r"^--- a/(.+)$|^@@ -(\d+)(?:,(\d+))?", re.MULTILINE)
HIT, SHOWN_PARTS = (
    re.compile(r"^(?=\S.*?:\d+-\d+\b)", re.MULTILINE),
    re.compile(r"\[(\d[\d, -]*)\]"),
)
SOURCE_SUFFIX = re.compile(
    r"\.(?:c|cc|cpp|cs|dart|exs?|go|groovy|h|hs|java|js|jsx|kt|php|py|rb|rs|scala|swift|ts|tsx)"
)
TRAILER = re.compile(r"^[A-Z][\w-]+(?:-by|-By): .*$|^\(cherry picked .*$", re.MULTILINE)
LINK = re.compile(r"https?://\S+|\(?#\d+\)?|\b[0-9a-f]{7,40}\b|\S+/\S+")
"""Links, numbers of issues, commit ids and paths: an issue would not name the changed files."""


class CommitQuery(NamedTuple):
    """A commit with its parent and message, and the source files that it changes."""

    commit: str
    parent: str
    message: str
    paths: Sequence[str]


class Change(NamedTuple):
    """Lines of a file that a commit changes; or, of size 0, the one after which it adds."""

    path: str
    first: int
    size: int


class Row(NamedTuple):
    """A query with its half, the rank of the first right file among different files, whether
    functions change, and the rank of the first of them among the hits; and of its answer whether
    it names a file and a function, its share of the changed lines, and its text.
    """

    repository: str
    message: str
    half: str
    rank: int | None
    has_functions: bool
    function_rank: int | None
    names_file: bool
    names_function: bool
    line_share: float
    answer: str


def main() -> int:
    """Returns the exit code."""
    args = _parse_args()
    columns = "file@1 | file@10 | function@20 | file | function | lines | tokens | o200k"
    print(f"| repository | mode | half | queries | {columns} |")
    print("|---" * 12 + "|")
    rows: dict[str, list[Row]] = {mode: [] for mode in args.by.split(",")}
    for repository in args.repositories:
        copy = _clone(repository, args.work / repository.parent.name)
        queries = list(islice(_queries(copy, args.words, args.lines), args.commits))
        for query in reversed(queries):  # the oldest first: most files stay the same
            git(copy, "checkout", "-q", "-f", query.parent)
            for mode, own_rows in rows.items():
                own_rows.append(_row(copy, query, mode, args.tokens))
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
            yield CommitQuery(commit, parents[0], text.strip(), paths)


def _row(copy: Path, query: CommitQuery, mode: str, tokens: int) -> Row:
    command = [sys.executable, "-m", "feeder", "sync", "--quiet", "--store", "local"]
    subprocess.run(
        [*command, "--model", "static"],
        cwd=copy,
        env=environment(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    changes = list(_changes(copy, query))
    settings = Settings(copy, model=mode, store="local", quiet=True, query_log=False)
    with open_index(settings) as opened:
        index = opened.with_models(lambda line: print(line, file=sys.stderr))
        functions = set(_changed_functions(index, changes))
        request = SearchRequest(query.message, limit=MAX_HITS, reads_files=False, is_logged=False)
        hits = [shown.result.hit for shown in search(index, request).hits]
        given = {"query": query.message, "budget": tokens}
        arguments = validate_arguments("search", INPUT_SCHEMAS["search"], given)
        answer = tools.search(index, arguments, None).text
    files = list(dict.fromkeys(hit.path for hit in hits))
    return Row(
        copy.name,
        query.message,
        HALVES[hashlib.sha256(query.message.encode()).digest()[0] % 2],
        _first(path in query.paths for path in files),
        bool(functions),
        _first((hit.path, hit.symbol) in functions for hit in hits),
        any(f"\n{path}:" in f"\n{answer}" for path in query.paths),
        any(re.search(_heading(*function), answer, re.MULTILINE) for function in functions),
        _line_share(answer, copy, changes),
        answer,
    )


def _first(matches: Iterable[bool]) -> int | None:
    return next((rank for rank, match in enumerate(matches, 1) if match), None)


def _changes(copy: Path, query: CommitQuery) -> Iterator[Change]:
    diff = git(copy, "diff", "-U0", "--no-renames", query.parent, query.commit, "--", *query.paths)
    path = ""
    for name, first, count in HUNK.findall(diff):
        path = name or path
        if first:
            yield Change(path, int(first), int(count or 1))


def _changed_functions(index: SearchIndex, changes: Iterable[Change]) -> Iterator[tuple[str, str]]:
    """Path and symbol of the methods and functions that have a line which the commit changes, or
    between whose lines it adds some.
    """
    sql = """SELECT path, symbol FROM docs WHERE path = ? AND node_type = 'method'
        AND start_line <= ? AND end_line >= ? AND symbol IS NOT NULL"""
    for path, first, size in changes:
        # lines are added after the first one
        bounds = (first + size - 1, first) if size else (first, first + 1)
        [rows] = index.corpus.database.run([Statement(sql, (path, *bounds))])
        yield from ((str(row[0]), str(row[1])) for row in rows)


def _line_share(answer: str, copy: Path, changes: Sequence[Change]) -> float:
    """The share of the changed lines that an answer shows below a heading of their file."""
    old = {
        (path, number)
        for path, first, size in changes
        for number in range(max(first, 1), max(first, 1) + max(size, 1))
    }
    shown = {
        (path, number)
        for path in {change.path for change in changes}
        for number in _shown_lines(answer, path, (copy / path).read_text("utf-8", "replace"))
    }
    return len(old & shown) / len(old)


def _shown_lines(answer: str, path: str, text: str) -> Iterator[int]:
    lines = text.split("\n")
    for hit in HIT.split(answer):
        heading, *code = hit.split("\n")
        if not heading.startswith(f"{path}:"):
            continue
        parts = SHOWN_PARTS.search(heading)
        ranges = parts[1] if parts else heading.removeprefix(f"{path}:").split()[0]
        below = {line.strip() for line in code}
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", ranges):
            numbers = range(int(first), int(last or first) + 1)
            yield from (number for number in numbers if lines[number - 1].strip() in below)


def _line(repository: str, mode: str, half: str, rows: Sequence[Row]) -> str:
    with_functions = [row.function_rank for row in rows if row.has_functions]
    files = [row.rank for row in rows]
    cells = [
        *(_share(files, 1), _share(files, 10), _share(with_functions, 20)),
        _mean([row.names_file for row in rows]),
        _mean([row.names_function for row in rows if row.has_functions]),
        _mean([row.line_share for row in rows]),
        f"{fmean(byte_size(row.answer) for row in rows) / BYTES_PER_TOKEN:.0f}" if rows else "",
        f"{fmean(_token_counts([row.answer for row in rows])):.0f}"
        if rows and HAS_TOKENIZER
        else "",
    ]
    return f"| {repository} | {mode} | {half} | {len(rows)} | {' | '.join(cells)} |"


def _share(ranks: Sequence[int | None], most: int) -> str:
    return _mean([rank is not None and rank <= most for rank in ranks])


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.3f}".removeprefix("0") if values else ""


def _heading(path: str, symbol: str) -> str:
    """A pattern for the line above a hit in an answer."""
    return rf"^{re.escape(path)}:\d+-\d+ \S+ {re.escape(symbol)}(?:[. ]|$)"


def _token_counts(texts: Sequence[str]) -> list[int]:
    """Tokens by o200k_base."""
    command = ["node", str(COUNT_TOKENS)]
    done = subprocess.run(
        command, input=json.dumps(texts), stdout=subprocess.PIPE, check=True, text=True
    )
    return list(map(int, json.loads(done.stdout)))


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench commits", description=__doc__)
    add = parser.add_argument
    add("repositories", type=Path, nargs="+", metavar="REPOSITORY", help="With its history.")
    add("--commits", type=int, default=40, metavar="N", help="Commits of each repository.")
    add("--words", type=int, default=6, metavar="N", help="Words that a message has at least.")
    add("--lines", type=int, default=1, metavar="N", help="Lines that a message has at least.")
    add("--by", default="words,static", metavar="MODE,…")
    add("--tokens", type=int, default=8_192, metavar="N", help="Budget of an answer.")
    add("--work", type=Path, default=ROOT / ".bench" / "commits", metavar="FOLDER")
    add("--json", type=Path, metavar="FILE", help="Write each query's ranks and answer.")
    return parser.parse_args(sys.argv[2:])
