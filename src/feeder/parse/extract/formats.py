"""Detects a document's format from its content, not its name, and runs that format's extractor."""

from feeder.nodes import Node
from feeder.parse import ParsedFile
from feeder.parse.decoding import NotTextError
from feeder.parse.extract import (
    MAX_TEXT_BYTES,
    NOT_INSTALLED,
    ExtractedDocument,
    UnreadableError,
    extractor_versions,
)
from feeder.parse.extract.zip_xml import ZipArchive
from feeder.parse.grammars import Grammars
from feeder.source import file_types

_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_RTF_MAGIC = b"{\\rtf"


def extract_document(extension: str, content: bytes) -> ExtractedDocument:
    """Extracts the text of a document; raises UnreadableError.

    The format is detected from the content; `extension` decides where that leaves a doubt.
    """
    if not extractor_versions():
        raise UnreadableError(NOT_INSTALLED)
    document = _extract(extension, content)
    if len(document.text) > MAX_TEXT_BYTES:
        raise UnreadableError(f"a document with more than {MAX_TEXT_BYTES // 1_000_000} MB of text")
    if not document.text.strip():
        raise UnreadableError("a document without text, such as pictures of pages")
    return document


def parse_document_text(_: Grammars, path: str, content: bytes) -> ParsedFile:
    """Extracts the text of a document as one node; line numbers of nodes refer to this text."""
    try:
        document = extract_document(file_types.document_extension(path), content)
    except NotTextError as exc:
        return ParsedFile(path, [], skip=str(exc))
    text = document.text.decode("utf-8", "replace")
    return ParsedFile(path, [Node(document.language, "chunk", None, None, None, 1, 1, text)])


def _extract(extension: str, content: bytes) -> ExtractedDocument:
    if not content:
        raise UnreadableError("an empty file")
    if b"%PDF-" in content[:1024]:
        from feeder.parse.extract.pdf import extract_pdf

        return extract_pdf(content)
    if content.startswith(b"PK\x03\x04"):
        return _extract_zip(content)
    if content.startswith(_RTF_MAGIC):
        from feeder.parse.extract.rtf import extract_rtf

        return extract_rtf(content)
    if content.startswith(_OLE_MAGIC) and extension == "xls":
        return _extract_spreadsheet(content)
    if content.startswith(_OLE_MAGIC):
        raise UnreadableError("an encrypted document, or one of an Office before 2007")
    if extension in ("mht", "mhtml"):
        from feeder.parse.extract.html_documents import extract_mhtml

        return extract_mhtml(content)
    raise UnreadableError(f"no {extension} by its first bytes")


def _extract_zip(content: bytes) -> ExtractedDocument:
    archive = ZipArchive(content)
    names = archive.names
    if "word/document.xml" in names:
        from feeder.parse.extract.docx import extract_docx

        return extract_docx(archive)
    if "ppt/presentation.xml" in names:
        from feeder.parse.extract.pptx import extract_pptx

        return extract_pptx(archive)
    if "META-INF/container.xml" in names:
        from feeder.parse.extract.html_documents import extract_epub

        return extract_epub(archive)
    if any(name.startswith("xl/workbook.") for name in names):
        return _extract_spreadsheet(content)
    if "content.xml" in names:
        return _extract_opendocument(archive, content)
    raise UnreadableError("an archive that is no document")


def _extract_opendocument(archive: ZipArchive, content: bytes) -> ExtractedDocument:
    if b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise UnreadableError("an encrypted document")
    media_type = archive.read("mimetype") if "mimetype" in archive.names else b""
    if b"spreadsheet" in media_type:
        return _extract_spreadsheet(content)
    from feeder.parse.extract.odf import extract_odf

    return extract_odf(archive, is_slides=b"presentation" in media_type)


def _extract_spreadsheet(content: bytes) -> ExtractedDocument:
    from feeder.parse.extract.spreadsheets import extract_spreadsheet

    return extract_spreadsheet(content)
