"""What does the page weigh, and how long until a browser shows an answer and the map?

python bench/page.py FOLDER, of an index that is there; by a Chromium of this machine.
"""

import gzip
import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from playwright.sync_api import Page

from feeder.serve import bundle
from serve.browsing import chromium, looking, served
from serve.test_map import MANY

WORDS = ("parse file", "where is the token", "error", "open the index", "class", "test of time")
ROUNDS = 5
DRAWN_MS = "performance.getEntriesByName('map-drawn').at(-1).startTime"


def weight() -> int:
    """Bytes of all files, each compressed."""
    contents = [bundle.file(path).content for path in bundle.paths()]
    return sum(len(gzip.compress(one)) for one in (*contents, bundle.index().encode()))


def answers(page: Page) -> list[float]:
    """Milliseconds from the Enter key to the hits, a question each."""
    took: list[float] = []
    for words in WORDS * ROUNDS:
        page.get_by_role("searchbox").fill(words)
        with page.expect_response(lambda answer: "/api/search" in answer.url):
            began_s = time.perf_counter()
            page.keyboard.press("Enter")
        page.locator(".hit, .empty").first.wait_for()
        took.append((time.perf_counter() - began_s) * 1000)
    return took


def map_ms(page: Page) -> float:
    """Milliseconds from the click, with 20,000 files to be loaded, until they are drawn."""
    answer = json.dumps({"files": MANY, "index": {"repo": "large"}, "note": ""})
    page.route("**/api/map", lambda route: route.fulfill(body=answer))
    link = page.get_by_role("link", name="Map", exact=True)
    clicked: float = link.evaluate(
        "(one) => { const now = performance.now(); one.click(); return now; }"
    )
    page.locator(".legend").wait_for()
    drawn: float = page.evaluate(DRAWN_MS)
    return drawn - clicked


def main(folder: Path) -> None:
    """Prints the figures."""
    print(f"bundle: {weight():,} bytes compressed, {len(bundle.paths()) + 1} files")
    with served(folder) as site, chromium() as browser:
        began_s = time.perf_counter()
        with looking(browser, site) as page:
            print(f"open: {(time.perf_counter() - began_s) * 1000:.0f} ms to the first view")
            took = sorted(answers(page))
            p95 = took[int(len(took) * 0.95)]
            print(f"answer: median {statistics.median(took):.0f} ms, p95 {p95:.0f} ms")
            print(f"map: {map_ms(page):.0f} ms for {len(MANY):,} files")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
