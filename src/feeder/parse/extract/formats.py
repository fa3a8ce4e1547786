"""Detects a document's format from its content, not its name, and runs that format's extractor."""

from collections.abc import Callable

from feeder.parse.extract import (
    MAX_TEXT_BYTES,
    NOT_INSTALLED,
    ExtractedDocument,
    UnreadableError,
    extractor_versions,
)
from feeder.parse.extract.zip_xml import ZipArchive


def zip_extractor(content: bytes) -> Callable[[bytes], ExtractedDocument]:
    """What takes the text out of this archive."""
    archive = ZipArchive(content)
    names = archive.names
    if "word/document.xml" in names:
        from feeder.parse.extract.docx import extract_docx

        return lambda _: extract_docx(archive)
    if "ppt/presentation.xml" in names:
        from feeder.parse.extract.pptx import extract_pptx

        return lambda _: extract_pptx(archive)
    if "META-INF/container.xml" in names:
        from feeder.parse.extract.html_documents import extract_epub

        return lambda _: extract_epub(archive)
    if any(name.startswith("xl/workbook.") for name in names):
        from feeder.parse.extract.spreadsheets import extract_spreadsheet

        return extract_spreadsheet
    if "content.xml" in names:
        return _opendocument_extractor(archive)
    raise UnreadableError("an archive that is no document")


def _opendocument_extractor(archive: ZipArchive) -> Callable[[bytes], ExtractedDocument]:
    if b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise UnreadableError("an encrypted document")
    kind = archive.read("mimetype") if "mimetype" in archive.names else b""
    if b"spreadsheet" in kind:
        from feeder.parse.extract.spreadsheets import extract_spreadsheet

        return extract_spreadsheet
    from feeder.parse.extract.odf import extract_odf

    return lambda _: extract_odf(archive, is_slides=b"presentation" in kind)


_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_RTF_MAGIC = b"{\\rtf"


def extract_document(extension: str, content: bytes) -> ExtractedDocument:
    """The text of a document whose name has this ending; raises Unreadable.

    Its first bytes say what it is, whatever it is called.
    """
    if not extractor_versions():
        raise UnreadableError(NOT_INSTALLED)
    found = _extractor_for(extension, content)(content)
    if len(found.text) > MAX_TEXT_BYTES:
        raise UnreadableError(f"a document with more than {MAX_TEXT_BYTES // 1_000_000} MB of text")
    if not found.text.strip():
        raise UnreadableError("a document without text, such as pictures of pages")
    return found


def _extractor_for(extension: str, content: bytes) -> Callable[[bytes], ExtractedDocument]:
    if not content:
        raise UnreadableError("an empty file")
    if b"%PDF-" in content[:1024]:
        from feeder.parse.extract.pdf import extract_pdf

        return extract_pdf
    if content.startswith(b"PK\x03\x04"):
        return zip_extractor(content)
    if content.startswith(_RTF_MAGIC):
        from feeder.parse.extract.rtf import extract_rtf

        return extract_rtf
    if content.startswith(_OLE_MAGIC) and extension == "xls":
        from feeder.parse.extract.spreadsheets import extract_spreadsheet

        return extract_spreadsheet
    if content.startswith(_OLE_MAGIC):
        raise UnreadableError("an encrypted document, or one of an Office before 2007")
    if extension in ("mht", "mhtml"):
        from feeder.parse.extract.html_documents import extract_mhtml

        return extract_mhtml
    raise UnreadableError(f"no {extension} by its first bytes")
