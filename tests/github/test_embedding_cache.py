"""The embedding cache between runs of a workflow."""

import pytest

from github import events
from github.runner import FEED, Hub
from github.workflows import workflow

ADD = "def add(cart, article):\n    cart.append(article)\n"


def cache_keys(hub: Hub) -> list[str]:
    """Returns the keys of the Actions cache."""
    return sorted(file.name for file in hub.runner.cache.iterdir())


def test_cached_embeddings_are_used_by_the_next_run(hub: Hub) -> None:
    """For a function that moved within its file."""
    first = hub.repo.commit({FEED: workflow(), "cart.py": ADD})
    assert hub.run(events.push(events.ZERO, first)).passed
    second = hub.repo.commit({"cart.py": f"\n\n\n{ADD}"})
    outcome = hub.run(events.push(first, second))
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert outcome.outputs()["embedded"] == "0"
    assert len(cache_keys(hub)) == 1


def test_run_stopped_by_a_budget_saves_its_embeddings(hub: Hub) -> None:
    """Exit code 75."""
    files = {f"m{number}.py": f"def f{number}(): ...\n" for number in range(8)}
    first = hub.repo.commit({FEED: workflow(max_embeddings="4"), **files})
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.exit_codes == [75]
    assert len(cache_keys(hub)) == 1


@pytest.mark.parametrize("inputs", [{"embedding_cache": "false"}, {"dry_run": "true"}], ids=str)
def test_nothing_is_cached_in_a_dry_run_or_if_disabled(hub: Hub, inputs: dict[str, str]) -> None:
    first = hub.repo.commit({FEED: workflow(**inputs), "cart.py": ADD})
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.passed, outcome.log
    assert int(outcome.outputs()["embedded"]) > 0
    assert cache_keys(hub) == []
