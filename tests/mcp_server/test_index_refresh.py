"""A server keeps its index equal to the files."""

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from command_runner import RunFeeder, command_runner
from feeder.config import Settings
from feeder.errors import UserError
from feeder.mcp import IndexingProgress, RefreshResult, index_refresh
from feeder.mcp.index_refresh import IndexRefresher, RefreshTimes
from feeder.mcp.service import LazyRefresher
from feeder.notes import Note, NoteKind
from feeder.session.index_update import FEW_FILES, RefreshTarget
from feeder.session.opening import open_session
from feeder.session.workspace import base_folder, workspace_for
from feeder.source import git
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.ownership import SERVER_LOCK, command_lock, try_lock
from index_helpers import CART, GUIDE
from source.repos import Repo

pytestmark = pytest.mark.slow

PATIENT = RefreshTimes(check_interval_s=0.0, answer_wait_s=60.0, first_answer_wait_s=60.0)
"""Checks the files each time and, on a busy machine too, waits for the end of the run."""
ONE_CHECK = replace(PATIENT, check_interval_s=float("inf"))
"""Checks the files once, as if the second after the first check did not end."""
IMPATIENT = replace(PATIENT, answer_wait_s=0.2)
UPDATING = "Files have changed, and the index is being updated"


class RefreshedIndex:
    """An index with its refresher; counts how often the source tree is read."""

    def __init__(
        self,
        repo: Repo,
        read_tree: Callable[[], Commit] | None = None,
        *,
        times: RefreshTimes = PATIENT,
        model: str = "static",
    ) -> None:
        self.settings = Settings(directory=repo.path, model=model, jobs=1)
        self.place = workspace_for(base_folder(repo.path), self.settings)
        self.reads = 0
        self.progress: list[str] = []
        self._read_tree = read_tree or (lambda: Commit(repo.path))
        self.index = repo.path / ".feeder" / "index.db"
        target = RefreshTarget(self.place, self.settings, self._count_read)
        self._refresher = IndexRefresher(target, times)

    def _count_read(self, _: git.Checkout | None) -> Commit:
        self.reads += 1
        return self._read_tree()

    def refresh(self) -> RefreshResult:
        return self._refresher.refresh(self.progress.append)

    def begin(self) -> IndexingProgress | None:
        return self._refresher.begin()

    def note(self) -> str | None:
        """Refreshes the index and returns the note."""
        note = self.refresh().note
        return None if note is None else str(note)

    def vectors(self) -> str | None:
        """Returns the state of the vectors in `meta`."""
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


def test_the_first_call_creates_an_index_and_the_next_ones_update_it(
    shop: Repo, feeder: RunFeeder
) -> None:
    index = RefreshedIndex(shop)
    assert index.note() is None
    assert index.files() == {"src/cart.py", "docs/guide.md"}
    shop.commit({"src/tax.py": "def vat():\n    return 19\n", "docs/guide.md": None})
    assert index.note() is None
    assert index.files() == {"src/cart.py", "src/tax.py"}
    assert feeder(shop, "validate").code == 0
    assert any("words" in line for line in index.progress)


def test_without_an_index_the_error_says_that_it_is_being_created(shop: Repo) -> None:
    may_read = threading.Event()

    def blocked() -> Commit:
        may_read.wait()
        return Commit(shop.path)

    index = RefreshedIndex(shop, blocked, times=replace(PATIENT, first_answer_wait_s=0.0))
    with pytest.raises(UserError, match=r"There is no index yet\. The index is being made\."):
        index.note()
    may_read.set()


def test_progress_is_told_without_waiting(shop: Repo) -> None:
    may_read = threading.Event()

    def blocked() -> Commit:
        may_read.wait()
        return Commit(shop.path)

    index = RefreshedIndex(shop, blocked, times=ONE_CHECK)
    assert index.begin() == IndexingProgress(has_index=False)
    may_read.set()
    assert index.note() is None
    assert index.begin() is None
    assert index.reads == 1


def test_rest_of_a_step_is_estimated_from_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    monitor = index_refresh.ProgressMonitor(threading.Condition())
    with monitor.step("words", 80) as step:
        assert monitor.seconds_left is None
        now_s += 4.0
        assert monitor.seconds_left is None
        step(20)
        assert monitor.seconds_left == 12.0


