"""While the first index is being made, it is not said that a name is missing."""

import threading
from collections.abc import Iterable, Iterator
from typing import Any, cast

import pytest

from feeder.config import Settings
from feeder.mcp import RefreshResult
from feeder.mcp.index_refresh import IndexRefresher, RefreshTimes
from feeder.mcp.service import IndexService
from feeder.notes import Note, NoteKind
from feeder.parse import ParsedFile
from feeder.session.index_update import RefreshTarget
from feeder.session.workspace import workspace_for
from feeder.source.git_trees import Commit
from index_helpers import InProcessParser
from mcp_server.conftest import index
from source.repos import Repo

FILES = {f"part{number}.py": f"def part{number}():\n    return {number}\n" for number in range(4)}
FAILED = "The index could not be updated: x."
MAKING = "The index is being made: 2 of 4 files. Ask again soon."


class SlowParser(InProcessParser):
    """A parser that waits before its third file."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = threading.Event()

    def parse(self, files: Iterable[tuple[str, bytes]], **more: Any) -> Iterator[ParsedFile]:
        for at, file in enumerate(super().parse(files, **more)):
            if at == 2:
                self.may_go_on.wait()
            yield file


def call(service: IndexService, name: str, **arguments: object) -> str:
    return service.call(name, arguments, lambda _: None).text


@pytest.fixture
def parser() -> Iterator[SlowParser]:
    parser = SlowParser()
    yield parser
    parser.may_go_on.set()


def test_a_name_that_is_not_indexed_yet_is_not_missing(
    repo: Repo, parser: SlowParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index has two of four files when it is asked."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 1)
    repo.commit(FILES)
    settings = Settings(directory=repo.path, vectors=False, quiet=True, jobs=1)
    place = workspace_for(repo.path, settings)
    target = RefreshTarget(place, settings, lambda _: Commit(repo.path), cast("Any", parser))
    times = RefreshTimes(check_interval_s=0.0, answer_wait_s=0.1, first_answer_wait_s=2.0)
    service = IndexService(settings, IndexRefresher(target, times))
    try:
        missing = call(service, "references", target="part3", kind="definition")
        assert missing == f"The index has no definition of 'part3' yet. {MAKING}"
        found = service.call(
            "references", {"target": "part0", "kind": "definition"}, lambda _: None
        )
        assert found.text.startswith("part0.py:1-2 method part0")
        assert MAKING in found.text
        nothing = service.call("search", {"query": "part3"}, lambda _: None)
        assert MAKING in nothing.text
    finally:
        parser.may_go_on.set()
        service.close()


class FailedRefresher:
    """A refresher whose update has failed."""

    def refresh(self, _: object) -> RefreshResult:
        return RefreshResult(
            note=Note(NoteKind.UPDATE_FAILED, "The index could not be updated: x.")
        )

    def begin(self) -> None:
        return None


def test_a_failed_update_is_a_reason_too(repo: Repo) -> None:
    """The name may be in the files that were not read."""
    repo.commit(FILES)
    index(repo)
    settings = Settings(directory=repo.path, vectors=False, quiet=True)
    service = IndexService(settings, FailedRefresher())
    try:
        answer = call(service, "references", target="part9")
    finally:
        service.close()
    assert "The index has no file, symbol or id 'part9'." in answer
    assert answer.endswith(f" {FAILED}")
