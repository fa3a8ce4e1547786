"""The page by keyboard alone, in a real browser: where the focus is, and names in a file."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from web.browser_client import NARROW, open_page
from web.http_client import Web

COMMENT = "".join(f" * The parcel on line {line}.\n" for line in range(2, 12))
FILES = {
    "a/cart.py": "class Cart:\n    def add(self, price):\n        return price\n",
    "a/till.py": "from a.cart import Cart\n\n\ndef pay():\n    cart = Cart()\n    cart.add(1)\n",
    "b/Parcel.java": f"/**\n{COMMENT} */\npublic class Parcel {{\n"
    "  int weigh(int gram) {\n    return gram;\n  }\n}\n",
    f"{'deep/' * 12}box.py": "def box():\n    return 1\n",
    "b/long.py": "".join(f"def step{at}():\n    return {at}\n\n\n" for at in range(60)),
}


def focused(page: Page) -> str:
    """The label or the text of the element that has the focus."""
    script = "(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()"
    name: str = page.evaluate(script)
    return name


def test_escape_returns_to_the_hit_that_was_opened(browser: Browser, site: Web) -> None:
    """Over all steps between files, and never to another page."""
    with open_page(browser, site, "?q=return+lang:python") as page:
        expect(page.locator(".hit").nth(1)).to_be_visible()
        page.keyboard.press("j")
        page.keyboard.press("j")
        hit = focused(page)
        page.keyboard.press("Enter")
        expect(page.locator(".file .code")).to_be_focused()
        assert page.locator(".file mark").count() > 0
        page.reload()
        assert page.locator(".file mark").first.inner_text() == "return"
        page.locator(".outline a").first.press("Enter")
        page.keyboard.press("r")
        expect(page.get_by_role("complementary", name="Relations")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".file .code")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".hit a.opens").nth(1)).to_be_focused()
        assert focused(page) == hit
        page.goto(f"{site.base}/?file=a/cart.py")
        expect(page.locator("#L1")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#path")).to_have_text("a/cart.py")


def test_focus_stays_on_what_was_pressed(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?q=return") as page:
        facet = page.locator(".facets a[href*=path]").first
        facet.press("Enter")
        page.wait_for_url("**path=*")
        expect(page.locator(".facets .chosen a")).to_be_focused()
        page.goto(f"{site.base}/?view=map")
        page.get_by_role("link", name="What is indexed").press("Enter")
        page.wait_for_url("**by=state")
        expect(page.get_by_role("link", name="What is indexed")).to_be_focused()


def test_words_of_comments_are_no_names(browser: Browser, site: Web) -> None:
    """`w` goes from the start of a file to the code below its comment, `b` stays there."""
    with open_page(browser, site, "?file=b/Parcel.java") as page:
        expect(page.locator(".t-cmnt").first).to_be_visible()
        selected = []
        for key in "wwb":
            page.keyboard.press(key)
            selected.append(page.evaluate("getSelection().toString()"))
        assert selected == ["public", "class", "public"]


def test_entries_of_the_panel_are_opened_one_by_one(browser: Browser, site: Web) -> None:
    """Names are chosen with `w` and `b`; in another file, the same entry has the focus."""
    with open_page(browser, site, "?file=a/till.py#L6") as page:
        expect(page.locator("#L6")).to_be_visible()
        for key in "wwwbw":
            page.keyboard.press(key)
        assert page.evaluate("getSelection().toString()") == "add"
        page.keyboard.press("b")
        page.keyboard.press("b")
        assert page.evaluate("getSelection().toString()") == "Cart"
        page.keyboard.press("Enter")
        panel = page.get_by_role("complementary", name="Relations")
        expect(panel.get_by_role("heading", name="Cart")).to_be_visible()
        definition = panel.get_by_role("link", name="Cart", exact=True)
        definition.press("Enter")
        expect(page.locator("#path")).to_have_text("a/cart.py")
        expect(definition).to_be_focused()


@pytest.mark.parametrize("size", [NARROW, {"width": 768, "height": 1024}])
def test_panel_is_in_view_in_a_narrow_window(
    browser: Browser, site: Web, size: dict[str, int]
) -> None:
    with open_page(browser, site, "?file=b/long.py#L150", viewport=size) as page:
        page.locator("#L149 .text").get_by_text("step37", exact=True).click()
        panel = page.get_by_role("complementary", name="Relations")
        expect(panel.get_by_role("heading", name="step37")).to_be_in_viewport(ratio=1)
        expect(page.locator("#L150")).to_be_in_viewport(ratio=0.9)
        assert panel.bounding_box()["height"] < size["height"] / 2  # type: ignore[index]


def test_long_path_fits_a_narrow_window(browser: Browser, site: Web) -> None:
    [box] = site.client.get("/api/search", params={"q": "symbol:box"}).json()["hits"]
    with open_page(browser, site, f"?similar={box['id']}", viewport=NARROW) as page:
        expect(page.locator(".summary")).to_contain_text("similar to box")
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_lines_that_a_file_does_not_have_are_ignored(browser: Browser, site: Web) -> None:
    """The address of another site's link may name any."""
    with open_page(browser, site, "?file=a/cart.py#L2-L99999999999999") as page:
        expect(page.locator(".row.here")).to_have_count(2)


def test_view_starts_at_its_top(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?file=b/long.py#L200") as page:
        expect(page.locator("#L200")).to_be_in_viewport()
        page.get_by_role("link", name="Map", exact=True).click()
        expect(page.get_by_role("list", name="Colours")).to_be_attached()
        page.wait_for_function("scrollY === 0")


def test_declaration_is_in_the_snippet_of_a_class(browser: Browser, site: Web) -> None:
    """Also where a long comment stands above it; once where it is in the lines already."""
    with open_page(browser, site, "?q=parcel+type:class") as page:
        expect(page.locator(".hit .code")).to_contain_text("* The parcel on line 3.")
        expect(page.locator(".hit .code")).to_contain_text("public class Parcel")
        page.goto(f"{site.base}/?q=symbol:Parcel.weigh")
        expect(page.locator(".hit .code")).to_have_text(re.compile(r"^\d+ *int weigh[^…]*$"))
