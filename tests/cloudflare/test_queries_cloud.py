"""Queries to an index at Cloudflare are logged on this machine only."""

import shutil

from program import console, feeder
from standin import StandIn

from command_runner import RunFeeder
from index_helpers import SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


def test_queries_are_logged_in_the_index_folder(
    feeder: RunFeeder, standin: StandIn, repo: Repo
) -> None:
    """Without a request, and ignored by git even if the folder has no .gitignore; no folder is
    created.
    """
    repo.commit(SHOP)
    assert (feeder(repo, "init").code, feeder(repo, "sync").code) == (0, 0)
    (repo.path / ".feeder/.gitignore").unlink()
    before = sum(standin.counts().values())
    assert feeder(repo, "search", "addLine", "--no-query-log").code == 0
    unnoted = sum(standin.counts().values()) - before
    assert feeder(repo, "search", "addLine").code == 0
    assert sum(standin.counts().values()) - before == 2 * unnoted
    [one] = feeder(repo, "queries", "--json").json["slow"]
    assert (one["text"], one["answered_by"], one["repo"]) == ("addLine", "words", "acme/shop")
    assert one["models"][0].startswith("@cf/")
    assert ".feeder" not in repo.git("status", "--porcelain")

    shutil.rmtree(repo.path / ".feeder")
    assert feeder(repo, "search", "addLine").code == 0
    assert not (repo.path / ".feeder").exists()
