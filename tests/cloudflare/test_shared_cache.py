"""The embedding cache that all runs of a user share, in any folder and store."""

import shutil
from pathlib import Path

import pytest
from program import console, feeder

from command_runner import RunFeeder
from index_helpers import CART, SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


@pytest.fixture
def indexed_repo(feeder: RunFeeder, repo: Repo) -> Repo:
    """A repository with its index."""
    repo.commit(SHOP)
    assert feeder(repo, "init").code == 0
    repo.commit()  # the bindings
    assert feeder(repo, "sync").code == 0
    return repo


def embedded_and_cached(feeder: RunFeeder, repo: Repo) -> tuple[int, int]:
    """Returns how many texts a run embeds and how many are cached after nodes have moved."""
    lines = repo.path.joinpath("src/cart.py").read_text()
    repo.commit({"src/cart.py": f"\n{lines}"})
    answer = feeder(repo, "sync", "--json")
    assert answer.code == 0, answer.err
    return answer.json["texts_embedded"], answer.json["texts_cached"]


def test_cleaned_clone_uses_the_cache(feeder: RunFeeder, indexed_repo: Repo) -> None:
    """After `git clean -fdx`."""
    indexed_repo.git("clean", "-fdxq")
    assert not (indexed_repo.path / ".feeder").exists()
    assert embedded_and_cached(feeder, indexed_repo) == (0, 5)


def test_another_clone_uses_the_cache(
    feeder: RunFeeder, indexed_repo: Repo, tmp_path: Path
) -> None:
    """Of the same user, also for another index."""
    shutil.copytree(indexed_repo.path, tmp_path / "clone", ignore=shutil.ignore_patterns(".feeder"))
    clone = Repo.__new__(Repo)
    clone.path = tmp_path / "clone"
    assert feeder(clone, "init", "--index-name", "other").code == 0
    assert feeder(clone, "sync", "--json").json["texts_embedded"] == 0


def test_cache_from_a_commit_is_not_read(
    feeder: RunFeeder, indexed_repo: Repo, users_cache: Path
) -> None:
    """Its author would control the vectors of the index."""
    (indexed_repo.path / ".feeder/embeddings.db").write_bytes(users_cache.read_bytes())
    indexed_repo.git("add", "-f", ".feeder/embeddings.db")
    shutil.rmtree(users_cache.parent)
    assert embedded_and_cached(feeder, indexed_repo) == (5, 0)


def test_given_file_replaces_the_users_cache(
    feeder: RunFeeder, indexed_repo: Repo, tmp_path: Path
) -> None:
    indexed_repo.commit({"src/cart.py": f"\n{CART}"})
    answer = feeder(indexed_repo, "sync", "--json", "--cache", tmp_path / "own.db")
    assert (answer.json["texts_embedded"], (tmp_path / "own.db").exists()) == (5, True)


@pytest.mark.parametrize("place", ["missing", "a file", "junk"])
def test_run_continues_without_a_usable_cache(
    feeder: RunFeeder,
    indexed_repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    users_cache: Path,
    place: str,
) -> None:
    """Without a home, with a read-only one or with a damaged file; it is reported once."""
    if place == "junk":
        users_cache.write_bytes(b"junk" * 1000)
    elif place == "a file":
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    else:
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setenv("HOME", str(tmp_path / "missing"))
    indexed_repo.commit({"src/cart.py": f"\n{CART}", "src/new.py": "def new(): ...\n"})
    answer = feeder(indexed_repo, "sync")
    report = "It starts again, empty." if place == "junk" else "This run continues without"
    assert (answer.code, answer.err.count(report)) == (0, 1), answer.err
    assert feeder(indexed_repo, "validate", "--wait").code == 0
    assert not (tmp_path / "missing").exists()


def test_cache_path_without_the_variable_is_in_the_home(
    feeder: RunFeeder, indexed_repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A relative value is ignored."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr("sys.platform", "linux")
    assert feeder(indexed_repo, "cache", "--json").json["file"] == str(
        tmp_path / "home/.cache/feeder/embeddings.db"
    )
    monkeypatch.setattr("sys.platform", "darwin")
    assert feeder(indexed_repo, "cache", "--json").json["file"] == str(
        tmp_path / "home/Library/Caches/feeder/embeddings.db"
    )


def test_cache_is_reported_and_cleared(
    feeder: RunFeeder, indexed_repo: Repo, users_cache: Path
) -> None:
    """Path, size and models; an empty file is left."""
    told = feeder(indexed_repo, "cache").out.splitlines()
    assert told[0].startswith(f"{users_cache}: 0.0 MB of at most 500")
    assert len(told) == 2
    facts = feeder(indexed_repo, "cache", "--json").json
    [of] = facts.pop("models")
    assert (of["dimensions"], of["texts"]) == (384, 9)
    assert facts == {
        "file": str(users_cache),
        "bytes": sum(file.stat().st_size for file in users_cache.parent.iterdir()),
        "limit_bytes": 500_000_000,
    }

    assert feeder(indexed_repo, "cache", "--clear", "--json").json["models"] == []
    assert embedded_and_cached(feeder, indexed_repo) == (5, 0)


def test_reporting_and_clearing_create_no_file(
    feeder: RunFeeder, repo: Repo, users_cache: Path
) -> None:
    for arguments in ([], ["--clear"]):
        answer = feeder(repo, "cache", *arguments)
        assert (answer.code, answer.out) == (0, f"{users_cache}: no embeddings cached\n")
    assert not users_cache.parent.exists()


def test_file_that_is_no_cache_is_not_cleared(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    (tmp_path / "mails.db").write_bytes(b"mails" * 1000)
    answer = feeder(repo, "cache", "--clear", "--cache", tmp_path / "mails.db")
    assert answer.code == 2
    assert "Delete it, or choose another file with --cache." in answer.err
    assert (tmp_path / "mails.db").read_bytes() == b"mails" * 1000
