"""Measures what a user waits for in a whole corpus: `feeder search`, an MCP server, a new worktree.

The index has words and static vectors, and is where the program keeps it by default.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import count, islice
from pathlib import Path

from agents import RECHECK_S, Server, server

from feeder.store.sqlite import SQLite
from speed import large_index
from speed.bench import Bench
from speed.figures import quantiles_ms
from speed.repository import clone, git
from speed.search_latency import COMMANDS, WITH_STATIC, WORDS
from speed.static_vectors import MODEL

PART, CORPUS = "commands", "django"
QUERIES, EDITS = 100, 3
"""New queries of a server, and edited files, per run."""
FOUND_S = 30
"""Time within which an answer has to have an edit."""
QUERY = {
    "p50_ms": "`feeder mcp`, a new query, median",
    "p95_ms": "`feeder mcp`, a new query, p95",
}
TOOLS, EDIT, WORKTREE = (
    "`feeder mcp`, to its tools",
    "`feeder mcp`, a query after a file was edited",
    "`feeder sync` in a new worktree",
)
SEARCHES = {
    f"`feeder search` by {WORDS}": ["--no-vectors"],
    f"`feeder search` by {WITH_STATIC}": ["--model", MODEL],
}
OPTIONS = ["--store", "local", "--json", "--quiet"]


def measure(bench: Bench) -> None:
    """Measures the installed feeder."""
    folder = clone(bench.corpus(CORPUS), bench.scratch / "whole")
    # the repository's name; a worktree would else be named by its folder
    git(folder, "remote", "set-url", "origin", "https://github.com/bench/django.git")
    bench.say("commands: building the index")
    sync = ["sync", "--model", MODEL, *OPTIONS, "-C"]
    bench.program.timed(*sync, str(folder))
    with closing(SQLite(folder / ".feeder/index.db")) as database:
        asked = large_index.questions(database, large_index.sources(folder), QUERIES)
        questions = list(islice(asked, QUERIES + 1))
    for number in range(1, bench.runs + 1):
        bench.say(f"commands: run {number} of {bench.runs}")
        _measure_searches(bench, folder, questions[1])
        _measure_server(bench, folder, questions)
        worktree = bench.scratch / f"worktree {number}"
        git(folder, "worktree", "add", "-q", "--detach", str(worktree))
        done = bench.program.timed(*sync, str(worktree))
        bench.figures.add(PART, WORKTREE, {"wall_s": done.wall_s, "cpu_s": done.cpu_s})


def _measure_searches(bench: Bench, folder: Path, question: str) -> None:
    for name, options in SEARCHES.items():
        for _ in range(COMMANDS):
            done = bench.program.timed("search", *OPTIONS, *options, question, "-C", str(folder))
            bench.figures.add(PART, name, {"wall_s": done.wall_s, "cpu_s": done.cpu_s})


def _measure_server(bench: Bench, folder: Path, questions: list[str]) -> None:
    """Measures the start of a server, its answers to queries it has not met, and edits."""
    began = time.perf_counter()
    with server(folder) as client:
        bench.figures.add(PART, TOOLS, {"wall_s": time.perf_counter() - began})
        _, *seconds = [_seconds(client, question) for question in questions]
        for measure, ms in quantiles_ms(seconds).items():
            bench.figures.add(PART, QUERY[measure], {"wall_s": ms / 1000})
        for wall_s in islice(_edited(client, folder), EDITS):
            bench.figures.add(PART, EDIT, {"wall_s": wall_s})


def _seconds(client: Server, question: str) -> float:
    began = time.perf_counter()
    client.search(question)
    return time.perf_counter() - began


def _edited(client: Server, folder: Path) -> Iterator[float]:
    """Adds a function to a file and yields the seconds until an answer has it, endlessly."""
    file = large_index.sources(folder)[0]
    for number in count():
        name = f"measured_{time.monotonic_ns()}_{number}"
        with file.open("a") as lines:
            lines.write(f"\n\ndef {name}():\n    return {number}\n")
        time.sleep(RECHECK_S)
        began = time.perf_counter()
        while f"def {name}" not in client.search(name):
            if time.perf_counter() - began > FOUND_S:
                raise RuntimeError(f"the server did not find {name}, added to {file.name}")
        yield time.perf_counter() - began
