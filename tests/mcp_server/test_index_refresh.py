"""An index that is asked again and again follows the files."""

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from command_runner import RunFeeder, command_runner
from feeder.config import Settings
from feeder.errors import UserError
from feeder.mcp import RefreshResult, index_refresh
from feeder.mcp.index_refresh import IndexRefresher, RefreshTarget
from feeder.mcp.service import LazyRefresher
from feeder.session.session import open_session
from feeder.session.workspace import base_folder, workspace_for
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.ownership import SERVER_LOCK, command_lock, try_lock
from index_helpers import CART, GUIDE
from source.repos import Repo


class Kept:
    """An index that is kept, and how often its tree was looked at."""

    def __init__(
        self, repo: Repo, tree: Callable[[], Commit] | None = None, *, model: str = "static"
    ) -> None:
        settings = Settings(directory=repo.path, model=model, jobs=1)
        self.place = workspace_for(base_folder(repo.path), settings)
        self.settings = settings
        self.looks = 0
        self.told: list[str] = []
        self._tree = tree or (lambda: Commit(repo.path))
        self.index = repo.path / ".feeder" / "index.db"
        self._upkeep = IndexRefresher(RefreshTarget(self.place, settings, self._look))

    def _look(self) -> Commit:
        self.looks += 1
        return self._tree()

    def look(self) -> RefreshResult:
        return self._upkeep.refresh(self.told.append)

    def before_answer(self) -> str | None:
        return self.look().note

    def vectors(self) -> str | None:
        """What the index says of the vectors of its model."""
        with open_session(self.place, self.settings, writes=False, create=False) as store:
            meta = store.index.read_state_of([]).meta
            return meta.get(store.index.meta_key("vectors"))

    def files(self) -> set[str]:
        with open_session(self.place, self.settings, writes=False, create=False) as store:
            [rows] = store.index.database.run([Statement("SELECT DISTINCT path FROM docs")])
        return {str(path) for (path,) in rows}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit({"src/cart.py": CART, "docs/guide.md": GUIDE})
    return repo


@pytest.fixture
def feeder(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> RunFeeder:
    monkeypatch.setenv("FEEDER_MODEL", "static")
    return command_runner(monkeypatch, capfd)


@pytest.fixture
def looks_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_refresh, "CHECK_INTERVAL_S", 0.0)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine too, an answer waits for the end of the run."""
    monkeypatch.setattr(index_refresh, "ANSWER_WAIT_S", 60.0)
    monkeypatch.setattr(index_refresh, "FIRST_ANSWER_WAIT_S", 60.0)


@pytest.mark.usefixtures("looks_each_time", "patient")
def test_the_first_question_makes_an_index_and_the_next_ones_keep_it(
    shop: Repo, feeder: RunFeeder
) -> None:
    kept = Kept(shop)
    assert kept.before_answer() is None
    assert kept.files() == {"src/cart.py", "docs/guide.md"}
    shop.commit({"src/tax.py": "def vat():\n    return 19\n", "docs/guide.md": None})
    assert kept.before_answer() is None
    assert kept.files() == {"src/cart.py", "src/tax.py"}
    assert feeder(shop, "validate").code == 0
    assert any("words" in line for line in kept.told)


def test_before_there_is_an_index_an_answer_says_that_it_is_being_made(
    shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing has changed, where there was nothing."""
    monkeypatch.setattr(index_refresh, "FIRST_ANSWER_WAIT_S", 0.0)
    has_asked = threading.Event()

    def held() -> Commit:
        has_asked.wait()
        return Commit(shop.path)

    kept = Kept(shop, held)
    with pytest.raises(UserError, match=r"There is no index yet\. The index is being made"):
        kept.before_answer()
    has_asked.set()


