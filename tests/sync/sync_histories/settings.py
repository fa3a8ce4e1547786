"""Settings for random histories: number, length, and small batches for many writes."""

import os
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

OFTEN, ROUNDS = 3, 12


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes batches small, so that each run makes many writes."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 4)
    monkeypatch.setattr("feeder.sync.write.BATCH_DELETED_FILES", 1)
    monkeypatch.setattr("feeder.sync.vectors.BATCH_VECTORS", 3)
    monkeypatch.setattr("feeder.store.stored_source.DELETE_BATCH", 2)
    monkeypatch.setattr("feeder.store.stored_source.PAGE_PATHS", 2)
    monkeypatch.setattr("feeder.store.stored_source.PAGE_PARTS", 2)
    monkeypatch.setattr("feeder.parse.compressed_source.BLOCK_BYTES", 20)
    monkeypatch.setattr("feeder.sync.vectors.DELETE_BATCH", 2)
    monkeypatch.setattr(
        "feeder.embedding.batching.MAX_CONCURRENT_REQUESTS", 1
    )  # of several, chance is first
    monkeypatch.setattr("feeder.sync.description_requests.BATCH_REQUESTS", 2)
    monkeypatch.setattr("feeder.sync.node_descriptions.SUBJECTS_PER_BATCH", 3)


def histories(examples: int, steps: int) -> settings:
    """Settings for a number of histories and steps; derandomized unless HISTORIES is set."""
    return settings(
        max_examples=int(os.environ.get("HISTORIES", examples)),
        stateful_step_count=steps,
        derandomize="HISTORIES" not in os.environ,
        database=None,
        phases=[Phase.generate],  # to shrink takes longer than a test may
    )


def run_until_each_outcome_occurs(
    machine: Any, outcomes: Counter[str], ends: Sequence[str], each: settings
) -> None:
    """Repeats the histories until each outcome has occurred at least `OFTEN` times.

    What hypothesis draws depends on the loaded modules, even with a fixed seed.
    """
    for number in range(ROUNDS):
        history: Any = partial(machine)
        if "HISTORIES" not in os.environ:
            history = seed(number)(history)
        run_state_machine_as_test(history, settings=each)
        if min(outcomes[end] for end in ends) >= OFTEN:
            return
    raise AssertionError(f"not each of {', '.join(ends)} was met {OFTEN} times: {outcomes}")
