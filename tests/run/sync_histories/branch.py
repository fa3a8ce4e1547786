"""A branch to which anything is pushed, and what a fresh index of its commits holds."""

import os
from typing import Any

from guarantees.picture import head
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from feeder.store import Database
from feeder.tree.commit import Commit
from hashed import HashedCodes, HashedEmbedder
from run.sync_histories.edits import (
    Edit,
    File,
    Files,
    Pushed,
    contents,
    made_a_submodule,
    merged,
    paths,
    reverted,
    written,
)
from tree.repos import Repo
from worlds import REPO, Picture, fresh

MODEL = 64
"""The dimensions of the vectors."""


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


def both(model: int | None) -> dict[str, Any]:
    """Vectors of both kinds, a model's and those that come with the words; none without a model."""
    if not model:
        return {"embedder": None, "meaning": None}
    return {"embedder": HashedEmbedder(model), "meaning": HashedCodes()}


class Pictures:
    """What fresh indexes hold, each made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int | None, bool], Picture] = {}

    def of(self, tree: Commit, model: int | None = MODEL, *, texts: bool = False) -> Picture:
        key = (tree.root, model, texts)
        if key not in self._known:
            self._known[key] = fresh(tree, **both(model), texts=texts)
        return self._known[key]


class Branch(RuleBasedStateMachine):
    """A branch to which anything is pushed."""

    def __init__(self, repo: Repo) -> None:
        super().__init__()
        self._repo = repo
        self._pushed: list[Pushed] = []
        self._commit({})

    @initialize(files=st.dictionaries(paths, contents, min_size=5))
    def begin(self, files: dict[str, bytes]) -> None:
        self._commit({path: File("100644", content) for path, content in files.items()})

    @property
    def _head(self) -> Pushed:
        return self._pushed[-1]

    def _is_named(self, database: Database) -> bool:
        """Whether the index says that it is of a commit with the files of HEAD."""
        roots = {pushed.tree.commit: pushed.tree.root for pushed in self._pushed}
        return roots[head(database, REPO)] == self._head.tree.root

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
