"""Measures parsing, indexing and searching of a manual of 1,158 pages.

    python bench/manual.py [PDF]

Prints the times, the peak memory, and the rank of the expected page for each query. The manual is
octave.pdf of Debian's octave-doc 7.3, downloaded for each run. The expected pages, numbered from 1
as in the PDF, were chosen before the first search.
"""

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from feeder.parse.worker_pool import WorkerPool

PACKAGE = "octave-doc"
MANUAL = "usr/share/doc/octave/octave.pdf"
QUERIES = {
    "how is missing data represented, a value that is not available": 61,
    "convert a structure of the local time to seconds since the epoch": 959,
    "preconditioned conjugate gradient method for a linear system": 706,
    "format of the INDEX file of a package": 1023,
    "Kronecker product of two matrices": 626,
    "special glyphs, Greek characters and bold font in the text of a label": 422,
    "container that groups other controls of a user interface": 940,
    "name of the top-level installation directory": 1003,
    "fortran_vec pointer to the underlying data": 1032,
    "how to cite Octave in publications": 21,
}
FIRST = 5


def read_manual(manual: Path) -> str:
    """Parses the manual and reports seconds, nodes and the worker's peak memory.

    The process must not have had other workers, because peak memory is that of all children.
    """
    content = manual.read_bytes()
    with WorkerPool(count=1) as workers:
        list(workers.parse([("a.md", b"")]))
        started = time.monotonic()
        [parsed] = workers.parse([(manual.name, content)])
        took_s = time.monotonic() - started
    # ru_maxrss is in kilobytes on Linux
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    return f"read: {took_s:.1f} s, {len(parsed.nodes):,} nodes, worker's peak {peak:,.0f} MB"


def feeder(folder: Path, *line: str | Path) -> str:
    """Runs `feeder` in the folder of the manual, outside git, and returns its output."""
    environment = {"FEEDER_MODEL": "static", **os.environ, "XDG_CACHE_HOME": str(folder)}
    command = [sys.executable, "-m", "feeder", *line, "--db", folder / "index.db"]
    done = subprocess.run(
        command, cwd=folder / "manual", env=environment, stdout=subprocess.PIPE, check=True
    )
    return done.stdout.decode()


def index_manual(folder: Path) -> str:
    """Indexes the manual and reports seconds and the peak memory of the largest process."""
    started = time.monotonic()
    feeder(folder, "process", "--path", ".")
    took_s = time.monotonic() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    return f"indexed: {took_s:.1f} s, the largest process {peak:,.0f} MB"


def result_row(folder: Path, query: str, page: int) -> str:
    """Returns the table row of a query: the rank of the expected page, and the first hit."""
    hits = json.loads(feeder(folder, "search", query, "-n", str(FIRST), "--json"))["hits"]
    paths = [hit["logical_path"] for hit in hits]
    rank = next(
        (number for number, path in enumerate(paths, 1) if path.endswith(f"p. {page}")), None
    )
    return f"| {query} | {page} | {rank or 'not'} | {paths[0] if paths else ''} |"


def main() -> int:
    """Prints the costs and the table. Returns 1 if an expected page is not among the first hits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "manual", type=Path, nargs="?", help="The PDF (default: that of Debian's package)."
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "manual").mkdir()
        manual = args.manual or _download(folder)
        (folder / "manual" / manual.name).write_bytes(manual.read_bytes())
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=spawn) as pool:
            print(pool.submit(read_manual, manual).result())
        print(index_manual(folder))
        print("| query | page | rank | first hit |\n|---|---|---|---|")
        rows = [result_row(folder, query, page) for query, page in QUERIES.items()]
        print(*rows, sep="\n")
    return 1 if any("| not |" in row for row in rows) else 0


def _download(folder: Path) -> Path:
    subprocess.run(
        ["apt-get", "download", "-q", PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    [package] = folder.glob("*.deb")
    subprocess.run(["dpkg", "-x", package, folder / "package"], check=True)
    return folder / "package" / MANUAL


if __name__ == "__main__":
    sys.exit(main())
