"""Measures the cost per node as a repository doubles four times, with other words in each copy."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from copies import copies, repository

from speed.bench import Bench
from speed.first_sync import feed, memory
from speed.large_index import sources

PART, CORPUS = "growth", "django"
TIMES = (1, 2, 4, 8, 16)
SIZES = tuple(f"{times} x" for times in TIMES)
EVERY = 10
"""Every tenth Python file of the corpus is used."""


def measure(bench: Bench) -> None:
    """Measures a first sync by words of each size in turn, and memory in a last run.

    `node_ms` is the wall time per node. `more_ms` excludes the time of a sync with a single file,
    because the start of a run does not grow.
    """
    places = sources(bench.corpus(CORPUS))[::EVERY]
    single = _repository(bench, places, "single", 1)
    sizes = {
        size: _repository(bench, places, size, times * len(places))
        for size, times in zip(SIZES, TIMES, strict=True)
    }
    for number in range(1, bench.runs + 1):
        bench.say(f"growth: run {number} of {bench.runs}")
        for program, figures in bench.programs.items():
            start_s = feed(program, single, bench.scratch)["wall_s"]
            for size, repo in sizes.items():
                fed = feed(program, repo, bench.scratch)
                figures.add(PART, size, fed | _a_node(fed, start_s))
    for program, figures in bench.programs.items():
        for size, repo in sizes.items():
            figures.add(PART, size, memory(program, repo, bench.scratch))


def _repository(bench: Bench, places: Sequence[Path], name: str, files: int) -> Path:
    corpus = bench.corpus(CORPUS)
    return repository(bench.scratch / f"growth {name}", islice(copies(corpus, places), files))


def _a_node(fed: dict[str, float], start_s: float) -> dict[str, float]:
    seconds, nodes = fed["wall_s"], fed["nodes"]
    return {"node_ms": 1000 * seconds / nodes, "more_ms": 1000 * (seconds - start_s) / nodes}
