"""A real browser that opens the page of a server in this process."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from feeder.config import Settings
from feeder.mcp.service import IndexService
from web.http_client import Web, web

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
ZOOMED = {"width": 320, "height": 256}
"""A window of 1280 by 1024 pixels at 400 %."""
SLOWEST_MS = 120_000
"""Of a machine that does much else."""
MISSING = "no Chromium here; apt-get install chromium brings it"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Starts Chromium, which resolves `evil.example` to 127.0.0.1."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if not found:
        assert "NEEDS_CHROMIUM" not in os.environ, MISSING
        pytest.skip(MISSING)
    # no setuid sandbox in a container, and its small /dev/shm
    flags = ["--no-sandbox", "--disable-dev-shm-usage"]
    flags.append("--host-resolver-rules=MAP evil.example 127.0.0.1")
    expect.set_options(timeout=SLOWEST_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=flags)
        yield browser
        browser.close()


@contextmanager
def index_server(folder: Path, model: str | None = None) -> Iterator[Web]:
    """Serves an index; searches use words alone unless a model is named."""
    desk = IndexService(Settings(directory=folder, vectors=bool(model), model=model, quiet=True))
    with web(desk) as one:
        yield one
    desk.close()


@contextmanager
def open_page(browser: Browser, site: Web, address: str = "", **context: Any) -> Iterator[Page]:
    """Opens the server's address in a new browser context, then `address` on the same server.

    Fails if the page raises an error or writes one to the console.
    """
    said: list[str] = []
    some = browser.new_context(viewport=context.pop("viewport", WIDE), **context)
    try:
        page = some.new_page()
        page.set_default_timeout(SLOWEST_MS)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: said.extend(_console_errors(line)))
        page.goto(str(site.address))
        page.get_by_role("heading", name="Search this repository").wait_for()
        if address:
            page.goto(f"{site.base}/{address}")
        yield page
        assert said == []
    finally:
        some.close()


def _console_errors(line: ConsoleMessage) -> list[str]:
    """Returns console errors, except those of failed requests, which the page shows itself."""
    is_ours = line.type == "error" and not line.text.startswith("Failed to load resource")
    return [line.text] if is_ours else []


def accessibility_violations(page: Page) -> list[str]:
    """Returns the accessibility violations that axe-core finds, each with its first element."""
    # as a script of the page it would be refused, as it should
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{answer['id']}: {answer['nodes'][0]['html']}" for answer in found]
