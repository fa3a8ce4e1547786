"""Which filter left nothing is told by what there is without each of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from feeder.config import Settings
from feeder.search.open_index import SearchIndex
from feeder.search.query_plan import RequestFilters
from feeder.search.relaxed_filters import relax_filters
from feeder.search.results import Pagination
from feeder.session.session import open_session
from feeder.session.workspace import base_folder, workspace_for
from mcp_server.conftest import index
from search.run_query import run_query
from source.repos import Repo

Told = Callable[..., dict[str, tuple[int, str]]]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """Each filter of a question with the number of hits without it, and the first one's path."""
    repo = Repo(tmp_path / "repo")
    body = "():\n    return 'apples are peeled here'\n"
    repo.commit({f"src/{name}.py": f"def {name}{body}" for name in ("peel", "peeled", "peeling")})
    repo.commit({"docs/peel.md": "# Peel\n\nHow apples are peeled.\n"})
    index(repo)
    settings = Settings(directory=repo.path, vectors=False, quiet=True)

    def tell(question: str, **filters: object) -> dict[str, tuple[int, str]]:
        place = workspace_for(base_folder(repo.path), settings)
        with open_session(place, settings, writes=False, create=False) as store:
            asker = SearchIndex.from_session(store, settings)
            said = RequestFilters(**filters)  # type: ignore[arg-type]
            asked, answer = run_query(asker, question, Pagination(5), said)
            assert answer.total == 0
            some = list(relax_filters(asker, asked))
        return {one.name: (one.total, one.best.path if one.best else "") for one in some}

    return tell


def test_one_that_leaves_nothing_is_told_with_what_it_kept_away(told: Told) -> None:
    """The other one alone finds the guide, or the functions."""
    found = told("peeled apples lang:python path:docs")
    assert {name: count for name, (count, _) in found.items()} == {"path": 3, "lang": 1}
    assert found["lang"][1] == "docs/peel.md"
    assert found["path"][1].startswith("src/")


def test_filters_beside_the_question_are_told_as_those_within(told: Told) -> None:
    beside = told("peeled apples", language=["python"], path=["docs"])
    assert beside == told("peeled apples lang:python path:docs")


def test_what_must_stand_there_is_told_too(told: Told) -> None:
    """A phrase that stands nowhere: without it the words are found."""
    found = told('peeled "pears are eaten"')
    assert {name: count for name, (count, _) in found.items()} == {
        "phrases, patterns and begin*": 4
    }


def test_a_question_without_filters_has_none_to_tell(told: Told) -> None:
    assert told("unheard") == {}
