"""A document is served only to authorized clients and as indexed; no other file is served."""

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

pytestmark = [pytest.mark.slow, pytest.mark.needs("documents")]

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
    """A server of documents that a test may change, limited to 100 KB each."""
    repo.commit(FILES)
    index(repo)
    desk = IndexService(Settings(directory=repo.path, vectors=False, max_document_bytes=100_000))
    with web(desk) as one:
        yield one
    desk.close()


def got(asked: Web, path: str, **headers: str) -> httpx.Response:
    return asked.client.get("/api/document", params={"path": path}, headers=headers)


def error(answer: httpx.Response) -> str:
    """Returns the reason why a document is not served; its content must not be in the response."""
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"
    return str(answer.json()["error"])


def test_pdf_is_shown_inline_without_scripts(site: Web) -> None:
    answer = got(site, "docs/manual.pdf")
    assert (answer.status_code, answer.content) == (200, MANUAL)
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"] == "inline; filename*=UTF-8''manual.pdf"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; ")
    assert "script-src" not in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def test_other_documents_are_attachments(site: Web) -> None:
    answer = got(site, "docs/Bericht größer.docx")
    assert (answer.status_code, answer.content) == (200, REPORT)
    assert answer.headers["content-type"].endswith("wordprocessingml.document")
    name = "Bericht%20gr%C3%B6%C3%9Fer.docx"
    assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{name}"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_each_document_format_has_its_content_type() -> None:
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
def test_no_other_file_is_served(site: Web, path: str) -> None:
    """No text file, folder or unindexed document, and no path tricks."""
    folder = site.client.get("/api/status").json()["places"]["folder"]
    Path(folder).with_name("outside.pdf").write_bytes(MANUAL)
    sent = quote(path.encode("utf-8", "surrogatepass"), safe="")
    answer = site.client.get(f"/api/document?path={sent}")
    assert error(answer)


@pytest.mark.parametrize("place", ["docs/manual.pdf", "docs"])
def test_symbolic_link_out_of_the_folder_is_not_followed(
    asked: Web, repo: Repo, place: str
) -> None:
    """Even if it replaced an indexed document or its folder."""
    outside = repo.path.with_name("outside")
    (repo.path / "docs").rename(outside)
    (repo.path / place).parent.mkdir(exist_ok=True)
    target = outside / place.removeprefix("docs").lstrip("/")
    (repo.path / place).symlink_to(target, target_is_directory=target.is_dir())
    assert "has been deleted or changed since it was indexed" in error(
        got(asked, "docs/manual.pdf")
    )


def test_changed_document_is_an_error(asked: Web, repo: Repo) -> None:
    (repo.path / "docs/manual.pdf").write_bytes(MANUAL + b"\n")
    answer = got(asked, "docs/manual.pdf")
    assert "has been deleted or changed since it was indexed" in error(answer)
    assert "feeder sync" in answer.json()["remedy"]


def test_missing_document_is_read_from_git(asked: Web, repo: Repo) -> None:
    """If git has it no more, the error says so."""
    (repo.path / "docs/manual.pdf").unlink()
    assert got(asked, "docs/manual.pdf").content == MANUAL
    (repo.path / ".git").rename(repo.path / "no.git")
    assert "has been deleted" in error(got(asked, "docs/manual.pdf"))


def test_too_large_document_is_not_read(asked: Web, repo: Repo) -> None:
    os.truncate(repo.path / "docs/manual.pdf", 100_001)
    answer = got(asked, "docs/manual.pdf")
    assert error(answer) == "docs/manual.pdf is larger than 100,000 bytes."
    assert answer.json()["remedy"] == ("Start feeder serve with a larger --max-document-bytes.")


def test_unauthorized_client_gets_no_document(site: Web) -> None:
    """Token, host name and origin are checked as for every address."""
    for headers, status in (
        ({"authorization": "Bearer wrong"}, 401),
        ({"host": "evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
    ):
        answer = got(site, "docs/manual.pdf", **headers)
        assert (answer.status_code, MANUAL in answer.content) == (status, False)


def test_errors_in_a_tab_are_plain_text(site: Web) -> None:
    answer = got(site, "<b>none</b>.pdf", accept="text/html,*/*;q=0.8")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert (
        "<h1>The index has no file or folder &#x27;&lt;b&gt;none&lt;/b&gt;.pdf&#x27;.</h1>"
        in answer.text
    )
    assert "<b>" not in answer.text


def test_page_opens_a_document_with_a_form(site: Web) -> None:
    """A tab that is opened sends no header; the key in the form is checked, and the origin."""
    form = {"path": "docs/manual.pdf", "key": site.client.post("/api/session").json()["key"]}
    answer = httpx.post(f"{site.base}/document", data=form, trust_env=False, timeout=60)
    assert (answer.status_code, answer.content) == (200, MANUAL)
    for wrong in ({"key": "x"}, {"key": ""}):
        refused = httpx.post(
            f"{site.base}/document", data={**form, **wrong}, trust_env=False, timeout=60
        )
        assert (refused.status_code, refused.json()["error"]) == (
            401,
            "The page's key is wrong.",
        )
    foreign = {"origin": "http://127.0.0.1:3000"}
    answer = httpx.post(
        f"{site.base}/document", data=form, headers=foreign, trust_env=False, timeout=60
    )
    assert answer.status_code == 403
    answer = httpx.post(
        f"{site.base}/document", data={**form, "path": "src/cart.py"}, trust_env=False, timeout=60
    )
    assert error(answer)
