"""What requests to the Worker cost: the rows that D1 bills."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from standin import StandIn

from edge.indexed_worker import REPO as NAME
from edge.indexed_worker import IndexedWorker
from feeder.edge.worker_sql import STATEMENTS
from feeder.store.name_search import (
    MAX_GUARDS,
    MAX_SIMILAR,
    MAX_SPELLED,
    MAX_SPELLED_ANYWHERE,
    exact_name_statement,
    similar_names_statement,
    spelled_names_statement,
)
from feeder.store.scope import Scope
from source.repos import Repo

FILES = 40
REPOSITORIES = 300
COPIES = 12
"""Files with the same function."""
NODES = 25 * FILES + COPIES
COPY = "def ship(cart):\n    cart.send()\n    return cart\n"


def _source(at: int) -> str:
    return "\n".join(f"def weigh_{at}_{one}(cart):\n    return cart\n" for one in range(25))


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    """A Worker with 1,000 nodes in 40 files, four of them tests, and copies of a node."""
    repo = Repo(tmp_path_factory.mktemp("cost") / "shop")
    names = [f"{'tests' if at % 10 == 0 else 'src'}/m{at}.py" for at in range(FILES)]
    repo.commit({name: _source(at) for at, name in enumerate(names)})
    repo.commit({f"copies/c{at}.py": COPY for at in range(COPIES)})
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.deploy()
    one.query_worker("status")  # what an isolate reads once
    yield one
    one.close()


def rows_read(fed: IndexedWorker, name: str, **params: str) -> int:
    """Returns the rows that D1 bills for a request."""
    fed.query_worker(name, **params)
    assert fed.last is not None
    assert fed.last.is_success, fed.last.text
    return _rows_of_last(fed)


def _rows_of_last(fed: IndexedWorker) -> int:
    assert fed.last is not None
    return int(re.findall(r"(\d+) rows read", fed.last.headers["server-timing"])[0])


def test_filter_by_relations_is_looked_up_before_the_search(fed: IndexedWorker) -> None:
    """The search runs once, in the nodes that pass: a search before would be thrown away."""
    for _ in range(2):  # the second time the query's vector is in the cache
        hits = fed.query_worker("search", q="calls:send ship")["hits"]
        assert [hit["symbol"] for hit in hits] == ["ship"]
    assert fed.last is not None
    timing = fed.last.headers["server-timing"]
    assert re.findall(r'vectorize;dur=\d+;desc="(\d+) call', timing) == ["1"]


def test_round_trips_of_a_query(fed: IndexedWorker) -> None:
    """As the guide says: two, and one more for an isolate's first query. A word that is no name and
    a name that no node has exactly take one more, for similar names. Only a query with a word that
    the model knows is compared with vectors, at the same time.
    """
    fed.deploy()
    trips = {
        "where is weigh 1 1": 3,  # of a new isolate
        "where is weigh 1 2": 2,
        "weigh_1_1": 3,  # with hits whose lines were not expected
        "ship": 2,
        "weigh_1_99": 3,
        "cart lang:python": 3,
        "cart path:src tests:no": 3,
    }
    counts = {}
    for query in trips:
        fed.query_worker("search", q=query)
        assert fed.request_counts["vectorize"] == 1, query
        counts[query] = fed.request_counts["d1"]
    assert counts == trips
    fed.query_worker("search", q="wiegh")
    assert fed.request_counts == {"d1": 3}


def test_other_repositories_cost_a_query_nothing(fed: IndexedWorker) -> None:
    """Their metadata is read neither with the first batch nor when the head is compared."""
    rows_read(fed, "search", q="where is weigh 1 1")  # computes the query's vector
    alone = rows_read(fed, "search", q="where is weigh 1 1")
    fed.run_sql(
        "INSERT INTO meta SELECT 'acme/r' || r.value || ':' || k.value, 'x' "
        "FROM json_each(?1) r, json_each(?2) k",
        str([*range(REPOSITORIES)]),
        '["branch", "head", "run"]',
    )
    assert rows_read(fed, "search", q="where is weigh 1 1") == alone
    of_both = rows_read(fed, "search", q=f"where is weigh 1 1 repo:{NAME} repo:acme/r7")
    assert alone < of_both < alone + 10 * REPOSITORIES
    fed.run_sql("DELETE FROM meta WHERE key GLOB 'acme/r*'")


def test_status_costs_few_rows(fed: IndexedWorker) -> None:
    """The last run has left the counts in `meta`, the same that are counted after it has died."""
    assert rows_read(fed, "status") < 50
    kept = fed.query_worker("status")["holds"]
    assert sum(kept["node_types"].values()) == NODES
    fed.run_sql("UPDATE meta SET value = 'dead' WHERE key = ?1", f"{NAME}:run")
    assert rows_read(fed, "status") > NODES
    counted = fed.query_worker("status")["holds"]
    fed.run_sql(
        f"UPDATE meta SET value = (SELECT value FROM meta WHERE key = '{NAME}:done') "
        "WHERE key = ?1",
        f"{NAME}:run",
    )
    assert {**counted, "meta": kept["meta"]} == kept


@pytest.mark.parametrize("word", ["wieg", "weihg", "weighh", "weighhhhhhhhhhhhhhhhhhhh"])
def test_a_misspelt_word_of_a_query_costs_few_rows(fed: IndexedWorker, word: str) -> None:
    """Of up to 1,200 words one edit away, the names of 200 nodes are read, and the search is run
    again.
    """
    misspelt, right = (
        rows_read(fed, "search", q=query, meaning="no") for query in (f"{word} cart", "weigh cart")
    )
    assert misspelt < 2 * right + 2 * MAX_SIMILAR


@pytest.mark.parametrize(
    ("word", "languages", "most"),
    [
        ("wiegh", (), 2 * MAX_SPELLED),
        ("wiegh", ("go",), 2 * MAX_SPELLED_ANYWHERE),
        ("cart", ("go",), 2 * MAX_SPELLED_ANYWHERE + 2 * MAX_SPELLED),
        ("cart", (), 2),
    ],
)
def test_spellings_of_a_name_cost_two_rows_for_each_node(
    fed: IndexedWorker, word: str, languages: tuple[str, ...], most: int
) -> None:
    """1,000 nodes have the spelling and `cart`, none is in Go.

    `most` is without the lists of the scope.
    """
    scope = Scope((NAME,), languages=languages)
    statement = spelled_names_statement(["weigh"], word, scope)
    lists = 2 * (1 + len(languages))  # read by the search and by its guard
    assert most <= fed.rows_billed(statement.sql, *statement.params) <= most + lists + 2


@pytest.mark.parametrize(
    ("languages", "most"), [(("go",), 2 * MAX_GUARDS), ((), 2), (("python",), 2)]
)
def test_trigrams_of_a_word_outside_the_scope_cost_few_rows(
    fed: IndexedWorker, languages: tuple[str, ...], most: int
) -> None:
    """1,012 nodes have `cart` in their text, no name has its trigrams, and none is in Go."""
    assert NODES > MAX_GUARDS
    scope = Scope((NAME,), languages=languages)
    statement = similar_names_statement("cart", scope)
    lists = 2 * (1 + len(languages))  # read by the search and by its guard
    assert most <= fed.rows_billed(statement.sql, *statement.params) <= most + lists + 2


def test_an_exact_name_costs_four_rows_for_each_node(fed: IndexedWorker) -> None:
    """Its postings are read twice, to count them and to find the node; the node once, and once more
    where it is sorted.
    """
    statement = exact_name_statement('symbol : ("ship")', "ship", Scope.of_repo(NAME))
    own_name = '"ship"'  # what a Worker gives besides
    rows = fed.rows_billed(statement.sql, *statement.params[:-1], own_name)
    assert COPIES <= rows <= 4 * COPIES + 1


def test_nodes_within_a_hit_cost_two_rows_each(fed: IndexedWorker) -> None:
    """One of the index, one of the table; they are not sorted."""
    [[id_]] = fed.run_sql(
        "SELECT id FROM docs WHERE path = 'src/m1.py' ORDER BY start_line LIMIT 1"
    )
    statement = STATEMENTS["innerNodes"].replace("@RANGES", f"('{id_}', 1, 1000)")
    assert len(fed.run_sql(statement)) == 25
    assert fed.rows_billed(statement) <= 2 * 25 + 2


def test_a_range_of_stored_source_costs_two_rows(fed: IndexedWorker) -> None:
    """Only one of the index and one of the table, here for ten ranges in one block."""
    ranges = ",".join(f"('{NAME}', 'src/m1.py', {line}, {line})" for line in range(1, 11))
    statement = STATEMENTS["storedSourceLines"].replace("@RANGES", f"VALUES {ranges}")
    assert len(fed.run_sql(statement)) == 1
    assert fed.rows_billed(statement) == 2 * 10


def _notes(fed: IndexedWorker, query: str) -> list[str]:
    notes: list[str] = fed.query_worker("search", q=query)["notes"]
    return notes


def test_of_many_words_the_rarest_are_searched(fed: IndexedWorker) -> None:
    """`cart` is in each node, 37 in few, and the other words in none.

    `weigh_37_24` takes four of the 64 terms: itself and its parts.
    """
    unknown = " ".join(f"unknown{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(100))
    query = f"cart return {unknown} weigh_37_24"
    note = "Only the 61 rarest of 103 words were searched: more would take too long."
    assert note in _notes(fed, query)
    hits = fed.query_worker("search", q=query, limit="50", meaning="no")["hits"]
    assert any("_37_" in hit["symbol"] for hit in hits)
    assert not any("rarest" in note for note in _notes(fed, " ".join(["cart return"] * 100)))


def test_a_long_text_of_several_lines_stays_one(fed: IndexedWorker) -> None:
    """The name in it leads to its file, and its words of code do not decide the order."""
    unknown = [f"unknown{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(100)]
    query = " ".join(unknown[:50]) + "\n\nreturn from `weigh_37_24`\n" + " ".join(unknown[50:])
    facts = fed.query_worker("search", q=query, meaning="no", explain="1")
    assert any(" rarest of " in note for note in facts["notes"])
    assert "anchor" in facts["hits"][0]["parts"], facts["hits"][0]


@pytest.mark.parametrize(
    ("query", "note"),
    [
        (
            " ".join(f"{one}we*" for one in "abcdefghijkl"),
            "Only the first 8 of 12 prefixes were searched.",
        ),
        (
            "cart " + " ".join(f"-w{at}" for at in range(40)),
            "Only the first 32 of 40 excluded words were searched.",
        ),
        (
            " ".join(f"symbol:weigh_1_{at}" for at in range(9)),
            "Only the first 8 of 9 symbols were searched.",
        ),
        (
            '"' + " ".join(f"w{at}" for at in range(20)) + '"',
            "Only the first 16 of a phrase's 20 words were searched.",
        ),
    ],
)
def test_long_lists_are_cut_with_a_note(fed: IndexedWorker, query: str, note: str) -> None:
    assert note in _notes(fed, query)


def test_with_a_filter_fewer_words_are_searched(fed: IndexedWorker) -> None:
    """41 words are below the limit of 64, above that of 20 with a filter."""
    words = " ".join(f"unknown{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(40))
    note = "Only the 20 rarest of 41 words were searched: more would take too long."
    assert note not in _notes(fed, f"{words} cart")
    for condition in ("tests:no", "lang:python", "path:src", "-pallet"):
        assert note in _notes(fed, f"{words} cart {condition}"), condition


@pytest.mark.parametrize("condition", ["", " tests:no", " lang:python"])
def test_an_answer_without_hits_reads_no_file_that_is_indexed_whole(
    fed: IndexedWorker, condition: str
) -> None:
    """It names those that are not, by an index of their own."""
    query = f"zzqqxx{condition}"
    few = rows_read(fed, "search", q=query, meaning="no")
    more = (
        "INSERT INTO files (repo, path, blob, sha_head, nodes, state, language, reason) "
        "SELECT ?1, ?2 || value, '', '', 0, ?3, 'python', ?4 FROM json_each(?5)"
    )
    numbers = str([*range(300)])
    fed.run_sql(more, NAME, "whole/", "clean", None, numbers)
    many = rows_read(fed, "search", q=query, meaning="no")
    fed.run_sql(more, NAME, "lock/", "skipped", "a lock file", numbers)
    notes = fed.query_worker("search", q=query, meaning="no")["notes"]
    fed.run_sql("DELETE FROM files WHERE path GLOB 'whole/*' OR path GLOB 'lock/*'")
    assert many == few
    assert any("300 files" in note and "a lock file" in note for note in notes)


def test_languages_and_types_are_not_looked_up_in_the_nodes(fed: IndexedWorker) -> None:
    """The last run has counted them; one that died leaves them to be looked up."""
    queries = {
        "cart lang:nosuch": "The index has no language 'nosuch'.",
        "cart type:nosuch": "The index has no node type 'nosuch'.",
    }
    answers = []
    for query, error in queries.items():
        answers.append(fed.query_worker("search", q=query))
        assert answers[-1]["error"] == error
        assert _rows_of_last(fed) < 60
    fed.run_sql("UPDATE meta SET value = 'dead' WHERE key = ?1", f"{NAME}:run")
    for query, answer in zip(queries, answers, strict=True):
        assert fed.query_worker("search", q=query) == answer
        assert _rows_of_last(fed) > NODES
    fed.run_sql(
        "UPDATE meta SET value = (SELECT value FROM meta WHERE key = ?2) WHERE key = ?1",
        f"{NAME}:run",
        f"{NAME}:done",
    )


def test_frequent_words_with_a_glob_of_few_nodes_read_each_node_once(fed: IndexedWorker) -> None:
    """At `*7.py` are 101 nodes, at `*.py` all, more than are listed."""
    query = "def weigh cart return send"
    few = rows_read(fed, "search", q=f"{query} path:*7.py", meaning="no")
    assert few < NODES * 2
    hits = fed.query_worker("search", q=f"{query} path:*7.py", limit="100")["hits"]
    assert len(hits) == 100 and all(hit["path"].endswith("7.py") for hit in hits)
    every = fed.query_worker("search", q=f"{query} path:*.py", meaning="no")
    assert every["total"] == fed.query_worker("search", q=query, meaning="no")["total"]


def test_a_filter_by_relations_alone_reads_only_its_nodes(fed: IndexedWorker) -> None:
    """Those with the word, to compare their relations, and then those that it leaves."""
    assert rows_read(fed, "search", q="calls:send") < 30 * COPIES
    assert fed.query_worker("search", q="calls:send")["hits"][0]["symbol"] == "ship"


def test_hits_have_their_whole_text_only_if_requested(fed: IndexedWorker) -> None:
    plain = fed.query_worker("search", q="weigh 1 1", text="0")
    assert plain["hits"]
    assert not any({"text", "text_of"} & hit.keys() for hit in plain["hits"])
    assert all(hit["window"]["lines"] for hit in plain["hits"])
    default = httpx.get(
        f"{fed.url}/api/search", params={"q": "weigh 1 1"}, trust_env=False, timeout=60
    ).json()
    assert default == plain
    [hit, *_] = fed.query_worker("search", q="weigh 1 1", text="1")["hits"]
    assert hit["text"].startswith("def weigh_")
    assert hit["text_of"] == fed.repo.git("rev-parse", "HEAD")
    assert "`text` must be 1 or 0" in fed.query_worker("search", q="weigh", text="2")["error"]


def test_hits_have_no_null_fields_and_the_parts_of_their_score_on_request(
    fed: IndexedWorker,
) -> None:
    [first, *_] = fed.query_worker("search", q="weigh 1 1")["hits"]
    plain, similar, node = (
        fed.query_worker(name, **params)["hits"]
        for name, params in (
            ("search", {"q": "weigh 1 1"}),
            ("similar", {"target": first["id"]}),
            ("node", {"id": first["id"]}),
        )
    )
    explained = fed.query_worker("search", q="weigh 1 1", explain="1")["hits"]
    assert all(hit["parts"] for hit in explained)
    assert plain and similar
    assert not any("parts" in hit for hit in (*plain, *similar, *node))
    assert not any(map(_null_fields, (*plain, *similar, *node, *explained)))


def _null_fields(hit: dict[str, Any]) -> list[str]:
    """The names of the fields that are null, of a hit and its snippet."""
    return [name for name, value in (*hit.items(), *hit["window"].items()) if value is None]


def test_copies_are_found_by_the_hash_of_their_lines(fed: IndexedWorker) -> None:
    """In rows of earlier versions, which have none, by the lines themselves, at a price."""
    query = {"q": "ship", "meaning": "no"}
    rows = rows_read(fed, "search", **query)
    by_hash = fed.query_worker("search", **query)
    assert [len(hit["copies"]) for hit in by_hash["hits"]] == [COPIES - 1]
    fed.run_sql("UPDATE docs SET lines_hash = NULL")
    assert rows_read(fed, "search", **query) > rows + COPIES
    assert fed.query_worker("search", **query) == by_hash
    fed.run_sql("UPDATE docs SET lines_hash = seq")
    assert len(fed.query_worker("search", **query)["hits"]) > 1


def test_outline_reads_the_nodes_of_so_many_files(fed: IndexedWorker) -> None:
    """A page has 100 files; an agent gets the names of all, and the symbols of 300."""
    fed.run_sql(
        "INSERT INTO files (repo, path, blob, sha_head, nodes, state) "
        "SELECT ?1, 'more/' || value || '.py', '', '', 1, 'clean' FROM json_each(?2)",
        NAME,
        str([*range(300)]),
    )
    first = fed.query_worker("outline", path=".")
    second = fed.query_worker("outline", path=".", after=first["next"], limit="300")
    few = rows_read(fed, "outline", path="src", limit="2")
    [agent] = fed.call_tools(("outline", {"path": "."}))
    fed.run_sql("DELETE FROM files WHERE path GLOB 'more/*'")
    assert len(first["files"]) == 100
    pages = [file["path"] for file in (*first["files"], *second["files"])]
    assert len(set(pages)) == len(pages) == FILES + COPIES + 300
    assert pages == sorted(pages) and second["next"] is None
    assert few < 3 * 25 * 2
    of = f"Only the symbols of the first 300 of {FILES + COPIES + 300} files are listed"
    assert of in agent["content"][0]["text"]
    [agent] = fed.call_tools(("outline", {"path": "."}))
    assert "the symbols of the first" not in agent["content"][0]["text"]


def test_a_page_of_the_map_reads_a_row_for_each_file(fed: IndexedWorker) -> None:
    """And none of their nodes. The pages are those of the whole map."""
    whole = fed.query_worker("map")
    assert len(whole["files"]) == FILES + COPIES and whole["next"] is None
    pages = []
    after = ""
    while after is not None:
        page = fed.query_worker("map", limit="20", after=after)
        pages.extend(page["files"])
        after = page["next"]
    assert pages == whole["files"]
    few, many = (rows_read(fed, "map", path="src", limit=limit) for limit in ("2", "12"))
    assert many - few == 10