def test_files_are_checked_once_within_the_interval(shop: Repo) -> None:
    index = RefreshedIndex(shop, times=ONE_CHECK)
    index.note()
    reads = index.reads
    index.note()
    assert index.reads == reads


def test_only_a_call_that_began_before_the_check_gets_the_tree(shop: Repo) -> None:
    """For a later call within the same second the files may have changed since."""
    index = RefreshedIndex(shop, times=ONE_CHECK)
    assert index.refresh().tree == shop.git("rev-parse", "HEAD^{tree}")
    shop.commit({"src/tax.py": "def vat():\n    return 19\n"})
    assert index.refresh() == RefreshResult()


def test_a_deleted_index_is_recreated_within_the_same_second(shop: Repo) -> None:
    index = RefreshedIndex(shop, times=ONE_CHECK)
    index.note()
    shutil.rmtree(index.index.parent)
    assert index.note() is None
    assert index.files() == {"src/cart.py", "docs/guide.md"}


def test_command_started_during_a_check_is_not_superseded(shop: Repo, feeder: RunFeeder) -> None:
    assert feeder(shop, "sync", "-q").code == 0
    with ExitStack() as command:

        def read_tree() -> Commit:
            command.enter_context(command_lock(index.index))
            return Commit(shop.path)

        index = RefreshedIndex(shop, read_tree, times=IMPATIENT)
        shop.commit({"src/tax.py": "def vat():\n    return 19\n"})
        result = index.refresh()
        assert (result.tree, index.files()) == ("", {"src/cart.py", "docs/guide.md"})
        assert str(result.note) in (
            "A command is updating the index.",
            "Another run is updating the index.",
            f"{UPDATING}: search again soon.",
        )


