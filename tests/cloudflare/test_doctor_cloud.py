"""What `feeder doctor` sees at Cloudflare: what is there, and what is not."""

import pytest
from program import Console, console, feeder

from command_runner import RunFeeder
from index_helpers import SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


def test_before_init_it_names_what_lacks_and_after_a_run_all_is_there(
    feeder: RunFeeder, repo: Repo, console: Console
) -> None:
    repo.commit(SHOP)
    before = feeder(repo, "doctor", "--json")
    assert before.code == 1
    stops = {one["name"] for one in before.json["findings"] if one["stops"]}
    assert {"credentials", "vectorize"} <= stops
    assert feeder(repo, "init", "-q").code == 0
    assert feeder(repo, "sync", "-q").code == 0
    after = feeder(repo, "doctor", "--json")
    assert (after.code, after.json["stops"]) == (0, False)
    found = {one["name"]: one for one in after.json["findings"]}
    assert "384 dimensions" in found["vectorize"]["says"]
    assert "The index equals HEAD " in found["index"]["says"]


def test_a_database_that_is_gone_stops_a_run(
    feeder: RunFeeder, repo: Repo, console: Console
) -> None:
    repo.commit(SHOP)
    feeder(repo, "init", "-q")
    console.delete_database()
    answer = feeder(repo, "doctor", "--json")
    assert answer.code == 1
    [index] = [one for one in answer.json["findings"] if one["name"] == "index"]
    assert index["stops"]


def test_a_token_that_is_refused_stops_a_run_and_is_not_shown(
    feeder: RunFeeder, repo: Repo, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the database and by the index of vectors, each with what to do."""
    repo.commit(SHOP)
    feeder(repo, "init", "-q")
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "a-token-of-nobody-at-all")
    answer = feeder(repo, "doctor", "--json")
    assert answer.code == 1
    refused = {one["name"]: one["remedy"] for one in answer.json["findings"] if one["stops"]}
    assert refused.keys() == {"vectorize", "index"}
    assert all("CLOUDFLARE_API_TOKEN" in remedy for remedy in refused.values())
    assert "a-token-of-nobody-at-all" not in answer.out + answer.err
