"""A run may end at any moment, and two may write at once: the index comes out right."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import NamedTuple

import pytest
from guarantees.picture import head

from feeder.errors import Overtaken
from feeder.run.feed import Describing
from feeder.run.sync import sync
from feeder.run.validate import validate
from feeder.store.sqlite import SQLite
from feeder.tree import Tree
from feeder.tree.commit import Commit
from hashed import HashedEmbedder
from parse.papers import docx, p, tbl, xlsx
from tree.repos import Repo
from worlds import (
    CART,
    REPO,
    SHOP,
    Death,
    Fuse,
    FusedDatabase,
    FusedEmbedder,
    InProcess,
    Lines,
    Picture,
    feed,
    fresh,
    opened,
    picture,
    synced,
)

PRICES = xlsx({"Prices": [("article", "price"), ("apple", 1.5)]})


def manual(offset: str) -> bytes:
    """A document with a table."""
    return docx(p("Registers", "berschrift1") + tbl([("Name", "Offset"), ("CTRL", offset)]))


class Trees(NamedTuple):
    """Three commits: the third undoes what the second did, and does something else.

    Among the files are documents, one of which is text in the second.
    """

    first: Commit
    second: Commit
    third: Commit


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    repo = Repo(tmp_path_factory.mktemp("trees"))
    repo.commit(SHOP)
    repo.commit({"manual.docx": manual("0x00"), "prices.xlsx": PRICES})
    first = Commit(repo.path)
    edited = CART.replace("return Cart()", "return Basket()")
    repo.commit({"src/cart.py": edited, "docs/guide.md": None, "src/tax.py": "RATE = 19\n"})
    repo.commit({"manual.docx": manual("0x04")})
    repo.commit({"prices.xlsx": "apples\n"})
    second = Commit(repo.path)
    moved = edited.replace("\n\n\nclass", "\n\n\n\nclass")
    repo.commit({"src/cart.py": moved, "docs/guide.md": SHOP["docs/guide.md"]})
    repo.commit({"manual.docx": None, "prices.xlsx": PRICES})
    repo.commit({"src/tax.py": None, "config.json": None, "src/vat.py": "RATE = 7\n"})
    return Trees(first, second, Commit(repo.path))


@pytest.fixture(scope="module")
def pictures(trees: Trees) -> dict[Tree, Picture]:
    """What a fresh index holds of each of them."""
    return {tree: fresh(tree, HashedEmbedder()) for tree in trees}


@pytest.fixture(scope="module")
def described(trees: Trees) -> dict[Tree, Picture]:
    """The same with a line on each method and class."""
    return {tree: fresh(tree, HashedEmbedder(), describing=Describing(Lines())) for tree in trees}


def _nothing(tree: Commit, database: SQLite) -> None:
    pass


def _words(tree: Commit, database: SQLite) -> None:
    synced(tree, database)


def _vectors(tree: Commit, database: SQLite) -> None:
    synced(tree, database, HashedEmbedder())


def _other_vectors(tree: Commit, database: SQLite) -> None:
    synced(tree, database, HashedEmbedder(32))


def _lines(tree: Commit, database: SQLite) -> None:
    synced(tree, database, HashedEmbedder(), describing=Describing(Lines()))


def _other_parser(tree: Commit, database: SQLite) -> None:
    synced(tree, database, HashedEmbedder(), parser=InProcess("old"))


class Situation(NamedTuple):
    """What the index of the first commit is like, and which models the run on the second has."""

    before: Callable[[Commit, SQLite], None]
    with_model: bool = True
    with_lines: bool = False


SITUATIONS = {
    "the first run": Situation(_nothing),
    "a later run": Situation(_vectors),
    "the first run with a model": Situation(_words),
    "the first run with another model": Situation(_other_vectors),
    "a run with another parser": Situation(_other_parser),
    "a run without the model": Situation(_vectors, with_model=False),
    "the first run with descriptions": Situation(_vectors, with_lines=True),
    "a later run with descriptions": Situation(_lines, with_lines=True),
}


@pytest.mark.parametrize("situation", SITUATIONS.values(), ids=SITUATIONS)
def test_a_run_that_dies_anywhere_is_finished_by_the_next(
    trees: Trees,
    pictures: dict[Tree, Picture],
    described: dict[Tree, Picture],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    situation: Situation,
) -> None:
    """Whichever call to a store or a model is its last, and whatever commit the next run finds."""
    for constant in ("run.feed.BATCH_NODES", "run.vectors.BATCH_VECTORS", "run.asking.AT_ONCE"):
        monkeypatch.setattr(f"feeder.{constant}", 4)
    monkeypatch.setattr("feeder.embed.dealing.UNDER_WAY", 1)  # of several, chance is first
    start = tmp_path / "start.db"
    database = opened(start)
    situation.before(trees.first, database)
    database.close()
    deaths = 0
    with_model, with_lines = situation.with_model, situation.with_lines
    expected = described if with_lines else pictures
    for file in _deaths(trees.second, start, with_model=with_model, with_lines=with_lines):
        deaths += 1
        for_next = copied(file, "next.db")
        _ends_right(trees.second, file, expected, with_lines=with_lines)
        _ends_right(trees.third, for_next, expected, with_lines=with_lines)
    assert deaths > 6


@pytest.mark.parametrize("with_model", [True, False], ids=["with a model", "words only"])
def test_a_run_that_dies_is_undone_by_one_on_the_commit_before(
    trees: Trees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_model: bool
) -> None:
    """From its first write on, the index no longer says that it equals the commit before."""
    monkeypatch.setattr("feeder.run.feed.BATCH_NODES", 4)
    embedder = HashedEmbedder() if with_model else None
    expected = fresh(trees.first, embedder)
    start = tmp_path / "start.db"
    database = opened(start)
    synced(trees.first, database, embedder)
    database.close()
    deaths = 0
    for file in _deaths(trees.second, start, with_model=with_model):
        deaths += 1
        database = SQLite(file)
        synced(trees.first, database, embedder)
        assert picture(database) == expected, deaths
        database.close()
    assert deaths > 6


def test_the_commit_that_an_index_names_moves_last(
    trees: Trees, pictures: dict[Tree, Picture], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a run dies, its index is all of the commit, or says that it is of the one before."""
    monkeypatch.setattr("feeder.run.feed.BATCH_NODES", 4)
    named = set()
    for index in _deaths(trees.second, file, with_model=True):
        database = SQLite(index)
        named.add(commit := head(database, REPO))
        if commit != trees.first.commit:
            assert picture(database) == pictures[trees.second]
        database.close()
    assert named == {trees.first.commit, trees.second.commit}


