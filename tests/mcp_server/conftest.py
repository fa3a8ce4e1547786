"""A small repository with its index, and an MCP server for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from feeder.cli.main import cli
from index_helpers import CART, GUIDE
from mcp_server.stdio_client import McpClient, start_mcp_client
from source.repos import Repo

SHOP = {
    "src/cart.py": CART,
    "docs/guide.md": GUIDE,
    "src/money.py": '"""Money."""\n\n\ndef exchange(amount: int, rate: float) -> float:\n'
    '    """What an amount is worth elsewhere."""\n    return amount * rate\n',
    "tests/test_money.py": "from money import exchange\n\n\ndef test_exchange() -> None:\n"
    "    assert exchange(2, 0.5) == 1.0\n",
}


def index(repo: Repo, *options: str) -> None:
    """Runs `feeder sync` without vectors unless the options say otherwise."""
    words = ["sync", "-C", str(repo.path), "--no-vectors", "--jobs", "1", "-q", *options]
    cli.main(words, standalone_mode=False)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed repository that the tests only read."""
    repo = Repo(tmp_path_factory.mktemp("serve") / "shop")
    repo.commit(SHOP)
    index(repo)
    return repo.path


@pytest.fixture
def server(shop: Path) -> Iterator[McpClient]:
    """A client of an MCP server for the `shop` repository."""
    with start_mcp_client(shop) as some:
        yield some
