"""The file view in a real browser: tree of files, rendered markdown, last change; differences."""

import json
import re
from collections.abc import Iterator
from datetime import date

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from web.browser_client import accessibility_violations, open_page
from web.http_client import Web

GUIDE = """\
# Guide to *carts*

Read [the code](../src/cart.py), [the web](https://example.test/a?b=1) or
[this](javascript:alert(1)).
A **bold** word, `code <b>`, ~~old~~ and ![a picture](https://evil.test/x.png).

<script>document.title = 'owned'</script><img src=x onerror="document.title='owned'">

- one
- two
  - inner
1. first

> quoted

| name | size |
|------|-----:|
| a    | 1    |

```py
x = '<i>'
```
<!-- hidden -->
"""
TOTAL = "def total(prices):\n    sum_ = 0\n    for price in prices:\n        sum_ += price\n"
FILES = {
    "docs/guide.md": GUIDE,
    "src/cart.py": TOTAL + "    return sum_\n",
    "src/basket.py": TOTAL + "    return round(sum_)\n",
    "src/deep/inner.py": "def inner():\n    return 1\n",
}


@pytest.fixture
def page(browser: Browser, site: Web) -> Iterator[Page]:
    with open_page(browser, site, "?file=docs/guide.md") as one:
        expect(one.locator("#L1")).to_be_visible()
        yield one


def test_markdown_is_rendered_beside_its_source(page: Page) -> None:
    """Without HTML, images and links that run; relative links open files here."""
    text = page.locator(".markdown")
    expect(text.get_by_role("heading", name="Guide to carts")).to_be_visible()
    expect(text.locator("strong")).to_have_text("bold")
    expect(text.locator("p code")).to_have_text("code <b>")
    expect(text.locator("pre")).to_have_text("x = '<i>'")
    expect(text.locator("ul ul li")).to_have_text("inner")
    expect(text.locator("ol li")).to_have_text("first")
    expect(text.locator("blockquote")).to_have_text("quoted")
    expect(text.get_by_role("cell")).to_have_text(["a", "1"])
    expect(text).to_contain_text("[image: a picture]")
    expect(text).to_contain_text("<script>document.title")
    expect(text).not_to_contain_text("hidden")
    assert text.locator("script, img, iframe, [onerror]").count() == 0
    links = text.get_by_role("link").evaluate_all("(all) => all.map((one) => one.href)")
    assert [re.sub(r"^http://127.0.0.1:\d+", "", link) for link in links] == [
        "/?file=src%2Fcart.py",
        "https://example.test/a?b=1",
    ]
    assert accessibility_violations(page) == []
    page.get_by_role("button", name="Source only").click()
    expect(text).to_be_hidden()
    expect(page.locator("#L1")).to_be_visible()
    page.get_by_role("button", name="Source only").click()
    text.get_by_role("link", name="the code").click()
    expect(page.locator("#path")).to_have_text("src/cart.py")
    expect(page.locator(".markdown")).to_have_count(0)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a_b_c __x__", "<p>a_b_c <strong>x</strong></p>"),
        ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
        ("[a](//evil.test)", "<p><span>a</span></p>"),
        ("[a](data:text/html,x)", "<p><span>a</span></p>"),
        (
            "<https://a.test/>",
            '<p><a href="https://a.test/" rel="noreferrer">https://a.test/</a></p>',
        ),
        ("Title\n=====\ntext", "<h2>Title</h2><p>text</p>"),
        ("- a\n\n  b\n- c", "<ul><li>a<p>b</p></li><li>c</li></ul>"),
        ("```\n# no\n", '<pre tabindex="0"><code># no\n</code></pre>'),
        ("***", "<hr>"),
        ("[![x](a)](b.md)", '<p><a href="?file=a%2Fb.md"><em>[image: x]</em></a></p>'),
        (
            "[a][B] [b] [c]\n\n[b]: c.md",
            "<p>LINKa</a> LINKb</a> [c]</p>".replace("LINK", '<a href="?file=a%2Fc.md">'),
        ),
        ("[a]\n\n[a]: javascript:x", "<p><span>a</span></p>"),
    ],
)
def test_markdown_becomes_elements(page: Page, text: str, html: str) -> None:
    rendered = page.evaluate(
        """async (text) => {
          const { rendered } = await import('/markdown.js');
          return rendered(text.split('\\n'), 'a/b.md').innerHTML;
        }""",
        text,
    )
    assert rendered == html


