"""The start page describes the repository: `/api/overview`, and what the page shows of it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from feeder.web.repository_overview import first_paragraph
from mcp_server.conftest import index
from source.repos import Repo
from web.browser_client import index_server, open_page
from web.http_client import Web

# made up; in the form of GitHub's tokens
SECRET = "ghp_" + "Zk3q9XbT7LmN2vR8wYc4JdF6hAsP1eQuG0oV"  # pragma: allowlist secret

README = f"""# Shop

[![ci](https://ci.example/badge.svg)](https://ci.example)

A shop for bicycles and their parts, with [prices](src/money.py) in all currencies.
Its key is {SECRET} for now, and it runs on [WSGI].

## Installing

Nothing is installed by these lines of text.

[wsgi]: https://wsgi.example/
[other]: https://other.example/
"""
FILES: dict[str, str | bytes] = {
    "README.md": README,
    "LICENSE": "Free for all.\n",
    "src/money.py": "class Money:\n    def rounded(self):\n        return 1\n",
    "src/cart.py": "from money import Money\n\n\nclass Cart:\n    total = Money()\n",
    "app/__main__.py": "from cart import Cart\n\n\ndef main():\n    return Cart()\n",
}


@pytest.fixture
def described(repo: Repo) -> Iterator[tuple[Repo, Web]]:
    repo.commit(FILES)
    repo.commit({"src/cart.py": f"{FILES['src/cart.py']!s}\n\ndef empty():\n    return Cart()\n"})
    index(repo)
    with index_server(repo.path) as site:
        yield repo, site


def test_answer_has_readme_packages_entry_points_and_changes(described: tuple[Repo, Web]) -> None:
    _, site = described
    answer = site.client.get("/api/overview").json()
    assert answer["readme"]["path"] == "README.md"
    [first, second, link] = answer["readme"]["lines"]
    assert first.startswith("A shop for bicycles")
    assert re.fullmatch(r"Its key is x+ for now, and it runs on \[WSGI\]\.", second)
    assert link == "[wsgi]: https://wsgi.example/"
    packages = {package["path"]: package for package in answer["packages"]}
    assert packages.keys() == {"src", "app"}
    assert packages["src"]["files"] == 2
    assert [symbol["symbol"] for symbol in packages["src"]["most_used"]][:2] == ["Money", "Cart"]
    [entry] = answer["entry_points"]
    assert entry == {"kind": "main", "name": "main", "path": "app/__main__.py", "line": 4}
    assert answer["changed"][0]["path"] == "src/cart.py"
    assert {file["path"] for file in answer["changed"]} == {*FILES}


def test_answer_follows_the_index(described: tuple[Repo, Web]) -> None:
    repo, site = described
    assert len(site.client.get("/api/overview").json()["entry_points"]) == 1
    repo.commit({"tool/__main__.py": "def main():\n    return 2\n"})
    index(repo)
    assert len(site.client.get("/api/overview").json()["entry_points"]) == 2


def test_repository_without_code_and_readme_says_why_it_has_no_facts(
    repo: Repo, browser: Browser
) -> None:
    repo.commit({"notes.txt": "one\n"})
    index(repo)
    with index_server(repo.path) as site:
        answer = site.client.get("/api/overview").json()
        with open_page(browser, site) as page:
            expect(page.get_by_text("Packages and entry points are unknown")).to_be_visible()
    assert answer["readme"] is None
    assert answer["packages"] == answer["entry_points"] == []
    assert answer["totals"] == {"packages": 0, "entry_points": 0}
    [note] = answer["notes"]
    assert re.fullmatch(
        r"Packages and entry points are unknown: The index of \S+ has no relations: it was made by "
        r"an earlier version, or its languages have none\. Bring it up to date: feeder sync",
        note,
    )
    assert [file["path"] for file in answer["changed"]] == ["notes.txt"]


def test_cut_lists_have_totals(repo: Repo, browser: Browser) -> None:
    """Of nine packages eight are listed, and of nine main functions the six of one kind."""
    repo.commit({f"p{n}/run.py": "def main():\n    print()\n" for n in range(9)})
    index(repo)
    with index_server(repo.path) as site:
        answer = site.client.get("/api/overview").json()
        with open_page(browser, site) as page:
            expect(page.get_by_text("Packages and their most used symbols: 8 of 9")).to_be_visible()
            expect(page.get_by_text("First entry points: 6 of 9")).to_be_visible()
    assert (len(answer["packages"]), len(answer["entry_points"])) == (8, 6)
    assert answer["totals"] == {"packages": 9, "entry_points": 9}
    assert answer["notes"] == []


@pytest.mark.parametrize(
    ("text", "paragraph"),
    [
        ("Shop\n====\n\nA shop for bicycles and parts.\n", "A shop for bicycles and parts."),
        ("<p align=center>\nlogo of a shop, large\n</p>\n\nSells bicycles to all of us.", None),
        ("# A\n\n```\nsh install these five words now\n\nand more of such words here\n```\n", ""),
        ("# A\n\n- one two three four five six\n\nOne two three four five.", None),
        (".. image:: a.png\n   :alt: one two three four\n\nOne two three four five.", None),
        ("# A\n\nShort.\n", ""),
        ("", ""),
    ],
)
def test_first_paragraph_is_prose(text: str, paragraph: str | None) -> None:
    """None stands for the last line of the text."""
    lines = text.splitlines()
    expected = lines[-1] if paragraph is None else paragraph
    assert "\n".join(first_paragraph(lines)) == expected


def test_page_shows_the_repository(described: tuple[Repo, Web], browser: Browser) -> None:
    _, site = described
    with open_page(browser, site) as page:
        shown = page.locator("#repository")
        expect(shown.get_by_text("A shop for bicycles")).to_be_visible()
        for title in ("Packages and their most used symbols", "First entry points", "Changed last"):
            expect(shown.get_by_role("heading", name=title)).to_be_visible()
        shown.get_by_role("link", name="prices").click()
        page.wait_for_url("**/?file=src%2Fmoney.py*")
        page.go_back()
        shown.get_by_role("link", name="Money").first.click()
        page.wait_for_url("**/?file=src%2Fmoney.py#L1-L3")


def test_recent_queries_are_on_the_start_page(
    described: tuple[Repo, Web], browser: Browser
) -> None:
    _, site = described
    with open_page(browser, site, "?q=rounded") as page:
        expect(page.locator(".hit").first).to_be_visible()
        page.get_by_role("link", name="start page").click()
        page.get_by_role("heading", name="Recent queries").wait_for()
        page.locator(".start").get_by_role("link", name="rounded", exact=True).click()
        expect(page.locator(".hit").first).to_be_visible()
