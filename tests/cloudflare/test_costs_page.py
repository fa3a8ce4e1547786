"""The page of costs says what is measured."""

from pathlib import Path

import costs
from standin import StandIn


def test_the_page_has_the_table_that_the_command_prints(standin: StandIn) -> None:
    """For 60 files; the one for 500 comes from the same command."""
    page = (Path(__file__).parents[2] / "docs/costs.md").read_text()
    assert costs.table(standin, 60) in page
    assert "10,000 nodes in 500 files:" in page
