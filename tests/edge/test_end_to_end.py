"""The whole flow: a repository is indexed, `feeder worker` writes the folder, a Worker answers."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect
from program import Console, console, feeder
from standin import StandIn
from standin_fixtures import no_proxy, standin

from command_runner import RunFeeder
from edge.test_browser import open_page
from edge.workerd import TOKEN, client, running
from mcp_server.conftest import SHOP
from mcp_server.test_official_clients import facts
from source.repos import Repo
from web.browser_client import chromium
from web.http_client import JSON, request

__all__ = ["console", "feeder", "no_proxy", "standin"]


TARIFFS = "".join(f"    'A_TARIFF_{at}': 1,\n" for at in range(120))
TARIFFS = f"import os\n\nTARIFFS = {{\n{TARIFFS}}}\n\nOTHER_TARIFF = 1\n"
"""A constant that is longer than a chunk."""


@pytest.fixture
def whole(feeder: RunFeeder, standin: StandIn, console: Console, repo: Repo) -> Iterator[str]:
    """The address of a Worker with an index of words and stored source."""
    repo.commit({**SHOP, "lib/tariffs.py": TARIFFS})
    for command in (
        ["init"],
        ["sync", "--texts", "--no-vectors"],
        ["worker", "edge", "--quiet"],
    ):
        done = feeder(repo, *command)
        assert done.code == 0, done.err
    account = f"{standin.base_url}/accounts/{standin.account_id}"
    rest = f"{account}/d1/database/{console.database_id()}/query"
    with running(
        folder=repo.path / "edge",
        vars={"FEEDER_TOKEN": TOKEN},
        rest={"address": rest, "token": standin.token},
    ) as address:
        yield address


def tool(one: httpx.Client, name: str, **arguments: Any) -> str:
    """Returns the text that an agent gets from a tool."""
    call = request("tools/call", name=name, arguments=arguments)
    result = one.post("/mcp", json=call, headers=JSON).json()["result"]
    assert not result["isError"], result
    text: str = result["content"][0]["text"]
    return text


def test_tools_return_lines(whole: str, repo: Repo) -> None:
    """Of each tool; the last line names the commit of the index."""
    head = f"The index matches {repo.git('rev-parse', 'HEAD').strip()[:7]}."
    code = "def exchange(amount: int, rate: float) -> float:\n"
    with client(whole) as one:
        texts = [
            tool(one, "search", query="exchange", limit=1),
            tool(one, "read", target="src/money.py#exchange"),
            tool(one, "read", target=["src/money.py:4-6"]),
            tool(one, "search", like="src/money.py#exchange"),
            tool(one, "outline", path="src"),
            tool(one, "read", target="tariffs.TARIFFS"),
        ]
    assert {text.rsplit("\n", 1)[-1] for text in texts} == {head}
    assert texts[0].startswith(f'src/money.py:4-6 method exchange [1-6]\n"""Money."""\n\n\n{code}')
    assert texts[1].startswith(f"src/money.py:4-6 method exchange\n{code}")
    assert texts[2].startswith(f"src/money.py:4-6\n{code}")
    assert texts[5].startswith("lib/tariffs.py:1-124 chunk\nimport os\n")
    assert "    'A_TARIFF_119': 1,\n}\n" in texts[5]
    assert re.search(r"^src/money.py\n  ?4-6 method exchange$", texts[4], re.MULTILINE)


@pytest.mark.parametrize("which", ["Python 2, modern", "TypeScript 1, legacy"])
def test_official_clients_work(whole: str, which: str) -> None:
    found = facts(which, [f"{whole}/mcp", TOKEN])
    assert {*map(str, found["texts"])} == {found["texts"][0]}
    found_hit = 'src/money.py:4-6 method exchange [1-6]\n"""Money."""\n'
    assert found["texts"][0].startswith(found_hit)


def test_page_shows_hits_files_and_map(whole: str) -> None:
    with chromium() as browser, open_page(browser, f"{whole}/#token={TOKEN}") as page:
        page.get_by_role("heading", name="Search this repository").wait_for()
        page.get_by_role("combobox").fill("exchange")
        page.keyboard.press("Enter")
        first = page.locator(".hit").first
        expect(first).to_contain_text("def exchange(")
        expect(page.locator("#age")).to_contain_text("acme/shop: The index matches")
        first.get_by_role("link", name="src/money.py:4").click()
        expect(page.locator("#L4")).to_contain_text("def exchange(")
        page.get_by_role("link", name="Map").click()
        expect(page.locator("canvas")).to_be_visible()


def test_page_offers_only_what_the_worker_supports(whole: str, repo: Repo) -> None:
    """No patterns, which need files; the last run, but not HEAD."""
    with chromium() as browser, open_page(browser, f"{whole}/#token={TOKEN}") as page:
        expect(page.get_by_role("link", name="the map")).to_be_visible()
        expect(page.get_by_role("link", name="/TODO|FIXME/")).to_have_count(0)
        page.get_by_role("button", name="Search help").click()
        expect(page.locator("#help")).to_contain_text("symbol:Cart.add")
        expect(page.locator("#help")).not_to_contain_text("lines that match a regular expression")
        page.get_by_role("button", name="Close").click()
        page.get_by_role("link", name="Status").click()
        expect(page.locator("#runs [data-kind=sync]")).to_contain_text("new")
        expect(page.locator("main")).to_contain_text(repo.git("rev-parse", "HEAD").strip())
        expect(page.get_by_role("rowheader", name="HEAD")).to_have_count(0)
