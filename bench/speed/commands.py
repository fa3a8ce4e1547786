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
from speed.search_latency import COMMAND_RUNS, WITH_STATIC, WORDS
from speed.static_vectors import MODEL

PART, CORPUS = "commands", "django"
QUERY_COUNT, EDIT_COUNT = 100, 3
"""New queries of a server, and edited files, per run."""
EDIT_TIMEOUT_S = 30
"""Time within which an answer has to have an edit."""
QUERY_SUBJECTS = {
    "p50_ms": "`feeder mcp`, a new query, median",
    "p95_ms": "`feeder mcp`, a new query, p95",
}
TOOLS_SUBJECT, EDIT_SUBJECT, WORKTREE_SUBJECT = (
    "`feeder mcp`, from start to its list of tools",
    "`feeder mcp`, a query after a file was edited",
    "`feeder sync` in a new worktree",
)
SEARCH_OPTIONS = {
    f"`feeder search` by {WORDS}": ["--no-vectors"],
    f"`feeder search` by {WITH_STATIC}": ["--model", MODEL],
}
OPTIONS = ["--store", "local", "--json", "--quiet"]


def measure(bench: Bench) -> None:
    """Measures the installed feeder."""
    folder = clone(bench.corpus(CORPUS), bench.scratch / "whole")
    # the repository's name; a worktree would else be named by its folder
    git(folder, "remote", "set-url", "origin", "https://github.com/bench/django.git")
    bench.print_progress("commands: building the index")
    sync = ["sync", "--model", MODEL, *OPTIONS, "-C"]
    bench.program.timed(*sync, str(folder))
    with closing(SQLite(folder / ".feeder/index.db")) as database:
        generated = large_index.generate_queries(database, large_index.sources(folder), QUERY_COUNT)
        queries = list(islice(generated, QUERY_COUNT + 1))
    for number in range(1, bench.runs + 1):
        bench.print_progress(f"commands: run {number} of {bench.runs}")
        _measure_searches(bench, folder, queries[1])
        _measure_server(bench, folder, queries)
        worktree = bench.scratch / f"worktree {number}"
        git(folder, "worktree", "add", "-q", "--detach", str(worktree))
        done = bench.program.timed(*sync, str(worktree))
        bench.figures.add(PART, WORKTREE_SUBJECT, {"wall_s": done.wall_s, "cpu_s": done.cpu_s})


def _measure_searches(bench: Bench, folder: Path, query: str) -> None:
    for name, options in SEARCH_OPTIONS.items():
        for _ in range(COMMAND_RUNS):
            done = bench.program.timed("search", *OPTIONS, *options, query, "-C", str(folder))
            bench.figures.add(PART, name, {"wall_s": done.wall_s, "cpu_s": done.cpu_s})


def _measure_server(bench: Bench, folder: Path, queries: list[str]) -> None:
    """Measures the start of a server, its answers to queries it has not met, and edits."""
    started = time.perf_counter()
    with server(folder) as client:
        bench.figures.add(PART, TOOLS_SUBJECT, {"wall_s": time.perf_counter() - started})
        _, *seconds = [_seconds(client, query) for query in queries]
        for measure, ms in quantiles_ms(seconds).items():
            bench.figures.add(PART, QUERY_SUBJECTS[measure], {"wall_s": ms / 1000})
        for wall_s in islice(_edit_times(client, folder), EDIT_COUNT):
            bench.figures.add(PART, EDIT_SUBJECT, {"wall_s": wall_s})


def _seconds(client: Server, query: str) -> float:
    started = time.perf_counter()
    client.search(query)
    return time.perf_counter() - started


def _edit_times(client: Server, folder: Path) -> Iterator[float]:
    """Adds a function to a file and yields the seconds until an answer has it, endlessly."""
    file = large_index.sources(folder)[0]
    for number in count():
        name = f"measured_{time.monotonic_ns()}_{number}"
        with file.open("a") as lines:
            lines.write(f"\n\ndef {name}():\n    return {number}\n")
        time.sleep(RECHECK_S)
        started = time.perf_counter()
        while f"def {name}" not in client.search(name):
            if time.perf_counter() - started > EDIT_TIMEOUT_S:
                raise RuntimeError(f"the server did not find {name}, added to {file.name}")
        yield time.perf_counter() - started
