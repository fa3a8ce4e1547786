"""The map in a real browser: areas by lines, skipped files, colours and links."""

import json
import re
import time
from collections.abc import Iterator
from functools import partial
from itertools import combinations

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from web.browser_client import WIDE, accessibility_violations, open_page
from web.http_client import Web

FILES = {
    "src/large.py": "".join(f"def large{at}():\n    return {at}\n\n\n" for at in range(60)),
    "src/in/small.py": "def small():\n    return 1\n",
    "docs/guide.md": "# Guide\n\nHow it is used.\n",
    "yarn.lock": "lock\n" * 800,
    "java/src/main/App.java": "class App {}\n",
    "java/src/main/Use.java": "class Use { App app; }\n",
}
MANY = [
    {
        "path": f"part{at % 40}/of{at % 7}/file{at}.py",
        "language": "python",
        "lines": at % 900 + 1,
        "nodes": 1,
        "state": ("clean", "clean", "pending", "skipped")[at % 4],
        "reason": "binary, by its name" if at % 4 == 3 else None,
    }
    for at in range(20_000)
]


@pytest.fixture
def page(browser: Browser, site: Web) -> Iterator[Page]:
    with open_page(browser, site, "?view=map") as one:
        expect(one.get_by_role("img")).to_be_visible()
        yield one


def test_areas_are_proportional_to_lines(page: Page) -> None:
    """They do not overlap and fill the whole map."""
    weights = [400, 300, 200, 50, 25, 20, 5]
    boxes = page.evaluate(
        """async (weights) => {
          const { layOut, treeOf } = await import('/treemap.js');
          const files = weights.map((lines, at) => ({ path: `f${at}`, lines, state: 'clean' }));
          const boxes = layOut(treeOf(files), 200, 100);
          return boxes.map(({ node, x, y, w, h }) => [node.weight, x, y, x + w, y + h]);
        }""",
        weights,
    )
    assert sorted((weight for weight, *_ in boxes), reverse=True) == weights
    for weight, left, top, right, bottom in boxes:
        assert (right - left) * (bottom - top) == pytest.approx(20_000 * weight / 1_000)
        assert min(left, top, 200 - right, 100 - bottom) > -1e-6
    for (_, *one), (_, *other) in combinations(boxes, 2):
        wide = min(one[2], other[2]) - max(one[0], other[0])
        high = min(one[3], other[3]) - max(one[1], other[1])
        assert min(wide, high) < 1e-6


def test_each_file_is_in_a_box(page: Page) -> None:
    """Those that are too small are counted by a box, whose area is that of their lines."""
    files, boxes = page.evaluate(
        """async () => {
          const { layOut, treeOf } = await import('/treemap.js');
          const files = Array.from({ length: 3000 }, (_, at) => (
            { path: `d${at % 9}/e${at % 4}/f${at}`, lines: at < 30 ? 2000 : 1, state: 'clean' }));
          const leaves = layOut(treeOf(files), 300, 200)
            .filter(({ node }) => node.file || node.smaller);
          return [files.length, leaves.map(({ node, w, h }) => [node.files, node.name, w * h])];
        }"""
    )
    assert sum(count for count, *_ in boxes) == files
    grouped = [(count, name) for count, name, _ in boxes if count > 1]
    assert grouped
    assert all(name == f"{count} smaller files" for count, name in grouped)
    assert len(boxes) < 200


def test_skipped_files_have_their_reason_and_size(page: Page) -> None:
    """800 lines of 5 bytes count as 100 lines of code, and may be hidden."""
    page.get_by_role("link", name="What is indexed").click()
    colours = page.get_by_role("list", name="Colours")
    expect(colours.get_by_role("listitem")).to_have_text(
        ["indexed 5", "not indexed: a lock file 1"]
    )
    row = page.get_by_role("row", name="yarn.lock")
    expect(row.get_by_role("cell")).to_have_text(["1", "0", "a lock file", "4 kB"])
    expect(page.get_by_role("status")).to_contain_text("6 files")
    expect(page.get_by_role("status")).to_contain_text("1 not indexed")
    assert (
        page.evaluate(
            """async () => (await import('/treemap.js')).treeOf(
          [{ path: 'a', state: 'skipped', bytes: 4000 }]).weight"""
        )
        == 100
    )
    page.get_by_role("link", name="Hide files that are not indexed").click()
    expect(page.get_by_role("row", name="yarn.lock")).to_have_count(0)
    expect(page.get_by_role("link", name="Show all files")).to_be_visible()


