"""Measures the size of the web page and the time until a browser shows hits and the map.

    python bench/page.py FOLDER
    python bench/page.py --typing FOLDER

FOLDER has an index with static vectors. Needs Chromium. CPU time of the server is printed beside
wall time, because other load on the machine disturbs it less. With --typing, queries are typed at
three speeds, and each key is timed until hits for its query, or for that of a later key, are shown.
"""

import gzip
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from playwright.sync_api import Page

from feeder.web import page_files
from web.browser_client import chromium, index_server, open_page
from web.http_client import Web
from web.test_browser_map import MANY

QUERIES = ("parse file", "where is the token", "error", "open the index", "class", "test of time")
ROUNDS = 5
TYPED = ("connection pool", "read the file", "parse header", "close stream", "retry on timeout")
PAUSES_MS = (90, 200, 450)
OBSERVE = """() => {
  globalThis.seen = { keys: [], answers: [] };
  new PerformanceObserver((list) => {
    for (const { detail, startTime } of list.getEntries()) seen.answers.push([detail, startTime]);
  }).observe({ type: 'mark' });
  document.getElementById('q').addEventListener('input', (event) => {
    seen.keys.push([event.target.value, event.timeStamp]);
  });
}"""
DRAWN_MS = "performance.getEntriesByName('map-drawn').at(-1).startTime"


def compressed_bytes() -> int:
    """Returns the bytes of all page files, each compressed with gzip."""
    contents = [page_files.page_file(path).content for path in page_files.file_paths()]
    return sum(
        len(gzip.compress(content)) for content in (*contents, page_files.index_html().encode())
    )


def latency_summary(milliseconds: Sequence[float]) -> str:
    """Formats the median and the 95th percentile of milliseconds."""
    p95 = sorted(milliseconds)[int(len(milliseconds) * 0.95)]
    return f"median {statistics.median(milliseconds):.0f} ms, p95 {p95:.0f} ms"


def search_times(site: Web) -> Iterator[tuple[float, float]]:
    """Yields wall and CPU milliseconds of each answer of `/api/search`.

    No browser runs yet, so the CPU time is that of the server and its small HTTP client.
    """
    for words in QUERIES * ROUNDS:
        started_s, processor_started_s = time.perf_counter(), time.process_time()
        site.client.get("/api/search", params={"q": words, "limit": 20}).raise_for_status()
        wall_s, processor_s = (
            time.perf_counter() - started_s,
            time.process_time() - processor_started_s,
        )
        yield wall_s * 1000, processor_s * 1000


def hit_times(page: Page) -> list[float]:
    """Returns the milliseconds from the Enter key to the hits, for each query."""
    milliseconds: list[float] = []
    for words in QUERIES * ROUNDS:
        page.get_by_role("combobox").fill(words)
        with page.expect_response(lambda answer: "/api/search" in answer.url):
            started_s = time.perf_counter()
            page.keyboard.press("Enter")
        page.locator(".hit, .empty").first.wait_for()
        milliseconds.append((time.perf_counter() - started_s) * 1000)
    return milliseconds


def typing_times(page: Page, pause_ms: int) -> list[float]:
    """Returns the milliseconds from each key to the answer to its query or to a later one.

    The page marks an answer when it has changed the hits, or has found nothing to change.
    """
    box = page.get_by_role("combobox")
    page.evaluate(OBSERVE)
    milliseconds: list[float] = []
    for words in TYPED:
        box.fill("")
        page.wait_for_timeout(1_000)
        page.evaluate("globalThis.seen = { keys: [], answers: [] }")
        box.press_sequentially(words, delay=pause_ms)
        page.wait_for_timeout(1_500)
        seen = page.evaluate("globalThis.seen")
        milliseconds += key_times(seen["keys"], seen["answers"])
    return milliseconds


def key_times(
    keys: Sequence[tuple[str, float]], answers: Sequence[tuple[str, float]]
) -> Iterator[float]:
    """Yields the time of the first answer to each key's query or a later key's, from that key on.

    `keys` are queries with the time of the key that completed them, `answers` with their own.
    """
    order = {query: at for at, (query, _) in enumerate(keys)}
    for at, (_, pressed_ms) in enumerate(keys):
        shown = (ms for query, ms in answers if order.get(query, -1) >= at and ms >= pressed_ms)
        yield min(shown, default=math.inf) - pressed_ms


def map_ms(page: Page) -> float:
    """Returns the milliseconds from the click until a map of 20,000 files is drawn."""
    answer = json.dumps({"files": MANY, "index": {"repo": "large"}, "note": ""})
    page.route("**/api/map", lambda route: route.fulfill(body=answer))
    link = page.get_by_role("link", name="Map", exact=True)
    clicked_ms: float = link.evaluate(
        "(one) => { const now = performance.now(); one.click(); return now; }"
    )
    page.locator(".legend").wait_for()
    drawn_ms: float = page.evaluate(DRAWN_MS)
    return drawn_ms - clicked_ms


def main(folder: Path) -> None:
    """Prints all measurements."""
    print(
        f"bundle: {compressed_bytes():,} bytes compressed, {len(page_files.file_paths()) + 1} files"
    )
    for name, model in (("words", None), ("words and static", "static")):
        with index_server(folder, model) as site:
            site.client.timeout = 60
            first, *rest = search_times(site)
            print(f"{name}, first answer: {first[0]:.0f} ms, processor {first[1]:.0f} ms")
            wall_ms, processor_ms = zip(*rest, strict=True)
            print(
                f"{name}, answer: {latency_summary(wall_ms)}; "
                f"processor: {latency_summary(processor_ms)}"
            )
            if model:
                print_browser_times(site)


def print_browser_times(site: Web) -> None:
    """Prints the measurements in a browser."""
    with chromium() as browser:
        started_s = time.perf_counter()
        with open_page(browser, site) as page:
            print(f"open: {(time.perf_counter() - started_s) * 1000:.0f} ms to the first view")
            print(f"answer in the browser: {latency_summary(hit_times(page))}")
            print(f"map: {map_ms(page):.0f} ms for {len(MANY):,} files")


def print_typing_times(folder: Path) -> None:
    """Prints the times of keys at each speed, with the load of the machine beside them."""
    with index_server(folder, "static") as site, chromium() as browser:
        for pause_ms in PAUSES_MS:
            with open_page(browser, site) as page:
                began_s = time.process_time()
                milliseconds = typing_times(page, pause_ms)
                processor_ms = (time.process_time() - began_s) * 1000 / len(milliseconds)
            print(
                f"a key each {pause_ms} ms: {latency_summary(milliseconds)}; processor of the "
                f"server {processor_ms:.0f} ms a key; load {os.getloadavg()[0]:.1f}"
            )


if __name__ == "__main__":
    is_typing = sys.argv[1] == "--typing"
    (print_typing_times if is_typing else main)(Path(sys.argv[-1]))
