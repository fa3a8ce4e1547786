"""All views of the page, each as a reader reaches it, for axe-core and for pictures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple
from urllib.parse import quote

from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from web.browser_client import open_page
from web.http_client import TOKEN, Web

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = (1280, 390, 320)
HEIGHT = 844
FIRST = {"running": True, "has_index": False, "step": "", "done": 0, "total": 0, "nodes": 0}
LATER = {"has_index": True, "step": "words", "done": 200, "total": 800, "nodes": 3000}
PROGRESS = {
    "first start": {**FIRST, "seconds_left": None},
    "indexing": {**FIRST, **LATER, "seconds_left": 12.2},
}
"""Answers of `/api/progress` while a first index is made, before and after its first files."""


class Subject(NamedTuple):
    """What the views show: a query with hits, of which one is a symbol, and a markdown file."""

    query: str
    path: str
    line: int
    node_id: str
    markdown: str


def subject(site: Web, query: str) -> Subject:
    """The subject of a query in a server's index."""
    hits = site.client.get("/api/search", params={"q": query, "limit": 50}).json()["hits"]
    hit = next(hit for hit in hits if "symbol" in hit)
    files = site.client.get("/api/map").json()["files"]
    markdown = next(file["path"] for file in files if file.get("language") == "markdown")
    return Subject(query, hit["path"], hit["start_line"], hit["id"], markdown)


def _type(page: Page, text: str) -> None:
    field = page.get_by_role("combobox")
    field.press("End")
    field.press_sequentially(text)


def _compare(page: Page) -> None:
    page.get_by_role("button", name="Compare").first.click()


def _relations(page: Page) -> None:
    page.keyboard.press("r")
    expect(page.locator(".relations h2")).to_be_visible()


def _tree(page: Page) -> None:
    if not page.locator(".tree").count():
        page.locator(".files summary").click()
    expect(page.get_by_role("treeitem").first).to_be_visible()


def _check(page: Page) -> None:
    page.get_by_role("button", name="Run the checks").click()
    expect(page.get_by_role("progressbar", name="Checks")).to_have_count(0)
    expect(page.locator(".verdict")).to_be_visible()


def _completions(page: Page) -> None:
    _type(page, " lang:")
    expect(page.get_by_role("option").first).to_be_visible()


def _unfinished(page: Page) -> None:
    _type(page, " lang:klin")
    expect(page.locator(".hint")).to_be_visible()


def _help(page: Page) -> None:
    page.locator("#main").focus()
    page.keyboard.press("?")


def views(one: Subject) -> Iterator[tuple[str, str, Callable[[Page], None] | None]]:
    """The name and address of each view, and what to do there."""
    query, path = quote(one.query), quote(one.path)
    place = f"?file={path}&q={query}#L{one.line}"
    yield "start", "", None
    yield "help", "", _help
    yield "hits", f"?q={query}", None
    yield "completions", f"?q={query}", _completions
    yield "unfinished filter", f"?q={query}", _unfinished
    yield "facet chosen", f"?q={query}&tests=no", None
    yield "no hits", "?q=%22qqqzzz%22&language=markdown", None
    yield "error", "?q=lang:klingon", None
    yield "similar", f"?similar={one.node_id}", _compare
    yield "file", place, None
    yield "file with relations", place, _relations
    yield "file with tree", place, _tree
    yield "markdown", f"?file={quote(one.markdown)}", None
    for by in ("language", "state", "changed", "references"):
        yield f"map by {by}", f"?view=map&by={by}", None
    yield "status", "?view=proof", None
    yield "status with checks", "?view=proof", _check


@contextmanager
def _waiting(browser: Browser, site: Web, name: str, size: ViewportSize) -> Iterator[Page]:
    context = browser.new_context(viewport=size)
    page = context.new_page()
    if name in PROGRESS:
        page.route("**/api/progress", lambda route: _answer(route, PROGRESS[name]))
    token = "wrong" if name == "token form" else TOKEN
    page.goto(f"{site.base}/?q=x#token={token}")
    yield page
    context.close()


def _answer(route: Route, answer: object) -> None:
    route.fulfill(json=answer)


def visit(
    browser: Browser, site: Web, query: str, width: int, prefix: str = ""
) -> Iterator[tuple[str, Page]]:
    """Yields the name of each view with the page that shows it, in a window of a width.

    Only of views whose names begin with `prefix`.
    """
    size = ViewportSize(width=width, height=HEIGHT)
    for name in ("token form", *PROGRESS):
        if not name.startswith(prefix):
            continue
        with _waiting(browser, site, name, size) as page:
            settle(page)
            expect(page.get_by_label("Token", exact=True)).to_have_count(int(name == "token form"))
            yield name, page
    with open_page(browser, site, viewport=size) as page:
        for name, address, act in views(subject(site, query)):
            if not name.startswith(prefix):
                continue
            page.goto("about:blank")  # an address that differs in its fragment alone is not loaded
            page.goto(f"{site.base}/{address}")
            settle(page)
            if act:
                act(page)
            yield name, page


def settle(page: Page) -> None:
    """Waits until a view is drawn."""
    expect(page.locator("main :is(h1, h2)").first).to_be_attached()
    expect(page.locator("main[aria-busy], main > .empty[role=status]")).to_have_count(0)
    expect(page.locator(".map > .canvas")).to_have_count(int("view=map" in page.url))
