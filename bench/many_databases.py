"""Measures a query to a Worker over many databases: `python -m bench databases INDEX.db …`.

Each index file, as `feeder sync --store local --texts` writes it, becomes the database of a
repository; with more databases than files, of copies with other ids. The Worker runs in workerd
with the real D1, without vectors. Prints requests and rows read by kind of query, and the cost of
100,000 queries a month in the paid plan.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean

import apsw
import httpx
from worker_cost.isolate import service_calls
from worker_cost.measure import queries_by_kind

from edge.query_generator import SymbolNode

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(__file__).with_suffix(".mjs")
SCRIPT = ROOT / "src" / "feeder" / "edge" / "worker.js"
KINDS = ("plain query", "name", "misspelt name")
QUERIES_A_MONTH = 100_000
INCLUDED_ROWS = 25_000_000_000
"""Rows read in a month that the paid plan includes."""

_NODES = """
SELECT path, language, node_type, symbol, start_line FROM docs WHERE symbol IS NOT NULL
ORDER BY path, start_line, symbol
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench databases", description=__doc__)
    parser.add_argument("indexes", nargs="+", type=Path)
    parser.add_argument("--databases", type=int, default=30)
    parser.add_argument("--queries", type=int, default=10, help="of each kind")
    arguments = parser.parse_args(_arguments())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copies = dict(_copies(arguments.indexes, arguments.databases, folder))
        sizes = [_count(file) for file in copies.values()]
        nodes = _named_nodes(arguments.indexes)
        print("| databases | nodes | query | requests to D1 | rows read | included |")
        print("| --- | --- | --- | --- | --- | --- |")
        for count in sorted({1, min(6, len(copies)), len(copies)}):
            bound = dict(list(copies.items())[:count])
            with _worker(bound, folder / f"d1-{count}") as client:
                for kind in KINDS:
                    _, queries = queries_by_kind(nodes, arguments.queries)[kind]
                    costs = [_cost(client, query) for query in queries]
                    rows = [one[1] for one in costs]
                    share = QUERIES_A_MONTH * mean(rows) / INCLUDED_ROWS
                    print(
                        f"| {count} | {sum(sizes[:count]):,} | {kind} | "
                        f"{mean(one[0] for one in costs):.1f} | "
                        f"{mean(rows):,.0f}, most {max(rows):,} | {share:.1%} |",
                        flush=True,
                    )
    return 0


def _arguments() -> Sequence[str]:
    import sys

    return sys.argv[2:]


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
