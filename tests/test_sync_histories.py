"""Whatever is pushed, and wherever runs end, the next run makes the index equal to HEAD."""

import itertools
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from feeder.errors import Overtaken, Stopped, UserError
from feeder.feed import Feed
from feeder.shards import shards
from feeder.store.sqlite import SQLite
from feeder.sync import sync
from feeder.tree.commit import Commit
from feeder.validate import validate
from hashed import HashedEmbedder
from tree.repos import Repo
from worlds import (
    MEMORY,
    Death,
    Fuse,
    FusedDatabase,
    FusedEmbedder,
    InProcess,
    Picture,
    feed,
    fresh,
    opened,
    picture,
    synced,
)

PATHS = (
    "a.py",
    "src/a.py",
    "src/b.py",
    "src/deep/c.py",
    "notes.md",
    "c.json",
    "yarn.lock",
    "src/.noindex",
    ".feederignore",
    ".gitattributes",
    os.fsdecode(b"caf\xe9.py"),
)
PARTS = (
    "def total(cart):\n    return sum(cart)\n\n\n",
    "class Cart:\n    def add(self):\n        pass\n\n\n",
    "class Cart:\n    def add(self):\n        return 1\n\n\n",
    "# Install\n\nUse a package.\n",
    '{"server": {"port": 1}}\n',
    "*.json\n",
    "*.py linguist-generated\n",
    "\n",
    "\0",
)
MODEL, OTHER_MODEL = 64, 32
"""The dimensions tell one from the other."""
WORDS = ("docs", "postings", "postings' ids")


class File(NamedTuple):
    """A file as git has it; a submodule's content is its commit."""

    mode: str
    content: bytes


Files = dict[str, File]


class Pushed(NamedTuple):
    """What was once HEAD."""

    tree: Commit
    files: Files


class Edit(NamedTuple):
    """One way to come to other files, and what it needs: which of those that are there, and more.

    An edit that there is nothing for does nothing.
    """

    make: "Callable[[Edit, Files, Sequence[Pushed]], Files]"
    at: int
    path: str
    content: bytes

    def one(self, files: Files) -> tuple[str, File]:
        path = sorted(files)[self.at % len(files)]
        return path, files[path]

    def former(self, past: Sequence[Pushed]) -> Pushed:
        return past[self.at % len(past)]


def with_file(files: Files, path: str, file: File) -> Files:
    """The files with one more; what cannot be beside it in a tree is gone."""
    place = PurePosixPath(path)
    apart = {
        name: other
        for name, other in files.items()
        if not place.is_relative_to(name) and not PurePosixPath(name).is_relative_to(path)
    }
    return {**apart, path: file}


def without(files: Files, path: str) -> Files:
    return {name: file for name, file in files.items() if name != path}


