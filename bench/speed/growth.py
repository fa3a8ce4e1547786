"""Measures the cost per node as a repository doubles four times, with other words in each copy."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from copies import copies, repository

from speed.bench import Bench
from speed.first_sync import memory, run_first_sync
from speed.large_index import sources

PART, CORPUS = "growth", "django"
TIMES = (1, 2, 4, 8, 16)
SIZES = tuple(f"{times} x" for times in TIMES)
FILE_INTERVAL = 10
"""Every tenth Python file of the corpus is used."""


def measure(bench: Bench) -> None:
    """Measures a first sync by words of each size in turn, and memory in a last run.

    `node_ms` is the wall time per node. `more_ms` excludes the time of a sync with a single file,
    because the start of a run does not grow.
    """
    corpus_files = sources(bench.corpus(CORPUS))[::FILE_INTERVAL]
    single = _repository(bench, corpus_files, "single", 1)
    sizes = {
        size: _repository(bench, corpus_files, size, times * len(corpus_files))
        for size, times in zip(SIZES, TIMES, strict=True)
    }
    for number in range(1, bench.runs + 1):
        bench.print_progress(f"growth: run {number} of {bench.runs}")
        for program, figures in bench.programs.items():
            start_s = run_first_sync(program, single, bench.scratch)["wall_s"]
            for size, repo in sizes.items():
                sync = run_first_sync(program, repo, bench.scratch)
                figures.add(PART, size, sync | _per_node(sync, start_s))
    for program, figures in bench.programs.items():
        for size, repo in sizes.items():
            figures.add(PART, size, memory(program, repo, bench.scratch))


def _repository(bench: Bench, corpus_files: Sequence[Path], name: str, files: int) -> Path:
    corpus = bench.corpus(CORPUS)
    return repository(bench.scratch / f"growth {name}", islice(copies(corpus, corpus_files), files))


def _per_node(sync: dict[str, float], start_s: float) -> dict[str, float]:
    seconds, nodes = sync["wall_s"], sync["nodes"]
    return {"node_ms": 1000 * seconds / nodes, "more_ms": 1000 * (seconds - start_s) / nodes}
