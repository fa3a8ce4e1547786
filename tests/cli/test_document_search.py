"""Documents are searched, shown and relocated like code, down to the lines of a PDF."""

import pytest

from command_runner import RunFeeder
from parse.documents import Line, docx, p, pdf, tbl
from source.repos import Repo

pytestmark = pytest.mark.needs("documents")

WORDS = "The watchdog resets the unit when nobody has fed it for a whole second of the clock."
ROWS = [("Name", "Offset", "Reset"), ("CTRL", "0x00", "0x1"), ("STAT", "0x04", "0x0")]
LINES = [Line("Registers", y=760, size=16), Line(WORDS[:44], y=720), Line(WORDS[45:], y=708)]
CODE = ["int watchdog_init(void) {", "return start();", "}"]
LISTING = [Line(text, 72, 500 - 12 * n, "Courier") for n, text in enumerate(CODE)]
MANUAL = pdf([[Line("Preface", y=760, size=16), Line("Read it.", y=700)], [*LINES, *LISTING]],
             [("Preface", 0), ("Registers", 1)])  # fmt: skip


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit({"a.py": "def watchdog():\n    return 1\n"})
    repo.commit({"docs/manual.pdf": MANUAL})
    repo.commit({"docs/manual.docx": docx(p("Registers", "berschrift1") + p(WORDS) + tbl(ROWS))})
    return repo


def test_query_finds_a_page_and_shows_its_lines(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "--no-vectors")
    [hit] = feeder(shop, "search", "fed clock second path:*.pdf", "--json").json["hits"]
    assert (hit["path"], hit["node_type"]) == ("docs/manual.pdf", "doc_page")
    assert hit["logical_path"] == "Registers > p. 2"
    assert hit["text"].split("\n")[:2] == ["Registers", ""]
    assert " ".join(hit["text"].split()[1:18]) == WORDS
    assert feeder(shop, "validate", "--no-vectors").code == 0


def test_show_prints_the_extracted_text(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "--no-vectors")
    out = feeder(shop, "show", "docs/manual.docx:5-7").out
    said = [line.split(maxsplit=1) for line in out.splitlines() if " | " in line]
    assert said == [[str(n), " | ".join(row)] for n, row in enumerate(ROWS, 5)]
    outline = feeder(shop, "outline", "docs/manual.pdf").out
    assert "Registers > p. 2" in outline


@pytest.mark.parametrize(
    ("type_", "found"),
    [("table", {"doc_table"}), ("code", {"doc_codeblock"}), ("page", {"doc_page"})],
)
def test_type_filter_finds_documents(
    feeder: RunFeeder, shop: Repo, type_: str, found: set[str]
) -> None:
    feeder(shop, "sync", "--no-vectors")
    words = {"table": "CTRL", "code": "watchdog_init", "page": "watchdog"}[type_]
    hits = feeder(shop, "search", f"{words} type:{type_}", "--json").json["hits"]
    assert {hit["node_type"] for hit in hits} == found


def test_pattern_search_names_the_documents_it_left_out(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "--no-vectors")
    said = '/watch[d]og/ was not searched for in 2 documents: use words or "phrases" there.'
    assert feeder(shop, "search", "/watch[d]og/", "--json").json["notes"] == [said]
    assert said in feeder(shop, "search", "/watch[d]og/").out


def test_pdf_and_docx_of_the_same_text_are_one_hit(feeder: RunFeeder, shop: Repo) -> None:
    """Although their lines are broken differently."""
    shop.commit({"note.pdf": pdf([[*LINES]], [("Registers", 0)])})
    shop.commit({"note.docx": docx(p("Registers", "berschrift1") + p(WORDS))})
    feeder(shop, "sync", "--no-vectors")
    facts = feeder(shop, "search", "fed second clock unit nobody path:note.*", "--json").json
    [hit] = facts["hits"]
    assert [copy["path"] for copy in hit["copies"]] != [hit["path"]]
    assert len(hit["copies"]) == 1


def test_changed_document_is_relocated(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "--no-vectors")
    other = docx(p("A new first one.") + p("Registers", "berschrift1") + p(WORDS) + tbl(ROWS))
    (shop.path / "docs/manual.docx").write_bytes(other)
    [hit] = feeder(shop, "search", "CTRL STAT type:table", "--json").json["hits"]
    assert hit["text"].split("\n")[0] == "Name | Offset | Reset"
    assert hit["state"] == "moved"


def test_phrase_is_matched_in_the_extracted_text(feeder: RunFeeder, shop: Repo) -> None:
    feeder(shop, "sync", "--no-vectors")
    hits = feeder(shop, "search", '"nobody has fed it"', "--json").json["hits"]
    assert {hit["path"].rpartition(".")[2] for hit in hits} <= {"pdf", "docx"}
    assert hits
    assert feeder(shop, "search", '"nobody fed has it"', "--json").json["hits"] == []


def test_secrets_in_a_document_are_masked_when_shown(feeder: RunFeeder, repo: Repo) -> None:
    token = "ghp_" + "a1B2" * 9
    repo.commit({"m.docx": docx(p("The token of the unit") + p(f"token = {token}"))})
    report = feeder(repo, "sync", "--no-vectors", "--json").json
    assert report["secrets_masked"] == {"m.docx": 1}