def copied(file: Path, name: str) -> Path:
    """Another file beside it with the same contents."""
    return Path(shutil.copy(file, file.with_name(name)))


def _deaths(
    tree: Tree, start: Path, *, with_model: bool, with_lines: bool = False
) -> Iterator[Path]:
    """A copy of an index for each call at which a run on it dies, before the call and after it."""
    for before in (True, False):
        for at in count(1):
            copy = copied(start, "dead.db")
            fuse = Fuse(at, before=before)
            if not _dies(tree, copy, fuse, with_model=with_model, with_lines=with_lines):
                break
            yield copy


def _dies(
    tree: Tree, file: Path, fuse: Fuse, *, with_model: bool, with_lines: bool = False
) -> bool:
    """Whether the fuse blew before the run was over."""
    database = SQLite(file)
    embedder = FusedEmbedder(fuse, batch=3) if with_model else None
    try:
        run = feed(tree, FusedDatabase(database, fuse), embedder)
        run.describing = Describing(Lines(fuse=fuse)) if with_lines else None
        sync(run)
    except Death:
        return True
    finally:
        database.close()
    return False


def _ends_right(
    tree: Tree, file: Path, pictures: dict[Tree, Picture], *, with_lines: bool = False
) -> None:
    database = SQLite(file)
    run = feed(tree, database, HashedEmbedder())
    run.describing = Describing(Lines()) if with_lines else None
    sync(run)
    assert picture(database) == pictures[tree]
    assert validate(run).passed
    database.close()


def test_runs_that_die_one_after_the_other_lose_nothing(
    trees: Trees, pictures: dict[Tree, Picture], tmp_path: Path
) -> None:
    """However many runs of however many commits have died, one that ends makes the index right."""
    for pattern in product((3, 4, 6), repeat=3):
        file = tmp_path / "index.db"
        database = opened(file)
        synced(trees.third, database, HashedEmbedder())
        database.close()
        for tree, at in zip(trees, pattern, strict=True):
            assert _dies(tree, file, Fuse(at, before=False), with_model=True)
        _ends_right(trees.first, file, pictures)
        file.unlink()


def test_a_new_parser_after_a_first_run_that_died(trees: Trees, tmp_path: Path) -> None:
    """What the dead run has parsed in the old way is parsed again, although no blob changed."""
    database = opened(tmp_path / "index.db")
    fuse = Fuse(5, before=False)
    with suppress(Death):
        sync(
            feed(
                trees.first, FusedDatabase(database, fuse), HashedEmbedder(), parser=InProcess("1")
            )
        )
    parser = InProcess("2")
    report = synced(trees.first, database, HashedEmbedder(), parser=parser)
    assert "src/cart.py" in parser.parsed
    assert report.files_unchanged == 0
    database.close()


@pytest.fixture
def file(trees: Trees, tmp_path: Path) -> Iterator[Path]:
    """An index of the first commit."""
    path = tmp_path / "index.db"
    database = opened(path)
    synced(trees.first, database, HashedEmbedder())
    database.close()
    yield path