def test_one_click_opens_a_file(page: Page) -> None:
    """A click on the frame of a folder opens the folder, and a search then looks in it."""
    box = page.evaluate(
        """async () => {
          const { layOut, treeOf } = await import('/treemap.js');
          const map = document.querySelector('canvas');
          const { request } = await import('/api_client.js');
          const { files } = await request('map');
          const boxes = layOut(treeOf(files), map.clientWidth, map.clientHeight);
          return boxes.find(({ node }) => node.path === 'src');
        }"""
    )
    image = page.get_by_role("img")
    image.click(position={"x": box["x"] + 5, "y": box["y"] + 5})
    page.wait_for_url("**/?view=map&below=src")
    page.get_by_role("combobox").fill("small")
    page.wait_for_url("**/?q=small&path=%2Fsrc")
    expect(page.get_by_role("link", name="Remove filter path /src")).to_be_visible()
    page.go_back()
    page.go_back()
    image.click(position={"x": box["x"] + box["w"] / 3, "y": box["y"] + box["h"] / 2})
    expect(page.get_by_role("heading", name="src/large.py")).to_be_visible()


def test_folders_with_one_folder_are_one(page: Page) -> None:
    """In the table as on the map."""
    page.get_by_role("row", name="java/src/main/").get_by_role("link").click()
    page.wait_for_url("**/?view=map&below=java%2Fsrc%2Fmain")
    expect(page.get_by_role("row")).to_have_count(3)


def test_table_is_sorted_by_any_column(page: Page) -> None:
    """Names upwards, numbers downwards, and by a second click the other way."""
    names = page.locator("tbody th")
    expect(names).to_have_text(["src/", "docs/", "java/src/main/", "yarn.lock"])
    page.get_by_role("button", name="Name").click()
    expect(names).to_have_text(["docs/", "java/src/main/", "src/", "yarn.lock"])
    expect(page.get_by_role("columnheader", name="Name")).to_have_attribute(
        "aria-sort", "ascending"
    )
    page.get_by_role("button", name="Name").click()
    expect(names.first).to_have_text("yarn.lock")
    page.get_by_role("button", name="Size of these").click()
    expect(names.first).to_have_text("yarn.lock")
    page.get_by_role("button", name="Files", exact=True).click()
    expect(page.get_by_role("columnheader", name="Files")).to_have_attribute(
        "aria-sort", "descending"
    )


def test_labels_are_shortened_to_their_box(page: Page) -> None:
    files = [MANY[0] | {"path": f"{at}{'long' * 20}.py", "lines": 100} for at in range(8)]
    files.append(MANY[0] | {"path": "io", "lines": 100})
    answer = json.dumps({"files": files, "index": {"repo": "r"}, "note": ""})
    page.route("**/api/map", lambda route: route.fulfill(body=answer))
    page.add_init_script(
        """(() => {
          globalThis.drawn = [];
          const draw = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
            globalThis.drawn.push([text, this.measureText(text).width]);
            draw.call(this, text, ...at);
          };
        })()"""
    )
    page.reload()
    expect(page.get_by_role("list", name="Colours")).to_be_visible()
    labels = page.evaluate("globalThis.drawn")
    assert len(labels) >= len(files)
    assert all(re.fullmatch(r"\dlong\w*…|io", text) for text, _ in labels)
    assert "io" in [text for text, _ in labels]
    assert all(width < WIDE["width"] / 3 for _, width in labels)


def test_files_that_others_refer_to_stand_out(page: Page) -> None:
    page.get_by_role("link", name="References").click()
    colours = page.get_by_role("list", name="Colours")
    expect(colours).to_have_text(re.compile("1 to 9 1.*none known 5"))
    expect(page.get_by_role("columnheader", name="Referring files")).to_be_visible()
    page.get_by_role("row", name="java/src/main/").get_by_role("link").click()
    row = page.get_by_role("row", name="App.java")
    expect(row.get_by_role("cell").first).to_have_text("1")


def test_languages_have_colours(page: Page) -> None:
    """Without a choice."""
    colours = page.get_by_role("list", name="Colours")
    expect(colours).to_contain_text("python 2")
    expect(colours).to_contain_text("markdown 1")


def test_last_change_has_a_colour(page: Page) -> None:
    """All files were committed today; the table shows the date."""
    page.get_by_role("link", name="Last change").click()
    expect(page.get_by_role("list", name="Colours")).to_have_text("in the last 7 days 6")
    row = page.get_by_role("row", name="yarn.lock")
    expect(row).to_contain_text(re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}"))
    assert accessibility_violations(page) == []


