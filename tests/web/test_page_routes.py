"""The page as served: its files, its size, and the forms that work without scripts."""

import gzip
import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from feeder.config import Settings
from feeder.mcp.service import IndexService
from feeder.web import page_files
from mcp_server.conftest import index
from source.repos import Repo
from web.http_client import TOKEN, Web, web

MOST_BYTES = 65_000
"""Of all files, compressed."""


@pytest.fixture
def asked(repo: Repo) -> Iterator[Web]:
    """A server of files whose names and lines contain HTML."""
    repo.commit(
        {
            "<b>bold.py": "def shown():\n    return '<script>alert(1)</script> needle'\n",
            "turned.py": "def turned():\n    return 'needle \u202e backwards'\n",
        }
    )
    index(repo)
    desk = IndexService(Settings(directory=repo.path, vectors=False))
    with web(desk) as one:
        yield one
    desk.close()


@pytest.fixture
def browser(asked: Web) -> Iterator[httpx.Client]:
    """A client without the token."""
    with httpx.Client(base_url=asked.base, trust_env=False, timeout=60) as client:
        yield client


def sign_in(browser: httpx.Client, token: str = TOKEN, query: str = "") -> httpx.Response:
    return browser.post("/session", data={"token": token, "query": query})


def test_page_is_small() -> None:
    contents = [page_files.page_file(path).content for path in page_files.file_paths()]
    contents.append(page_files.index_html().encode())
    assert sum(len(gzip.compress(content)) for content in contents) < MOST_BYTES


def test_no_file_loads_from_another_server() -> None:
    """XML namespaces are names only."""
    for path in page_files.file_paths():
        text = page_files.page_file(path).content.decode().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://[a-z]", text), path


def test_scripts_do_not_use_html_sinks() -> None:
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|setHTML|srcdoc"
    for path in page_files.file_paths():
        assert not re.search(ways, page_files.page_file(path).content.decode()), path


def test_page_files_are_public_and_no_others(browser: httpx.Client) -> None:
    for path, kind in (("/", "html"), ("/app.js", "javascript"), ("/page.css", "css")):
        answer = browser.get(path)
        assert (answer.status_code, answer.headers["x-content-type-options"]) == (200, "nosniff")
        assert kind in answer.headers["content-type"]
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    for path in ("/index.html", "/colours/languages.license", "/../http.py", "/colours/"):
        assert browser.get(path).status_code == 401


def test_unchanged_file_is_304(browser: httpx.Client) -> None:
    first = browser.get("/app.js")
    same = browser.get("/app.js", headers={"if-none-match": first.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")


def test_token_form_works_without_scripts(browser: httpx.Client) -> None:
    """A wrong token is reported; the right one leads to the hits and to a form with a key."""
    assert 'action="/session"' in browser.get("/?q=needle").text
    wrong = sign_in(browser, "another token", "q=needle")
    assert (wrong.status_code, "The token is wrong" in wrong.text) == (401, True)
    right = sign_in(browser, query="q=needle")
    assert (right.status_code, "2 hits" in right.text) == (200, True)
    assert right.headers["cache-control"] == "no-store"
    assert TOKEN not in right.text
    [key] = re.findall(r'name="token" value="(\w{64})"', right.text)
    again = browser.post("/session", data={"token": key, "q": "shown"})
    assert "1 hits" in again.text
    assert f'value="{key}"' in again.text


def test_no_answer_sets_a_cookie(browser: httpx.Client) -> None:
    """Servers on other ports of this machine would get it."""
    bearer = {"authorization": f"Bearer {TOKEN}"}
    sign_in(browser)
    for path in ("/", "/?q=needle", "/api/search?q=needle", "/api/status"):
        assert "set-cookie" not in browser.get(path, headers=bearer).headers
    browser.post("/api/session", headers=bearer)
    assert not browser.cookies


def test_token_form_of_another_site_is_refused(browser: httpx.Client) -> None:
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "same-site"}):
        answer = browser.post("/session", data={"token": TOKEN}, headers=headers)
        assert answer.status_code == 403


def test_too_large_form_is_refused(browser: httpx.Client) -> None:
    assert sign_in(browser, "x" * 5_000).status_code == 413


def test_names_and_lines_are_escaped(browser: httpx.Client) -> None:
    """Including bidirectional control characters."""
    text = sign_in(browser, query="q=needle").text
    assert "&lt;b&gt;bold.py:1" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert" not in text
    assert "\\u202e" in text


def test_query_is_escaped(browser: httpx.Client) -> None:
    text = sign_in(browser, query=urlencode({"q": '"</noscript><i>"'})).text
    assert "No hits for &quot;&lt;/noscript&gt;&lt;i&gt;&quot;" in text
    assert 'name="q" value="&quot;&lt;/noscript&gt;&lt;i&gt;&quot;"' in text


def test_errors_are_shown(browser: httpx.Client) -> None:
    """Unknown parameters belong to the page itself."""
    page = sign_in(browser, query="q=needle&language=klingon").text
    assert "no language 'klingon'" in html.unescape(page)
    assert "2 hits" in sign_in(browser, query="q=needle&view=search").text


def test_address_of_the_page_shows_no_hits(browser: httpx.Client) -> None:
    """Also with the token, so that no other page can embed or time a search."""
    answer = browser.get("/?q=needle", headers={"authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, "bold.py" in answer.text) == (200, False)


def test_folder_can_be_served_by_the_worker() -> None:
    """Every file that another one refers to exists, by a relative name."""
    for path in (*page_files.file_paths(), f"/{page_files.INDEX_FILE}"):
        file = page_files.PAGE_FOLDER / path.removeprefix("/")
        pattern = r"""^import\b.*from ['"](\.[^'"]+)|(?:href|src)="([a-z][\w.]+)\""""
        for one, other in re.findall(pattern, file.read_text("utf-8"), re.M):
            assert (file.parent / Path(one or other)).is_file(), (path, one or other)
