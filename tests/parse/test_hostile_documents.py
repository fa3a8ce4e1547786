"""A hostile document affects only itself, and has text or a reason for having none."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.parse import ParsedFile
from feeder.parse.extract import UnreadableError
from feeder.parse.extract.formats import extract_document
from feeder.parse.worker_messages import Limits
from feeder.parse.worker_pool import WorkerPool
from feeder.source.file_types import DOCUMENT_EXTENSIONS
from parse import documents as docs
from parse.hostile_documents import KINDS, PAGE, zip_bomb

pytestmark = pytest.mark.slow

SIZE = 200_000
LIMITS = Limits(document_timeout_s=10)
SMALL = {
    "docx": docs.docx(docs.p("Some words.") + docs.tbl([("a", "b"), ("c", "d")])),
    "odt": docs.odt("<text:p>Some words.</text:p>"),
    "pptx": docs.pptx([docs.shape("Some words.")]),
    "epub": docs.epub(["<p>Some words.</p>"]),
    "mhtml": docs.mhtml(("Content-Type: text/html", b"<p>Some words.</p>")),
    "pdf": docs.pdf([PAGE], [("One", 0)]),
    "rtf": docs.rtf(r"\pard{\b Some} words.\par\trowd\pard\intbl a\cell b\cell\row"),
}
SAID = {
    "zip_bomb": "a document with more than 10 MB of text",
    "entities": "a document whose XML has a DOCTYPE, which is not allowed",
    "outside": "a document whose XML has a DOCTYPE, which is not allowed",
    "locked_pdf": "an encrypted document",
    "locked_office": "an encrypted document, or one of an Office before 2007",
    "half": "a damaged document: its archive cannot be opened",
    "no_document": "an archive that is no document",
    "pictures": "a document without text, such as pictures of pages",
    "name_without_end": "a document without text, such as pictures of pages",
    "form_in_itself": "a document without text, such as pictures of pages",
}
READ = {
    *("deep", "tables_in_tables", "styles_in_a_ring", "many_cells", "bookmarks_in_a_ring"),
    *("many_pages", "groups_in_groups", "bytes_without_end", "characters", "half_of_groups"),
}


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerPool]:
    """Real worker processes with their limits."""
    with WorkerPool(count=1, limits=LIMITS) as workers:
        yield workers


def parse_document(workers: WorkerPool, path: str, content: bytes) -> ParsedFile:
    """Returns the result of a document; checks that the next one is parsed as usual."""
    found, after = workers.parse([(path, content), ("next.docx", SMALL["docx"])])
    assert [node.text for node in after.nodes][:1] == ["Some words."]
    return found


@pytest.mark.needs("documents")
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_document_affects_only_itself(workers: WorkerPool, kind: str) -> None:
    made = KINDS[kind](SIZE)
    found = parse_document(workers, *made)
    assert bool(found.nodes) != bool(found.skip)
    name = KINDS[kind].__name__
    if name in READ:
        assert found.nodes
    if name in SAID:
        assert found.skip == SAID[name]


@pytest.mark.needs("documents")
@pytest.mark.parametrize("ending", sorted(DOCUMENT_EXTENSIONS))
def test_empty_document_has_a_reason(ending: str) -> None:
    assert docs.parsed(f"a.{ending}", b"").skip == "an empty file"


@pytest.mark.needs("documents")
def test_too_large_archive_member_is_not_unpacked(workers: WorkerPool) -> None:
    found = parse_document(workers, *zip_bomb(1_100_000))
    assert found.skip == "a document that unpacks to more than 100 MB"


@settings(max_examples=60)
@given(kind=st.sampled_from(sorted(SMALL)), some=st.data())
def test_damaged_document_has_text_or_a_reason(kind: str, some: st.DataObject) -> None:
    content = bytearray(SMALL[kind])
    for _ in range(some.draw(st.integers(1, 4))):
        at = some.draw(st.integers(0, len(content) - 1))
        content[at] = some.draw(st.integers(0, 255))
    end = some.draw(st.integers(1, len(content)))
    try:
        assert extract_document(kind, bytes(content[:end])).text.strip()
    except UnreadableError as exc:
        assert str(exc)
