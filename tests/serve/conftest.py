"""Small repositories with their indexes, servers that are asked about them, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from feeder.cli.main import cli
from serve.talking import Talker, talker
from source.repos import Repo
from worlds import CART, GUIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from serve.web import Web

SHOP = {
    "src/cart.py": CART,
    "docs/guide.md": GUIDE,
    "src/money.py": '"""Money."""\n\n\ndef exchange(amount: int, rate: float) -> float:\n'
    '    """What an amount is worth elsewhere."""\n    return amount * rate\n',
    "tests/test_money.py": "from money import exchange\n\n\ndef test_exchange() -> None:\n"
    "    assert exchange(2, 0.5) == 1.0\n",
}


def index(repo: Repo, *options: str) -> None:
    """Makes the index of words equal to HEAD, unless options say otherwise."""
    words = ["sync", "-C", str(repo.path), "--no-vectors", "--jobs", "1", "-q", *options]
    cli.main(words, standalone_mode=False)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository, which no test changes."""
    repo = Repo(tmp_path_factory.mktemp("serve") / "shop")
    repo.commit(SHOP)
    index(repo)
    return repo.path


@pytest.fixture
def server(shop: Path) -> Iterator[Talker]:
    """Of that repository."""
    with talker(shop) as some:
        yield some


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of this machine; what drives it is loaded only for those that look at the page."""
    from serve.browsing import chromium

    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Web]:
    """The server of a repository that holds the module's `FILES`, which no test changes."""
    from serve.browsing import served

    repo = Repo(tmp_path_factory.mktemp("site") / "shop")
    repo.commit(request.module.FILES)
    index(repo)
    with served(repo.path) as one:
        yield one
