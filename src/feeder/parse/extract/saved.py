"""What does a page say that a browser saved as one file (MHTML)? Itself, then the frames in it."""

from email.message import Message
from email.parser import BytesHeaderParser

from feeder.parse.extract import ExtractedDocument, UnreadableError
from feeder.parse.extract.document_writer import DocumentWriter
from feeder.parse.extract.html_documents import write_html


def extract_mhtml(content: bytes) -> ExtractedDocument:
    """The text of its parts that are hypertext; pictures and styles are left out."""
    parser = BytesHeaderParser()  # which leaves parts in parts alone, however deep
    whole = parser.parsebytes(content)
    boundary = whole.get_boundary()
    if whole.get_content_maintype() != "multipart" or not boundary:
        raise UnreadableError("no page that a browser saved")
    writing = DocumentWriter("mhtml")
    _, *parts = content.split(b"--" + boundary.encode("ascii", "replace"))
    for part in parts:
        message = parser.parsebytes(part.lstrip(b"\r\n"))
        if message.get_content_type() in ("text/html", "application/xhtml+xml"):
            write_html(writing, _decode_part(message))
    return writing.result()


def _decode_part(message: Message) -> str:
    content = message.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    try:
        return content.decode(message.get_content_charset("utf-8"), "replace")
    except (LookupError, UnicodeError):  # no encoding of this name, or none of a text
        return content.decode("utf-8", "replace")