@pytest.mark.usefixtures("patient")
def test_the_files_are_looked_at_once_a_second(shop: Repo) -> None:
    kept = Kept(shop)
    kept.before_answer()
    kept._upkeep._checked_s = float("inf")  # as if that second did not end
    looks = kept.looks
    kept.before_answer()
    assert kept.looks == looks


@pytest.mark.usefixtures("patient")
def test_only_who_asks_before_a_look_learns_what_the_files_are(shop: Repo) -> None:
    """For whoever asks after it, within the same second, they may be others by then."""
    kept = Kept(shop)
    assert kept.look().tree == shop.git("rev-parse", "HEAD^{tree}")
    kept._upkeep._checked_s = float("inf")  # as if that second did not end
    shop.commit({"src/tax.py": "def vat():\n    return 19\n"})
    assert kept.look() == RefreshResult()


@pytest.mark.usefixtures("patient")
def test_an_index_that_is_deleted_is_made_anew_within_the_same_second(shop: Repo) -> None:
    kept = Kept(shop)
    kept.before_answer()
    kept._upkeep._checked_s = float("inf")
    shutil.rmtree(kept.index.parent)
    assert kept.before_answer() is None
    assert kept.files() == {"src/cart.py", "docs/guide.md"}


@pytest.mark.usefixtures("looks_each_time")
def test_a_command_that_begins_during_a_look_is_not_overtaken(
    shop: Repo, feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_refresh, "ANSWER_WAIT_S", 0.2)
    assert feeder(shop, "sync", "-q").code == 0
    with ExitStack() as command:

        def look() -> Commit:
            command.enter_context(command_lock(kept.index))
            return Commit(shop.path)

        kept = Kept(shop, look)
        shop.commit({"src/tax.py": "def vat():\n    return 19\n"})
        seen = kept.look()
        assert (seen.tree, kept.files()) == ("", {"src/cart.py", "docs/guide.md"})
        assert seen.note in (
            "A command brings the index on at this moment.",
            "Another run brings the index on at this moment.",
            "The files have changed, and the index follows: ask again soon.",
        )