def test_concurrent_calls_wait_for_one_run_and_none_fails(shop: Repo, feeder: RunFeeder) -> None:
    servers = [RefreshedIndex(shop) for _ in range(3)]
    notes: list[str | None] = []

    def call(index: RefreshedIndex) -> None:
        notes.append(index.note())

    for round_ in range(3):
        shop.commit({"src/tax.py": f"def vat():\n    return {round_}\n"})
        threads = [threading.Thread(target=call, args=(server,)) for server in servers * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert notes == [None] * 18
    assert feeder(shop, "validate").code == 0


def test_an_index_that_another_process_updates_is_left_alone(shop: Repo) -> None:
    index = RefreshedIndex(shop, times=IMPATIENT)
    while index.note():  # however busy the machine is
        pass
    shop.commit({"src/tax.py": "def vat():\n    return 19\n"})
    with command_lock(index.index):
        assert index.note() == "A command is updating the index."
        assert "src/tax.py" not in index.files()
    with try_lock(index.index, SERVER_LOCK):
        assert index.note() == "Another run is updating the index."
    while index.note():
        pass
    assert "src/tax.py" in index.files()


def test_an_answer_does_not_wait_for_many_files(shop: Repo) -> None:
    index = RefreshedIndex(shop)
    index.note()
    shop.commit({f"src/{number}.py": f"x = {number}\n" for number in range(FEW_FILES + 1)})
    note = index.note()
    assert note
    assert note.startswith(f"{UPDATING} (words: ")
    while index.note():
        pass
    assert len(index.files()) == FEW_FILES + 3


def test_static_vectors_are_added_while_words_answer(shop: Repo, feeder: RunFeeder) -> None:
    """The note says that words are complete in an index that was made without vectors."""
    count = FEW_FILES + 1
    shop.commit({f"src/{number}.py": f"x = {number}\n" for number in range(count)})
    assert feeder(shop, "sync", "--no-vectors").code == 0
    index = RefreshedIndex(shop)
    note = index.note()
    assert note
    total = f" of {count + 2} files); vectors are being computed."
    assert note.startswith("All files can be searched by word (static vectors: ")
    assert str(note).endswith(total)
    while index.note():
        pass
    assert feeder(shop, "validate").code == 0


def test_an_error_is_reported_and_the_index_stays(shop: Repo) -> None:
    def fails() -> Commit:
        raise UserError("git is gone.")

    index = RefreshedIndex(shop)
    index.note()
    broken = RefreshedIndex(shop, fails)
    assert broken.refresh() == RefreshResult(
        note=Note(NoteKind.UPDATE_FAILED, "The index could not be updated: git is gone.")
    )
    assert index.files() == {"src/cart.py", "docs/guide.md"}


def test_files_are_not_indexed_as_a_folder_when_their_repository_is_gone(shop: Repo) -> None:
    """Ignored files would be indexed then: the index stays, and the note gives the reason."""
    shop.write({".gitignore": "private.md\n", "private.md": "# Private\n"})
    index = RefreshedIndex(shop)
    refresher = LazyRefresher(index.settings, PATIENT)
    assert refresher.refresh(index.progress.append).note is None
    before = index.files()
    (shop.path / ".git").rename(shop.path / ".was")
    note = refresher.refresh(index.progress.append).note
    assert note
    assert "is not in a git repository" in note.text
    assert index.files() == before


def test_files_are_not_indexed_as_those_of_a_repository_above(shop: Repo) -> None:
    inner = Repo(shop.path / "inner")
    inner.commit({"own.py": "own = 1\n"})
    index = RefreshedIndex(inner)
    refresher = LazyRefresher(index.settings, PATIENT)
    assert refresher.refresh(index.progress.append).note is None
    (inner.path / ".git").rename(shop.path / ".was")
    note = refresher.refresh(index.progress.append).note
    assert note
    assert str(note).endswith(f"{inner.path} is now a folder inside {shop.path}. Restore its .git.")
    assert index.files() == {"own.py"}


def test_rows_name_the_branch_that_is_checked_out(shop: Repo) -> None:
    index = RefreshedIndex(shop)
    index.note()
    shop.git("checkout", "-q", "-b", "feature")
    index.note()
    with open_session(index.place, index.settings, writes=False, create=False) as store:
        [rows] = store.index.database.run([Statement("SELECT DISTINCT branch FROM docs")])
    assert rows == [("feature",)]


def test_without_an_index_an_error_of_the_run_is_raised(repo: Repo, tmp_path: Path) -> None:
    index = RefreshedIndex(repo)  # without a commit
    with pytest.raises(UserError, match=r"There is no index yet\. .* has no commit at HEAD"):
        index.note()


@pytest.mark.needs("local")
def test_vectors_of_a_local_model_are_computed_after_the_words(
    shop: Repo, feeder: RunFeeder
) -> None:
    index = RefreshedIndex(shop, model="minilm")
    assert index.note() in {None, str(index_refresh.VECTORS_PENDING_NOTE)}
    assert index.files() == {"src/cart.py", "docs/guide.md"}
    until_s = time.monotonic() + 120
    while index.vectors() != "complete" and time.monotonic() < until_s:
        time.sleep(0.1)
    shop.commit({"src/tax.py": "def vat():\n    return 19\n"})
    assert index.note() in {None, str(index_refresh.VECTORS_PENDING_NOTE)}, (
        "words do not wait for vectors"
    )
    assert "src/tax.py" in index.files()
    while index.vectors() != "complete" and time.monotonic() < until_s:
        time.sleep(0.1)
    answer = feeder(shop, "validate", "--model", "minilm")
    assert (answer.code, "The index is correct." in answer.out) == (0, True)


def test_missing_index_of_a_folder_outside_of_git_is_made(tmp_path: Path) -> None:
    """An existing one is left as it is: without git, a check would read every file."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "cart.py").write_text(CART)
    settings = Settings(directory=folder, model="words", jobs=1, quiet=True)
    refresher = LazyRefresher(settings, PATIENT)
    assert refresher.refresh(lambda text: None).note is None
    (folder / "tax.py").write_text("def vat():\n    return 19\n")
    refresher.refresh(lambda text: None)
    place = workspace_for(folder, settings)
    with open_session(place, settings, writes=False, create=False) as store:
        [rows] = store.index.database.run([Statement("SELECT DISTINCT path FROM docs")])
    assert rows == [("cart.py",)]


@pytest.mark.parametrize("below", ["", "user"])
def test_home_folder_is_not_indexed_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    """Nor a folder that has one in it: clients start servers anywhere."""
    home = tmp_path / below
    home.mkdir(exist_ok=True)
    (tmp_path / "letter.txt").write_text("Dear all\n")
    monkeypatch.setenv("HOME", str(home))
    refresher = LazyRefresher(Settings(directory=tmp_path, model="words", jobs=1), PATIENT)
    with pytest.raises(UserError, match=r"index the folder with: feeder process --path \."):
        refresher.refresh(lambda text: None)
    assert not (tmp_path / ".feeder").exists()
