"""Solves ten tasks of a reader of OkHttp with the page alone, by real keys and clicks in Chromium.

    python bench/page_tasks.py FOLDER

FOLDER is a clone of OkHttp with an index with static vectors. Each task prints its keys and clicks
and the seconds until the answer was shown, at 90 ms a key and without time to read.
"""

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from playwright.sync_api import Locator, Page, expect

from web.browser_client import chromium, index_server, open_page

PAUSE_MS = 90
CLIPBOARD = "navigator.clipboard.readText()"


class Reader:
    """A page whose keys and clicks are counted; each completion, Enter or shortcut is one key."""

    def __init__(self, page: Page) -> None:
        self.page, self.keys, self.clicks = page, 0, 0

    def type(self, text: str) -> None:
        """Types a text into what has the focus."""
        self.page.keyboard.type(text, delay=PAUSE_MS)
        self.keys += len(text)

    def press(self, *keys: str) -> None:
        """Presses keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(PAUSE_MS)
        self.keys += len(keys)

    def click(self, element: Locator) -> None:
        """Clicks on an element."""
        element.click()
        self.clicks += 1

    def search(self, query: str) -> None:
        """Goes to the search field, types a query and finishes it."""
        self.press("/")
        self.type(query)
        self.press("Enter")

    def choose(self, text: str, completion: str) -> None:
        """Types a text and chooses the first completion, which must begin with `completion`."""
        self.press("/")
        self.type(text)
        option = self.page.get_by_role("option").first
        expect(option).to_have_text(re.compile(f"^{re.escape(completion)}"))
        self.press("ArrowDown", "Enter")
        expect(self.page.locator(".file .code")).to_be_focused()


def panel(one: Reader) -> Locator:
    """The panel of relations."""
    return one.page.get_by_role("complementary", name="Relations")


def callers(one: Reader) -> None:
    """Shows the references of a method."""
    one.choose("connectionpool.evictAll", "okhttp3.ConnectionPool.evictAll")
    one.press("r")
    expect(panel(one)).to_contain_text("In tests")


def implementations(one: Reader) -> None:
    """Shows the implementations of an interface."""
    one.choose("Interceptor", "okhttp3.Interceptor")
    one.press("r")
    expect(panel(one)).to_contain_text("CacheInterceptor")


def uses(one: Reader) -> None:
    """Shows what a method uses."""
    one.choose("RealCall.execute", "okhttp3.internal.connection.RealCall.execute")
    one.press("r")
    expect(panel(one).get_by_role("heading", name="Uses")).to_be_visible()


def permalink(one: Reader) -> None:
    """Copies the permalink of a method's lines."""
    one.choose("connectionpool.evictAll", "okhttp3.ConnectionPool.evictAll")
    one.click(one.page.get_by_role("button", name="Copy permalink"))
    expect(one.page.get_by_role("status")).to_have_text("Copied the permalink")
    assert re.fullmatch(
        r"https://github.com/.+/ConnectionPool\.kt#L\d+-L\d+", one.page.evaluate(CLIPBOARD)
    )


def configuration(one: Reader) -> None:
    """Finds a setting of the build."""
    one.search("kotlin version category:config")
    expect(one.page.locator(".hit a.opens", has_text="libs.versions.toml").first).to_be_visible()


def last_change(one: Reader) -> None:
    """Sorts a folder by the last change."""
    one.click(one.page.get_by_role("link", name="Map", exact=True))
    one.click(one.page.get_by_role("link", name="okhttp-tls/"))
    one.click(one.page.get_by_role("link", name="Last change"))
    one.click(one.page.get_by_role("button", name="Last change"))
    expect(one.page.locator("tbody tr").first).to_contain_text("20")


def tests_of(one: Reader) -> None:
    """Narrows hits to tests."""
    one.search("connection pool")
    one.click(one.page.get_by_role("link", name="tests only"))
    expect(one.page.locator(".hit a.opens", has_text="Test").first).to_be_visible()


def by_meaning(one: Reader) -> None:
    """Searches in words that the code does not have."""
    one.search("abort a call that takes too long")
    expect(one.page.locator(".hit", has_text=re.compile("timeout", re.I)).first).to_be_visible()


def symbol_in_file(one: Reader) -> None:
    """Opens a file by its name, and a symbol in it."""
    one.choose("HttpUrl.kt", "okhttp/src/commonJvmAndroid/kotlin/okhttp3/HttpUrl.kt")
    expect(one.page.locator("#path")).to_have_text(re.compile("HttpUrl.kt$"))
    one.press("t")
    one.type("redact")
    one.press("Enter")
    expect(one.page.locator(".row.here").first).to_be_in_viewport()


def message(one: Reader) -> None:
    """Searches for an exact text."""
    one.search('"Unexpected status line" tests:no')
    expect(one.page.locator(".hit mark").first).to_have_text("Unexpected status line")


TASKS: dict[str, Callable[[Reader], None]] = {
    "Who calls `ConnectionPool.evictAll`?": callers,
    "Which classes implement `Interceptor`?": implementations,
    "What does `RealCall.execute` call?": uses,
    "Copy a permalink to the lines of `ConnectionPool.evictAll`.": permalink,
    "Where is the version of Kotlin configured?": configuration,
    "Which file in `okhttp-tls` changed last?": last_change,
    "Which tests are about pooled connections?": tests_of,
    "Where does it give up on a slow server? The code has other words.": by_meaning,
    "Where is `redact` in `HttpUrl.kt`?": symbol_in_file,
    'Where does the message "Unexpected status line" come from?': message,
}
"""The tasks by their titles."""


def main(folder: Path) -> None:
    """Prints each task with its keys, clicks and seconds."""
    rights = ["clipboard-read", "clipboard-write"]
    with index_server(folder, "static") as site, chromium() as browser:
        expect.set_options(timeout=10_000)
        for title, task in TASKS.items():
            with open_page(browser, site, permissions=rights) as page:
                page.locator("#main").focus()
                one, began_s = Reader(page), time.perf_counter()
                try:
                    task(one)
                    result = "solved"
                except AssertionError as exc:
                    result = f"not solved: {str(exc).splitlines()[0]}"
                seconds = time.perf_counter() - began_s
            keys = f"{one.keys} keys, {one.clicks} clicks, {seconds:.1f} s"
            print(f"{title}  {keys}, {result}")


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
