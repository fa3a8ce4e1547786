"""The page with an input method, which composes characters from letters."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, CDPSession, Page, Request, expect

from mcp_server.conftest import index
from source.repos import Repo
from web.browser_client import index_server, open_page

FILES = {
    "approval.md": "# 流程\n\n待审批流程由经理处理。\n",
    "other.md": "# Shen\n\nshen pi shenpi and other letters.\n",
    "用户.py": "class 用户服务:\n    pass\n",
}


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    repo = Repo(tmp_path / "unspaced")
    repo.commit(FILES)
    index(repo)
    with index_server(repo.path) as site, open_page(browser, site) as one:
        yield one


def _compose(session: CDPSession, text: str) -> None:
    place = len(text)
    session.send(
        "Input.imeSetComposition", {"text": text, "selectionStart": place, "selectionEnd": place}
    )


def test_only_whole_characters_are_searched_for(page: Page) -> None:
    queries: list[str] = []

    def note(request: Request) -> None:
        if "/api/search" in request.url or "/api/complete" in request.url:
            queries.extend(parse_qs(urlsplit(request.url).query)["q"])

    page.on("request", note)
    page.get_by_role("combobox").focus()
    session = page.context.new_cdp_session(page)
    for letters in ("s", "sh", "shen", "shen p", "shen pi"):
        _compose(session, letters)
    page.wait_for_timeout(800)
    assert queries == []
    session.send("Input.insertText", {"text": "审批"})
    expect(page.locator(".hit")).to_have_count(1)
    expect(page.locator(".hit mark").first).to_have_text("审批")
    page.wait_for_url("**/?q=%E5%AE%A1%E6%89%B9")
    assert set(queries) == {"审批"}


def test_composition_waits_with_what_was_typed_before(page: Page) -> None:
    """The pause of the first word does not put it back in place of the composed letters."""
    box = page.get_by_role("combobox")
    box.press_sequentially("shen ")
    session = page.context.new_cdp_session(page)
    _compose(session, "sh")
    page.wait_for_timeout(800)
    expect(box).to_have_value("shen sh")
    session.send("Input.insertText", {"text": "审"})
    expect(box).to_have_value("shen 审")
    page.wait_for_url("**/?q=shen+%E5%AE%A1")


def test_a_typed_sentence_finds_what_has_a_part_of_it(page: Page) -> None:
    """Before the pause, which never comes here."""
    page.evaluate("window.setTimeout = () => 0")
    page.get_by_role("combobox").focus()
    page.keyboard.insert_text("审批流程怎么办理")
    expect(page.locator(".hit").first).to_contain_text("审批流程")


def test_short_names_are_completed(page: Page) -> None:
    page.get_by_role("combobox").focus()
    page.keyboard.insert_text("用户")
    expect(page.get_by_role("option").first).to_contain_text("用户服务")
