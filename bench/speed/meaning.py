"""How much longer does a first feed take where the static model's vectors come with the words?"""

from functools import partial
from pathlib import Path

from speed.bench import Bench
from speed.corpora import CORPORA
from speed.feeding import feed

PART = "meaning"
MODEL = "static"


def measure(bench: Bench) -> None:
    """Of each corpus, by words alone and with vectors in turn."""
    for corpus in CORPORA:
        bench.attempt(f"{PART}: {corpus.name}", partial(_measure, bench, corpus.name))


def _measure(bench: Bench, name: str) -> None:
    repository = bench.corpus(name)
    for number in range(1, bench.runs + 1):
        bench.say(f"{name}: by words and meaning, run {number} of {bench.runs}")
        for program, figures in bench.programs.items():
            words = feed(program, repository, bench.scratch)
            with_vectors = feed(program, repository, bench.scratch, MODEL)
            figures.add(PART, name, compared(words, with_vectors))
            figures.add(PART, name, {"index_mb": size_mb(bench.scratch)})


def compared(words: dict[str, float], with_vectors: dict[str, float]) -> dict[str, float]:
    """The seconds of both, and what the vectors cost: by the clock, and of all cores' time."""
    return {
        "nodes": with_vectors["nodes"],
        "words_s": words["wall_s"],
        "wall_s": with_vectors["wall_s"],
        "ratio": with_vectors["wall_s"] / words["wall_s"],
        "words_cpu_s": words["cpu_s"],
        "cpu_s": with_vectors["cpu_s"],
        "cpu_ratio": with_vectors["cpu_s"] / words["cpu_s"],
    }


def size_mb(scratch: Path) -> float:
    """The index that was fed last."""
    return sum(file.stat().st_size for file in scratch.glob("fed.db*")) / 1e6
