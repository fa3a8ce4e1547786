"""The page in a real browser: input, display and accessibility."""

import re
import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from feeder.query.stopwords import HIGHLIGHT_STOP_WORDS
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite
from feeder.web.server import redirect_page
from mcp_server.conftest import index
from source.repos import Repo
from web.browser_client import (
    NARROW,
    ZOOMED,
    accessibility_violations,
    index_server,
    open_page,
)
from web.http_client import TOKEN, Web
from web.page_views import SCHEMES, visit

PAUSE_MS, REST_MS = 600, 2000
"""After a key: until the address names the query, and until the query is recorded."""
HOSTILE = "<img src=x onerror=document.title='owned'>.py"
SCRIPT = '</script><script>document.title="owned"</script>'
LONG = "\n".join(
    [
        "def long():",
        '    """Long.',
        *["    said"] * 30,
        "    class of a gondola lift",
        '    """',
        "",
    ]
)
FILES = {
    HOSTILE: f"def owned():\n    return '{SCRIPT} needle'\n",
    "src/cart.py": "class Cart:\n    def total(self, 値段):\n        return '🛒 needle'\n",
    "src/deep/turned.py": "def turned():\n    return 'needle \u202e backwards'\n",
    "tests/test_cart.py": "def test_total():\n    assert 'needle'\n",
    "web/many.js": "".join(f"function many{at}() {{ return 'plenty' }}\n" for at in range(250)),
    "src/long.py": LONG,
    "docs/guide.md": "# Guide\n\nHow the needle is used.\n\n## Use\n\n```py\nx = 1\n```\n",
}
VIEWS = (
    "?q=needle",
    "?q=qqq",
    "?file=src/cart.py#L1",
    "?view=map",
    "?view=map&by=state",
    "?view=map&by=references",
    "?file=docs/guide.md",
    "?view=map&by=changed",
    "?view=proof",
)


@pytest.fixture
def page(browser: Browser, site: Web) -> Iterator[Page]:
    with open_page(browser, site) as one:
        yield one


def go(page: Page, site: Web, address: str) -> None:
    """Opens an address of the page and waits for the result."""
    page.goto(f"{site.base}/{address}")
    expect(page.locator("main :is(h1, h2)").first).to_be_attached()
    page.wait_for_load_state("networkidle")


def test_hits_are_updated_while_typing(page: Page) -> None:
    """The address changes too; the back button returns to the previous state."""
    page.get_by_role("combobox").press_sequentially("needle", delay=20)
    expect(page.locator(".hit")).to_have_count(5)
    page.wait_for_url("**/?q=needle")
    expect(page.get_by_role("status")).to_have_text("5 hits")
    expect(page).to_have_title("needle · shop · feeder")
    page.go_back()
    expect(page.get_by_role("heading", name="Search this repository")).to_be_visible()


def test_examples_of_the_start_page_have_hits(page: Page) -> None:
    """They come from this repository."""
    examples = page.locator(".examples li a")
    queries = examples.all_inner_texts()
    assert len(queries) == 5
    for at in range(len(queries)):
        examples.nth(at).click()
        expect(page.locator(".hit").first).to_be_visible()
        page.go_back()
        expect(examples).to_have_text(queries)


def test_fewer_hits_are_shown_while_typing(page: Page) -> None:
    """10 at each key, which take half the time, and 20 at the pause."""
    limits: list[str] = []

    def note(request: Request) -> None:
        if "/api/search" in request.url:
            limits.extend(parse_qs(urlsplit(request.url).query)["limit"])

    page.on("request", note)
    page.get_by_role("combobox").press_sequentially("plenty")
    expect(page.locator(".hit")).to_have_count(20)
    assert limits[0] == "10"
    assert limits[-1] == "20"


def test_every_key_searches_at_once(page: Page) -> None:
    """No timer of the page ever ends, so there is no pause."""
    page.evaluate("window.setTimeout = () => 0")
    page.get_by_role("combobox").press_sequentially("needle")
    expect(page.locator(".hit")).to_have_count(5)
    assert page.url.endswith("/")


def test_last_word_counts_as_a_prefix_while_typing(page: Page) -> None:
    """A word that no file has keeps these hits at the pause; Enter searches for the word itself."""
    box = page.get_by_role("combobox")
    box.press_sequentially("need")
    expect(page.locator(".hit")).to_have_count(5)
    page.wait_for_url("**/?q=need")
    page.wait_for_load_state("networkidle")
    expect(page.locator(".hit")).to_have_count(5)
    box.press("Enter")
    expect(page.locator(".hit")).to_have_count(0)


def test_begun_word_or_filter_keeps_the_hits(page: Page) -> None:
    """One or two letters of a further word, and a filter without its value, change nothing."""
    sent: list[str] = []
    box = page.get_by_role("combobox")
    page.evaluate("window.setTimeout = () => 0")  # no pause
    box.press_sequentially("cart total")
    expect(page.locator("#main:not([aria-busy])")).to_be_attached()  # the last answer is there
    expect(page.locator(".hit")).to_have_count(2)
    page.on("request", lambda one: sent.append(one.url) if "/api/search" in one.url else None)
    box.press_sequentially(" qq")
    box.press("Backspace")
    box.press("Backspace")
    box.press_sequentially("-")
    box.press("Backspace")
    assert sent == []
    expect(page.locator("#main:not([aria-busy])")).to_be_attached()
    box.press_sequentially("qqq")
    expect(page.locator(".hint")).to_contain_text("No hits for cart total qqq yet.")
    box.fill("cart total lang:")
    expect(page.locator(".hint")).to_have_count(0)
    expect(page.locator(".hit")).to_have_count(2)


def test_completions_are_chosen_with_the_keyboard(page: Page) -> None:
    """A filter's value by Tab, a symbol by the arrows and Enter, which open it."""
    box = page.get_by_role("combobox", name="Search this repository")
    box.press_sequentially("needle lang:pyt")
    expect(page.get_by_role("option")).to_have_text(["lang:python language, 6 nodes"])
    assert accessibility_violations(page) == []
    box.press("Tab")
    expect(box).to_have_value("needle lang:python")
    expect(box).to_be_focused()
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(page.locator(".hit")).to_have_count(4)
    box.fill("car")
    expect(page.get_by_role("option").first).to_contain_text("Cart")
    box.press("ArrowDown")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Cart")
    box.press("ArrowUp")
    box.press("ArrowDown")
    box.press("Enter")
    expect(page.locator("#path")).to_have_text("src/cart.py")
    expect(page.locator(".row.here")).to_have_count(3)


