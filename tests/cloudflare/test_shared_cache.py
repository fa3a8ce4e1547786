"""The embeddings that a user's runs share, whichever folder and store they are of."""

import shutil
from pathlib import Path

import pytest
from program import console, feeder

from command_runner import RunFeeder
from index_helpers import CART, SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


@pytest.fixture
def fed(feeder: RunFeeder, repo: Repo) -> Repo:
    """A repository with its index."""
    repo.commit(SHOP)
    assert feeder(repo, "init").code == 0
    repo.commit()  # the bindings
    assert feeder(repo, "sync").code == 0
    return repo


def embedded(feeder: RunFeeder, repo: Repo) -> tuple[int, int]:
    """How many texts a run embeds, and how many it remembers, when the cart's nodes have moved."""
    lines = repo.path.joinpath("src/cart.py").read_text()
    repo.commit({"src/cart.py": f"\n{lines}"})
    answer = feeder(repo, "sync", "--json")
    assert answer.code == 0, answer.err
    return answer.json["texts_embedded"], answer.json["texts_cached"]


def test_a_cleaned_clone_remembers(feeder: RunFeeder, fed: Repo) -> None:
    """`git clean -fdx` takes nothing of it."""
    fed.git("clean", "-fdxq")
    assert not (fed.path / ".feeder").exists()
    assert embedded(feeder, fed) == (0, 5)


def test_another_clone_remembers(feeder: RunFeeder, fed: Repo, tmp_path: Path) -> None:
    """Of the same user, also for an index of its own."""
    shutil.copytree(fed.path, tmp_path / "clone", ignore=shutil.ignore_patterns(".feeder"))
    clone = Repo.__new__(Repo)
    clone.path = tmp_path / "clone"
    assert feeder(clone, "init", "--index-name", "other").code == 0
    assert feeder(clone, "sync", "--json").json["texts_embedded"] == 0


def test_a_cache_that_a_commit_brings_is_not_read(
    feeder: RunFeeder, fed: Repo, users_cache: Path
) -> None:
    """Whoever made it would decide which vectors go to Cloudflare, or lie in an index here."""
    (fed.path / ".feeder/embeddings.db").write_bytes(users_cache.read_bytes())
    fed.git("add", "-f", ".feeder/embeddings.db")
    shutil.rmtree(users_cache.parent)
    assert embedded(feeder, fed) == (5, 0)


def test_a_named_file_is_taken_instead(feeder: RunFeeder, fed: Repo, tmp_path: Path) -> None:
    """Then the user's is not read."""
    fed.commit({"src/cart.py": f"\n{CART}"})
    answer = feeder(fed, "sync", "--json", "--cache", tmp_path / "own.db")
    assert (answer.json["texts_embedded"], (tmp_path / "own.db").exists()) == (5, True)


@pytest.mark.parametrize("place", ["missing", "a file", "junk"])
def test_a_run_goes_on_without(
    feeder: RunFeeder,
    fed: Repo,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    users_cache: Path,
    place: str,
) -> None:
    """Without a home, with one that cannot be written or with what is no cache; it says so once."""
    if place == "junk":
        users_cache.write_bytes(b"junk" * 1000)
    elif place == "a file":
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    else:
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", str(tmp_path / "missing"))
    fed.commit({"src/cart.py": f"\n{CART}", "src/new.py": "def new(): ...\n"})
    answer = feeder(fed, "sync")
    assert (answer.code, answer.err.count("This run continues without")) == (0, 1), answer.err
    assert feeder(fed, "validate", "--wait").code == 0
    assert not (tmp_path / "missing").exists()


def test_a_home_without_the_variable_has_its_usual_place(
    feeder: RunFeeder, fed: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A relative one counts as none."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr("sys.platform", "linux")
    assert feeder(fed, "cache", "--json").json["file"] == str(
        tmp_path / "home/.cache/feeder/embeddings.db"
    )
    monkeypatch.setattr("sys.platform", "darwin")
    assert feeder(fed, "cache", "--json").json["file"] == str(
        tmp_path / "home/Library/Caches/feeder/embeddings.db"
    )


def test_what_is_remembered_is_told_and_forgotten(
    feeder: RunFeeder, fed: Repo, users_cache: Path
) -> None:
    """Its place, size and models; nothing is left of it but an empty file."""
    told = feeder(fed, "cache").out.splitlines()
    assert told[0].startswith(f"{users_cache}: 0.0 MB of at most 500")
    assert len(told) == 2
    facts = feeder(fed, "cache", "--json").json
    [of] = facts.pop("models")
    assert (of["dimensions"], of["texts"]) == (384, 9)
    assert facts == {
        "file": str(users_cache),
        "bytes": sum(file.stat().st_size for file in users_cache.parent.iterdir()),
        "limit_bytes": 500_000_000,
    }

    assert feeder(fed, "cache", "--clear", "--json").json["models"] == []
    assert embedded(feeder, fed) == (5, 0)


def test_telling_makes_nothing(feeder: RunFeeder, repo: Repo, users_cache: Path) -> None:
    """Nor does forgetting what is not there."""
    for arguments in ([], ["--clear"]):
        answer = feeder(repo, "cache", *arguments)
        assert (answer.code, answer.out) == (0, f"{users_cache}: no embeddings cached\n")
    assert not users_cache.parent.exists()


def test_what_is_no_cache_is_not_cleared(feeder: RunFeeder, repo: Repo, tmp_path: Path) -> None:
    """It may be somebody's."""
    (tmp_path / "mails.db").write_bytes(b"mails" * 1000)
    answer = feeder(repo, "cache", "--clear", "--cache", tmp_path / "mails.db")
    assert answer.code == 2
    assert "Delete it, or choose another file with --cache." in answer.err
    assert (tmp_path / "mails.db").read_bytes() == b"mails" * 1000
