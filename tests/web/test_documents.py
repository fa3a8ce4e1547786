"""A document itself is sent to who may ask, as it was indexed; no other file ever is."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from feeder.config import Settings
from feeder.mcp.service import IndexService
from feeder.source.file_types import DOCUMENT_EXTENSIONS
from mcp_server.conftest import index
from parse.documents import Line, docx, p, pdf
from source.repos import Repo
from web.http_client import Web, web

pytestmark = pytest.mark.needs("documents")

MANUAL = pdf([[Line("The first page of a manual")], [Line("The needle is on the second")]])
REPORT = docx(p("What the report says"))
EMPTY = pdf([[]])
"""Without a text, so that it is not indexed."""


FILES: dict[str, str | bytes] = {
    "docs/manual.pdf": MANUAL,
    "docs/Bericht größer.docx": REPORT,
    "docs/empty.pdf": EMPTY,
    "src/cart.py": "def total(): pass\n",
}


@pytest.fixture
def asked(repo: Repo) -> Iterator[Web]:
    """A server of documents that a test changes, each limited to a hundred kilobytes."""
    repo.commit(FILES)
    index(repo)
    desk = IndexService(Settings(directory=repo.path, vectors=False, max_document_bytes=100_000))
    with web(desk) as one:
        yield one
    desk.close()


def got(asked: Web, path: str, **headers: str) -> httpx.Response:
    return asked.client.get("/api/document", params={"path": path}, headers=headers)


def error(answer: httpx.Response) -> str:
    """Why there is no document; nothing of one is in the answer."""
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"
    return str(answer.json()["error"])


def test_a_pdf_is_shown_and_nothing_in_it_runs(site: Web) -> None:
    answer = got(site, "docs/manual.pdf")
    assert (answer.status_code, answer.content) == (200, MANUAL)
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == "inline; filename*=UTF-8''manual.pdf"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; ")
    assert "script-src" not in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def test_any_other_document_is_saved_under_its_name(site: Web) -> None:
    answer = got(site, "docs/Bericht größer.docx")
    assert (answer.status_code, answer.content) == (200, REPORT)
    assert answer.headers["content-type"].endswith("wordprocessingml.document")
    name = "Bericht%20gr%C3%B6%C3%9Fer.docx"
    assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{name}"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_every_kind_of_document_has_its_type() -> None:
    from feeder.web.documents import CONTENT_TYPES

    assert CONTENT_TYPES.keys() == DOCUMENT_EXTENSIONS


@pytest.mark.parametrize(
    "path",
    [
        "../manual.pdf",
        "docs/../docs/manual.pdf",
        "docs/../../outside.pdf",
        "/etc/passwd",
        "/docs/manual.pdf\0",
        "docs/manual.pdf\0.py",
        "docs\\manual.pdf",
        "src/cart.py",
        "docs",
        ".",
        ".git/config",
        ".feeder/index.db",
        "docs/empty.pdf",
        "docs/none.pdf",
        "\ud800.pdf",
    ],
)
def test_nothing_else_is_sent(site: Web, path: str) -> None:
    """No text, folder or document that is not indexed, and nothing by a way around."""
    folder = site.client.get("/api/status").json()["places"]["folder"]
    Path(folder).with_name("outside.pdf").write_bytes(MANUAL)
    sent = quote(path.encode("utf-8", "surrogatepass"), safe="")
    answer = site.client.get(f"/api/document?path={sent}")
    assert error(answer)


@pytest.mark.parametrize("place", ["docs/manual.pdf", "docs"])
def test_a_link_that_leads_out_is_not_followed(asked: Web, repo: Repo, place: str) -> None:
    """In the place of the document, or of its folder, since it was indexed."""
    outside = repo.path.with_name("outside")
    (repo.path / "docs").rename(outside)
    (repo.path / place).parent.mkdir(exist_ok=True)
    target = outside / place.removeprefix("docs").lstrip("/")
    (repo.path / place).symlink_to(target, target_is_directory=target.is_dir())
    assert "has been deleted or changed since it was indexed" in error(
        got(asked, "docs/manual.pdf")
    )


def test_one_that_has_changed_says_so(asked: Web, repo: Repo) -> None:
    (repo.path / "docs/manual.pdf").write_bytes(MANUAL + b"\n")
    answer = got(asked, "docs/manual.pdf")
    assert "has been deleted or changed since it was indexed" in error(answer)
    assert "feeder sync" in answer.json()["remedy"]


def test_one_that_git_alone_has_is_taken_from_there(asked: Web, repo: Repo) -> None:
    """As its lines are; where git has it no more, that is said."""
    (repo.path / "docs/manual.pdf").unlink()
    assert got(asked, "docs/manual.pdf").content == MANUAL
    (repo.path / ".git").rename(repo.path / "no.git")
    assert "has been deleted" in error(got(asked, "docs/manual.pdf"))


def test_one_that_is_too_large_is_not_read(asked: Web, repo: Repo) -> None:
    os.truncate(repo.path / "docs/manual.pdf", 100_001)
    answer = got(asked, "docs/manual.pdf")
    assert error(answer) == "docs/manual.pdf is larger than 100,000 bytes."
    assert answer.json()["remedy"] == "Set a larger --max-document-bytes."


def test_who_may_not_ask_gets_nothing(site: Web) -> None:
    """The guard is that of all addresses: a token, our name, our page."""
    for headers, status in (
        ({"authorization": "Bearer wrong"}, 401),
        ({"host": "evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
    ):
        answer = got(site, "docs/manual.pdf", **headers)
        assert (answer.status_code, MANUAL in answer.content) == (status, False)


def test_a_tab_gets_a_sentence(site: Web) -> None:
    """Whatever was asked for, it is text."""
    answer = got(site, "<b>none</b>.pdf", accept="text/html,*/*;q=0.8")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>The index has no &lt;b&gt;none&lt;/b&gt;.pdf.</h1>" in answer.text
    assert "<b>" not in answer.text
