"""The page in Firefox: what differs between browsers, in one walk through the views."""

import pytest

from mcp_server.conftest import index
from source.repos import Repo
from web.browser_client import index_server
from web.firefox import firefox

pytestmark = pytest.mark.slow

FILES = {
    "src/cart.py": "class Cart:\n    def total(self):\n        return 'needle'\n",
    "src/till.py": "from src.cart import Cart\n\n\ndef pay():\n    return Cart().total()\n",
    "docs/guide.md": "# Guide\n\nHow the needle is used.\n",
}


def test_page_works_in_firefox(repo: Repo) -> None:
    """Token, typing, hits, file, rendered markdown, relations at a place, and the map."""
    repo.commit(FILES)
    index(repo)
    with index_server(repo.path) as site, firefox() as browser:
        browser.open(str(site.address))
        browser.wait_for("document.querySelector('h1')?.innerText === 'Search this repository'")
        assert browser.evaluate("location.href") == f"{site.base}/"
        assert browser.evaluate("document.cookie") == ""
        browser.type("#q", "needle")
        browser.wait_for("document.querySelectorAll('.hit').length === 2")
        browser.wait_for("location.search === '?q=needle'")
        assert browser.evaluate("document.querySelector('.hit mark').innerText") == "needle"
        browser.open(f"{site.base}/?file=src/cart.py#L2")
        browser.wait_for("document.querySelector('#L2.here .t-kwd')?.innerText === 'def'")
        browser.open(f"{site.base}/?file=src/cart.py&relations=src/cart.py:2:9")
        browser.wait_for("document.querySelector('.relations h2')?.innerText.includes('total')")
        browser.open(f"{site.base}/?file=docs/guide.md")
        browser.wait_for("document.querySelector('.markdown h2')?.innerText === 'Guide'")
        browser.open(f"{site.base}/?view=map")
        browser.wait_for("performance.getEntriesByName('map-drawn').length > 0")
        assert browser.evaluate("document.querySelector('.legend').innerText").startswith("python")