@pytest.mark.usefixtures("looks_each_time", "patient")
def test_many_who_ask_at_once_wait_for_one_run_and_nobody_fails(
    shop: Repo, feeder: RunFeeder
) -> None:
    servers = [Kept(shop) for _ in range(3)]
    said: list[str | None] = []

    def ask(kept: Kept) -> None:
        said.append(kept.before_answer())

    for round_ in range(3):
        shop.commit({"src/tax.py": f"def vat():\n    return {round_}\n"})
        threads = [threading.Thread(target=ask, args=(one,)) for one in servers * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert said == [None] * 18
    assert feeder(shop, "validate").code == 0


@pytest.mark.usefixtures("looks_each_time")
def test_a_command_that_brings_the_index_on_is_left_alone(
    shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_refresh, "ANSWER_WAIT_S", 0.2)
    kept = Kept(shop)
    while kept.before_answer():  # however busy the machine is
        pass
    shop.commit({"src/tax.py": "def vat():\n    return 19\n"})
    with command_lock(kept.index):
        assert kept.before_answer() == "A command brings the index on at this moment."
        assert "src/tax.py" not in kept.files()
    with try_lock(kept.index, SERVER_LOCK):
        assert kept.before_answer() == "Another server brings the index on at this moment."
    while kept.before_answer():
        pass
    assert "src/tax.py" in kept.files()


@pytest.mark.usefixtures("looks_each_time")
def test_an_answer_does_not_wait_for_many_files(
    shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_refresh, "ANSWER_WAIT_S", 60.0)
    kept = Kept(shop)
    kept.before_answer()
    shop.commit(
        {
            f"src/{number}.py": f"x = {number}\n"
            for number in range(index_refresh.MAX_FILES_TO_WAIT_FOR + 1)
        }
    )
    says = kept.before_answer()
    assert says
    assert says.startswith("The files have changed, and the index follows (words: ")
    while kept.before_answer():
        pass
    assert len(kept.files()) == index_refresh.MAX_FILES_TO_WAIT_FOR + 3


@pytest.mark.usefixtures("looks_each_time", "patient")
def test_what_goes_wrong_is_said_and_the_old_answer_stands(shop: Repo) -> None:
    def fails() -> Commit:
        raise UserError("git is gone.")

    kept = Kept(shop)
    kept.before_answer()
    broken = Kept(shop, fails)
    assert broken.look() == RefreshResult(
        note="The index could not be brought to the files: git is gone."
    )
    assert kept.files() == {"src/cart.py", "docs/guide.md"}


@pytest.mark.usefixtures("looks_each_time", "patient")
def test_files_whose_repository_is_gone_are_no_folder_s(shop: Repo) -> None:
    """What lies there then was never to be indexed: the index stays, and that is said."""
    shop.write({".gitignore": "private.md\n", "private.md": "# Private\n"})
    kept, following = (
        Kept(shop),
        LazyRefresher(Settings(directory=shop.path, model="static", jobs=1)),
    )
    assert following.refresh(kept.told.append).note is None
    before = kept.files()
    (shop.path / ".git").rename(shop.path / ".was")
    says = following.refresh(kept.told.append).note
    assert says
    assert "is not in a git repository" in says
    assert kept.files() == before


@pytest.mark.usefixtures("looks_each_time", "patient")
def test_nor_are_they_those_of_a_repository_above(shop: Repo) -> None:
    inner = Repo(shop.path / "inner")
    inner.commit({"own.py": "own = 1\n"})
    kept, following = (
        Kept(inner),
        LazyRefresher(Settings(directory=inner.path, model="static", jobs=1)),
    )
    assert following.refresh(kept.told.append).note is None
    (inner.path / ".git").rename(shop.path / ".was")
    says = following.refresh(kept.told.append).note
    assert says
    assert says.endswith(f"{inner.path} is a folder of {shop.path} by now. Put its .git back.")
    assert kept.files() == {"own.py"}


@pytest.mark.usefixtures("looks_each_time", "patient")
def test_rows_are_of_the_branch_that_is_checked_out(shop: Repo) -> None:
    kept = Kept(shop)
    kept.before_answer()
    shop.git("checkout", "-q", "-b", "feature")
    kept.before_answer()
    with open_session(kept.place, kept.settings, writes=False, create=False) as store:
        [rows] = store.index.database.run([Statement("SELECT DISTINCT branch FROM docs")])
    assert rows == [("feature",)]


@pytest.mark.usefixtures("patient")
def test_without_an_index_what_goes_wrong_is_the_answer(repo: Repo, tmp_path: Path) -> None:
    kept = Kept(repo)  # without a commit
    with pytest.raises(UserError, match=r"There is no index yet\. .* has no commit at HEAD"):
        kept.before_answer()


@pytest.mark.needs("local")
@pytest.mark.usefixtures("looks_each_time", "patient")
def test_a_model_on_this_machine_follows_the_words(shop: Repo, feeder: RunFeeder) -> None:
    kept = Kept(shop, model="minilm")
    assert kept.before_answer() in {None, index_refresh.VECTORS_PENDING_NOTE}
    assert kept.files() == {"src/cart.py", "docs/guide.md"}
    until_s = time.monotonic() + 120
    while kept.vectors() != "complete" and time.monotonic() < until_s:
        time.sleep(0.1)
    shop.commit({"src/tax.py": "def vat():\n    return 19\n"})
    assert kept.before_answer() in {None, index_refresh.VECTORS_PENDING_NOTE}, (
        "words do not wait for vectors"
    )
    assert "src/tax.py" in kept.files()
    while kept.vectors() != "complete" and time.monotonic() < until_s:
        time.sleep(0.1)
    answer = feeder(shop, "validate", "--model", "minilm")
    assert (answer.code, "The index is right." in answer.out) == (0, True)
