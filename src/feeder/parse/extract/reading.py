"""Which reader takes the text out of a document? Its first bytes decide, whatever it is called."""

from collections.abc import Callable

from feeder.parse.extract import NOT_INSTALLED, TEXT_BYTES, Extract, Unreadable, versions

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_RTF = b"{\\rtf"


def extract(ending: str, content: bytes) -> Extract:
    """The text of a document whose name has this ending; raises Unreadable.

    Its first bytes say what it is, whatever it is called.
    """
    if not versions():
        raise Unreadable(NOT_INSTALLED)
    found = _reader(ending, content)(content)
    if len(found.text) > TEXT_BYTES:
        raise Unreadable(f"a document with more than {TEXT_BYTES // 1_000_000} MB of text")
    if not found.text.strip():
        raise Unreadable("a document without text, such as pictures of pages")
    return found


def _reader(ending: str, content: bytes) -> Callable[[bytes], Extract]:
    if not content:
        raise Unreadable("an empty file")
    if b"%PDF-" in content[:1024]:
        from feeder.parse.extract.pdf import pdf

        return pdf
    if content.startswith(b"PK\x03\x04"):
        from feeder.parse.extract.zipped import reader

        return reader(content)
    if content.startswith(_RTF):
        from feeder.parse.extract.rtf import rtf

        return rtf
    if content.startswith(_OLE) and ending == "xls":
        from feeder.parse.extract.sheets import sheets

        return sheets
    if content.startswith(_OLE):
        raise Unreadable("an encrypted document, or one of an Office before 2007")
    if ending in ("mht", "mhtml"):
        from feeder.parse.extract.saved import saved

        return saved
    raise Unreadable(f"no {ending} by its first bytes")
