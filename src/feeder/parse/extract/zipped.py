"""Which document is a ZIP? What its members are called says it."""

from collections.abc import Callable

from feeder.parse.extract import Extract, Unreadable
from feeder.parse.extract.archive import Archive


def reader(content: bytes) -> Callable[[bytes], Extract]:
    """What takes the text out of this archive."""
    archive = Archive(content)
    names = archive.names
    if "word/document.xml" in names:
        from feeder.parse.extract.docx import docx

        return lambda _: docx(archive)
    if "ppt/presentation.xml" in names:
        from feeder.parse.extract.pptx import pptx

        return lambda _: pptx(archive)
    if "META-INF/container.xml" in names:
        from feeder.parse.extract.epub import epub

        return lambda _: epub(archive)
    if any(name.startswith("xl/workbook.") for name in names):
        from feeder.parse.extract.sheets import sheets

        return sheets
    if "content.xml" in names:
        return _open_document(archive)
    raise Unreadable("an archive that is no document")


def _open_document(archive: Archive) -> Callable[[bytes], Extract]:
    if b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise Unreadable("an encrypted document")
    kind = archive.read("mimetype") if "mimetype" in archive.names else b""
    if b"spreadsheet" in kind:
        from feeder.parse.extract.sheets import sheets

        return sheets
    from feeder.parse.extract.odf import odf

    return lambda _: odf(archive, is_slides=b"presentation" in kind)
