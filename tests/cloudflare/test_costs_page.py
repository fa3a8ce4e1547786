"""The documentation page of costs has the measured numbers."""

from pathlib import Path

import costs
from standin import StandIn

from feeder.session.cost_estimate import model_prices

PAGE = (Path(__file__).parents[2] / "docs/explanation/costs.md").read_text()


def test_page_has_the_table_of_the_command(standin: StandIn) -> None:
    """For 60 files; the table for 500 comes from the same command."""
    assert costs.table(standin, 60) in PAGE
    assert "10,000 nodes in 500 files:" in PAGE


def test_page_has_the_costs_of_stored_source(standin: StandIn) -> None:
    """One or two rows per file, no further request, no embedding."""
    assert costs.texts_table(standin, 60) in PAGE
    assert "10,000 nodes in 500 files, with stored source:" in PAGE


def test_page_has_the_requests_of_a_query(standin: StandIn) -> None:
    """And of a run without changes, whichever model the index has."""
    assert costs.queries_table(standin) in PAGE


def test_page_has_the_costs_of_each_model(standin: StandIn) -> None:
    """`feeder init` estimates the same requests without sending any."""
    assert costs.models_table(standin, 60) in PAGE
    assert "First sync of 10,000 nodes in 500 files, by model:" in PAGE
    foreseen = {(price.model, price.dimensions): price for price in model_prices(1_200, 60, 60)}
    lines = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    rows = [row for row in lines if len(row) == 8]
    for model, dimensions, d1, vectorize, ai, *_, fit in rows[len(costs.MODELS) :]:
        price = foreseen[model.strip("| `"), int(dimensions.replace(",", ""))]
        requests = {"d1": int(d1), "vectorize": int(vectorize), "ai": int(ai)}
        assert {name: price.usage.requests.get(name, 0) for name in requests} == requests
        assert f"{price.free_nodes:,} |" == fit
