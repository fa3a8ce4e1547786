"""A query that has no word in common with the code finds it by its description."""

from collections.abc import Iterator

import pytest

from fake_describer import FakeDescriber
from feeder.cli.rendering import render_hits
from feeder.descriptions import ModelAnswer
from feeder.embedding import STATIC_MODEL_NAME
from feeder.embedding.quantization import StaticQuantizer
from feeder.mcp.formatting import AnswerOptions, format_hits
from feeder.query.request_filters import Pagination
from feeder.ranking.results import Result
from feeder.ranking.retrieval import STATIC_VECTORS, static_query_model
from feeder.source.git_trees import Commit
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from feeder.sync.context import DescriptionOptions
from index_helpers import REPO, SHOP, open_database, result_page, run_sync, search_scope
from source.repos import Repo

LINE = "Discards every purchase that is not yet paid for."


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(SHOP)
    return repo


@pytest.fixture
def database(shop: Repo) -> Iterator[SQLite]:
    database = open_database()
    lines = FakeDescriber()
    lines.answers["emptyCart"] = ModelAnswer(LINE)
    run_sync(Commit(shop.path), database, description_options=DescriptionOptions(lines))
    yield database
    database.close()


def matching_symbols(database: SQLite, query: str, **where: str) -> list[Result]:
    return list(
        search_scope(database, [], query, Scope.of_repo(REPO, **where), Pagination(10)).results
    )


def test_node_is_found_by_the_words_of_its_description(database: SQLite) -> None:
    """Description words are stemmed like code and obey the filters."""
    [one] = matching_symbols(database, "discarding unpaid purchases")
    assert (one.hit.symbol, one.hit.description, one.ranks) == ("emptyCart", LINE, {"line": 1})
    assert [
        matching_symbol.hit.symbol
        for matching_symbol in matching_symbols(database, "discard", path="src")
    ] == ["emptyCart"]
    assert matching_symbols(database, "discard", path="docs") == []


def test_description_is_in_every_output_format(database: SQLite, shop: Repo) -> None:
    page = result_page(database, shop.path, matching_symbols(database, "discard"))
    heading, line, *_ = render_hits(page)
    assert (heading.split("  ")[-1], line.strip()) == ("emptyCart", LINE)
    assert page.as_json()["hits"][0]["description"] == LINE
    assert f"method emptyCart [13-17]\ndescribed: {LINE}\n" in format_hits(
        page, AnswerOptions(), None
    )


def test_index_without_descriptions_gives_the_same_results(shop: Repo) -> None:
    database = open_database()
    run_sync(Commit(shop.path), database)
    one = matching_symbols(database, "emptyCart")[0]
    assert (one.hit.description, "line" in one.ranks) == ("", False)
    assert matching_symbols(database, "discard") == []


OFFICE = {
    "box.py": "def leave(paper):\n    return box.put(paper)\n",
    "tea.py": "def pour(cup):\n    cup.fill(kettle.water)\n",
    "map.py": "def draw(road):\n    for turn in road:\n        pen.move(turn)\n",
    "user.py": "def greet(user):\n    return user.name\n",
    "bytes.py": "def decode(data):\n    return data.bytes\n",
    "sum.py": "def add(one, other):\n    return one + other\n",
}
ENCRYPTS = "Encrypts a password before it is stored."


def static_vector_hits(repo: Repo, lines: FakeDescriber | None, query: str) -> list[str | None]:
    """Returns the hits of the static vectors, best first."""
    database = open_database()
    how = DescriptionOptions(lines) if lines else None
    run_sync(
        Commit(repo.path),
        database,
        static_model=StaticQuantizer(STATIC_MODEL_NAME),
        description_options=how,
    )
    sides = [static_query_model(database)]
    answer = search_scope(database, sides, query, Scope.of_repo(REPO), Pagination(10))
    assert all(list(result.ranks) == [STATIC_VECTORS] for result in answer.results)
    database.close()
    return [result.hit.symbol for result in answer.results]


@pytest.mark.parametrize("query", ["cryptography", "hashing secrets"])
def test_node_is_found_by_the_meaning_of_its_description(repo: Repo, query: str) -> None:
    """The query has no word of the description or the code; without the description it finds
    nothing.
    """
    repo.commit(OFFICE)
    lines = FakeDescriber()
    lines.answers["leave"] = ModelAnswer(ENCRYPTS)
    assert static_vector_hits(repo, lines, query)[0] == "leave"
    assert static_vector_hits(repo, None, query)[0] != "leave"
