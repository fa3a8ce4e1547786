"""An index at Cloudflare is measured as one on this machine is."""

import json
from pathlib import Path

from program import console, feeder
from standin import StandIn

from command_runner import RunFeeder
from index_helpers import SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


def test_an_index_at_cloudflare_is_measured(
    feeder: RunFeeder, standin: StandIn, repo: Repo, tmp_path: Path
) -> None:
    """What it lacks is looked up in D1 in two requests, however many names there are."""
    repo.commit(SHOP)
    assert (feeder(repo, "init").code, feeder(repo, "sync").code) == (0, 0)
    there = [{"symbol": "Cart.addLine"}, "src/cart.py", "docs/guide.md:1-2"]
    lost = [f"src/gone{n}.py" for n in range(60)] + [{"symbol": f"Gone.no{n}"} for n in range(60)]
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"query": "addLine", "answers": there + lost}))

    before = standin.counts()["d1"]
    facts = feeder(repo, "evaluate", file, "--json", "-q").json

    assert [len(facts["not_in_index"]), facts["each"][0]["ranks"][0]] == [120, 1]
    assert len(facts["models"]) == 1
    asked = standin.counts()["d1"] - before
    searches = feeder(repo, "search", "addLine", "-q") and standin.counts()["d1"] - before - asked
    # the question is put twice; the state is read once in either command, and a search also asks
    # for the files that it shows
    assert asked == 2 + 1 + 2 * (searches - 2)
