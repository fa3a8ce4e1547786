"""A manual of 1,158 pages: what does it cost to read, and on which place is the page that answers?

It is octave.pdf of Debian's octave-doc 7.3, which is taken here and kept nowhere; the pages, which
are those of the PDF from 1, were looked up in it before anything was asked.
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
QUESTIONS = {
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


def read(manual: Path) -> str:
    """What the manual costs a worker; the process must have had no workers."""
    content = manual.read_bytes()
    with WorkerPool(count=1) as workers:
        list(workers.parse([("a.md", b"")]))
        began = time.monotonic()
        [found] = workers.parse([(manual.name, content)])
        took_s = time.monotonic() - began
    # ru_maxrss is in kilobytes on Linux
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    return f"read: {took_s:.1f} s, {len(found.nodes):,} nodes, worker's peak {peak:,.0f} MB"


def feeder(folder: Path, *line: str | Path) -> str:
    """What the program prints, asked in a folder outside git."""
    environment = {"FEEDER_MODEL": "static", **os.environ, "XDG_CACHE_HOME": str(folder)}
    whole = [sys.executable, "-m", "feeder", *line, "--db", folder / "index.db"]
    done = subprocess.run(
        whole, cwd=folder / "manual", env=environment, stdout=subprocess.PIPE, check=True
    )
    return done.stdout.decode()


def indexed(folder: Path) -> str:
    """What a run takes, with the largest of its processes."""
    began = time.monotonic()
    feeder(folder, "process", "--path", ".")
    took_s = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    return f"indexed: {took_s:.1f} s, the largest process {peak:,.0f} MB"


def asked(folder: Path, question: str, page: int) -> str:
    """A line of the table: the place of the page among the first, and what came first."""
    hits = json.loads(feeder(folder, "search", question, "-n", str(FIRST), "--json"))["hits"]
    paths = [hit["logical_path"] for hit in hits]
    place = next((n for n, one in enumerate(paths, 1) if one.endswith(f"p. {page}")), None)
    return f"| {question} | {page} | {place or 'not'} | {paths[0] if paths else ''} |"


def main() -> int:
    """Prints what it takes and a table; 1 where a page is not among the first."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("manual", type=Path, nargs="?", help="The PDF; else Debian's package.")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "manual").mkdir()
        manual = given.manual or _taken(folder)
        (folder / "manual" / manual.name).write_bytes(manual.read_bytes())
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=spawn) as pool:
            print(pool.submit(read, manual).result())
        print(indexed(folder))
        print("| question | page | its place | first |\n|---|---|---|---|")
        rows = [asked(folder, question, page) for question, page in QUESTIONS.items()]
        print(*rows, sep="\n")
    return 1 if any("| not |" in row for row in rows) else 0


def _taken(folder: Path) -> Path:
    subprocess.run(
        ["apt-get", "download", "-q", PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    [package] = folder.glob("*.deb")
    subprocess.run(["dpkg", "-x", package, folder / "package"], check=True)
    return folder / "package" / MANUAL


if __name__ == "__main__":
    sys.exit(main())
