"""Questions to an index at Cloudflare are noted on this machine, and nowhere else."""

import shutil

from program import console, feeder
from standin import StandIn

from command_runner import RunFeeder
from index_helpers import SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


def test_questions_are_noted_beside_the_tree(
    feeder: RunFeeder, standin: StandIn, repo: Repo
) -> None:
    """Without a request for it, and invisible to git where the folder came without its own
    .gitignore; no folder is made for them."""
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
