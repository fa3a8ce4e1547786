"""Which embeddings stay from run to run?"""

import pytest

from github import events
from github.runner import FEED, Hub
from github.workflows import workflow

ADD = "def add(cart, article):\n    cart.append(article)\n"


def kept(hub: Hub) -> list[str]:
    """The keys of the Actions cache."""
    return sorted(file.name for file in hub.runner.cache.iterdir())


def test_what_has_been_embedded_is_not_embedded_again(hub: Hub) -> None:
    """A function that moves down in its file takes its embedding from the cache."""
    first = hub.repo.commit({FEED: workflow(), "cart.py": ADD})
    assert hub.run(events.push(events.ZERO, first)).passed
    second = hub.repo.commit({"cart.py": f"\n\n\n{ADD}"})
    outcome = hub.run(events.push(first, second))
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert outcome.outputs()["embedded"] == "0"
    assert len(kept(hub)) == 1


def test_a_stopped_run_keeps_what_it_paid_for(hub: Hub) -> None:
    """When a budget ends a run with exit code 75, its embeddings are kept for the next one."""
    files = {f"m{number}.py": f"def f{number}(): ...\n" for number in range(8)}
    first = hub.repo.commit({FEED: workflow(max_embeddings="4"), **files})
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.exit_codes == [75]
    assert len(kept(hub)) == 1


@pytest.mark.parametrize("inputs", [{"embedding_cache": "false"}, {"dry_run": "true"}], ids=str)
def test_nothing_is_kept(hub: Hub, inputs: dict[str, str]) -> None:
    """Without the cache, or in a dry run, nothing is put there."""
    first = hub.repo.commit({FEED: workflow(**inputs), "cart.py": ADD})
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.passed, outcome.log
    assert int(outcome.outputs()["embedded"]) > 0
    assert kept(hub) == []
