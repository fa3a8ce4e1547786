"""A branch that receives random pushes, and the expected index of each commit."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from guarantees.contents import head
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from fake_describer import FakeDescriber
from feeder.parse import extract
from feeder.parse.extract import extractor_versions
from feeder.source.git_trees import Commit
from feeder.store import Database
from feeder.sync.context import DescriptionOptions
from hash_embedder import HashedEmbedder, HashedStaticEmbedder
from index_helpers import REPO, IndexSnapshot, InProcessParser, fresh_snapshot
from source.known_commit import KnownCommit
from source.repos import Repo
from sync.sync_histories.edits import (
    Edit,
    File,
    Files,
    Pushed,
    contents,
    drawn_up,
    made_a_submodule,
    merged,
    papers,
    paths,
    reverted,
    with_file,
    written,
)

MODEL = 64
"""The dimensions of the vectors."""
FROM_NOTHING = {written, drawn_up, made_a_submodule, merged, reverted}
"""Edits for which no file has to be there."""


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


def vector_options(model: int | None, parser: str = "in process") -> dict[str, Any]:
    """Returns the run options for static and model vectors, or for neither if `model` is None.

    The parser's fingerprint names the document formats that it reads, as the program's does.
    """
    kinds = HashedEmbedder(model) if model else None, HashedStaticEmbedder() if model else None
    named = f"{parser} {extractor_versions()}".strip()
    return {
        "embedder": kinds[0],
        "static_model": kinds[1],
        "parser": InProcessParser(named, kinds[1]),
    }


@contextmanager
def without_document_packages() -> Iterator[None]:
    """Simulates an installation without the packages that read documents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extract, "REQUIRED_PACKAGES", ("no-such-distribution",))
        extractor_versions.cache_clear()
        try:
            yield
        finally:
            patch.undo()
            extractor_versions.cache_clear()


class FreshSnapshots:
    """Caches snapshots of fresh indexes."""

    def __init__(
        self,
        describing: Callable[[], DescriptionOptions] = lambda: DescriptionOptions(FakeDescriber()),
    ) -> None:
        self._describing = describing
        self._known: dict[tuple[object, ...], IndexSnapshot] = {}

    def of(
        self, tree: Commit, model: int | None = MODEL, *, texts: bool = False, lines: bool = False
    ) -> IndexSnapshot:
        """Returns the snapshot of a fresh index; it depends on whether documents are readable."""
        key = (tree.root_tree_id, model, texts, lines, extractor_versions())
        if key not in self._known:
            describing = self._describing() if lines else None
            self._known[key] = fresh_snapshot(
                tree, **vector_options(model), store_source=texts, description_options=describing
            )
        return self._known[key]


class Branch(RuleBasedStateMachine):
    """A branch that receives random pushes."""

    def __init__(self, repo: Repo) -> None:
        super().__init__()
        self._repo = repo
        self._pushed: list[Pushed] = []
        self._commit({})

    @initialize(files=st.dictionaries(paths, contents, min_size=5), documents=papers)
    def begin(self, files: dict[str, bytes], documents: dict[str, bytes]) -> None:
        started: Files = {}
        for path, content in (*files.items(), *documents.items()):
            started = with_file(started, path, File("100644", content))
        self._commit(started)

    @property
    def _head(self) -> Pushed:
        return self._pushed[-1]

    def _is_named(self, database: Database) -> bool:
        """True if the commit in `meta` has the same files as HEAD."""
        roots = {pushed.tree.commit: pushed.tree.root_tree_id for pushed in self._pushed}
        return roots[head(database, REPO)] == self._head.tree.root_tree_id

    def _push(self, edits: list[Edit]) -> None:
        """Commits these edits, if there are any."""
        files = self._head.files
        for edit in edits:
            if files or edit.make in FROM_NOTHING:
                files = edit.make(edit, files, self._pushed)
        merges = [edit.former(self._pushed) for edit in edits if edit.make is merged]
        if edits:
            self._commit(files, self._head, *merges)

    def _commit(self, files: Files, *parents: Pushed) -> None:
        committed(self._repo, files, [parent.tree.commit for parent in parents])
        self._pushed.append(Pushed(KnownCommit(self._repo.path), files))