def test_ages_have_different_colours(browser: Browser, site: Web) -> None:
    """The latest first; files beyond the history limit say so."""
    now_s = time.time()
    ages = {"src/large.py": 1, "src/in/small.py": 20, "docs/guide.md": 100}
    changed = {path: int(now_s - days * 86_400) for path, days in ages.items()}
    for since, rest in ((None, "in no commit yet"), (86_400 * 500, "May 16, 1971 or earlier")):
        body = json.dumps({"changed": changed, "since": since})
        with open_page(browser, site, timezone_id="UTC") as page:
            page.route("**/api/history", partial(Route.fulfill, body=body))
            page.goto(f"{site.base}/?view=map&by=changed")
            expect(page.get_by_role("list", name="Colours").get_by_role("listitem")).to_have_text(
                ["in the last 7 days 1", "in the last 30 days 1", "in the last year 1", f"{rest} 3"]
            )
            expect(page.get_by_role("row", name="yarn.lock")).to_contain_text(rest)


def test_a_long_history_has_four_colours(browser: Browser, site: Web) -> None:
    """Neighbouring ages with the fewest files are joined, the later ones first."""
    now_s = time.time()
    days = (3, 20, 60, 200, 3 * 365, 20 * 365)
    changed = {path: int(now_s - age * 86_400) for path, age in zip(FILES, days, strict=True)}
    body = json.dumps({"changed": changed, "since": None})
    with open_page(browser, site) as page:
        page.route("**/api/history", partial(Route.fulfill, body=body))
        page.goto(f"{site.base}/?view=map&by=changed")
        expect(page.get_by_role("list", name="Colours").get_by_role("listitem")).to_have_text(
            ["in the last 30 days 2", "in the last year 2", "in the last 5 years 1", "earlier 1"]
        )


def test_file_named_like_an_object_property_is_shown(browser: Browser, site: Web) -> None:
    """Its last change is unknown."""
    files = [MANY[0] | {"path": "constructor"}]
    known = json.dumps({"files": files, "history": True, "index": {"repo": "r"}, "note": ""})
    with open_page(browser, site) as page:
        page.route("**/api/map", lambda route: route.fulfill(body=known))
        body = json.dumps({"changed": {}, "since": None})
        page.route("**/api/history", lambda route: route.fulfill(body=body))
        page.goto(f"{site.base}/?view=map&by=changed")
        row = page.get_by_role("row", name="constructor")
        expect(row).to_contain_text("in no commit yet")


def test_without_history_the_last_change_is_not_offered(browser: Browser, site: Web) -> None:
    """As in a Worker, which has no git; an address that requests it shows the languages."""
    answer = json.dumps({"files": MANY[:40], "index": {"repo": "large"}, "note": "It is large."})
    with open_page(browser, site) as page:
        page.route("**/api/map", lambda route: route.fulfill(body=answer))
        page.goto(f"{site.base}/?view=map&by=changed")
        expect(page.get_by_role("list", name="Colours")).to_contain_text("python 30")
        expect(page.get_by_role("link", name="Languages")).to_be_visible()
        for name in ("Last change", "References"):
            expect(page.get_by_role("link", name=name)).to_have_count(0)


def test_late_response_does_not_replace_another_view(browser: Browser, site: Web) -> None:
    with open_page(browser, site) as page:
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/api/map", hold)
        page.get_by_role("link", name="Map", exact=True).click()
        page.get_by_role("link", name="Status").click()
        expect(page.get_by_role("heading", name="Checks")).to_be_visible()
        with page.expect_response("**/api/map"):
            held[0].continue_()
        page.wait_for_load_state("networkidle")
        expect(page.get_by_role("heading", name="Checks")).to_be_visible()


def test_map_of_several_pages_is_drawn_as_one(browser: Browser, site: Web) -> None:
    """As a Worker answers, which has 1,000 files in a page."""
    index = {"index": {"repo": "large"}, "note": ""}

    def answer(route: Route) -> None:
        is_second = "after=" in route.request.url
        files, after = (MANY[40:60], None) if is_second else (MANY[:40], MANY[39]["path"])
        route.fulfill(body=json.dumps({"files": files, "next": after, **index}))

    with open_page(browser, site) as page:
        page.route("**/api/map*", answer)
        page.get_by_role("link", name="Map", exact=True).click()
        expect(page.get_by_role("status")).to_contain_text("60 files")


def test_20000_files_are_drawn(browser: Browser, site: Web) -> None:
    """bench/page.py measures the time."""
    answer = json.dumps({"files": MANY, "index": {"repo": "large"}, "note": "It is large."})
    with open_page(browser, site) as page:
        page.route("**/api/map", lambda route: route.fulfill(body=answer))
        page.get_by_role("link", name="Map", exact=True).click()
        expect(page.get_by_role("status")).to_contain_text("20,000 files")
        expect(page.get_by_role("status")).to_contain_text("5,000 not indexed, 5,000 waiting")
        expect(page.get_by_role("list", name="Colours")).to_contain_text("python 15,000")
        assert page.evaluate("performance.getEntriesByName('map-drawn').length") > 0
