"""After random pushes and runs that end anywhere, the next run makes the index equal to HEAD."""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from hypothesis.stateful import run_state_machine_as_test
from standin import StandIn

from source.repos import Repo
from sync.sync_histories.branch import FreshSnapshots
from sync.sync_histories.cloud import CloudHistory
from sync.sync_histories.local import History
from sync.sync_histories.settings import histories, run_until_each_outcome_occurs, small_batches

pytestmark = pytest.mark.slow

__all__ = ["small_batches"]

ENDS = (
    *("deaths", "overtaken", "shards' deaths", "stops", "descriptions"),
    "stops while reading again",
    *("documents kept", "documents taken out", "deaths where documents are not read"),
)


@pytest.mark.needs("documents")
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("small_batches")
def test_any_history_ends_with_the_index_of_head(repo: Repo) -> None:
    """After every push and every run, whether it completed, crashed, was stopped or superseded."""
    outcomes: Counter[str] = Counter()
    machine = partial(History, repo, FreshSnapshots(), outcomes)
    run_until_each_outcome_occurs(machine, outcomes, ENDS, histories(6, 15))


@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("small_batches")
def test_any_history_at_cloudflare_ends_with_the_index_of_head(
    repo: Repo, standin_process: StandIn
) -> None:
    """With failing requests: words, vectors and `meta` equal a fresh index, and the outbox is
    empty.
    """
    outcomes: Counter[str] = Counter()
    machine: Any = partial(CloudHistory, repo, FreshSnapshots(), outcomes, standin_process)
    run_state_machine_as_test(machine, settings=histories(8, 12))
    met = ("deaths", "refused", "left for late writes", "descriptions")
    assert min(outcomes[what] for what in met) > 0
