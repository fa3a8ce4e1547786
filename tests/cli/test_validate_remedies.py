"""The remedies that `feeder validate` prints make the index right when followed literally."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command_runner import CommandResult, RunFeeder, command_runner
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from index_helpers import CART, GUIDE
from required_extras import require_extras
from source.repos import Repo

pytestmark = pytest.mark.slow

EDITED = CART.replace("return Cart()", "return Basket()")
RIGHT = "The index is correct."
WORDS = "--no-vectors"
STEPS = 3


@pytest.fixture
def feeder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[RunFeeder]:
    """Runs the program in a folder, with the local model."""
    require_extras("local")
    monkeypatch.delenv("FEEDER_VECTORS", raising=False)
    monkeypatch.setenv("FEEDER_JOBS", "1")
    monkeypatch.setenv("FEEDER_REPO", "acme/shop")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    yield command_runner(monkeypatch, capfd)


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit({"src/cart.py": CART, "docs/guide.md": GUIDE})
    return repo


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder outside of git."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("def apple():\n    pass\n")
    return folder


def follow_remedies(feeder: RunFeeder, place: Path | Repo, *flags: str) -> CommandResult:
    """Follows all remedies and returns the output of the last validation.

    The first one finds differences (1), or is refused for the index of another folder (2).
    """
    answer = feeder(place, "validate", *flags)
    assert answer.code in (1, 2)
    for _ in range(STEPS):
        said = (answer.out or answer.err).splitlines()[-1]
        if said == RIGHT:
            return answer
        if f"without {WORDS}" in said:
            flags = tuple(flag for flag in flags if flag != WORDS)
        if found := re.search(r"feeder validate (--path) (\S+)", said):
            flags = (*flags, *found.groups())
        elif found := re.search(r"feeder ([a-z]+(?: --[a-z]+)*(?: \.)?)", said):
            feeder(place, *found[1].split(), *flags)
        answer = feeder(place, "validate", *flags)
    return answer


def _sql(*statements: str) -> Callable[[RunFeeder, Repo], tuple[str, ...]]:
    def change(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
        database = SQLite(shop.path / ".feeder/index.db")
        database.run([Statement(sql) for sql in statements])
        database.close()
        return ()

    return change


def _named(change: Callable[[RunFeeder, Repo], tuple[str, ...]]) -> Callable[..., tuple[str, ...]]:
    """Validates with the model's name; without it, an index of another model is not compared."""

    def changed(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
        return (*change(feeder, shop), "--model", "minilm")

    return changed


def _words_updated(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
    shop.commit({"src/cart.py": EDITED, "docs/guide.md": None})
    feeder(shop, "sync", WORDS)
    return ()


def _words_updated_and_validated_with_the_model(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
    _words_updated(feeder, shop)
    return (WORDS,)


def _deleted_without_the_model(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
    feeder(shop, "delete", "--path", "docs", WORDS)
    return (WORDS,)


def _behind_head(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
    shop.commit({"src/cart.py": EDITED})
    return ()


def _dirty(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
    shop.write({"src/cart.py": EDITED})
    feeder(shop, "process", "--path", "src")
    return ()


def _index_of_a_folder(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
    feeder(shop, "sync", "--path", "src", "--force")
    return ()


def _edited_in_the_folder_of_an_index(feeder: RunFeeder, shop: Repo) -> tuple[str, ...]:
    feeder(shop, "sync", "--working-tree", "--path", "src", "--force")
    shop.write({"src/cart.py": EDITED})
    return ()


WRONGS = {
    "words brought on without the model": _words_updated,
    "the same, asked without the model": _words_updated_and_validated_with_the_model,
    "deleted without the model": _deleted_without_the_model,
    "behind HEAD": _behind_head,
    "fed from the working tree": _dirty,
    "of a folder": _index_of_a_folder,
    "of a folder's working tree": _edited_in_the_folder_of_an_index,
    "no row": _sql("DELETE FROM docs WHERE symbol = 'Cart.total'"),
    "another model": _named(_sql("UPDATE meta SET value = 'other' WHERE key = 'model'")),
    "no model": _sql("DELETE FROM meta WHERE key = 'model'"),
    "another parser": _sql("UPDATE meta SET value = 'other' WHERE key = 'acme/shop:parser'"),
    "files that wait, of no model": _named(
        _sql(
            "UPDATE files SET state = 'pending'",
            "DELETE FROM meta WHERE key IN ('model', 'acme/shop:vectors')",
        )
    ),
}


@pytest.mark.parametrize("wrong", WRONGS.values(), ids=WRONGS)
def test_remedies_repair_the_index(
    feeder: RunFeeder, shop: Repo, wrong: Callable[[RunFeeder, Repo], tuple[str, ...]]
) -> None:
    """For every difference, with and without the model."""
    feeder(shop, "sync", "--model", "minilm")
    assert follow_remedies(feeder, shop, *wrong(feeder, shop)).code == 0


def test_remedies_for_an_index_of_words_need_no_model(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", WORDS)
    _sql("DELETE FROM docs WHERE symbol = 'Cart.total'")(feeder, shop)
    assert follow_remedies(feeder, shop).code == 0
    assert "model: none, words only" in feeder(shop, "stats").out


@pytest.mark.parametrize("flags", [(), (WORDS,)], ids=["with the model", "without"])
def test_remedies_outside_git_do_not_name_sync(
    feeder: RunFeeder, plain: Path, flags: tuple[str, ...]
) -> None:
    feeder(plain, "process", "--path", ".", "--model", "minilm")
    (plain / "a.py").write_text("def apricot():\n    pass\n")
    feeder(plain, "process", "--path", ".", WORDS)
    assert "feeder sync" not in feeder(plain, "validate", *flags).out
    assert follow_remedies(feeder, plain, *flags).code == 0


@pytest.mark.parametrize("command", ["process", "delete"])
def test_index_of_words_is_right_after_sync_and_repair(
    feeder: RunFeeder, shop: Repo, command: str
) -> None:
    """It embeds no text and reports none."""
    feeder(shop, "sync", WORDS)
    shop.write({"docs/guide.md": "# Another\n" if command == "process" else None})
    answer = feeder(shop, command, "--path", "docs/guide.md")
    assert (answer.code, "every node needs one" in answer.out) == (0, False)
    shop.commit()
    assert feeder(shop, "validate").code == 0
    assert "model: none, words only" in feeder(shop, "stats").out
