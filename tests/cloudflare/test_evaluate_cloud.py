"""`feeder evaluate` on an index at Cloudflare."""

import json
from pathlib import Path

from program import console, feeder
from standin import StandIn

from command_runner import RunFeeder
from index_helpers import SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


def test_evaluation_of_an_index_at_cloudflare(
    feeder: RunFeeder, standin: StandIn, repo: Repo, tmp_path: Path
) -> None:
    """Missing answers are looked up in D1 with two requests, however many there are."""
    repo.commit(SHOP)
    assert (feeder(repo, "init").code, feeder(repo, "sync").code) == (0, 0)
    found = [{"symbol": "Cart.addLine"}, "src/cart.py", "docs/guide.md:1-2"]
    missing = [f"src/gone{n}.py" for n in range(60)] + [
        {"symbol": f"Gone.no{n}"} for n in range(60)
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps({"query": "addLine", "answers": found + missing}))

    before = standin.counts()["d1"]
    facts = feeder(repo, "evaluate", file, "--json", "-q").json

    assert [len(facts["not_in_index"]), facts["each"][0]["ranks"][0]] == [120, 1]
    assert len(facts["models"]) == 1
    # the state of the index; the missing files and symbols, in two requests; then the query twice,
    # of which the first is not timed, each in two requests: for the query, and for the candidates
    assert standin.counts()["d1"] - before == 1 + 2 + 2 * 2
