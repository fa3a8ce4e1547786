"""The findings of `feeder doctor` about an index at Cloudflare."""

import pytest
from program import Console, console, feeder

from command_runner import RunFeeder
from index_helpers import SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


def test_missing_parts_are_named_before_init_and_none_after_a_run(
    feeder: RunFeeder, repo: Repo, console: Console
) -> None:
    repo.commit(SHOP)
    before = feeder(repo, "doctor", "--json", "--store", "cloudflare")
    assert before.code == 1
    stops = {finding["name"] for finding in before.json["findings"] if finding["stops"]}
    assert {"credentials", "vectorize"} <= stops
    assert feeder(repo, "init", "-q").code == 0
    assert feeder(repo, "sync", "-q").code == 0
    after = feeder(repo, "doctor", "--json")
    assert (after.code, after.json["stops"]) == (0, False)
    found = {finding["name"]: finding for finding in after.json["findings"]}
    assert "384 dimensions" in found["vectorize"]["says"]
    assert "The index matches HEAD " in found["index"]["says"]


def test_index_that_was_made_again_is_named(
    feeder: RunFeeder, repo: Repo, console: Console
) -> None:
    """It lacks the vectors, which a sync without changes would not notice."""
    repo.commit(SHOP)
    feeder(repo, "init", "-q")
    assert feeder(repo, "sync", "-q").code == 0
    console.delete_index()
    console.make_index("acme_shop_code", 384)
    answer = feeder(repo, "doctor", "--json")
    [found] = [finding for finding in answer.json["findings"] if finding["name"] == "vectorize"]
    assert "was deleted and created again" in found["says"]
    assert found["remedy"] == "Send the vectors again: feeder validate --repair"
    assert (answer.code, found["stops"]) == (0, False)
    assert feeder(repo, *found["remedy"].split()[-2:]).code == 0
    after = feeder(repo, "doctor", "--json")
    [found] = [finding for finding in after.json["findings"] if finding["name"] == "vectorize"]
    assert found["remedy"] == ""


def test_deleted_database_is_an_error(feeder: RunFeeder, repo: Repo, console: Console) -> None:
    repo.commit(SHOP)
    feeder(repo, "init", "-q")
    console.delete_database()
    answer = feeder(repo, "doctor", "--json")
    assert answer.code == 1
    [index] = [finding for finding in answer.json["findings"] if finding["name"] == "index"]
    assert index["stops"]


def test_refused_token_is_an_error_and_is_not_shown(
    feeder: RunFeeder, repo: Repo, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the database and the index of vectors, each with a remedy."""
    repo.commit(SHOP)
    feeder(repo, "init", "-q")
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "a-token-of-nobody-at-all")
    answer = feeder(repo, "doctor", "--json")
    assert answer.code == 1
    refused = {
        finding["name"]: finding["remedy"]
        for finding in answer.json["findings"]
        if finding["stops"]
    }
    assert refused.keys() == {"vectorize", "index"}
    assert all("CLOUDFLARE_API_TOKEN" in remedy for remedy in refused.values())
    assert "a-token-of-nobody-at-all" not in answer.out + answer.err
