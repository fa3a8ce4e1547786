"""When filters leave no hits, the number of hits without each filter is reported."""

from collections.abc import Callable
from pathlib import Path

import pytest

from feeder.config import Settings
from feeder.query.request_filters import Pagination, RequestFilters
from feeder.search.open_index import SearchIndex
from feeder.search.relaxed_filters import relax_filters
from feeder.session.opening import open_session
from feeder.session.workspace import base_folder, workspace_for
from mcp_server.conftest import index
from search.run_query import run_query
from source.repos import Repo

Told = Callable[..., dict[str, tuple[int, str]]]


@pytest.fixture
def relaxed_counts(tmp_path: Path) -> Told:
    """Maps each filter of a query to the number of hits without it and the path of the first."""
    repo = Repo(tmp_path / "repo")
    body = "():\n    return 'apples are peeled here'\n"
    repo.commit({f"src/{name}.py": f"def {name}{body}" for name in ("peel", "peeled", "peeling")})
    repo.commit({"docs/peel.md": "# Peel\n\nHow apples are peeled.\n"})
    index(repo)
    settings = Settings(directory=repo.path, vectors=False, quiet=True)

    def tell(query: str, **filters: object) -> dict[str, tuple[int, str]]:
        place = workspace_for(base_folder(repo.path), settings)
        with open_session(place, settings, writes=False, create=False) as store:
            client = SearchIndex.from_session(store, settings)
            said = RequestFilters(**filters)  # type: ignore[arg-type]
            asked, answer = run_query(client, query, Pagination(5), said)
            assert answer.total == 0
            some = list(relax_filters(client, asked))
        return {one.name: (one.total, one.best.path if one.best else "") for one in some}

    return tell


def test_filter_that_excludes_all_hits_is_reported(relaxed_counts: Told) -> None:
    """With the hits that it excludes."""
    found = relaxed_counts("peeled apples lang:python path:docs")
    assert {name: count for name, (count, _) in found.items()} == {"path": 3, "lang": 1}
    assert found["lang"][1] == "docs/peel.md"
    assert found["path"][1].startswith("src/")


def test_filters_from_options_are_reported_like_those_in_the_query(relaxed_counts: Told) -> None:
    beside = relaxed_counts("peeled apples", language=["python"], path=["docs"])
    assert beside == relaxed_counts("peeled apples lang:python path:docs")


def test_phrase_without_a_match_is_reported(relaxed_counts: Told) -> None:
    """Without it the words match."""
    found = relaxed_counts('peeled "pears are eaten"')
    assert {name: count for name, (count, _) in found.items()} == {
        "phrases, patterns and begin*": 4
    }


def test_query_without_filters_reports_none(relaxed_counts: Told) -> None:
    assert relaxed_counts("unheard") == {}
