"""Documents on the page in a real browser: extracted text and the original file."""

import pytest
from playwright.sync_api import Browser, expect

from mcp_server.conftest import index
from parse.documents import Line, docx, p, pdf
from source.repos import Repo
from web.browser_client import NARROW, accessibility_violations, index_server, open_page
from web.http_client import Web

pytestmark = pytest.mark.needs("documents")

MANUAL = pdf([[Line("The cover of it")], [Line("The needle is here")], [Line("And an index")]])
REPORT = docx(p("The report has a needle too"))
FILES: dict[str, str | bytes] = {
    "docs/manual #1.pdf": MANUAL,
    "docs/report.docx": REPORT,
    "docs/marked.pdf": pdf(
        [[Line("Keep dry.")], [Line("Call us.")]], [("Safety", 0), ("Service", 1)]
    ),
    "src/sewing.py": "def needle(): pass\n",
}
FILE = "?file=docs%2Fmanual+%231.pdf"
AT_PAGE_2 = "document#page=2"


def test_pdf_opens_at_its_page(browser: Browser, site: Web) -> None:
    """In a tab of its own, in the browser's viewer."""
    with open_page(browser, site, "?q=needle+type:page") as page:
        link = page.get_by_role("button", name="Open PDF, p. 2")
        with page.context.expect_page() as opened:
            link.click()
        tab = opened.value
        tab.wait_for_url(f"{site.base}/{AT_PAGE_2}")
        assert tab.evaluate("document.contentType") == "application/pdf"
        assert tab.evaluate("window.opener") is None


def test_other_documents_are_downloaded(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?q=report") as page:
        with page.expect_download() as saved:
            page.get_by_role("button", name="Download DOCX").click()
        assert saved.value.suggested_filename == "report.docx"
        assert saved.value.path().read_bytes() == REPORT


def test_editor_link_is_only_for_code(browser: Browser, site: Web) -> None:
    """Lines of a document are not those of its file."""
    with open_page(browser, site, "?q=needle") as page:
        expect(page.locator(".hit")).to_have_count(3)
        for path, editor in (("src/sewing.py", 1), ("docs/manual #1.pdf", 0)):
            hit = page.locator(".hit", has=page.get_by_role("link", name=path))
            expect(hit.get_by_role("link", name="Open in editor")).to_have_count(editor)


def test_outline_of_a_pdf_has_sections_with_pages(browser: Browser, site: Web) -> None:
    with open_page(browser, site, "?file=docs/marked.pdf") as page:
        links = page.get_by_role("navigation", name="Outline").get_by_role("link")
        expect(links).to_have_text(["Safety, p. 1 doc page", "Service, p. 2 doc page"])


def test_page_link_follows_the_selected_line(browser: Browser, site: Web) -> None:
    with open_page(browser, site, FILE) as page:
        expect(page.get_by_role("button", name="Open PDF, p. 1")).to_be_visible()
        line = page.locator(".row", has_text="The needle is here")
        line.locator(".number").click()
        expect(page.get_by_role("button", name="Open PDF, p. 2")).to_be_visible()
        expect(page.locator("form[target]")).to_have_attribute("action", AT_PAGE_2)


def test_changed_document_is_reported(browser: Browser, repo: Repo) -> None:
    """In the tab that was to show it."""
    repo.commit(FILES)
    index(repo)
    with index_server(repo.path) as site, open_page(browser, site, "?q=needle+type:page") as page:
        (repo.path / "docs/manual #1.pdf").write_bytes(MANUAL + b"\n")
        with page.context.expect_page() as opened:
            page.get_by_role("button", name="Open PDF, p. 2").click()
        said = opened.value.get_by_role("heading")
        expect(said).to_contain_text(
            "docs/manual #1.pdf has been deleted or changed since it was indexed"
        )
        assert accessibility_violations(opened.value) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_documents_are_accessible_and_fit_a_phone(browser: Browser, site: Web, scheme: str) -> None:
    for address in ("?q=needle", FILE):
        with open_page(browser, site, address, viewport=NARROW, color_scheme=scheme) as page:
            expect(page.locator("form[target]").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
            assert accessibility_violations(page) == []
