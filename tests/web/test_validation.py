"""The checks of the index from the page: begun by a button, told while they run, then shown."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from mcp_server.conftest import index
from source.repos import Repo
from web.browser_client import accessibility_violations, index_server, open_page
from web.http_client import Web


@pytest.fixture
def mine(repo: Repo) -> Iterator[tuple[Path, Web]]:
    repo.commit({"a.py": "def a():\n    return 1\n", "b.py": "def b():\n    return 2\n"})
    index(repo)
    with index_server(repo.path) as one:
        yield repo.path, one


def spoil(folder: Path) -> None:
    """One node less than its file says."""
    with sqlite3.connect(folder / ".feeder/index.db") as database:
        database.execute("DELETE FROM docs WHERE path = 'b.py'")


def proven(one: Web) -> dict[str, object]:
    """The verdict of a run that is begun now."""
    answer = one.client.post("/api/proof")
    assert (answer.status_code, answer.json()["failed"]) == (200, None)
    while (now := one.client.get("/api/proof").json())["running"]:
        time.sleep(0.05)
    assert now["failed"] is None
    verdict: dict[str, object] = now["verdict"]
    return verdict


def test_the_checks_are_those_of_validate(mine: tuple[Path, Web]) -> None:
    """Right at first; after a row was lost, what is wrong and what mends it."""
    folder, one = mine
    first = proven(one)
    assert (first["passed"], first["advice"]) == (True, "")
    spoil(folder)
    second = proven(one)
    assert second["passed"] is False
    assert "feeder validate --repair" in str(second["advice"])


def test_without_an_index_it_says_so(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    with index_server(repo.path) as one:
        one.client.post("/api/proof")
        while (now := one.client.get("/api/proof").json())["running"]:
            time.sleep(0.05)
        assert now["verdict"] is None
        assert "feeder sync" in now["failed"]


def test_a_button_runs_them(browser: Browser, mine: tuple[Path, Web]) -> None:
    folder, one = mine
    with open_page(browser, one, "?view=proof") as page:
        expect(page.get_by_role("heading", level=1)).to_contain_text("The index equals HEAD")
        page.get_by_role("button", name="Run the checks").click()
        expect(page.get_by_text("The index is right.").first).to_be_visible()
        expect(page.locator(".checks > .good").first).to_be_visible()
        assert accessibility_violations(page) == []
        spoil(folder)
        page.get_by_role("button", name="Run the checks again").click()
        expect(page.locator(".verdict")).to_contain_text("The index is not right.")
        expect(page.locator(".checks > .bad").first).to_contain_text("has no node")
        assert accessibility_violations(page) == []


def test_what_runs_took_is_told(browser: Browser, mine: tuple[Path, Web]) -> None:
    """Of the run that made the index; of the checks once they were run."""
    folder, one = mine
    with open_page(browser, one, "?view=proof") as page:
        runs = page.get_by_role("region", name="Last runs")
        row = runs.get_by_role("row", name="Sync with a commit")
        expect(row.get_by_role("cell").nth(1)).to_have_text("2 read")
        expect(row.get_by_role("cell").nth(2)).to_have_text("2 new")
        expect(runs.get_by_role("row")).to_have_count(2)
        for title in ("Run the checks", "Run the checks again"):
            page.get_by_role("button", name=title).click()
            page.get_by_role("button", name="Run the checks again").wait_for()
            expect(runs.get_by_role("row", name="Checks")).to_have_count(1)
        (folder / "c.py").write_text("def c():\n    return 3\n")
        index(Repo(folder), "--working-tree")
        page.reload()
        expect(runs.get_by_role("row", name="the working tree")).to_contain_text("1 read")
        expect(row).to_contain_text("2 read")


def test_how_far_they_are_is_told(browser: Browser, mine: tuple[Path, Web]) -> None:
    """Whatever time they take, by what the server says."""
    _, one = mine
    running = '{"running": true, "what": "content", "done": 1, "total": 2, "verdict": null}'
    with open_page(browser, one) as page:
        page.route("**/api/proof", lambda route: route.fulfill(body=running))
        page.get_by_role("link", name="Status").click()
        expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
        expect(page.get_by_text("content: 1 of 2 files")).to_be_visible()
        assert accessibility_violations(page) == []
