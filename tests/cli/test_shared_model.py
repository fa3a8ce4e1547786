"""The model that a repository's own file names."""

from collections.abc import Mapping

import pytest

from command_runner import RunFeeder
from index_helpers import CART
from source.repos import Repo

pytestmark = pytest.mark.slow


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {}


def test_repository_chooses_words_and_the_user_another_model(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"cart.py": CART, ".feeder.toml": 'model = "words"\n'})
    assert "words only" in feeder(repo, "sync").err
    assert "cart.py" in feeder(repo, "search", "empty cart").out
    assert "feeder-static" in feeder(repo, "sync", "--model", "static").err
    assert feeder(repo, "validate").code == 0


def test_refused_model_ends_the_command_and_sends_nothing(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit({"cart.py": CART, ".feeder.toml": 'model = "https://example.org/v1#m"\n'})
    answer = feeder(repo, "sync")
    assert answer.code == 2
    assert "A repository can choose only a model that comes with feeder" in answer.err
