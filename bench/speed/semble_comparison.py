"""Compares a first sync with Semble's indexing in memory of the same files.

Semble is installed into its own environment below the folder of the corpora.
"""

import shutil
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw

from speed.bench import Bench
from speed.corpora import CORPORA, FETCH_S, Unavailable
from speed.first_sync import arguments, new_index_file, run_first_sync
from speed.program import run_command
from speed.repository import make
from speed.static_vectors import MODEL

PART = "semble"
RUNS = 2
"""At most; with a third one this part would take longer than all first syncs."""
RELEASE = "semble==0.7.0"
SEMBLE_TIMER = Path(__file__).with_name("semble_timer.py")
_INDEXED_FILES = "SELECT path FROM files WHERE state <> 'skipped'"


def measure(bench: Bench) -> None:
    """Measures each corpus with both in turn; the figures are those of the first program."""
    bench.attempt(PART, partial(_measure_corpora, bench))


def _measure_corpora(bench: Bench) -> None:
    python = str(install(bench.corpora))
    for corpus in CORPORA:
        bench.attempt(f"{PART}: {corpus.name}", partial(_measure, bench, python, corpus.name))


def _measure(bench: Bench, python: str, name: str) -> None:
    folder = _same_files(bench, python, name)
    runs = min(bench.runs, RUNS)
    for number in range(1, runs + 1):
        bench.print_progress(f"{name}: with Semble, run {number} of {runs}")
        feeder_figures = run_first_sync(bench.program, folder, bench.scratch, MODEL)
        semble_figures: dict[str, float] = run_command(
            [python, str(SEMBLE_TIMER), "index", str(folder)]
        ).report
        figures = {
            "files": feeder_figures["files"],
            "nodes": feeder_figures["nodes"],
            "wall_s": feeder_figures["wall_s"],
            "cpu_s": feeder_figures["cpu_s"],
            "ratio": feeder_figures["wall_s"] / semble_figures["wall_s"],
        }
        renamed = {f"their_{measure}": value for measure, value in semble_figures.items()}
        bench.figures.add(PART, name, figures | renamed)
    shutil.rmtree(folder)


def install(cache: Path) -> Path:
    """Returns the Python that has Semble; installs it if needed. Raises Unavailable."""
    folder = cache.absolute() / RELEASE
    python = folder / "bin" / "python"
    if not (folder / "done").exists():
        create = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
        pip = [sys.executable, "-m", "pip", "--python", str(python)]
        install = [*pip, "install", "--quiet", "--disable-pip-version-check", RELEASE]
        try:
            for command in (create, install):
                subprocess.run(command, check=True, timeout=FETCH_S, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError) as exc:
            raise Unavailable(f"pip could not install {RELEASE}: {type(exc).__name__}") from exc
        (folder / "done").touch()
    return python


def _same_files(bench: Bench, python: str, name: str) -> Path:
    """Creates a repository of the files of a corpus that both index."""
    repository, folder = bench.corpus(name), bench.scratch / f"both {name}"
    listed_files: list[str] = run_command(
        [python, str(SEMBLE_TIMER), "list", str(repository)]
    ).report
    database = new_index_file(bench.scratch)
    bench.program.timed(*arguments(repository, database))
    with closing(apsw.Connection(str(database))) as connection:
        indexed_files = {str(path) for [path] in connection.execute(_INDEXED_FILES)}
    for path in indexed_files.intersection(listed_files):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(repository / path, folder / path)
    make(folder)
    return folder
