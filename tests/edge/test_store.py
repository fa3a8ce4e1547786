"""The Worker sends the same statements and filters to D1 and Vectorize as the program."""

import json
from difflib import get_close_matches
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.worker_process import Worker
from feeder.cloudflare.vectorize import query_filters
from feeder.source.paths import path_candidates
from feeder.store.scope import Scope, prefix_end, scope_params
from feeder.suggestions import nearest_names

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PATH = st.text("ab/.*?[\\x5ä\U0010ffff", min_size=1, max_size=14)
NAME = st.text("abAB_.ä:>", min_size=1, max_size=10)
SOME = st.lists(NAME, max_size=3).map(tuple)
SCOPES = st.builds(
    Scope,
    repos=st.none() | st.lists(NAME, min_size=1, max_size=2).map(tuple),
    paths=st.lists(PATH, max_size=2).map(tuple),
    not_paths=st.lists(PATH, max_size=2).map(tuple),
    languages=SOME,
    not_languages=SOME,
    node_types=SOME,
    not_node_types=SOME,
    symbols=SOME,
    tests=st.sampled_from([None, "yes", "no", "only"]),
)


def _camel(scope: Scope) -> dict[str, Any]:
    parts = {}
    for name in scope._fields:
        first, *rest = name.split("_")
        parts[first + "".join(map(str.title, rest))] = getattr(scope, name)
    return parts


def _read(value: object) -> object:
    """Normalizes lists in JSON; a text that only begins like one stays a text."""
    try:
        return json.loads(value) if isinstance(value, str) and value[:1] == "[" else value
    except ValueError:
        return value


@settings(max_examples=300)
@given(SCOPES)
def test_scope_has_the_same_sql(worker: Worker, scope: Scope) -> None:
    ours = worker.call("scopeParams", _camel(scope))
    assert list(map(_read, ours)) == list(map(_read, scope_params(scope)))


@settings(max_examples=300)
@given(st.lists(PATH | st.text("ab_-.*?[^]/", max_size=10), max_size=2))
def test_words_of_paths_are_the_same(worker: Worker, paths: list[str]) -> None:
    normalized = [path.strip("/") for path in paths]
    assert worker.call("pathWords", normalized) == Scope(None, tuple(normalized)).path_words


@settings(max_examples=300)
@given(SCOPES)
def test_vectorize_filters_are_the_same(worker: Worker, scope: Scope) -> None:
    """Except the search without a filter after an empty result."""
    *stages, _ = query_filters(scope)
    ours = [
        {
            "filters": [one_filter.get("filter") for one_filter in stage.filters],
            "files": stage.files and stage.files["filter"],
        }
        for stage in stages
    ]
    assert worker.call("queryFilters", _camel(scope)) == ours


SRC_A, SRC_B = (
    {"path": {"$gte": f"src/{name}/", "$lt": f"src/{name}0"}, "tests": "no"} for name in "ab"
)
SRC = {"path": {"$gte": "src/", "$lt": "src0"}}


@pytest.mark.parametrize(
    ("paths", "sent"),
    [
        (["a*"], [{"path": {"$gte": "a", "$lt": "b"}, "tests": "no"}]),
        (["*x", "*y"], [{"tests": "no"}, None]),
        (["src/a"], [SRC_A, {"path": "src/a"}, {"path": SRC_A["path"]}, None]),
        (["src/a", "src/b"], [SRC_A, SRC_B, {"path": {"$in": ["src/a", "src/b"]}}, SRC]),
        (["src/a", "src/b", "src/*.py"], [SRC_A, SRC_B, SRC | {"tests": "no"}, SRC]),
        (["a", "b", "c", "d"], [{"tests": "no"}, None]),
    ],
)
def test_vectorize_gets_at_most_four_requests(
    worker: Worker, paths: list[str], sent: list[dict[str, Any] | None]
) -> None:
    """With more than three paths they are not filtered, but tests are.

    Vectors that do not say whether they are of tests are searched with the last filter.
    """
    filters = worker.call("sentFilters", {"paths": paths, "tests": "no"}, [])
    assert filters[: len(sent)] == sent
    assert len(filters) <= 4


def test_neighbours_of_overlapping_paths_count_once(worker: Worker) -> None:
    """`src` and `src/a` both find the nearest nodes, of which two are wanted."""
    found = [["near", "next", "far"], ["near", "next"]]
    assert worker.call("nearestIds", ["src", "src/a"], found, 2) == ["near", "next"]


def test_files_are_one_request(worker: Worker) -> None:
    """After one for each, as they may be folders, and if another path is a folder with matches."""
    files = {"path": {"$in": ["a", "b", "c"]}}
    without_tests = worker.call("sentFilters", {"paths": ["a", "b", "c"]}, [])
    assert without_tests[3:] == [files]
    with_folder = worker.call("sentFilters", {"paths": ["a", "b", "c"], "tests": "no"}, [0])
    assert with_folder[3:] == [files]


@settings(max_examples=300)
@given(PATH, TEXT)
def test_paths_and_extensions_are_parsed_alike(worker: Worker, path: str, text: str) -> None:
    assert worker.call("pathCandidates", path) == path_candidates(path, "")
    assert worker.call("prefixEnd", text) == prefix_end(text)


@settings(max_examples=300)
@given(NAME, st.lists(NAME, max_size=12, unique=True))
def test_suggestions_are_the_same(worker: Worker, name: str, authorized_client: list[str]) -> None:
    assert worker.call("closeMatches", name, authorized_client, 0.6) == get_close_matches(
        name, authorized_client
    )
    assert worker.call("nearestNames", name, authorized_client, ".") == nearest_names(
        name, authorized_client, "."
    )


@pytest.mark.parametrize(
    ("message", "status", "remedy"),
    [
        ("D1_ERROR: no such table: meta: SQLITE_ERROR", 503, "feeder init"),
        ("D1_ERROR: no such column: members", 503, "feeder init"),
        ("D1_ERROR: D1 DB is overloaded. Requests queued for too long.", 503, "Try again"),
        ("D1_ERROR: Your account has exceeded D1's free tier daily row read limit.", 503, "00:00"),
        ("D1_ERROR: D1 DB exceeded its CPU time limit and was reset.", 503, "Narrow the query"),
        ("D1_ERROR: Network connection lost.", 502, "Try again"),
        ('D1_ERROR: near "FROM": syntax error', 502, ""),
    ],
)
def test_d1_errors_are_one_sentence(worker: Worker, message: str, status: int, remedy: str) -> None:
    said, wrong, what = worker.call("d1Error", message)
    assert said == status and remedy in what and wrong.endswith(".")
