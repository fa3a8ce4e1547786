"""Which document is a ZIP? What its members are called says it."""

from collections.abc import Callable

from feeder.parse.extract import ExtractedDocument, UnreadableError
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
        from feeder.parse.extract.epub import extract_epub

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
