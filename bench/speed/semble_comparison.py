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
from speed.first_sync import arguments, feed, fresh
from speed.program import run_command
from speed.repository import make
from speed.static_vectors import MODEL

PART = "semble"
RUNS = 2
"""At most; with a third one this part would take longer than all first syncs."""
RELEASE = "semble==0.7.0"
CLOCK = Path(__file__).with_name("semble_timer.py")
_HELD = "SELECT path FROM files WHERE state <> 'skipped'"


def measure(bench: Bench) -> None:
    """Measures each corpus with both in turn; the figures are those of the first program."""
    for corpus in CORPORA:
        bench.attempt(f"{PART}: {corpus.name}", partial(_measure, bench, corpus.name))


def _measure(bench: Bench, name: str) -> None:
    python = str(installed(bench.corpora))
    folder = _same_files(bench, python, name)
    runs = min(bench.runs, RUNS)
    for number in range(1, runs + 1):
        bench.say(f"{name}: with Semble, run {number} of {runs}")
        ours = feed(bench.program, folder, bench.scratch, MODEL)
        theirs: dict[str, float] = run_command([python, str(CLOCK), "index", str(folder)]).report
        figures = {
            "files": ours["files"],
            "nodes": ours["nodes"],
            "wall_s": ours["wall_s"],
            "cpu_s": ours["cpu_s"],
            "ratio": ours["wall_s"] / theirs["wall_s"],
        }
        named = {f"their_{measure}": value for measure, value in theirs.items()}
        bench.figures.add(PART, name, figures | named)
    shutil.rmtree(folder)


def installed(cache: Path) -> Path:
    """Returns the Python that has Semble; installs it if needed. Raises Unavailable."""
    place = cache.absolute() / RELEASE
    python = place / "bin" / "python"
    if not (place / "done").exists():
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        try:
            for command in ([sys.executable, "-m", "venv", str(place)], [*pip, RELEASE]):
                subprocess.run(command, check=True, timeout=FETCH_S, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError) as exc:
            raise Unavailable(f"pip could not install {RELEASE}: {type(exc).__name__}") from exc
        (place / "done").touch()
    return python


def _same_files(bench: Bench, python: str, name: str) -> Path:
    """Creates a repository of the files of a corpus that both index."""
    repository, folder = bench.corpus(name), bench.scratch / f"both {name}"
    listed: list[str] = run_command([python, str(CLOCK), "list", str(repository)]).report
    database = fresh(bench.scratch)
    bench.program.timed(*arguments(repository, database))
    with closing(apsw.Connection(str(database))) as connection:
        held = {str(path) for [path] in connection.execute(_HELD)}
    for path in held.intersection(listed):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(repository / path, folder / path)
    make(folder)
    return folder