def test_long_or_hostile_markdown_is_rendered_soon(page: Page) -> None:
    """No pattern takes exponential time."""
    for text in ("*" * 3000, "[" * 2000, "`" * 3000, "| " * 3000 + "\n" + "|-" * 3000, "> " * 500):
        took_ms = page.evaluate(
            """async (text) => {
              const { rendered } = await import('/markdown.js');
              const began = performance.now();
              rendered(text.split('\\n'), 'a.md');
              return performance.now() - began;
            }""",
            text,
        )
        assert took_ms < 3_000


def test_last_change_of_a_file_is_shown(page: Page) -> None:
    expect(page.locator("#changed")).to_have_text(
        re.compile(rf"changed .*\b{date.today().year} by .+ in [0-9a-f]{{7}}$")
    )


def test_tree_of_files_opens_at_the_file(page: Page) -> None:
    """It is moved through with the arrow keys, and stays open for the next file."""
    tree = page.get_by_role("tree", name="Files")
    page.locator("summary", has_text="Files").click()
    expect(tree.get_by_role("treeitem")).to_have_text(["▾ docs", "guide.md", "▸ src"])
    expect(tree.get_by_role("treeitem", selected=True)).to_have_text("guide.md")
    tree.focus()
    for folder in ("src", "deep"):
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        expect(tree.get_by_role("treeitem", name=f"▾ {folder}")).to_be_visible()
    expect(tree.get_by_role("treeitem")).to_have_text(
        ["▾ docs", "guide.md", "▾ src", "▾ deep", "inner.py", "basket.py", "cart.py"]
    )
    assert accessibility_violations(page) == []
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator("#path")).to_have_text("src/cart.py")
    expect(tree.get_by_role("treeitem", selected=True)).to_have_text("cart.py")


def test_tree_draws_only_rows_in_view(browser: Browser, site: Web) -> None:
    """Of 100,000 files."""
    names = [f"file{at:06}.py" for at in range(100_000)]

    def answer(route: Route) -> None:
        folders = [] if "path=" in route.request.url else ["src"]
        route.fulfill(body=json.dumps({"folders": folders, "files": [] if folders else names}))

    with open_page(browser, site) as page:
        page.route("**/api/files*", answer)
        page.goto(f"{site.base}/?file=src/cart.py")
        page.locator("summary", has_text="Files").click()
        tree = page.get_by_role("tree", name="Files")
        expect(tree.get_by_role("treeitem", name="file000003.py")).to_be_attached()
        assert tree.get_by_role("treeitem").count() < 80
        tree.focus()
        page.keyboard.press("End")
        last = tree.get_by_role("treeitem", name="file099999.py")
        expect(last).to_be_in_viewport()
        expect(last).to_have_attribute("aria-setsize", "100000")
        assert tree.get_by_role("treeitem").count() < 80


def test_similar_nodes_are_compared_line_by_line(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?q=symbol:total+path:cart.py") as page:
        page.route("**/api/similar?*", similar_to_itself)
        page.get_by_role("link", name="Similar to cart.py:1").click()
        button = page.get_by_role("button", name="Compare with basket.py:1")
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(page.locator(".diff .removed .text")).to_have_text(["    return sum_"])
        expect(page.locator(".diff .added .text")).to_have_text(["    return round(sum_)"])
        expect(page.locator(".diff .row")).to_have_count(6)
        assert accessibility_violations(page) == []
        button.click()
        expect(page.locator(".diff")).to_have_count(0)


def similar_to_itself(route: Route) -> None:
    """Without vectors nothing is similar: answers with the hits of a search."""
    address = route.request.url.partition("/api/")[0] + "/api/search?q=symbol:total+path:basket.py"
    route.fulfill(response=route.fetch(url=address))
