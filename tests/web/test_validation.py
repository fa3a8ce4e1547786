"""Validation of the index on the page: started by a button, with progress and verdict."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from feeder.store.sqlite import SQLite
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
    """Deletes one node of a file."""
    database = SQLite(folder / ".feeder/index.db")
    database.connection.execute("DELETE FROM docs WHERE path = 'b.py'")
    database.close()


def verdict_of_new_run(one: Web) -> dict[str, object]:
    """Starts a validation and returns its verdict."""
    answer = one.client.post("/api/proof")
    assert (answer.status_code, answer.json()["failed"]) == (200, None)
    while (now := one.client.get("/api/proof").json())["running"]:
        time.sleep(0.05)
    assert now["failed"] is None
    verdict: dict[str, object] = now["verdict"]
    return verdict


def test_verdict_equals_that_of_the_command(mine: tuple[Path, Web]) -> None:
    """For a correct index, and after a row was deleted, with the remedy."""
    folder, one = mine
    first = verdict_of_new_run(one)
    assert (first["passed"], first["advice"]) == (True, "")
    spoil(folder)
    second = verdict_of_new_run(one)
    assert second["passed"] is False
    assert "feeder validate --repair" in str(second["advice"])


def test_without_an_index_there_is_an_error(repo: Repo) -> None:
    repo.commit({"a.py": "a = 1\n"})
    with index_server(repo.path) as one:
        one.client.post("/api/proof")
        while (now := one.client.get("/api/proof").json())["running"]:
            time.sleep(0.05)
        assert now["verdict"] is None
        assert "feeder sync" in now["failed"]


def test_button_starts_the_validation(browser: Browser, mine: tuple[Path, Web]) -> None:
    folder, one = mine
    rights = ["clipboard-read", "clipboard-write"]
    with open_page(browser, one, "?view=proof", permissions=rights) as page:
        expect(page.get_by_role("heading", level=1)).to_contain_text("The index matches HEAD")
        expect(page.get_by_text("The checks read the files of the commit again")).to_be_visible()
        page.get_by_role("button", name="Run the checks").click()
        expect(page.get_by_text("The index is correct.").first).to_be_visible()
        expect(page.locator(".checks > .good").first).to_be_visible()
        assert accessibility_violations(page) == []
        spoil(folder)
        page.get_by_role("button", name="Run the checks again").click()
        expect(page.locator(".verdict")).to_contain_text("The index is not correct.")
        expect(page.locator(".verdict")).to_contain_text(
            re.compile(r"[1-9] of \d+ checks failed, ")
        )
        failed = page.locator(".checks > .bad").count()
        for at in range(failed):
            expect(page.locator(".checks > li").nth(at)).to_have_class("bad")
        expect(page.locator(".checks > .bad", has_text="has no node")).not_to_have_count(0)
        page.get_by_role("button", name="Copy feeder validate --repair").click()
        command = page.evaluate("navigator.clipboard.readText()")
        assert command == "feeder validate --repair"
        assert accessibility_violations(page) == []


def test_duration_of_runs_is_shown(browser: Browser, mine: tuple[Path, Web]) -> None:
    """Of the last sync, and of the validation once it has run."""
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


def test_progress_of_the_validation_is_shown(browser: Browser, mine: tuple[Path, Web]) -> None:
    """For any duration, as the server reports it."""
    _, one = mine
    running = '{"running": true, "what": "content", "done": 1, "total": 2, "verdict": null}'
    with open_page(browser, one) as page:
        page.route("**/api/proof", lambda route: route.fulfill(body=running))
        page.get_by_role("link", name="Status").click()
        expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
        expect(page.get_by_text("content: 1 of 2 files")).to_be_visible()
        assert accessibility_violations(page) == []
