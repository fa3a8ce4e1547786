"""The Worker's page in a real browser: static files, and queries with a cookie."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from edge.worker_build import built
from edge.workerd import TOKEN, running
from web.browser_client import SLOWEST_MS, accessibility_violations, chromium, index_server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def proxy_worker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Worker that passes on a server's responses."""
    place = tmp_path_factory.mktemp("proxy") / "worker.js"
    return built(place, "--entry", "proxy", "--out")


@pytest.fixture(scope="module")
def site(shop: Path, folder: Path, proxy_worker: Path) -> Iterator[str]:
    """The address of a Worker that needs a token."""
    with (
        index_server(shop) as program,
        running(
            folder=folder,
            script=proxy_worker,
            vars={"FEEDER_TOKEN": TOKEN},
            program={"address": program.base, "token": program.address.token},
        ) as address,
    ):
        yield address


@contextmanager
def open_page(browser: Browser, address: str) -> Iterator[Page]:
    """Opens the page in a new context; fails if the page raises an error or writes one to the
    console.
    """
    said: list[str] = []
    some = browser.new_context(viewport=ViewportSize(width=1280, height=900))
    try:
        page = some.new_page()
        page.set_default_timeout(SLOWEST_MS)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
        page.goto(address)
        yield page
        ours = [line for line in said if not line.startswith("Failed to load resource")]
        assert ours == []
    finally:
        some.close()


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    """A page opened with the whole address, including the token."""
    with open_page(browser, f"{site}/#token={TOKEN}") as one:
        one.get_by_role("heading", name="Search this repository").wait_for()
        yield one


def test_token_is_exchanged_for_an_http_only_cookie(page: Page, site: str) -> None:
    assert page.url == f"{site}/"
    assert page.evaluate("document.cookie") == ""
    [cookie] = page.context.cookies()
    assert cookie["name"] == "__Host-feeder"
    assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Strict")
    assert TOKEN not in str(cookie)


def test_page_without_a_token_shows_a_form(browser: Browser, site: str) -> None:
    """A wrong token is reported; the right one shows the requested page."""
    with open_page(browser, f"{site}/?q=exchange") as page:
        expect(page.get_by_role("heading", name="Enter the token")).to_be_visible()
        page.get_by_label("Token").fill("another")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("alert")).to_have_text("The token is wrong.")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Continue").click()
        expect(page.locator(".hit")).to_have_count(3)


def test_hits_files_and_map_are_shown(page: Page) -> None:
    """As with `feeder serve`, without blocked resources."""
    page.get_by_role("combobox").fill("exchange")
    page.keyboard.press("Enter")
    first = page.locator(".hit").first
    expect(first).to_contain_text("def exchange(")
    expect(first.locator(".t-kwd").first).to_have_text("def")
    expect(page.locator("#age")).to_contain_text("The index matches")
    first.get_by_role("link", name="src/money.py:4").click()
    expect(page.get_by_role("heading", name="src/money.py")).to_be_visible()
    expect(page.locator("#L4")).to_contain_text("def exchange(")
    page.get_by_role("link", name="Map").click()
    expect(page.locator("canvas")).to_be_visible()
    assert accessibility_violations(page) == []


def test_typing_sends_a_query_at_a_pause_alone(page: Page) -> None:
    """Each query is billed: a sentence costs one, and none to record it."""
    queries: list[str] = []
    page.on("request", lambda sent: queries.append(sent.url) if "/api/search" in sent.url else None)
    page.get_by_role("combobox").press_sequentially("where are prices exchanged", delay=30)
    expect(page.locator(".hit").first).to_be_visible()
    page.keyboard.press("Enter")
    page.locator(".hit").first.get_by_role("link").first.click()
    expect(page.locator(".code, pre").first).to_be_visible()
    assert len(queries) <= 3
    assert {query.partition("q=")[2].split("&")[0] for query in queries} == {
        "where+are+prices+exchanged"
    }


def test_page_names_the_command_for_validation(page: Page) -> None:
    """The Worker cannot validate."""
    page.get_by_role("link", name="Status").click()
    expect(page.locator("main")).to_contain_text("feeder validate")


def test_page_behind_access_has_no_token_form(
    browser: Browser, folder: Path, standin: Path
) -> None:
    settings = {"ACCESS_TEAM": "acme", "ACCESS_AUD": "a"}
    with (
        running(folder=folder, script=standin, vars=settings) as address,
        open_page(browser, address) as page,
    ):
        told = page.get_by_role("alert")
        expect(told).to_contain_text("Cloudflare Access did not authenticate this request.")
        expect(page.get_by_label("Token")).to_have_count(0)
