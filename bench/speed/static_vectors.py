"""Measures how much longer a first sync takes with static vectors than by words."""

from functools import partial
from pathlib import Path

from speed.bench import Bench
from speed.corpora import CORPORA
from speed.first_sync import run_first_sync

PART = "meaning"
MODEL = "static"


def measure(bench: Bench) -> None:
    """Measures each corpus by words and with static vectors in turn."""
    for corpus in CORPORA:
        bench.attempt(f"{PART}: {corpus.name}", partial(_measure, bench, corpus.name))


def _measure(bench: Bench, name: str) -> None:
    repository = bench.corpus(name)
    for number in range(1, bench.runs + 1):
        bench.print_progress(f"{name}: words and static vectors, run {number} of {bench.runs}")
        for program, figures in bench.programs.items():
            by_words = run_first_sync(program, repository, bench.scratch)
            with_vectors = run_first_sync(program, repository, bench.scratch, MODEL)
            figures.add(PART, name, compare(by_words, with_vectors))
            figures.add(PART, name, {"index_mb": size_mb(bench.scratch)})


def compare(by_words: dict[str, float], with_vectors: dict[str, float]) -> dict[str, float]:
    """Returns the wall and CPU times of both syncs, and their ratios."""
    return {
        "nodes": with_vectors["nodes"],
        "words_s": by_words["wall_s"],
        "wall_s": with_vectors["wall_s"],
        "ratio": with_vectors["wall_s"] / by_words["wall_s"],
        "words_cpu_s": by_words["cpu_s"],
        "cpu_s": with_vectors["cpu_s"],
        "cpu_ratio": with_vectors["cpu_s"] / by_words["cpu_s"],
    }


def size_mb(scratch: Path) -> float:
    """Returns the size of the last index in MB."""
    return sum(file.stat().st_size for file in scratch.glob("fed.db*")) / 1e6
