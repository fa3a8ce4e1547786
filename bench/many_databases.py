"""Measures a query to a Worker over many databases: `python -m bench databases --mirror FOLDER`.

The indexes of six public repositories at pinned commits are made, words and stored source alone,
or those of the given files are taken. Each becomes the database of a repository; with more
databases than indexes, of copies with other ids. The Worker runs in workerd with the real D1,
without vectors. Prints requests and rows read by kind of query, and the cost of 100,000 queries a
month in the paid plan. Takes three minutes on two cores.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean

import apsw
import httpx
from answers.corpora import Absent, Snapshot, check_out
from answers.sets import VUE
from processes import environment
from standin import StandIn
from worker_cost.command import add_folders
from worker_cost.corpora import SCRAPY
from worker_cost.isolate import service_calls
from worker_cost.measure import queries_by_kind

from edge.query_generator import SymbolNode

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(__file__).with_suffix(".mjs")
SCRIPT = ROOT / "src" / "feeder" / "edge" / "worker.js"
REPOSITORIES = (
    Snapshot("ktor", "ktorio/ktor", "ef92e5537d7465961f1b3f2b21e217fc35bcfa1f"),
    Snapshot("detekt", "detekt/detekt", "dbfb8423263b79c3d035a21d110b10bf4ba02cfe"),
    Snapshot("okhttp", "square/okhttp", "1682d9bac8c03dffde2969b0b74d47649d0dbb52"),
    SCRAPY,
    VUE,
    Snapshot("prometheus", "prometheus/prometheus", "d15adb9ad7e5d9fbde3a9a8f30200593a5a14d86"),
)
KINDS = ("plain query", "name", "misspelt name")
QUERIES_A_MONTH = 100_000
INCLUDED_ROWS = 25_000_000_000
"""Rows read in a month that the paid plan includes."""

_NODES = """
SELECT path, language, node_type, symbol, start_line FROM docs WHERE symbol IS NOT NULL
ORDER BY path, start_line, symbol
"""


def main() -> int:
    """Returns the exit code: 2 if a snapshot or the Worker's runtime is missing."""
    arguments = _parse_args()
    if missing := StandIn.missing():
        _print_progress(missing)
        return 2
    try:
        indexes = arguments.indexes or [
            _index_file(snapshot, arguments.mirror, arguments.work) for snapshot in REPOSITORIES
        ]
    except Absent as exc:
        _print_progress(f"{exc}. Name the folder of snapshots with --mirror or EVAL_MIRROR.")
        return 2
    with tempfile.TemporaryDirectory(dir=arguments.work) as name:
        folder = Path(name)
        copies = dict(_copies(indexes, arguments.databases, folder))
        sizes = [_count(file) for file in copies.values()]
        nodes = _named_nodes(indexes)
        print(
            "| databases | nodes | query | requests to D1 | rows read "
            "| share of the paid plan (100,000 queries a month) |"
        )
        print("| --- | --- | --- | --- | --- | --- |")
        for count in sorted({1, min(6, len(copies)), len(copies)}):
            bound = dict(list(copies.items())[:count])
            with _worker(bound, folder / f"d1-{count}") as client:
                for kind in KINDS:
                    _, queries = queries_by_kind(nodes, arguments.queries)[kind]
                    costs = [_cost(client, query) for query in queries]
                    rows = [cost[1] for cost in costs]
                    share = QUERIES_A_MONTH * mean(rows) / INCLUDED_ROWS
                    print(
                        f"| {count} | {sum(sizes[:count]):,} | {kind} | "
                        f"{mean(cost[0] for cost in costs):.1f} | "
                        f"{mean(rows):,.0f} (max. {max(rows):,}) | {100 * share:.1f} % |",
                        flush=True,
                    )
    return 0


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench databases", description=__doc__)
    add = parser.add_argument
    add("indexes", nargs="*", type=Path, help="Index files with stored source (default: made).")
    add_folders(parser, "databases")
    add("--databases", type=int, default=30, help="Databases of the largest Worker (default: 30).")
    add("--queries", type=int, default=10, help="Queries of each kind (default: 10).")
    arguments = parser.parse_args(sys.argv[2:])
    arguments.work.mkdir(parents=True, exist_ok=True)
    return arguments


def _index_file(snapshot: Snapshot, mirror: Path, work: Path) -> Path:
    """Returns the index of a snapshot's files; makes what is missing. Raises Absent."""
    repository = check_out(snapshot, mirror, work / snapshot.name)
    _print_progress(f"{snapshot.name}: indexing")
    command = ["sync", "--store", "local", "--texts", "--no-vectors", "--quiet"]
    subprocess.run(
        [sys.executable, "-m", "feeder", *command, "--repo", f"bench/{snapshot.name}"],
        cwd=repository,
        env=environment(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return repository / ".feeder" / "index.db"


def _print_progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _copies(files: Sequence[Path], count: int, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yields repositories with index files: copies of the given ones with ids of their own."""
    for at in range(count):
        repo, copy = f"bench/repository-{at}", folder / f"{at}.db"
        shutil.copyfile(files[at % len(files)], copy)
        database = apsw.Connection(str(copy))
        [(old,)] = database.execute("SELECT min(repo) FROM docs")
        prefix = f"{at:04x}"
        with database:
            for table in ("docs", "files", "texts"):
                database.execute(f"UPDATE {table} SET repo = ? WHERE repo = ?", (repo, old))
            database.execute("UPDATE docs SET id = ? || substr(id, 5)", (prefix,))
            database.execute("UPDATE docs_fts_content SET c0 = ? || substr(c0, 5)", (prefix,))
            database.execute(
                "UPDATE meta SET key = ? || substr(key, length(?) + 1) WHERE key GLOB ? || ':*'",
                (repo, old, old),
            )
        database.pragma("journal_mode", "delete")
        database.close()
        yield repo, copy


def _count(file: Path) -> int:
    [(count,)] = apsw.Connection(str(file)).execute("SELECT count(*) FROM docs")
    return int(count)


def _named_nodes(files: Sequence[Path]) -> list[SymbolNode]:
    return [
        SymbolNode(*row) for file in files for row in apsw.Connection(str(file)).execute(_NODES)
    ]


@contextmanager
def _worker(databases: Mapping[str, Path], folder: Path) -> Iterator[httpx.Client]:
    """Runs the Worker over the databases and yields a client."""
    folder.mkdir()
    order = {
        "script": str(SCRIPT),
        "folder": str(folder),
        "databases": {repo: str(file) for repo, file in databases.items()},
    }
    with subprocess.Popen(
        ["node", str(PROGRAM), json.dumps(order)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdin and process.stdout
        address = process.stdout.readline().strip()
        try:
            with httpx.Client(base_url=address, trust_env=False, timeout=300) as client:
                client.get("/api/search", params={"q": "first"})  # loads the metadata
                yield client
        finally:
            process.stdin.close()
    shutil.rmtree(folder)


def _cost(client: httpx.Client, query: Mapping[str, str]) -> tuple[int, int]:
    """Returns the requests to D1 and the rows read of a query."""
    response = client.get("/api/search", params=query).raise_for_status()
    d1 = service_calls(response.headers["server-timing"])["d1"]
    return d1.calls, d1.rows
