"""A query that is one token of code finds the nodes that have it before those that resemble it."""

import pytest

from feeder.search.query import QueryText
from search.run_query import find, index_files
from source.repos import Repo

FILES = {
    # names and words that resemble the tokens below
    "proxies.py": 'def num_proxies(request):\n    """Num proxies: numProxies."""\n    return 1\n',
    "lookback.go": "package a\n\n// LookbackDelta is the query lookback delta.\n"
    "func LookbackDelta(query int) int {\n\treturn query\n}\n",
    "numProxies.md": "# Num proxies\n\nThe num-proxies, num proxies.\n",
    # those that have them
    "settings.py": "DEFAULTS = {\n    'NUM_PROXIES': None,\n    'OTHER': 1,\n}\n",
    "throttle.py": "def ident(self):\n    return settings.NUM_PROXIES\n",
    "tests/test_throttle.py": "def test_it():\n    assert settings.NUM_PROXIES == 2\n",
    "main.go": 'package a\n\nfunc main() {\n\tFlag("query.lookback-delta", "How far back.")\n}\n',
    "docs/flags.md": "# Flags\n\n`--query.lookback-delta` is a duration.\n",
    "user.go": "package a\n\ntype User struct{}\n\nfunc (u *User) HasPermission(p int) bool {\n"
    "\treturn true\n}\n",
    "call.go": "package a\n\nfunc check(user *User) bool {\n\treturn user.HasPermission(3)\n}\n",
    "errors.py": "def missing(path):\n    return status == 404 or 'X-Forwarded-For' in path\n",
}


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    index_files(repo, FILES)
    return repo


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("NUM_PROXIES", {"settings.py", "throttle.py", "tests/test_throttle.py"}),
        ('"NUM_PROXIES"', {"settings.py", "throttle.py", "tests/test_throttle.py"}),
        ("where is NUM_PROXIES set", {"settings.py", "throttle.py", "tests/test_throttle.py"}),
        ("query.lookback-delta", {"main.go", "docs/flags.md"}),
        ("--query.lookback-delta", {"main.go", "docs/flags.md"}),
        ("404", {"errors.py"}),
        ("X-Forwarded-For", {"errors.py"}),
    ],
)
def test_nodes_with_the_token_come_first(indexed: Repo, query: str, expected: set[str]) -> None:
    page = find(indexed, query)
    first = page.hits[: len(expected)]
    assert {hit.result.hit.path for hit in first} == expected
    assert all(hit.literals for hit in first)
    assert not page.notes


def test_definition_of_a_called_method_comes_before_its_calls(indexed: Repo) -> None:
    paths = [hit.result.hit.path for hit in find(indexed, "user.HasPermission(").hits]
    assert paths[:2] == ["user.go", "call.go"]


def test_name_comes_first_and_other_case_last(indexed: Repo) -> None:
    paths = [hit.result.hit.path for hit in find(indexed, "num_proxies").hits]
    assert paths[0] == "proxies.py"
    paths = [hit.result.hit.path for hit in find(indexed, "NUM_PROXIES").hits]
    assert "proxies.py" in paths[3:]


def test_similar_names_are_shown_where_no_line_has_the_token(indexed: Repo) -> None:
    page = find(indexed, "LookbackDelt")
    assert page.hits[0].result.hit.symbol == "a.LookbackDelta"
    assert page.notes[0].startswith("No symbol is named LookbackDelt.")


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ("NUM_PROXIES", ["NUM_PROXIES"]),
        ("`--log.level`", ["log.level"]),
        ("Cart.add()", ["Cart.add"]),
        ("user.HasPermission(", ["user.HasPermission("]),
        ("=>", []),
        ("cart emptied", []),
        # several words may be a message
        ("how is the cart emptied", ["how is the cart emptied"]),
        ("read-only node.js", []),
        ("where is VITE_APP_URL set?", ["VITE_APP_URL"]),
        ("does readFile use --storage.tsdb.retention", ["storage.tsdb.retention"]),
        (
            "what sets query.max-samples and X-Forwarded-For",
            ["query.max-samples", "X-Forwarded-For"],
        ),
    ],
)
def test_tokens_of_code_are_recognized(query: str, tokens: list[str]) -> None:
    assert QueryText(query).code_tokens == tokens
