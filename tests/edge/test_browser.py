"""The page at the edge, in a real browser: served as files, asked with a cookie."""

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
    """The Worker's shell over a server's answers."""
    place = tmp_path_factory.mktemp("proxy") / "worker.js"
    return built(place, "--entry", "proxy", "--out")


@pytest.fixture(scope="module")
def site(shop: Path, folder: Path, proxy_worker: Path) -> Iterator[str]:
    """The address of a Worker that wants a token."""
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
    """Somebody new; whatever the page did that a browser complains of fails the test."""
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
    """Of somebody who has opened the whole address, with the token."""
    with open_page(browser, f"{site}/#token={TOKEN}") as one:
        one.get_by_role("heading", name="Search this repository").wait_for()
        yield one


def test_the_token_becomes_a_cookie_that_no_script_reads(page: Page, site: str) -> None:
    assert page.url == f"{site}/"
    assert page.evaluate("document.cookie") == ""
    [cookie] = page.context.cookies()
    assert cookie["name"] == "__Host-feeder"
    assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Strict")
    assert TOKEN not in str(cookie)


def test_who_has_no_token_is_asked_for_it(browser: Browser, site: str) -> None:
    """Another one is told; the right one shows what was asked."""
    with open_page(browser, f"{site}/?q=exchange") as page:
        expect(page.get_by_role("heading", name="Enter the token")).to_be_visible()
        page.get_by_label("Token").fill("another")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("alert")).to_have_text("The token is wrong.")
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Continue").click()
        expect(page.locator(".hit")).to_have_count(3)


def test_hits_files_and_the_map_are_shown(page: Page) -> None:
    """As they are by `feeder serve`; the browser refuses nothing of it."""
    page.get_by_role("searchbox").fill("exchange")
    page.keyboard.press("Enter")
    first = page.locator(".hit").first
    expect(first).to_contain_text("def exchange(")
    expect(first.locator(".t-kwd").first).to_have_text("def")
    expect(page.locator("#age")).to_contain_text("The index equals")
    first.get_by_role("link", name="src/money.py:4").click()
    expect(page.get_by_role("heading", name="src/money.py")).to_be_visible()
    expect(page.locator("#L4")).to_contain_text("def exchange(")
    page.get_by_role("link", name="Map").click()
    expect(page.locator("canvas")).to_be_visible()
    assert accessibility_violations(page) == []


def test_what_the_worker_does_not_do_is_said(page: Page) -> None:
    """It checks nothing: where the checks would stand, it says who does."""
    page.get_by_role("link", name="Status").click()
    expect(page.locator("main")).to_contain_text("feeder validate")


def test_where_access_alone_lets_in_nobody_types_a_token(
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