def written(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    return with_file(files, edit.path, File("100644", edit.content))


def shifted(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    """By a line."""
    path, file = edit.one(files)
    if file.mode == "160000":
        return files
    return {**files, path: file._replace(content=b"\n" + file.content)}


def deleted(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    return without(files, edit.one(files)[0])


def renamed(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    return with_file(without(files, path), edit.path, file)


def copied(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    return with_file(files, edit.path, edit.one(files)[1])


def recased(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    stem, dot, ending = path.rpartition(".")
    return with_file(without(files, path), f"{stem.swapcase()}{dot}{ending}", file)


def made_a_folder(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    return with_file(files, f"{path}/{PurePosixPath(path).name}", file)


def made_a_file(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    folder = path.rpartition("/")[0]
    return with_file(files, folder, file) if folder else files


def made_executable(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    return {**files, path: file._replace(mode="100755")} if file.mode == "100644" else files


def made_a_link(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    """A symbolic link to what was the content, or back."""
    path, file = edit.one(files)
    if file.mode == "160000":
        return files
    mode = "100644" if file.mode == "120000" else "120000"
    return {**files, path: file._replace(mode=mode)}


def made_a_submodule(edit: Edit, files: Files, past: Sequence[Pushed]) -> Files:
    commit = edit.former(past).tree.commit.encode()
    return with_file(files, edit.path, File("160000", commit))


def merged(edit: Edit, files: Files, past: Sequence[Pushed]) -> Files:
    """Both sides' files; where they exclude each other, the other side's."""
    for path, file in edit.former(past).files.items():
        files = with_file(files, path, file)
    return files


def reverted(edit: Edit, files: Files, past: Sequence[Pushed]) -> Files:
    return edit.former(past).files


EDITS = (
    *(written, shifted, deleted, renamed, copied, recased, made_a_folder, made_a_file),
    *(made_executable, made_a_link, made_a_submodule, merged, reverted),
)

paths = st.sampled_from(PATHS)
contents = st.lists(st.sampled_from(PARTS), max_size=4).map(lambda parts: "".join(parts).encode())
positions = st.integers(0, 99)
edits = st.lists(st.builds(Edit, st.sampled_from(EDITS), positions, paths, contents), max_size=4)
calls = st.integers(1, 16)
models = st.sampled_from([MODEL, MODEL, MODEL, OTHER_MODEL, None])
parsers = st.sampled_from(["in process"] * 3 + ["old"])


def committed(repo: Repo, files: Files, parents: list[str]) -> None:
    """Makes main a commit of exactly these files."""
    stream = [b"commit refs/heads/main\ncommitter A <a@example.org> 0 +0000\ndata 0\n"]
    for word, parent in zip(["from", *["merge"] * len(parents)], parents, strict=False):
        stream.append(f"{word} {parent}\n".encode())
    stream.append(b"deleteall\n")
    for path, (mode, content) in files.items():
        quoted = b"".join(b"\\%03o" % byte for byte in os.fsencode(path))
        source = content if mode == "160000" else b"inline"
        stream.append(b'M %b %b "%b"\n' % (mode.encode(), source, quoted))
        if mode != "160000":
            stream.append(b"data %d\n%b\n" % (len(content), content))
    repo.git("fast-import", "--quiet", "--force", stdin=b"".join(stream))


class Pictures:
    """What fresh indexes hold, each made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int | None], Picture] = {}

    def of(self, tree: Commit, model: int | None = MODEL) -> Picture:
        key = (tree.root, model)
        if key not in self._known:
            self._known[key] = fresh(tree, HashedEmbedder(model) if model else None)
        return self._known[key]


class History(RuleBasedStateMachine):
    """A branch to which anything is pushed, and runs on it that may end anywhere."""

    def __init__(self, repo: Repo, pictures: Pictures) -> None:
        super().__init__()
        self._repo = repo
        self._pictures = pictures
        self._database = opened()
        self._pushed: list[Pushed] = []
        self._names = itertools.count()
        self._commit({})

    @initialize(files=st.dictionaries(paths, contents, min_size=5))
    def begin(self, files: dict[str, bytes]) -> None:
        self._commit({path: File("100644", content) for path, content in files.items()})

    def teardown(self) -> None:
        self._database.close()

    @rule(edits=edits, model=models)
    def run_to_the_end(self, edits: list[Edit], model: int | None) -> None:
        self._push(edits)
        synced(self._head.tree, self._database, HashedEmbedder(model) if model else None)
        if model:
            assert picture(self._database) == self._pictures.of(self._head.tree, model)

    @rule(at=positions)
    def force_push_back(self, at: int) -> None:
        older = self._pushed[at % len(self._pushed)]
        self._repo.git("update-ref", "refs/heads/main", older.tree.commit)
        self._pushed.append(older)
        self.run_to_the_end([], MODEL)

    @rule(edits=edits, at=calls, before=st.booleans(), model=models, parser=parsers)
    def die(self, edits: list[Edit], at: int, before: bool, model: int | None, parser: str) -> None:
        """At any call to the database or the model, before it arrives or after it is done."""
        self._push(edits)
        with suppress(Death):
            sync(self._fused(Fuse(at, before=before), model, parser))

    @rule(edits=edits, at=calls, by=positions, model=st.sampled_from([MODEL, OTHER_MODEL]))
    def be_overtaken(self, edits: list[Edit], at: int, by: int, model: int) -> None:
        """A whole run, of HEAD or an older commit, in the midst of another: no mixture."""
        self._push(edits)
        other = self._pushed[by % len(self._pushed)].tree

        def overtake() -> None:
            synced(other, self._database, HashedEmbedder(MODEL))

        expected = self._pictures.of(self._head.tree, model)
        try:
            sync(self._fused(Fuse(at, blow=overtake), model))
        except Overtaken:
            expected = self._pictures.of(other)
        assert picture(self._database) == expected

    @rule(
        edits=edits,
        model=models,
        embeddings=st.integers(1, 4) | st.none(),
        requests=calls | st.none(),
    )
    def stop(
        self, edits: list[Edit], model: int | None, embeddings: int | None, requests: int | None
    ) -> None:
        """By the limits that a user may set."""
        self._push(edits)
        with suppress(Stopped):
            sync(self._limited(model, embeddings, requests))

    @rule(edits=edits, embeddings=st.integers(1, 4))
    def stop_again_and_again(self, edits: list[Edit], embeddings: int) -> None:
        """However small the limit, runs come to an end."""
        self._push(edits)
        for _ in range(2 * len(self._head.files) + 3):
            with suppress(Stopped):
                sync(self._limited(MODEL, embeddings, None))
                break
        assert picture(self._database) == self._pictures.of(self._head.tree)

    @rule(edits=edits, fates=st.lists(st.integers(-1, 9), min_size=2, max_size=3), model=models)
    def share(self, edits: list[Edit], fates: list[int], model: int | None) -> None:
        """Shards, of which each ends (0), dies at a call or does not begin."""
        self._push(edits)
        token = f"run {next(self._names)}"
        for shard, fate in zip(shards(len(fates)), fates, strict=True):
            run = replace(self._fused(Fuse(fate), model), shard=shard, token=token)
            with suppress(Death, UserError):  # they do not replace the vectors of another model
                if fate >= 0:
                    sync(run)

    @invariant()
    def the_next_run_makes_the_index_a_fresh_one(self) -> None:
        copy = self._copy()
        run = feed(self._head.tree, copy, HashedEmbedder(MODEL))
        sync(run)
        assert picture(copy) == self._pictures.of(self._head.tree)
        assert validate(run).passed
        copy.close()

    @invariant()
    def without_a_model_its_words_are_those_of_a_fresh_one(self) -> None:
        copy = self._copy()
        synced(self._head.tree, copy)
        seen, expected = picture(copy), self._pictures.of(self._head.tree, None)
        assert {part: seen[part] for part in WORDS} == {part: expected[part] for part in WORDS}
        copy.close()

    @property
    def _head(self) -> Pushed:
        return self._pushed[-1]

    def _push(self, edits: list[Edit]) -> None:
        """A commit of all these edits, if there are any."""
        files = self._head.files
        for edit in edits:
            if files or edit.make in {written, made_a_submodule, merged, reverted}:
                files = edit.make(edit, files, self._pushed)
        merges = [edit.former(self._pushed) for edit in edits if edit.make is merged]
        if edits:
            self._commit(files, self._head, *merges)

    def _commit(self, files: Files, *parents: Pushed) -> None:
        committed(self._repo, files, [parent.tree.commit for parent in parents])
        self._pushed.append(Pushed(Commit(self._repo.path), files))

    def _fused(self, fuse: Fuse, model: int | None, parser: str = "in process") -> Feed:
        database = FusedDatabase(self._database, fuse)
        embedder = FusedEmbedder(fuse, model, batch=3) if model else None
        return feed(self._head.tree, database, embedder, parser=InProcess(parser))

    def _limited(self, model: int | None, embeddings: int | None, requests: int | None) -> Feed:
        fuse = Fuse(0)
        run = self._fused(fuse, model)
        run.budget.max_embeddings, run.budget.max_requests = embeddings, requests
        run.budget.requests = lambda: fuse.calls
        run.budget.requests_for = lambda texts: -(-texts // 3)
        return run

    def _copy(self) -> SQLite:
        copy = SQLite(MEMORY)
        with copy.connection.backup("main", self._database.connection, "main") as backup:
            backup.step()
        return copy


def test_any_history_ends_in_the_index_of_head(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """After every push and every run, finished or not; small batches make many writes of a run."""
    for limit, size in {"NODES": 4, "GONE": 1, "VECTORS": 3}.items():
        monkeypatch.setattr(f"feeder.feed.BATCH_{limit}", size)
    monkeypatch.setattr("feeder.feed.OUTBOX_PIECE", 2)
    pictures = Pictures()
    run_state_machine_as_test(
        lambda: History(repo, pictures),  # type: ignore[arg-type]  # any factory will do
        settings=settings(
            max_examples=int(os.environ.get("HISTORIES", "40")),
            stateful_step_count=15,
            derandomize="HISTORIES" not in os.environ,
            deadline=None,
            database=None,
            phases=[Phase.generate],  # to shrink takes longer than a test may
        ),
    )
