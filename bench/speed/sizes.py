"""Measures the size of a large index, of its vectors, and of the wheel."""

import subprocess
import sys
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import apsw

from speed import large_index
from speed.bench import Bench
from speed.machine import ROOT
from speed.static_vectors import MODEL

PART, CORPUS = "size", "django"
MANY_NODES = 120_000
_VECTORS = "SELECT sum(pgsize) FROM dbstat WHERE name = 'meanings'"
_ALL = "SELECT sum(pgsize) FROM dbstat"


def measure(bench: Bench) -> None:
    """Measures the installed feeder."""
    bench.attempt(f"{PART}: vectors", partial(_vectors, bench))
    bench.attempt(f"{PART}: wheel", partial(_wheel, bench))


def _vectors(bench: Bench) -> None:
    """Measures the pages of the table of vectors, in an index of three copies of Django."""
    bench.print_progress("size: building a large index")
    file = large_index.build(bench.program, bench.corpus(CORPUS), bench.scratch, MODEL)
    with closing(apsw.Connection(str(file))) as connection:
        nodes = connection.execute("SELECT count(*) FROM meanings").get
        vectors, total = connection.execute(_VECTORS).get, connection.execute(_ALL).get
    figures = {"nodes": nodes, "mb": vectors / 1e6, "node_bytes": vectors / nodes}
    bench.figures.add(PART, "vectors", figures | {"many_mb": MANY_NODES * vectors / nodes / 1e6})
    bench.figures.add(PART, "index", {"nodes": nodes, "mb": total / 1e6})


def _wheel(bench: Bench) -> None:
    """Builds the wheel as for a release, or with pip if hatchling is not installed."""
    bench.print_progress("size: the wheel")
    out = bench.scratch / "wheel"
    pip = ["pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), "."]
    hatchling = ["hatchling", "build", "-t", "wheel", "-d", str(out)]
    command = hatchling if find_spec("hatchling") else pip
    subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )
    bench.figures.add(PART, "wheel", {"mb": _mb(out)})


def _mb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.iterdir()) / 1e6
