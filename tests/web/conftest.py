"""The fixtures of the web server's tests: a browser, and a server for a repository."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from mcp_server.conftest import index, shop
from source.repos import Repo

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from web.http_client import Web

__all__ = ["shop"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium on this machine. Playwright is imported only for tests that open the page."""
    from web.browser_client import chromium

    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Web]:
    """A server for a repository with the files in the test module's `FILES`; tests only read it."""
    from web.browser_client import index_server

    repo = Repo(tmp_path_factory.mktemp("site") / "shop")
    repo.commit(request.module.FILES)
    index(repo)
    with index_server(repo.path) as one:
        yield one
