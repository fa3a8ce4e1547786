"""A search in a language with few nodes reads few rows, and finds what the program finds; so does
one of a node type that only such languages have.

The words that the paths of the language's files end with narrow the search.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.indexed_worker import IndexedWorker, program
from source.repos import Repo

FILES, IN_FILE = 40, 25
WITH_WORD = FILES * IN_FILE
"""Nodes with the word `cart`, all in Python."""
FEW = 150
"""Below it is a search that reads no node of another language."""
SCRIPT = "#!/bin/bash\nship() {\n  echo parcel ship\n}\n"
PAGE = (
    "<html><body><h1>Parcel</h1>\n<script>\nfunction ship(parcel) { return parcel; }\n</script>\n"
)
NOTEBOOK = (
    '{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, '
    '"source": ["def ship(parcel):\\n", "    return parcel\\n"]}], '
    '"metadata": {"language_info": {"name": "python", "file_extension": ".py"}}, '
    '"nbformat": 4, "nbformat_minor": 5}\n'
)
RARE = {
    "pack/settings.toml": '[parcel]\nship = "parcel"\n',
    "pack/Pipfile": '[packages]\nparcel = "*"\n',
    "pack/send-all": SCRIPT,
    "pack/send.SH": SCRIPT.removeprefix("#!/bin/bash\n"),
    "pack/page.html": PAGE,
    "pack/parcel.ipynb": NOTEBOOK,
    "Makefile": "parcel:\n\techo ship parcel\n",
    "docs/parcel.md": "# Parcel\n\nHow to ship a parcel.\n\n```toml\nparcel = 1\n```\n",
}
LANGUAGES = ("toml", "bash", "html", "make", "markdown", "notebook", "jupyter", "javascript")


def _source(at: int) -> str:
    return "\n".join(f"def weigh_{at}_{one}(cart):\n    return cart\n" for one in range(IN_FILE))


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    """A Worker with 1,000 nodes in Python and a few in other languages."""
    repo = Repo(tmp_path_factory.mktemp("rare") / "shop")
    repo.commit({f"src/m{at}.py": _source(at) for at in range(FILES)} | RARE)
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.deploy()
    one.query_worker("status")  # what an isolate reads once
    yield one
    one.close()


def rows_read(fed: IndexedWorker, query: str) -> int:
    fed.query_worker("search", q=query, meaning="no")
    assert fed.last is not None and fed.last.is_success
    [rows] = fed.last.headers["server-timing"].split(" rows read")[:1]
    return int(rows.rpartition(" ")[2])


@pytest.mark.parametrize(
    "query",
    [
        *("cart lang:toml", "car* lang:bash", "cart -parcel lang:html", "cart lang:toml path:pack"),
        *("cart type:toml_table", "car* type:md_section", "cart type:toml_table lang:toml"),
    ],
)
def test_a_word_that_only_other_languages_have_costs_few_rows(
    fed: IndexedWorker, query: str
) -> None:
    """Each of the 1,000 nodes with `cart` was billed twice, for each of up to five statements."""
    assert rows_read(fed, query) < FEW < WITH_WORD
    assert fed.query_worker("search", q=query, meaning="no")["hits"] == []


def test_a_language_alone_costs_few_rows(fed: IndexedWorker) -> None:
    """Its nodes are found by the endings, not among all."""
    assert rows_read(fed, "lang:toml") < FEW
    hits = fed.query_worker("search", q="lang:toml")["hits"]
    assert {hit["path"] for hit in hits} == {"pack/settings.toml", "pack/Pipfile"}


def test_answers_of_each_node_type_are_the_programs(fed: IndexedWorker) -> None:
    """Also of one that frequent languages have, and of one that a language has not."""
    types = [str(name) for (name,) in fed.run_sql("SELECT DISTINCT node_type FROM docs")]
    assert {"method", "chunk", "md_section", "toml_table"} <= {*types}
    desk = fed.desk()
    for node_type in types:
        for text in ("parcel", "ship parcel", "shp", "car*", "", "parcel lang:toml"):
            query = {"q": f"{text} type:{node_type}", "meaning": "no"}
            ours, theirs = fed.query_worker("search", **query), program(desk, "search", **query)
            assert ours.get("error") == theirs.get("error"), query
            found = [[hit["id"] for hit in one.get("hits", ())] for one in (ours, theirs)]
            assert found[0] == found[1], query
    desk.close()


def test_a_folder_costs_no_row_for_each_of_its_files(fed: IndexedWorker) -> None:
    """Its path is compared with those of the found nodes, in place of a list for each statement."""
    without_list = rows_read(fed, "weigh_3_7 tests:no")
    for query in ("weigh_3_7 path:src", "weigh_3_7 -path:pack"):
        assert rows_read(fed, query) < without_list + FILES / 2, query


def test_nodes_outside_tests_are_not_read(fed: IndexedWorker) -> None:
    """Two rows for each of the 1,000 were read: none has a word of the paths of tests."""
    assert rows_read(fed, "cart tests:only") < FEW


def test_all_nodes_of_a_file_are_in_its_language(fed: IndexedWorker) -> None:
    """Also of a script in HTML, of a notebook and of code in Markdown: the endings rely on it."""
    sql = """
    SELECT d.path, d.language, f.language FROM docs d JOIN files f ON f.repo = d.repo
    AND f.path = d.path WHERE d.language IS NOT f.language
    """
    assert fed.run_sql(sql) == []


def test_answers_in_each_language_are_the_programs(fed: IndexedWorker) -> None:
    """A script without an extension, one in capitals, and a name such as Makefile are found."""
    expected = {
        "toml": {"pack/settings.toml", "pack/Pipfile"},
        "bash": {"pack/send-all", "pack/send.SH"},
        "make": {"Makefile"},
    }
    desk = fed.desk()
    for language in LANGUAGES:
        for text in ("parcel", "ship parcel", "shp", "parcel -ship", "parc* tests:no", ""):
            query = {"q": f"{text} lang:{language}", "meaning": "no"}
            ours, theirs = fed.query_worker("search", **query), program(desk, "search", **query)
            assert ours.get("error") == theirs.get("error"), query
            found = [[hit["path"] for hit in one.get("hits", ())] for one in (ours, theirs)]
            assert found[0] == found[1], query
            if text == "parcel" and language in expected:
                assert set(found[0]) == expected[language]
    desk.close()


def test_a_new_ending_is_found_by_an_isolate_with_older_counts(fed: IndexedWorker) -> None:
    """The counts are read again with the search, in its transaction."""
    assert rows_read(fed, "zebra lang:bash") < FEW
    fed.repo.commit({"pack/run-zebra": "#!/bin/sh\nstripes() {\n  echo zebra\n}\n"})
    fed.run("sync", "--store", "cloudflare", "--model", "static", "--texts")
    hits = fed.query_worker("search", q="zebra lang:bash", meaning="no")["hits"]
    assert [hit["path"] for hit in hits] == ["pack/run-zebra"]


def test_an_unfinished_run_does_not_narrow(fed: IndexedWorker) -> None:
    """Its counts are unknown: the files are found whatever their names."""
    fed.run_sql("UPDATE meta SET value = 'dead' WHERE key = ?1", "acme/shop:run")
    try:
        assert fed.query_worker("search", q="parcel lang:make", meaning="no")["hits"]
        assert rows_read(fed, "cart lang:toml") > WITH_WORD
    finally:
        fed.run_sql(
            "UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'acme/shop:done') "
            "WHERE key = 'acme/shop:run'"
        )
