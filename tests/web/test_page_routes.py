"""The page as served: its files, its size, and the forms that work without scripts."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from feeder.config import Settings
from feeder.mcp.service import IndexService
from feeder.web import page_files
from mcp_server.conftest import index
from source.repos import Repo
from web.http_client import TOKEN, Web, web

MOST_BYTES = 60_000
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
    """A client with cookies but without the token."""
    with httpx.Client(base_url=asked.base, trust_env=False) as client:
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
    """A wrong token is reported; the right one leads to the requested page."""
    assert 'action="/session"' in browser.get("/?q=needle").text
    wrong = sign_in(browser, "another token", "q=needle")
    assert (wrong.status_code, "The token is wrong" in wrong.text) == (401, True)
    assert not browser.cookies
    right = sign_in(browser, query="q=needle")
    assert (right.status_code, right.headers["location"]) == (303, "/?q=needle")
    assert "HttpOnly" in right.headers["set-cookie"]
    assert "SameSite=strict" in right.headers["set-cookie"]
    assert "2 hits" in browser.get(right.headers["location"]).text


def test_token_form_of_another_site_is_refused(browser: httpx.Client) -> None:
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "same-site"}):
        answer = browser.post("/session", data={"token": TOKEN}, headers=headers)
        assert answer.status_code == 403


def test_too_large_form_is_refused(browser: httpx.Client) -> None:
    assert sign_in(browser, "x" * 5_000).status_code == 413


def test_redirect_stays_on_this_server(browser: httpx.Client) -> None:
    """Whatever the form contains."""
    answer = sign_in(browser, query="//evil.example/\r\nx: y")
    assert answer.headers["location"].startswith("/?")
    assert "x" not in answer.headers


def test_names_and_lines_are_escaped(browser: httpx.Client) -> None:
    """Including bidirectional control characters."""
    sign_in(browser)
    text = browser.get("/?q=needle").text
    assert "&lt;b&gt;bold.py:1" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert" not in text
    assert "\\u202e" in text


def test_query_is_escaped(browser: httpx.Client) -> None:
    sign_in(browser)
    text = browser.get("/", params={"q": '"</noscript><i>"'}).text
    assert "No hits for &quot;&lt;/noscript&gt;&lt;i&gt;&quot;" in text
    assert 'name="q" value="&quot;&lt;/noscript&gt;&lt;i&gt;&quot;"' in text


def test_errors_are_shown(browser: httpx.Client) -> None:
    """Unknown parameters belong to the page itself."""
    sign_in(browser)
    assert "no language klingon" in browser.get("/?q=needle&language=klingon").text
    assert "2 hits" in browser.get("/?q=needle&view=search").text


def test_search_request_of_another_page_is_refused(browser: httpx.Client) -> None:
    """A page on another port has our cookie, since ports are the same site."""
    sign_in(browser)
    answer = browser.get("/?q=needle", headers={"sec-fetch-site": "same-site"})
    assert (answer.status_code, "bold.py" in answer.text) == (200, False)


def test_folder_can_be_served_by_the_worker() -> None:
    """Every file that another one refers to exists, by a relative name."""
    for path in (*page_files.file_paths(), f"/{page_files.INDEX_FILE}"):
        file = page_files.PAGE_FOLDER / path.removeprefix("/")
        pattern = r"""^import\b.*from ['"](\.[^'"]+)|(?:href|src)="([a-z][\w.]+)\""""
        for one, other in re.findall(pattern, file.read_text("utf-8"), re.M):
            assert (file.parent / Path(one or other)).is_file(), (path, one or other)
