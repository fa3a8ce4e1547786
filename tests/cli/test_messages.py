"""What a command says about a mistake: what happened, why, and what to type next."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from command_runner import RunFeeder
from index_helpers import CART
from source.repos import Repo


@pytest.fixture
def shop(repo: Repo, feeder: RunFeeder) -> Repo:
    files: dict[str, str | bytes | None] = {"src/cart.py": CART, "logo.png": b"\x89PNG\0\1"}
    repo.commit(files)
    assert feeder(repo, "sync", "-q", "--no-vectors").code == 0
    return repo


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "cart", "--db", ""], "it is empty. Write a path, or leave the option out."),
        (["search", "-A", "2", "cart"], "No such option '-A'. It is an option of feeder grep."),
        (
            ["search", "cart", "--depth", "2"],
            "No such option '--depth'. It is an option of feeder outline and feeder references.",
        ),
        (["search", "cart", "-0"], "-0 works only with -l, which prints paths. Add -l."),
        (["grep", "cart", "-0", "-c"], "-0 works only with -l, which prints paths. Add -l."),
        (["show", "src/cart.py:9-3"], "Lines 9-3 end before they begin. Did you mean 3-9?"),
        (
            ["impact"],
            "HEAD has no parent to compare with. Run feeder impact --working-tree ",
        ),
        (["impact", "nope"], "To list what uses a symbol: feeder references nope"),
        (
            ["skipped", "--reason", "nope"],
            "for a reason that contains 'nope'; 1 was skipped for other reasons.",
        ),
        (["skipped", "--masked"], "No line has a masked secret."),
        (["show", "src"], "src is a folder. List its contents: feeder outline src"),
        (["references", "src/"], "src/ is a folder. List its contents: feeder outline src/"),
        (
            ["definition", "src/cart.py:3"],
            "src/cart.py:3 has no column. Add it: feeder definition src/cart.py:3:COLUMN",
        ),
        (["completion"], "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish"),
        (["search", "cart", "--offset", "90"], "Offset 90 is past the end ("),
        (
            ["mcp", "install", "cursor"],
            "'cursor' must follow --client, as in: feeder mcp install --client cursor",
        ),
        (
            ["serve", "--port", "0", "--host", "203.0.113.1", "--token", "0123456789abcdef"],
            "--host 203.0.113.1 is not a name or address of this machine. Use one that is.",
        ),
    ],
)
def test_message_of_a_mistake(
    feeder: RunFeeder, shop: Repo, arguments: Sequence[str], message: str
) -> None:
    answer = feeder(shop, *arguments)
    assert message in answer.out + answer.err


def test_a_switch_of_the_environment_is_named_with_its_variable(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDER_REFRESH", "maybe")
    answer = feeder(shop, "search", "cart")
    assert answer.code == 2
    assert "(env var: 'FEEDER_REFRESH'): maybe is neither on nor off. Set on or off." in answer.err


def test_a_file_of_the_user_is_not_called_an_index_to_delete(feeder: RunFeeder, shop: Repo) -> None:
    """The first advice is another --db, for the file may be anything."""
    answer = feeder(shop, "search", "cart", "--db", str(shop.path / "src/cart.py"))
    assert "Choose another file with --db. If it was an index, delete it." in answer.err


def test_a_missing_folder_of_an_index_is_named_once(feeder: RunFeeder, shop: Repo) -> None:
    """Without the number of the system's error, and without the file a second time."""
    missing = shop.path / "none"
    answer = feeder(shop, "sync", "--working-tree", "--db", str(missing / "x.db"))
    assert answer.code == 2
    assert "[Errno" not in answer.err
    assert str(missing) in answer.err


def test_a_grammar_that_cannot_be_read_is_not_recorded(feeder: RunFeeder, repo: Repo) -> None:
    """Otherwise every later command would fail to update the index."""
    repo.commit({"src/cart.py": CART})
    failed = feeder(repo, "sync", "--grammar", str(Path("nowhere.json")))
    assert failed.code == 2
    found = feeder(repo, "search", "cart", "--refresh", "--no-vectors")
    assert "could not be updated" not in found.err
    assert "src/cart.py" in found.out


def test_an_index_whose_repository_is_gone_says_so(feeder: RunFeeder, shop: Repo) -> None:
    (shop.path / ".git").rename(shop.path.parent / "elsewhere.git")
    found = feeder(shop, "search", "cart")
    assert "there is no HEAD here to compare it with." in found.out


def test_place_without_a_published_index_is_named(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"src/cart.py": CART})
    missing = str(repo.path.parent / "none")
    answer = feeder(repo, "pull", missing)
    assert answer.code == 1
    assert (
        f"The index at {missing} cannot be used. Nothing is published there. "
        "To build the index here instead: feeder sync" in answer.err
    )


def test_files_that_a_partial_clone_cannot_fetch(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    repo.commit({"src/cart.py": CART})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    repo.path.rename(tmp_path / "moved")
    answer = feeder(clone, "sync")
    assert answer.code == 2
    assert f"git cannot fetch files that the partial clone {clone.path} lacks (" in answer.err
    assert "Check the network and the remote with `git fetch`" in answer.err


@pytest.mark.parametrize("command", ["search", "grep"])
def test_a_skipped_file_is_named_once(feeder: RunFeeder, shop: Repo, command: str) -> None:
    """Not a second time as "1 file in .env"."""
    shop.commit({".env.development": "URL=http://localhost\n", "logo.dat": "\0\1"})
    feeder(shop, "sync")
    for path in (".env.development", "logo.dat"):
        answer = feeder(shop, command, "url", "--path", path)
        assert f"{path} is not in the index: it was skipped" in answer.out + answer.err
        assert f"1 file in {path}" not in answer.out + answer.err


def test_the_reason_for_reading_files_again_is_said_once(
    feeder: RunFeeder, shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the start of the run, before it takes its time; a dry run says it in its report."""
    monkeypatch.setenv("FEEDER_VECTORS", "yes")
    feeder(shop, "sync", "--model", "static")
    reason = "its vectors are removed from the index."
    planned = feeder(shop, "sync", "--model", "words", "--dry-run")
    assert (planned.out + planned.err).count(reason) == 1
    answer = feeder(shop, "sync", "--model", "words")
    assert (answer.out + answer.err).count(reason) == 1


def test_a_commit_before_the_first_one_is_not_to_be_fetched(feeder: RunFeeder, repo: Repo) -> None:
    answer = feeder(repo, "deltas", "--base", "HEAD")
    assert answer.code == 2
    assert "HEAD has no commit yet: commit something first." in answer.err


def test_stats_of_files_that_were_indexed_one_by_one(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"src/cart.py": CART})
    feeder(repo, "process", "--path", "src/cart.py")
    assert feeder(repo, "stats").out.splitlines()[0] == "repo, files indexed one by one"