def test_late_completions_do_not_undo_a_choice(page: Page) -> None:
    box = page.get_by_role("combobox", name="Search this repository")
    box.press_sequentially("car")
    expect(page.get_by_role("option").first).to_contain_text("Cart")
    held: list[Route] = []
    page.route("**/api/complete?*", lambda route: held.append(route))  # noqa: PLW0108  # takes no built-in
    with page.expect_request("**/api/complete?*"):
        box.press("t")
    box.press("ArrowDown")
    with page.expect_response("**/api/complete?*"):
        held[0].continue_()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Cart")
    box.press("Enter")
    expect(page.locator("#path")).to_have_text("src/cart.py")


def test_recent_queries_are_offered_in_an_empty_field(page: Page) -> None:
    box = page.get_by_role("combobox")
    for query in ("needle", "gondola"):
        box.fill(query)
        box.press("Enter")
        expect(page.locator(".hit").first).to_be_visible()
    box.fill("")
    expect(page.get_by_role("option")).to_have_text(["gondola recent", "needle recent"])
    box.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(box).to_be_focused()
    box.click()
    page.get_by_role("option", name="needle").click()
    expect(page.locator(".hit")).to_have_count(5)


def is_recorded(request: Request, query: str) -> bool:
    return f"/api/search?q={query}&" in request.url and "=no" not in request.url


def recorded_queries(page: Page) -> list[str]:
    """The queries that the page lets the server record, from now on."""
    queries: list[str] = []

    def note(request: Request) -> None:
        parameters = parse_qs(urlsplit(request.url).query)
        if "/api/search" in request.url and not {"meaning", "log"} & parameters.keys():
            queries.extend(parameters["q"])

    page.on("request", note)
    return queries


def test_query_is_recorded_when_it_is_finished(page: Page) -> None:
    """Once: after Enter, when a hit is opened, or after a rest; not at each pause."""
    queries = recorded_queries(page)
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(days=1))  # time passes only as told
    box = page.get_by_role("combobox")
    for q in ("need", "needle"):
        box.fill(q)
        page.clock.run_for(PAUSE_MS)
        page.wait_for_url(f"**/?q={q}")
    with page.expect_request(lambda request: is_recorded(request, "needle")):
        box.press("Enter")
    assert queries == ["needle"]
    box.fill("gondola")
    page.clock.run_for(PAUSE_MS)
    page.wait_for_url("**/?q=gondola")
    page.get_by_role("link", name="src/long.py").first.click()
    expect(page.locator("#L1")).to_be_visible()
    assert queries == ["needle", "gondola"]
    page.go_back()
    box.fill("guide")
    page.clock.run_for(PAUSE_MS)
    page.wait_for_url("**/?q=guide")
    with page.expect_request(lambda request: is_recorded(request, "guide")):
        page.clock.run_for(REST_MS)
    assert queries == ["needle", "gondola", "guide"]


def test_unfinished_filter_keeps_the_hits(browser: Browser, site: Web) -> None:
    """The reason is above them once no value of the index begins with what was typed."""
    with open_page(browser, site, "?q=needle") as page:
        expect(page.locator(".hit")).to_have_count(5)
        page.get_by_role("combobox").fill("needle type:cla")
        expect(page.get_by_role("option")).to_contain_text("type:class")
        page.wait_for_url("**type%3Acla")
        page.wait_for_load_state("networkidle")
        expect(page.locator(".hint")).to_have_count(0)
        expect(page.locator(".hit")).to_have_count(5)
        page.get_by_role("combobox").fill("needle type:clx")
        expect(page.locator(".hint")).to_contain_text("clx")
        page.wait_for_url("**type%3Aclx")
        page.wait_for_load_state("networkidle")
        expect(page.locator(".hint")).to_be_visible()
        expect(page.locator(".hit")).to_have_count(5)
        page.get_by_role("combobox").fill("needle type:class")
        expect(page.locator(".hint")).to_have_count(0)
        expect(page.locator(".hit")).not_to_have_count(5)


def test_half_typed_filter_of_the_start_page_is_no_error(page: Page) -> None:
    box = page.get_by_role("combobox")
    with page.expect_response(lambda one: "meaning=no" not in one.url and "/search?" in one.url):
        box.fill("lang:pyt")
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("heading", name="Search this repository")).to_be_visible()
    expect(page.locator("[role=alert], .hint")).to_have_count(0)
    box.press("Enter")
    page.locator("#main").focus()
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("no language 'pyt'")


