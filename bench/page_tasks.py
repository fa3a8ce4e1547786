"""Solves ten tasks of a reader with the page alone, by real keys and clicks in Chromium.

    python bench/page_tasks.py okhttp|detekt FOLDER

FOLDER is a clone of that repository with an index with static vectors. Each task prints its keys
and clicks and the seconds until the answer was shown, at 90 ms a key and without time to read.
"""

import re
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from playwright.sync_api import Locator, Page, expect

from web.browser_client import chromium, index_server, open_page

PAUSE_MS = 90
CLIPBOARD = "navigator.clipboard.readText()"
TEST = re.compile("Test|Spec|test")


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
        """Types a text and chooses the first completion, which must contain `completion`."""
        self.press("/")
        self.type(text)
        option = self.page.get_by_role("option").first
        expect(option).to_have_text(re.compile(re.escape(completion)))
        self.press("ArrowDown", "Enter")
        expect(self.page.locator(".file .code")).to_be_focused()


def panel(one: Reader) -> Locator:
    """The panel of relations."""
    return one.page.get_by_role("complementary", name="Relations")


Task = Callable[[Reader], None]


def relations(typed: str, symbol: str, shown: str) -> Task:
    """Chooses a symbol and shows its relations, among which `shown` has to be."""

    def task(one: Reader) -> None:
        one.choose(typed, symbol)
        one.press("r")
        expect(panel(one)).to_contain_text(shown)

    return task


def permalink(typed: str, symbol: str, file: str) -> Task:
    """Copies the permalink of a symbol's lines in a file."""

    def task(one: Reader) -> None:
        one.choose(typed, symbol)
        one.click(one.page.get_by_role("button", name="Copy permalink"))
        expect(one.page.get_by_role("status")).to_have_text("Copied the permalink")
        copied = one.page.evaluate(CLIPBOARD)
        assert re.fullmatch(rf"https://github.com/.+/{re.escape(file)}#L\d+-L\d+", copied)

    return task


def finds(query: str, hit: str) -> Task:
    """Searches, and finds a hit whose file or symbol matches a regular expression in any case."""

    def task(one: Reader) -> None:
        one.search(query)
        expect(
            one.page.locator(".hit h2", has_text=re.compile(hit, re.IGNORECASE)).first
        ).to_be_visible()

    return task


def marks(query: str, text: str) -> Task:
    """Searches for an exact text, and finds it marked."""

    def task(one: Reader) -> None:
        one.search(query)
        expect(one.page.locator(".hit mark").get_by_text(text, exact=True).first).to_be_visible()

    return task


def last_change(folder: str) -> Task:
    """Sorts a folder of the map by the last change."""

    def task(one: Reader) -> None:
        one.click(one.page.get_by_role("link", name="Map", exact=True))
        one.click(one.page.get_by_role("link", name=f"{folder}/", exact=True))
        one.click(one.page.get_by_role("link", name="Last change"))
        one.click(one.page.get_by_role("button", name="Last change"))
        assert_newest_first(one.page.locator("tbody td:first-of-type").all_inner_texts())

    return task


def assert_newest_first(days: list[str]) -> None:
    """Fails unless a column of the map is of days, such as "July 4, 2026 or earlier", in order."""
    dates = [datetime.strptime(day.removesuffix(" or earlier"), "%B %d, %Y") for day in days]
    assert len(dates) > 1
    assert dates == sorted(dates, reverse=True)


def tests_of(query: str) -> Task:
    """Narrows hits to tests."""

    def task(one: Reader) -> None:
        one.search(query)
        one.click(one.page.get_by_role("link", name="tests only"))
        expect(one.page.locator(".hit a.opens", has_text=TEST).first).to_be_visible()

    return task


def symbol_in_file(typed: str, file: str, symbol: str) -> Task:
    """Opens a file by its name, and a symbol in it."""

    def task(one: Reader) -> None:
        one.choose(typed, file)
        expect(one.page.locator("#path")).to_have_text(re.compile(rf"{re.escape(typed)}$"))
        one.press("t")
        one.type(symbol)
        one.press("Enter")
        expect(one.page.locator(".row.here").first).to_be_in_viewport()

    return task


OKHTTP: dict[str, Task] = {
    "Who calls `ConnectionPool.evictAll`?": relations(
        "connectionpool.evictAll", "okhttp3.ConnectionPool.evictAll", "In tests"
    ),
    "Which classes implement `Interceptor`?": relations(
        "Interceptor", "okhttp3.Interceptor", "CacheInterceptor"
    ),
    "What does `RealCall.execute` call?": relations(
        "RealCall.execute", "okhttp3.internal.connection.RealCall.execute", "Uses"
    ),
    "Copy a permalink to the lines of `ConnectionPool.evictAll`.": permalink(
        "connectionpool.evictAll", "okhttp3.ConnectionPool.evictAll", "ConnectionPool.kt"
    ),
    "Where is the version of Kotlin configured?": finds(
        "kotlin version category:config", r"libs\.versions\.toml"
    ),
    "Which file in `okhttp-tls` changed last?": last_change("okhttp-tls"),
    "Which tests are about pooled connections?": tests_of("connection pool"),
    "Where does it give up on a slow server? The code has other words.": finds(
        "abort a call that takes too long", "timeout"
    ),
    "Where is `redact` in `HttpUrl.kt`?": symbol_in_file(
        "HttpUrl.kt", "okhttp/src/commonJvmAndroid/kotlin/okhttp3/HttpUrl.kt", "redact"
    ),
    'Where does the message "Unexpected status line" come from?': marks(
        '"Unexpected status line" tests:no', "Unexpected status line"
    ),
}
"""Tasks of a reader of OkHttp; three of the queries were reworded after a first attempt."""

DETEKT: dict[str, Task] = {
    "Who refers to the rule `MagicNumber`?": relations(
        "MagicNumber", "MagicNumber", "MagicNumberSpec.kt"
    ),
    "Which classes implement `RuleSetProvider`?": relations(
        "RuleSetProvider", "RuleSetProvider", "Implemented or extended by"
    ),
    "What does `NestedBlockDepth` use?": relations("NestedBlockDepth", "NestedBlockDepth", "Uses"),
    "Copy a permalink to the rule `LongMethod`.": permalink(
        "LongMethod", "LongMethod", "LongMethod.kt"
    ),
    "Where is the default of the longest method configured?": finds(
        "LongMethod allowed lines lang:yaml", r"config\.yml"
    ),
    "Which file in `detekt-cli` changed last?": last_change("detekt-cli"),
    "Which tests are about the baseline file?": tests_of("baseline file"),
    "Where are ifs within ifs reported? The code has other words.": finds(
        "too many ifs inside each other", "NestedBlockDepth"
    ),
    "Where is `subConfig` in `Config.kt`?": symbol_in_file("Config.kt", "Config.kt", "subConfig"),
    'Where does the message "Analysis failed with" come from?': marks(
        '"Analysis failed with" tests:no', "Analysis failed with"
    ),
}
"""Tasks of a reader of detekt, written before the page was tried on it and unchanged since."""


def main(tasks: dict[str, Task], folder: Path) -> None:
    """Prints each task with its keys, clicks and seconds."""
    rights = ["clipboard-read", "clipboard-write"]
    with index_server(folder, "static") as site, chromium() as browser:
        expect.set_options(timeout=10_000)
        for title, task in tasks.items():
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
    main({"okhttp": OKHTTP, "detekt": DETEKT}[sys.argv[1]], Path(sys.argv[2]))
