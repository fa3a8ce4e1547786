"""The page as it is sent: its files, what it weighs, and what it shows where no script runs."""

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
    """A server of files whose names and lines are HTML."""
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
    """Somebody without the token, who keeps cookies."""
    with httpx.Client(base_url=asked.base, trust_env=False) as client:
        yield client


def sign_in(browser: httpx.Client, token: str = TOKEN, query: str = "") -> httpx.Response:
    return browser.post("/session", data={"token": token, "query": query})


def test_all_of_it_is_light() -> None:
    contents = [page_files.page_file(path).content for path in page_files.file_paths()]
    contents.append(page_files.index_html().encode())
    assert sum(len(gzip.compress(content)) for content in contents) < MOST_BYTES


def test_no_file_names_another_server() -> None:
    """Nothing is fetched from elsewhere; a namespace is a name."""
    for path in page_files.file_paths():
        text = page_files.page_file(path).content.decode().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://[a-z]", text), path


def test_no_text_becomes_html() -> None:
    """No script has a way to read a text as HTML."""
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|setHTML|srcdoc"
    for path in page_files.file_paths():
        assert not re.search(ways, page_files.page_file(path).content.decode()), path


def test_everybody_gets_its_files_and_nothing_beside_them(browser: httpx.Client) -> None:
    for path, kind in (("/", "html"), ("/app.js", "javascript"), ("/page.css", "css")):
        answer = browser.get(path)
        assert (answer.status_code, answer.headers["x-content-type-options"]) == (200, "nosniff")
        assert kind in answer.headers["content-type"]
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    for path in ("/index.html", "/colours/languages.license", "/../http.py", "/colours/"):
        assert browser.get(path).status_code == 401


def test_a_file_that_is_known_is_not_sent_again(browser: httpx.Client) -> None:
    first = browser.get("/app.js")
    same = browser.get("/app.js", headers={"if-none-match": first.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")


def test_the_token_is_typed_where_no_script_runs(browser: httpx.Client) -> None:
    """A wrong one is told; the right one leads to what was asked."""
    assert 'action="/session"' in browser.get("/?q=needle").text
    wrong = sign_in(browser, "another token", "q=needle")
    assert (wrong.status_code, "The token is wrong" in wrong.text) == (401, True)
    assert not browser.cookies
    right = sign_in(browser, query="q=needle")
    assert (right.status_code, right.headers["location"]) == (303, "/?q=needle")
    assert "HttpOnly" in right.headers["set-cookie"]
    assert "SameSite=strict" in right.headers["set-cookie"]
    assert "2 hits" in browser.get(right.headers["location"]).text


def test_a_form_of_another_site_brings_no_token(browser: httpx.Client) -> None:
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "same-site"}):
        answer = browser.post("/session", data={"token": TOKEN}, headers=headers)
        assert answer.status_code == 403


def test_a_form_that_is_too_large(browser: httpx.Client) -> None:
    assert sign_in(browser, "x" * 5_000).status_code == 413


def test_where_the_query_leads_is_here(browser: httpx.Client) -> None:
    """Whatever somebody makes a form say."""
    answer = sign_in(browser, query="//evil.example/\r\nx: y")
    assert answer.headers["location"].startswith("/?")
    assert "x" not in answer.headers


def test_names_and_lines_are_text(browser: httpx.Client) -> None:
    """Also what turns the direction of writing."""
    sign_in(browser)
    text = browser.get("/?q=needle").text
    assert "&lt;b&gt;bold.py:1" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert" not in text
    assert "\\u202e" in text


def test_a_question_is_text_too(browser: httpx.Client) -> None:
    sign_in(browser)
    text = browser.get("/", params={"q": '"</noscript><i>"'}).text
    assert "No hits for &quot;&lt;/noscript&gt;&lt;i&gt;&quot;" in text
    assert 'name="q" value="&quot;&lt;/noscript&gt;&lt;i&gt;&quot;"' in text


def test_what_is_wrong_is_said(browser: httpx.Client) -> None:
    """What is no parameter of a search is the page's own."""
    sign_in(browser)
    assert "no language klingon" in browser.get("/?q=needle&language=klingon").text
    assert "2 hits" in browser.get("/?q=needle&view=search").text


def test_no_other_page_makes_the_server_search(browser: httpx.Client) -> None:
    """One of another port has our cookie: ports are one site."""
    sign_in(browser)
    answer = browser.get("/?q=needle", headers={"sec-fetch-site": "same-site"})
    assert (answer.status_code, "bold.py" in answer.text) == (200, False)


def test_the_worker_may_serve_the_folder_as_it_is() -> None:
    """Every file that a file of it names is there, by a name that is no root's."""
    for path in (*page_files.file_paths(), f"/{page_files.INDEX_FILE}"):
        file = page_files.PAGE_FOLDER / path.removeprefix("/")
        pattern = r"""^import\b.*from ['"](\.[^'"]+)|(?:href|src)="([a-z][\w.]+)\""""
        for one, other in re.findall(pattern, file.read_text("utf-8"), re.M):
            assert (file.parent / Path(one or other)).is_file(), (path, one or other)
