"""Descriptions in D1, made by a model of Workers AI: their cost and their use in searches."""

import pytest
from clouds import Cloud

from feeder.cloudflare.workers_ai_text import PRICES, WorkersAIDescriber
from feeder.errors import UserError
from feeder.query.request_filters import Pagination
from feeder.source.git_trees import Commit
from feeder.store.scope import Scope
from feeder.sync.context import DescriptionOptions, SyncContext
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from index_helpers import CART, REPO, SHOP, search_scope
from source.repos import Repo

MODEL = "@cf/meta/llama-3.1-8b-instruct-fp8-fast"
LINES = """
SELECT d.symbol, e.line FROM docs d JOIN descriptions e ON e.sha = d.describes ORDER BY d.symbol
"""
DUE = [
    ("Cart", "Does what is called cart here."),
    ("Cart.addLine", "Does what is called cart add line here."),
    ("Cart.total", "Does what is called cart total here."),
    ("emptyCart", "Does what is called empty cart here."),
]


@pytest.fixture
def shop(cloud: Cloud, repo: Repo) -> Repo:
    cloud.migrated()
    repo.commit(SHOP)
    return repo


def sync_with_descriptions(cloud: Cloud, shop: Repo, *, named: bool = True) -> SyncContext:
    how = DescriptionOptions(WorkersAIDescriber(cloud.api, MODEL)) if named else None
    run = cloud.feed(Commit(shop.path), describing=how)
    sync(run)
    return run


def test_descriptions_are_stored_and_found(cloud: Cloud, shop: Repo) -> None:
    """By their words, with and without a filter."""
    sync_with_descriptions(cloud, shop)
    assert cloud.rows(LINES) == DUE
    for path in (None, "src"):
        found = search_scope(
            cloud.d1, [], "does what is here", Scope.of_repo(REPO, path), Pagination(10)
        ).results
        assert {str(result.hit.symbol) for result in found if "line" in result.ranks} == {
            name for name, _ in DUE
        }
    assert validate(cloud.feed(Commit(shop.path)), wait=True).passed


def test_moved_nodes_take_no_request_and_changed_ones_take_one(cloud: Cloud, shop: Repo) -> None:
    """A description is a few rows; a run without changes is one request."""
    sync_with_descriptions(cloud, shop)
    cloud.spent()
    sync_with_descriptions(cloud, shop)
    assert cloud.spent() == {"d1": 1, "vectorize": 0, "ai": 0}
    shop.commit({"src/cart.py": None, "lib/cart.py": f"# moved\n{CART}"})
    sync_with_descriptions(cloud, shop, named=False)
    assert (cloud.spent()["ai"], cloud.rows(LINES)) == (0, DUE)
    shop.commit({"lib/cart.py": f"# moved\n{CART}".replace("emptyCart", "newCart")})
    sync_with_descriptions(cloud, shop)
    assert cloud.spent()["ai"] == 1
    assert validate(cloud.feed(Commit(shop.path)), wait=True).passed


def test_neurons_are_counted_and_estimated_by_the_models_price(cloud: Cloud, shop: Repo) -> None:
    """For an unknown model there is no number."""
    describer = WorkersAIDescriber(cloud.api, MODEL)
    sync(cloud.feed(Commit(shop.path), describing=DescriptionOptions(describer)))
    price = PRICES[MODEL]
    assert describer.usage.tokens == 400
    assert 400 * price.tokens_in / 1e6 < describer.usage.neurons < 400 * price.tokens_out / 1e6
    assert describer.neurons(1_000_000, 1_000_000) == price.tokens_in + price.tokens_out
    assert WorkersAIDescriber(cloud.api, "@cf/new/model").neurons(1, 1) is None


def test_unknown_model_is_refused(cloud: Cloud) -> None:
    """Before a request if the name is invalid, else with the service's message."""
    with pytest.raises(UserError, match="is not a model of Workers AI"):
        WorkersAIDescriber(cloud.api, "llama")
    with pytest.raises(UserError, match="Choose another --describe"):
        WorkersAIDescriber(cloud.api, "@cf/no/model").ask("Do so.", "python method add")