def _run(tree: Tree, file: Path, fuse: Fuse, dimensions: int = 64) -> bool:
    """Whether the run came to its end; False when it was overtaken."""
    database = SQLite(file)
    try:
        sync(feed(tree, FusedDatabase(database, fuse), FusedEmbedder(fuse, dimensions)))
    except Overtaken:
        return False
    finally:
        database.close()
    return True


def test_the_run_that_took_over_last_wins(
    trees: Trees, pictures: dict[Tree, Picture], file: Path
) -> None:
    """A whole run inside of another one: the outer one stops, unless it had not begun to write."""
    outcomes = []
    for at in range(1, 50):
        index = copied(file, "copy.db")
        fuse = Fuse(at, blow=lambda: _ends_right(trees.third, index, pictures))  # noqa: B023
        survived = _run(trees.second, index, fuse)
        if not fuse.has_blown:
            break
        outcomes.append(survived)
        database = SQLite(index)
        winner = trees.second if survived else trees.third
        assert picture(database) == pictures[winner]
        assert validate(feed(winner, database, HashedEmbedder())).passed
        database.close()
    assert outcomes == sorted(outcomes, reverse=True)
    assert outcomes.count(False) >= 3


def test_a_run_that_replaces_the_model_removes_no_vectors_of_its_successor(
    trees: Trees, pictures: dict[Tree, Picture]
) -> None:
    """Overtaken before it has removed those of the old model, it does not remove them any more."""
    for at in range(3, 6):
        database = opened()
        synced(trees.first, database, HashedEmbedder(32))
        later = feed(trees.third, database, HashedEmbedder())
        fuse = Fuse(at, blow=partial(sync, later))
        with pytest.raises(Overtaken):
            sync(feed(trees.second, FusedDatabase(database, fuse), HashedEmbedder()))
        assert picture(database) == pictures[trees.third], at
        database.close()


@pytest.mark.parametrize("dimensions", [64, 32])
def test_a_run_that_was_overtaken_leaves_the_vectors_of_the_later_one(
    trees: Trees, pictures: dict[Tree, Picture], tmp_path: Path, dimensions: int
) -> None:
    """Also where it came with another model than the index: 64 dimensions, or 32."""
    start = tmp_path / "start.db"
    database = opened(start)
    before = _other_vectors if dimensions == 64 else _vectors
    before(trees.first, database)
    database.close()
    own = fresh(trees.second, HashedEmbedder(dimensions))
    outcomes = []
    for at in range(1, 50):
        index = copied(start, "copy.db")
        fuse = Fuse(at, blow=lambda: _ends_right(trees.third, index, pictures))  # noqa: B023
        survived = _run(trees.second, index, fuse, dimensions)
        if not fuse.has_blown:
            break
        database = SQLite(index)
        assert picture(database) == (own if survived else pictures[trees.third])
        database.close()
        outcomes.append(survived)
    assert outcomes.count(False) >= 3


def test_two_runs_that_take_turns_leave_the_index_of_the_one_that_ends_last(
    trees: Trees, pictures: dict[Tree, Picture], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run stands still at any call, another at any of its own while the first one goes on."""
    monkeypatch.setattr("feeder.run.feed.BATCH_NODES", 2)
    for at, other_at in product(range(1, 12), range(1, 10)):
        index = copied(file, "copy.db")
        winners = _turns(trees, index, at, other_at)
        database = SQLite(index)
        assert picture(database) == pictures[winners[-1]], (at, other_at)
        database.close()


def test_of_two_runs_of_one_commit_that_take_turns_nothing_is_left_behind(
    trees: Trees, pictures: dict[Tree, Picture], file: Path
) -> None:
    """One may find its work done by the other, which it has just taken the index from."""
    both = trees._replace(third=trees.second)
    for at, other_at in product(range(2, 9), range(1, 5)):
        index = copied(file, "copy.db")
        _turns(both, index, at, other_at)
        database = SQLite(index)
        assert picture(database) == pictures[trees.second], (at, other_at)
        database.close()


def _turns(trees: Trees, index: Path, at: int, other_at: int) -> list[Tree]:
    """The trees of the runs that were not overtaken, in the order in which they ended."""
    ended: list[Tree] = []
    reached, go = threading.Event(), threading.Event()

    def stand_still() -> None:
        reached.set()
        go.wait()

    def first() -> None:
        if _run(trees.second, index, Fuse(at, blow=stand_still)):
            ended.append(trees.second)
        reached.set()

    def go_on() -> None:
        go.set()
        thread.join()

    thread = threading.Thread(target=first)
    thread.start()
    reached.wait()
    if _run(trees.third, index, Fuse(other_at, blow=go_on)):
        ended.append(trees.third)
    go_on()
    return ended
