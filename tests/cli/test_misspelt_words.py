"""Words of a query that are nowhere in the index are named, and misspelt ones corrected."""

import pytest

from command_runner import RunFeeder
from source.repos import Repo

FILES = {
    "middleware.py": "class AuthMiddleware:\n    def throttle(self, request):\n        return 1\n",
    "cart.py": "def add_line(article):\n    return article\n",
    "creator.py": "def creator(store):\n    return store\n",
    "reader.py": "def parse_file(text):\n    return text\n",
}


@pytest.fixture
def indexed(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def test_misspelt_words_are_corrected(feeder: RunFeeder, indexed: Repo) -> None:
    """And highlighted as such."""
    facts = feeder(indexed, "search", "midleware throtle", "--json").json
    assert facts["hits"][0]["symbol"] == "AuthMiddleware.throttle"
    assert facts["hits"][0]["window"]["marks"]
    assert facts["notes"] == [
        "No matches for midleware; searched for middleware instead. "
        "No matches for throtle; searched for throttle instead."
    ]


def test_short_misspelt_words_are_corrected(feeder: RunFeeder, indexed: Repo) -> None:
    """`flie` has no three letters in a row of `file`, and `prase` none of `parse`."""
    facts = feeder(indexed, "search", "prase flie", "--json").json
    assert facts["hits"][0]["symbol"] == "parse_file"
    assert facts["notes"] == [
        "No matches for prase; searched for parse instead. "
        "No matches for flie; searched for file instead."
    ]
    # of three letters
    facts = feeder(indexed, "search", "parse fle", "--json").json
    assert facts["notes"] == ["No matches for fle."]


def test_word_that_is_nowhere_is_named(feeder: RunFeeder, indexed: Repo) -> None:
    facts = feeder(indexed, "search", "article blorptangle", "--json").json
    assert facts["hits"][0]["symbol"] == "add_line"
    assert facts["notes"] == ["No matches for blorptangle."]
    facts = feeder(indexed, "search", "article blorptangle zyxomma", "--json").json
    assert facts["notes"] == ["No matches for blorptangle, zyxomma."]
    for query in ("article store", "articles", "lines of the cart", "article -blorptangle"):
        assert feeder(indexed, "search", query, "--json").json["notes"] == [], query


def test_other_words_are_not_corrected(feeder: RunFeeder, indexed: Repo) -> None:
    """`creation` is a word of its own, two letters from `creator`."""
    facts = feeder(indexed, "search", "article creation", "--json").json
    assert facts["notes"] in ([], ["No matches for creation."])
    facts = feeder(indexed, "search", "case:yes article throtle", "--json").json
    assert facts["notes"] == []