def test_older_answer_does_not_replace_a_newer_one(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/search?*q=gondola&*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks handlers
    box = page.get_by_role("combobox")
    with page.expect_request("**/api/search?*q=gondola&*"):
        box.fill("gondola")
    box.fill("needle")
    expect(page.locator(".hit")).to_have_count(5)
    page.wait_for_url("**/?q=needle")
    page.wait_for_timeout(0)  # lets Playwright hand over the route
    assert held
    with page.expect_response("**/api/search?*q=gondola&*"):
        held[0].continue_()
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(page.locator(".hit")).to_have_count(5)


def test_query_of_a_key_that_had_to_wait_does_not_replace_that_of_enter(page: Page) -> None:
    """Two queries of keys are running, a third one waits; Enter's is answered before it starts."""
    held: list[Route] = []

    def hold_two(route: Route) -> None:
        held.append(route) if len(held) < 2 else route.continue_()

    page.route("**/api/search?*meaning=no*", hold_two)
    box = page.get_by_role("combobox")
    with page.expect_request(lambda request: "q=go&" in request.url):
        box.press_sequentially("gondola")
    # at once, as the pause after the last key may end at any time
    box.evaluate("(box) => { box.value = 'needle'; box.form.requestSubmit(); }")
    expect(page.locator(".hit")).to_have_count(5)
    assert len(held) == 2
    for route in held:
        with page.expect_response(lambda response: "meaning=no" in response.url):
            route.continue_()
    page.wait_for_load_state("networkidle")
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(page.get_by_role("heading", name="Hits for needle")).to_be_attached()
    expect(page.locator(".hit")).to_have_count(5)


def test_late_answer_of_a_key_starts_no_retry_after_enter(browser: Browser, repo: Repo) -> None:
    """While the index is incomplete, a query without hits is sent again; that of a key is not."""
    repo.commit({"a.py": "def needle():\n    return 1\n"})
    index(repo)
    sent: list[str] = []
    behind = '{"hits": [], "total": 0, "facets": {}, "notes": [], "index": {"unfinished": true}}'
    held: list[Route] = []
    with index_server(repo.path) as site, open_page(browser, site) as page:
        page.on("request", lambda request: sent.append(request.url))
        page.route("**/api/search?*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks handlers
        page.clock.install(time=0)
        page.clock.pause_at(1000)  # on a slow machine, the pause after a key is over before Enter
        box = page.get_by_role("combobox")
        with page.expect_request("**/api/search?*q=qqq*"):
            box.evaluate("(box) => { box.value = 'qqq'; box.dispatchEvent(new Event('input')); }")
        box.evaluate("(box) => { box.value = 'needle'; }")
        with page.expect_request("**/api/search?*q=needle&*"):
            box.press("Enter")
        page.wait_for_timeout(0)  # lets Playwright hand over the routes
        held[0].fulfill(body=behind)
        expect(page.get_by_role("heading", name="No hits")).to_be_visible()
        held[1].continue_()
        expect(page.locator(".hit")).to_have_count(1)
        sent.clear()
        page.clock.run_for(3 * PAUSE_MS)
        page.wait_for_timeout(0)  # lets Playwright hand over the requests
        assert not [url for url in sent if "q=qqq" in url]
        expect(page.locator(".hit")).to_have_count(1)


@pytest.mark.parametrize(
    ("address", "name", "found"),
    [
        ("?q=needle+lang:pyton", "python", "/?q=needle+lang%3Apython"),
        ("?q=needle&language=pyton", "python", "/?q=needle&language=python"),
        ('?q=needle+type:"metod"', "method", "/?q=needle+type%3Amethod"),
        ("?q=needle+lang:zig", "python", "/?q=needle+lang%3Apython"),
    ],
)
def test_unknown_filter_value_has_a_link_to_the_nearest(
    page: Page, site: Web, address: str, name: str, found: str
) -> None:
    """Or to those that exist, if none is near. There is no button to send the same query again,
    which would have the same error.
    """
    go(page, site, address)
    expect(page.get_by_role("heading", name="The index has no")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".hit").first).to_be_visible()
    assert page.url.endswith(found)


def test_unknown_file_has_a_link_to_the_nearest_or_to_the_map(page: Page, site: Web) -> None:
    go(page, site, "?file=src/crat.py")
    page.get_by_role("link", name="src/cart.py", exact=True).click()
    expect(page.locator("#path")).to_have_text("src/cart.py")
    go(page, site, "?file=zz/qq.xyz")
    page.get_by_role("link", name="See the map of all files.").click()
    expect(page.locator(".canvas").first).to_be_visible()


def test_hovered_hit_shows_its_whole_location(page: Page, site: Web) -> None:
    """Its links are beside the line's number, and the rank is below them."""
    go(page, site, "?q=needle")
    hit = page.locator(".hit").first
    hit.hover()
    place, links = hit.locator(".opens").bounding_box(), hit.locator(".actions").bounding_box()
    rank = hit.locator(".why").bounding_box()
    assert place and links and rank
    assert place["x"] + place["width"] <= links["x"]
    assert rank["y"] >= links["y"] + links["height"] - 1


def test_error_that_may_pass_can_be_tried_again(page: Page, site: Web) -> None:
    page.route("**/api/search?*", lambda route: route.fulfill(status=502, body='{"error": "Oh."}'))
    go(page, site, "?q=needle")
    page.unroute("**/api/search?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".hit")).to_have_count(5)


def test_token_is_removed_from_the_address(page: Page, site: Web) -> None:
    """And is kept nowhere; the session key is kept for this tab."""
    assert page.url == f"{site.base}/"
    assert page.context.cookies() == []
    assert TOKEN not in page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    assert page.evaluate("Object.keys(localStorage)") == []
    page.reload()
    expect(page.get_by_role("heading", name="Search this repository")).to_be_visible()


def test_token_leaves_the_address_before_the_page_runs(browser: Browser, site: Web) -> None:
    """Also if its modules never arrive."""
    context = browser.new_context()
    page = context.new_page()
    page.route("**/app.js", lambda route: route.abort())
    page.goto(f"{site.base}/?q=needle#token={TOKEN}")
    assert page.url == f"{site.base}/?q=needle"
    context.close()


def test_address_with_the_token_is_pasted_into_an_open_tab(browser: Browser, site: Web) -> None:
    """It shows the form; only the fragment changes, so the browser does not load the page."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.base}/")
    expect(page.get_by_role("heading", name="Enter the token")).to_be_visible()
    page.goto(str(site.address))
    expect(page.get_by_role("heading", name="Search this repository")).to_be_visible()
    assert page.url == f"{site.base}/"
    context.close()


def test_other_tabs_share_the_session(browser: Browser, site: Web) -> None:
    """A new one asks those that are open; one that shows the form is signed in with another."""
    context = browser.new_context()
    waiting, first, second = (context.new_page() for _ in range(3))
    waiting.goto(f"{site.base}/?q=needle")
    expect(waiting.get_by_role("heading", name="Enter the token")).to_be_visible()
    first.goto(str(site.address))
    expect(waiting.locator(".hit")).to_have_count(5)
    second.goto(f"{site.base}/?q=needle")
    expect(second.locator(".hit")).to_have_count(5)
    context.close()


def test_page_of_an_earlier_server_shows_the_form(page: Page, site: Web) -> None:
    """Its key is refused after a restart, and is not tried again."""
    page.evaluate("sessionStorage.setItem('key', 'of an earlier server')")
    page.goto(f"{site.base}/?q=needle")
    expect(page.get_by_role("heading", name="Enter the token")).to_be_visible()
    assert page.evaluate("sessionStorage.getItem('key')") == ""


def test_server_on_another_port_gets_no_secret(browser: Browser, site: Web) -> None:
    """A link to it sends no cookie and no address, and its page finds nothing stored."""
    with open_page(browser, site) as ours, closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        ours.evaluate(
            f"document.body.append(Object.assign(document.createElement('a'), "
            f"{{href: 'http://127.0.0.1:{port}/', textContent: 'other'}}))"
        )
        received: list[str] = []

        def answer() -> None:
            with closing(other.accept()[0]) as connection:
                received.append(connection.recv(65_536).decode().lower())
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother")

        thread = Thread(target=answer)
        thread.start()
        ours.get_by_role("link", name="other").click()
        thread.join(60)
        ours.wait_for_url(f"http://127.0.0.1:{port}/")
        assert received[0].startswith("get / http/1.1")
        assert not re.search("cookie:|authorization:|referer:|token", received[0])
        assert ours.evaluate("[document.cookie, localStorage.length, sessionStorage.length]") == [
            "",
            0,
            0,
        ]


def test_copying_works_without_the_clipboard_interface(browser: Browser, site: Web) -> None:
    """As on a page without TLS from another machine."""
    with open_page(browser, site, "?q=symbol:Cart") as page:
        expect(page.locator(".hit").first).to_be_visible()
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.get_by_role("button", name="Copy location").click()
        expect(page.get_by_role("status")).to_have_text("Copied src/cart.py:1")
        expect(page.get_by_role("status")).to_have_class("toast")
        box = page.get_by_role("combobox")
        box.fill("")
        box.press("Control+v")
        expect(box).to_have_value("src/cart.py:1")


def test_local_start_page_opens_the_server(browser: Browser, site: Web) -> None:
    """A private file, so that nobody types the token."""
    context = browser.new_context()
    page = context.new_page()
    with redirect_page(str(site.address)) as file:
        page.goto(file.as_uri())
        page.get_by_role("heading", name="Search this repository").wait_for()
    assert page.url == f"{site.base}/"
    context.close()


def test_words_are_highlighted_at_their_place(browser: Browser, site: Web) -> None:
    """Also after characters outside the BMP; code has syntax colours."""
    with open_page(browser, site, "?q=needle+total") as page:
        hit = page.locator(".hit", has=page.get_by_role("link", name="src/cart.py"))
        expect(hit.locator("mark").first).to_be_visible()
        assert {mark.lower() for mark in hit.locator("mark").all_inner_texts()} <= {
            "needle",
            "total",
        }
        expect(hit.locator(".t-kwd").first).to_have_text(re.compile("class|def"))


def test_snippet_within_a_multiline_string_has_its_colour(browser: Browser, site: Web) -> None:
    """The string begins above the shown lines."""
    with open_page(browser, site, "?q=gondola+lift") as page:
        line = page.locator(".hit .row", has_text="class of a gondola")
        expect(line.locator(".t-cmnt, .t-str").first).to_contain_text("class of a")
        expect(line.locator(".t-kwd")).to_have_count(0)


def test_names_and_code_are_escaped(browser: Browser, site: Web) -> None:
    """Nothing in a file runs, is loaded or changes the text direction."""
    with open_page(browser, site, "?q=needle") as page:
        expect(page.get_by_role("link", name=f"{HOSTILE}:1", exact=True)).to_be_visible()
        expect(page.locator(".hits")).to_contain_text("</script><script>document.title")
        expect(page.locator(".hits")).to_contain_text("\\u202e backwards")
        page.get_by_role("link", name=f"{HOSTILE}:1", exact=True).click()
        expect(page.get_by_role("heading", name=HOSTILE)).to_be_visible()
        expect(page.locator("#L2")).to_contain_text("</script><script>document.title")
        expect(page).to_have_title(f"{HOSTILE} · shop · feeder")
        assert page.locator("main img, main script").count() == 0


def test_page_works_with_the_keyboard_alone(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("needle")
    page.keyboard.press("Enter")
    expect(page.locator(".hit")).to_have_count(5)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".hit a.opens").nth(1)).to_be_focused()
    page.keyboard.press("k")
    first = page.locator(".hit a.opens").nth(0)
    expect(first).to_be_focused()
    place = first.inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".row.here").first).to_be_visible()
    expect(page.locator("h1")).to_have_text(place.rpartition(":")[0])
    page.keyboard.press("Escape")
    expect(page.locator(".hit")).to_have_count(5)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Search help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_place_is_copied(browser: Browser, site: Web) -> None:
    rights = ["clipboard-read", "clipboard-write"]
    with open_page(browser, site, "?q=symbol:Cart", permissions=rights) as page:
        expect(page.locator(".hit").first).to_be_visible()
        page.keyboard.press("j")
        page.keyboard.press("y")
        expect(page.get_by_role("status")).to_have_text("Copied src/cart.py:1")
        assert page.evaluate("navigator.clipboard.readText()") == "src/cart.py:1"


def test_facets_add_and_remove_filters(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?q=needle") as page:
        page.get_by_role("link", name="python 4").click()
        expect(page.locator(".hit")).to_have_count(4)
        page.get_by_role("link", name="without tests 3").click()
        expect(page.locator(".hit")).to_have_count(3)
        page.wait_for_url("**/?q=needle&language=python&tests=no")
        page.get_by_role("link", name="Remove filter language python").click()
        expect(page.locator(".hit")).to_have_count(4)


def test_chosen_facets_stay_and_take_further_values(browser: Browser, site: Web) -> None:
    """Also one that leaves a value out."""
    with open_page(browser, site, "?q=needle") as page:
        facets = page.get_by_role("complementary", name="Filter the hits")
        facets.get_by_role("link", name="markdown 1").click()
        expect(page.locator(".hit")).to_have_count(1)
        expect(facets.locator("[aria-current]")).to_have_text("markdown1")
        facets.get_by_role("link", name="python 4").click()
        page.wait_for_url("**/?q=needle&language=markdown&language=python")
        expect(page.locator(".hit")).to_have_count(5)
        page.goto(f"{site.base}/?q=needle")
        facets.get_by_role("link", name="Without markdown").click()
        expect(page.get_by_role("combobox")).to_have_value("needle -lang:markdown")
        expect(page.locator(".hit")).to_have_count(4)


def test_further_hits_of_a_file_are_folded(browser: Browser, tmp_path: Path) -> None:
    """Where enough hits are shown; the keys skip them until they are opened."""
    repo = Repo(tmp_path / "folds")
    functions = "".join(f"def many_{at}():\n    return 'plenty'\n\n\n" for at in range(7))
    repo.commit({"a/many.py": functions, "b.py": "def one():\n    return 'plenty'\n"})
    index(repo)
    with index_server(repo.path) as site, open_page(browser, site, "?q=plenty") as page:
        expect(page.locator(".hit").filter(visible=True)).to_have_count(5)
        page.keyboard.press("Escape")
        for _ in range(6):
            page.keyboard.press("j")
        expect(page.locator(".hit a.opens:focus")).to_have_text(re.compile("b.py|many.py"))
        expect(page.locator(".folded .hit:focus-within")).to_have_count(0)
        page.get_by_text("3 more hits in many.py").click()
        expect(page.locator(".hit").filter(visible=True)).to_have_count(8)


def test_all_lines_of_a_hit_are_shown_in_place(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?q=symbol:long") as page:
        hit = page.locator(".hit").first
        hit.get_by_role("button", name="All 34 lines").click()
        expect(hit.locator(".row")).to_have_count(34)
        hit.get_by_role("link", name="Line 33").click()
        expect(page.locator("#L33")).to_have_class(re.compile("here"))


def test_seven_hits_fit_a_window(browser: Browser, site: Web) -> None:
    """Each has one row of header; the actions of a hit are seen when it has the focus."""
    with open_page(browser, site, "?q=plenty", viewport={"width": 1280, "height": 800}) as page:
        hits = page.locator(".hit")
        expect(hits).to_have_count(20)
        expect(hits.nth(6)).to_be_in_viewport(ratio=1)
        actions = hits.nth(1).locator(".actions")
        expect(actions).to_have_css("opacity", "0")
        hits.nth(1).locator(".opens").focus()
        expect(actions).to_have_css("opacity", "1")


def test_hits_below_the_first_show_the_lines_with_the_query(
    browser: Browser, tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "short")
    body = "".join(f"    step({at})\n" for at in range(9))
    late = f"def late():\n{body}    gondola = lift()\n    return gondola\n"
    repo.commit({"a.py": "def gondola_lift():\n    return 1\n", "b.py": late})
    index(repo)
    with index_server(repo.path) as site, open_page(browser, site, "?q=gondola+lift") as page:
        second = page.locator(".hit", has_text="late")
        expect(second.locator(".row")).to_have_count(3)
        expect(second).to_contain_text("gondola = lift()")
        second.get_by_role("button", name="All 12 lines").click()
        expect(second.locator(".row")).to_have_count(12)


def test_head_is_one_row_on_a_phone(browser: Browser, site: Web) -> None:
    """With all of its controls, and the actions of hits, which nothing hovers over."""
    phone = {"viewport": NARROW, "has_touch": True, "is_mobile": True}
    with open_page(browser, site, "?q=needle", **phone) as page:
        shown = page.locator("header :is(input, button, a):visible")
        boxes = [one.bounding_box() for one in shown.all()]
        assert len(boxes) == 5
        assert max(box["y"] for box in boxes if box) < min(
            box["y"] + box["height"] for box in boxes if box
        )
        expect(page.locator(".hit .actions").first).to_have_css("opacity", "1")


def test_similar_nodes_say_to_what(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?q=symbol:many9") as page:
        page.get_by_role("link", name="Similar to many.js:10").click()
        expect(page.locator(".summary")).to_contain_text("similar to many9 (web/many.js:10)")


def test_many_hits_are_paged(browser: Browser, site: Web) -> None:
    """20 per page, each hit once."""
    with open_page(browser, site, "?q=plenty") as page:
        expect(page.locator(".hit")).to_have_count(20)
        first = page.locator(".hit a.opens").all_inner_texts()
        page.get_by_role("link", name="More hits").click()
        expect(page.locator(".summary")).to_contain_text("21 to 40")
        expect(page.locator(".hit")).to_have_count(20)
        assert not set(first) & set(page.locator(".hit a.opens").all_inner_texts())


def test_file_view_has_an_outline_and_line_links(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?file=web/many.js#L200") as page:
        expect(page.locator("#L200")).to_be_in_viewport()
        expect(page.locator("#L200")).to_have_class(re.compile("here"))
        outline = page.get_by_role("navigation", name="Outline")
        expect(outline.locator("[aria-current]")).to_have_text(re.compile("many199"))
        outline.get_by_role("link", name="many9 method").click()
        expect(page.locator("#L10")).to_be_in_viewport()
        page.locator("#L12 .number").click()
        page.locator("#L14 .number").click(modifiers=["Shift"])
        assert page.url.endswith("?file=web%2Fmany.js#L12-L14")
        expect(page.locator(".row.here")).to_have_count(3)


def test_query_is_marked_in_the_file_that_a_hit_opens(page: Page) -> None:
    """`n` and `p` go from line to line, and around at the ends."""
    box = page.get_by_role("combobox")
    box.fill("gondola plenty lang:javascript")
    box.press("Enter")
    page.locator(".hit a.opens").first.click()
    expect(page.locator(".file mark").first).to_have_text("plenty")
    expect(page.locator("#matches")).to_have_text(re.compile(r"^\d+ of 250 lines with the query$"))
    line = page.url.rpartition("#L")[2].split("-")[0]
    page.locator("#main").focus()
    page.keyboard.press("n")
    page.wait_for_url(f"**#L{int(line) + 1}")
    expect(page.locator("#matches")).to_have_text(f"{int(line) + 1} of 250 lines with the query")
    page.keyboard.press("p")
    page.wait_for_url(f"**#L{line}")


def test_stop_words_are_not_marked_in_a_file(browser: Browser, site: Web) -> None:
    """They are those of the server; a query of stop words alone has its own marked."""
    with open_page(browser, site, "?file=docs/guide.md&q=how+the+needle") as page:
        expect(page.locator(".file mark").first).to_have_text("needle")
        assert page.locator(".file mark").all_inner_texts() == ["needle"]
        words = page.evaluate("import('/file.js').then(({ STOP_WORDS }) => [...STOP_WORDS])")
        assert {*words} == HIGHLIGHT_STOP_WORDS
        go(page, site, "?file=docs/guide.md&q=how+the")
        expect(page.locator(".file mark").first).to_have_text("How")


RELATED = {
    "shop/cart.py": "class Cart:\n    def add(self, price):\n        return price\n\n\n"
    "class Basket(Cart):\n    def add(self, price):\n        return 0\n",
    "shop/till.py": "from shop.cart import Cart\n\n\ndef pay():\n    return Cart().add(1)\n",
    "tests/test_till.py": "from shop.cart import Cart\n\n\ndef test_pay():\n"
    "    assert Cart().add(1)\n",
}


def test_click_on_a_name_shows_what_it_is_and_who_refers_to_it(
    browser: Browser, tmp_path: Path
) -> None:
    """Each entry is opened beside the same panel; back and Escape undo it."""
    repo = Repo(tmp_path / "related")
    repo.commit(RELATED)
    index(repo)
    with index_server(repo.path) as site, open_page(browser, site, "?file=shop/till.py") as page:
        page.locator("#L5 .text").get_by_text("Cart", exact=True).click()
        panel = page.get_by_role("complementary", name="Relations")
        expect(panel.get_by_role("heading", name="Cart")).to_be_visible()
        expect(panel.get_by_role("listitem").first).to_have_text("Cart shop/cart.py:1")
        expect(panel).to_contain_text("Implemented or extended by")
        expect(panel).to_contain_text("till.py:5 call in pay")
        expect(panel).to_contain_text("test_till.py:5 call in test_pay")
        assert accessibility_violations(page) == []
        panel.get_by_role("link", name="Basket").click()
        expect(page.locator("#path")).to_have_text("shop/cart.py")
        expect(page.locator("#L6")).to_have_class(re.compile("here"))
        expect(panel.get_by_role("heading", name="Cart")).to_be_visible()
        page.go_back()
        expect(page.locator("#path")).to_have_text("shop/till.py")
        page.keyboard.press("Escape")
        expect(panel).to_have_count(0)
        page.goto(f"{site.base}/?file=shop/cart.py#L7")
        expect(page.locator("#L7")).to_be_visible()
        page.keyboard.press("r")
        expect(panel.get_by_role("heading", name="Basket.add")).to_be_visible()
        page.goto(f"{site.base}/?file=shop/cart.py&relations=shop/cart.py:3:9")
        expect(panel.get_by_role("alert")).to_contain_text("no definition of 'return'")


def test_names_of_a_file_look_clickable(browser: Browser, site: Web) -> None:
    """A name is underlined under the pointer, a keyword is not; a button has the marked lines'."""
    underlined = "() => [...CSS.highlights.get('name') ?? []].map(String).join()"
    with open_page(browser, site, "?file=src/cart.py#L2") as page:
        code = page.locator(".file .code")
        expect(page.locator("#L2 .t-kwd").first).to_be_visible()
        page.locator("#L2").get_by_text("total").hover()
        page.wait_for_function(f"({underlined})() === 'total'")
        expect(page.locator("#L2 .text")).to_have_css("cursor", "pointer")
        page.locator("#L2 .t-kwd").first.hover()
        page.wait_for_function(f"({underlined})() === ''")
        expect(code).not_to_have_class(re.compile("on-name"))
        page.get_by_role("button", name="Relations").click()
        panel = page.get_by_role("complementary", name="Relations")
        expect(panel.get_by_role("heading", name="Cart.total")).to_be_visible()


def test_panel_breaks_no_name_and_cuts_no_line(browser: Browser, tmp_path: Path) -> None:
    """A long path is cut before its last folder."""
    repo = Repo(tmp_path / "wide")
    name, folder = "compute_" + "very_" * 8 + "long_name", "one/two/three/four/five/six"
    line = f"assert {name}(1, 2) or {name}(3, 4)"
    repo.commit(
        {
            "a.py": f"def {name}(a, b):\n    return a\n",
            f"{folder}/b.py": f"from a import {name}\n\n\ndef use():\n    {line}\n",
        }
    )
    index(repo)
    address = "?file=a.py&relations=a.py:1:5#L1"
    with index_server(repo.path) as site, open_page(browser, site, address) as page:
        panel = page.get_by_role("complementary", name="Relations")
        reference = panel.get_by_role("link", name=f"{folder}/b.py:5")
        expect(reference.first).to_be_visible()
        cut = reference.first.locator(".cut")
        assert cut.inner_text() == "one/two/three/four/five/"
        assert cut.evaluate("(one) => one.scrollWidth > one.clientWidth")
        code = panel.locator(".line", has_text="assert").first
        assert code.evaluate("(one) => one.scrollWidth <= one.clientWidth")
        definition = panel.get_by_role("link", name=name, exact=True)
        tops = "(one) => new Set([...one.getClientRects()].map(({ top }) => top)).size"
        assert definition.evaluate(tops) == 1


def test_hit_leads_to_its_relations(browser: Browser, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "related")
    repo.commit({**RELATED, "shop/day.py": "from shop.till import pay\n"})
    index(repo)
    with index_server(repo.path) as site, open_page(browser, site, "?q=symbol:pay") as page:
        page.get_by_role("link", name="Relations of pay").click()
        panel = page.get_by_role("complementary", name="Relations")
        expect(panel).to_contain_text("1 reference, all resolved")
        expect(panel).to_contain_text("Uses")
        expect(panel.get_by_role("link", name="Cart.add")).to_be_visible()


def test_outline_is_filtered_and_lines_are_wrapped(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?file=web/many.js") as page:
        expect(page.locator("#L1")).to_be_visible()
        page.keyboard.press("t")
        page.keyboard.type("MANY24")
        outline = page.get_by_role("navigation", name="Outline")
        expect(outline.get_by_role("listitem")).to_have_count(11)
        page.keyboard.press("Enter")
        expect(page.locator("#L25")).to_be_in_viewport()
        button = page.get_by_role("button", name="Wrap lines")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        assert accessibility_violations(page) == []
        page.reload()
        expect(page.locator("html")).to_have_class(re.compile("wrapped"))


def test_text_and_permalink_of_marked_lines_are_copied(browser: Browser, tmp_path: Path) -> None:
    rights = ["clipboard-read", "clipboard-write"]
    repo = Repo(tmp_path / "linked")
    repo.commit({"a/b c.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n"})
    repo.git("remote", "add", "origin", "git@gitlab.acme.test:team/linked.git")
    index(repo)
    with (
        index_server(repo.path) as site,
        open_page(browser, site, "?file=a/b+c.py#L5-L6", permissions=rights) as page,
    ):
        page.get_by_role("button", name="Copy text").click()
        expect(page.get_by_role("status")).to_have_text("Copied the text")
        assert page.evaluate("navigator.clipboard.readText()") == "def two():\n    return 2\n"
        page.get_by_role("button", name="Copy permalink").click()
        expect(page.get_by_role("status")).to_have_text("Copied the permalink")
        head = repo.git("rev-parse", "HEAD")
        assert page.evaluate("navigator.clipboard.readText()") == (
            f"https://gitlab.acme.test/team/linked/-/blob/{head}/a/b%20c.py#L5-6"
        )
        page.get_by_role("link", name="a", exact=True).click()
        page.wait_for_url("**view=map&below=a")


def test_empty_result_suggests_what_to_try(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?q=needle&path=/docs&language=markdown&node_type=class") as page:
        expect(page.get_by_role("heading", name="No hits")).to_be_visible()
        page.get_by_role("link", name="without type: class").click()
        expect(page.locator(".hit")).to_have_count(1)


def test_invalid_filter_names_the_remedy(browser: Browser, site: Web) -> None:
    """Above the hits while it is typed, and in their place when it is finished."""
    with open_page(browser, site) as page:
        page.goto(f"{site.base}/?q=x")
        expect(page.locator(".hit").first).to_be_visible()
        page.get_by_role("combobox").fill("lang:klingon needle")
        expect(page.locator(".hint")).to_contain_text("no language 'klingon'")
        page.get_by_role("combobox").press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("no language 'klingon'")


@pytest.mark.parametrize(("width", "views"), [(1280, ""), (320, ""), (390, "map")])
def test_axe_core_finds_no_violations(browser: Browser, site: Web, width: int, views: str) -> None:
    """In any view, in both color schemes. At 390 pixels only the map is laid out otherwise than at
    320.
    """
    found: list[tuple[str, str, str]] = []
    for name, page in visit(browser, site, "needle", width, views):
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found += [
                (name, scheme, accessibility_violation)
                for accessibility_violation in accessibility_violations(page)
            ]
    assert found == []


@pytest.mark.parametrize("size", [NARROW, ZOOMED], ids=["phone", "400%"])
def test_page_fits_a_narrow_window(browser: Browser, site: Web, size: dict[str, int]) -> None:
    """Nothing but code scrolls sideways, and the head leaves room in a low window."""
    with open_page(browser, site, viewport=size) as page:
        for address in ("", *VIEWS):
            go(page, site, address)
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            page.evaluate("scrollTo(0, document.body.scrollHeight)")
            bottom = page.evaluate(
                "document.querySelector('header').getBoundingClientRect().bottom"
            )
            assert bottom < size["height"] / 2


def test_names_of_links_and_buttons_are_unique(browser: Browser, site: Web) -> None:
    """Those with the same name lead to the same address."""
    for address in ("?q=needle", "?file=src/cart.py", "?view=map"):
        with open_page(browser, site, address) as page:
            expect(page.locator("main :is(h1, h2)").first).to_be_attached()
            page.wait_for_load_state("networkidle")
            names = page.locator("main :is(a, button):not([tabindex='-1'])").evaluate_all(
                """(all) => all.map((one) => [
                  (one.getAttribute('aria-label') ?? one.textContent).trim(),
                  one.href ?? one.id])"""
            )
            targets: dict[str, set[str]] = {}
            for name, target in names:
                targets.setdefault(name, set()).add(target)
            assert {name for name, some in targets.items() if len(some) > 1} == set()
            assert "" not in targets


def test_help_lists_every_key(page: Page) -> None:
    keys = page.evaluate("import('/shortcuts.js').then(({ ACTIONS }) => Object.keys(ACTIONS))")
    page.keyboard.press("?")
    listed = page.get_by_role("table", name="Keys").locator("kbd").all_inner_texts()
    assert {key.replace("Escape", "Esc") for key in keys} <= {*listed}


def test_print_shows_code_in_full(browser: Browser, site: Web) -> None:
    """Without the head, the outline and the buttons."""
    with open_page(browser, site, "?file=web/many.js") as page:
        expect(page.locator("#L1")).to_be_visible()
        page.emulate_media(media="print")
        for chrome in ("header", ".side", "main button", "body > footer"):
            expect(page.locator(chrome).first).to_be_hidden()
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator("#L250")).to_be_visible()
        style = "(one) => [getComputedStyle(one).overflowX, getComputedStyle(one).whiteSpace]"
        assert page.locator(".file .code").evaluate(style)[0] == "visible"
        assert page.locator("#L1 .text").evaluate(style)[1] == "pre-wrap"


def test_marked_lines_are_visible_in_forced_colours(browser: Browser, site: Web) -> None:
    """Where backgrounds are those of the system."""
    with open_page(browser, site, "?file=src/cart.py#L2", forced_colors="active") as page:
        expect(page.locator("#L2")).to_have_css("outline-style", "solid")
        expect(page.locator("#L1")).to_have_css("outline-style", "none")


def test_borders_of_fields_have_contrast(browser: Browser, site: Web) -> None:
    """3:1 to what is inside and outside (WCAG 1.4.11)."""
    for scheme in ("light", "dark"):
        with open_page(browser, site, color_scheme=scheme) as page:
            colours = page.locator("#q").evaluate(
                """(one) => [getComputedStyle(one).borderTopColor,
                  getComputedStyle(one).backgroundColor,
                  getComputedStyle(one.closest('header')).backgroundColor]"""
            )
            border, *others = (luminance(colour) for colour in colours)
            for other in others:
                assert (max(border, other) + 0.05) / (min(border, other) + 0.05) >= 3


def luminance(colour: str) -> float:
    """The relative luminance of `rgb(…)` by WCAG."""
    parts = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def test_counts_are_announced_once(page: Page) -> None:
    """Although each key has an answer, and one by meaning follows."""
    page.evaluate(
        """() => {
          globalThis.said = [];
          const line = document.getElementById('said');
          new MutationObserver(() => globalThis.said.push(line.textContent))
            .observe(line, { childList: true, characterData: true, subtree: true });
        }"""
    )
    page.get_by_role("combobox").press_sequentially("needle", delay=30)
    page.wait_for_url("**/?q=needle")
    expect(page.get_by_role("status")).to_have_text("5 hits")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(600)
    assert page.evaluate("globalThis.said") == ["5 hits"]


def test_hits_with_the_name_are_counted_apart(page: Page, site: Web) -> None:
    """`test_total` only contains the name."""
    go(page, site, "?q=total")
    expect(page.locator(".summary")).to_contain_text("1 with the name, 1 similar")


def test_dark_colour_scheme(browser: Browser, site: Web) -> None:
    shades = []
    for scheme in ("light", "dark"):
        with open_page(browser, site, color_scheme=scheme) as page:
            background = page.evaluate("getComputedStyle(document.body).backgroundColor")
            shades.append(sum(map(int, re.findall(r"\d+", background))))
    assert shades[0] > 700
    assert shades[1] < 100


def test_page_without_scripts(browser: Browser, site: Web) -> None:
    """After the token form, a search form shows a first page of hits."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.base}/?q=needle")
    page.get_by_label("The token that").fill(TOKEN)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".hit")).to_have_count(5)
    expect(page.locator(".hits")).to_contain_text("</script><script>document.title")
    page.get_by_role("searchbox").fill("symbol:Cart")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hit")).to_have_count(1)
    context.close()


def test_wrong_token_is_reported_and_can_be_entered_again(browser: Browser, site: Web) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site.base}/?q=needle#token=a-wrong-token-of-somebody")
    expect(page.get_by_role("heading", name="Enter the token")).to_be_visible()
    assert accessibility_violations(page) == []
    for token, says in (("wrong", "The token is wrong."), (TOKEN, None)):
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Continue").click()
        if says:
            expect(page.get_by_role("alert")).to_have_text(says)
    expect(page.locator(".hit")).to_have_count(5)
    context.close()


def test_page_of_another_port_cannot_read_responses(browser: Browser, site: Web) -> None:
    """Even if the server set a cookie, since ports are the same site."""
    with open_page(browser, site) as ours:
        page = ours.context.new_page()
        other = f"http://127.0.0.1:{site.address.port + 1}/"
        page.route(other, lambda route: route.fulfill(body="<p>other", content_type="text/html"))
        page.goto(other)
        for mode in ("cors", "no-cors"):
            said = page.evaluate(
                """([url, mode]) => fetch(url, {mode, credentials: 'include'})
                .then((answer) => answer.text(), () => 'refused')""",
                [f"{site.base}/api/search?q=needle", mode],
            )
            assert said == "refused"


def test_page_waits_for_the_index(browser: Browser, repo: Repo) -> None:
    """It shows the reason and reloads without a click."""
    repo.commit({"a.py": "def needle(): pass\n"})
    (repo.path / ".feeder").mkdir()
    context = browser.new_context()
    with index_server(repo.path) as site:
        page = context.new_page()
        page.goto(f"{site.base}/?q=needle#token={TOKEN}")
        expect(page.get_by_role("alert")).to_contain_text("feeder sync")
        database = SQLite(repo.path / ".feeder/index.db")
        migrate(database)
        expect(page.get_by_role("heading", name="No hits")).to_be_visible()
        database.close()
        index(repo)
        expect(page.locator(".hit")).to_have_count(1)
    context.close()


def test_first_indexing_is_shown_with_its_progress(browser: Browser, site: Web) -> None:
    """And the view when it ends: the page asks until the server says so."""
    first = {"running": True, "has_index": False, "step": "", "done": 0, "total": 0, "nodes": 0}
    later = {**first, "has_index": True, "step": "words", "done": 200, "total": 800, "nodes": 3000}
    answers = [{**first, "seconds_left": None}, {**later, "seconds_left": 12.2}]

    def answer(route: Route) -> None:
        if answers:
            route.fulfill(json=answers[0])
        else:
            route.continue_()

    context = browser.new_context()
    page = context.new_page()
    page.route("**/api/progress", answer)
    page.goto(f"{site.base}/?q=needle#token={TOKEN}")
    expect(page.get_by_role("heading", name="This repository is being indexed")).to_be_visible()
    answers.pop(0)
    expect(page.locator("#indexing")).to_contain_text("200 of 800 files, 3,000 nodes, about 12 s")
    expect(page.get_by_role("progressbar", name="Indexing")).to_have_attribute("value", "200")
    expect(page.locator(".hit")).to_have_count(5)
    assert accessibility_violations(page) == []
    page.get_by_role("combobox").fill("nowhere")
    expect(page.get_by_role("heading", name="No hits yet")).to_be_visible()
    answers.pop(0)
    with page.expect_request("**/api/status"):  # the commit and the examples are known only now
        expect(page.locator("#indexing")).to_be_hidden()
    expect(page.get_by_role("heading", name="No hits", exact=True)).to_be_visible()
    context.close()


def test_view_names_repository_branch_and_commit(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?q=needle") as page:
        expect(page.locator("#indexed")).to_have_text(re.compile("^shop main at [0-9a-f]{7}$"))


def test_stopped_server_is_reported(browser: Browser, site: Web) -> None:
    """With the remedy, in place of the hits of another query.

    The browser says what it says of a port where nothing listens: a stopped server's port may
    belong to another server a moment later.
    """
    with open_page(browser, site, "?q=needle") as page:
        expect(page.locator(".hit")).to_have_count(5)
        page.route("**/*", lambda route: route.abort("connectionrefused"))
        page.get_by_role("combobox").fill("needle gone")
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
        expect(page.get_by_role("alert")).to_contain_text("feeder serve")
        expect(page.locator(".hit")).to_have_count(0)


def test_foreign_host_name_gets_nothing(browser: Browser, site: Web) -> None:
    """As in a DNS rebinding attack."""
    context = browser.new_context()
    page = context.new_page()
    answer = page.goto(f"http://evil.example:{site.address.port}/")
    assert answer
    assert answer.status == 421
    assert "is not an address of this server" in page.content()
    context.close()
