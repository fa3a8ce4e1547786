"""Detects whether content is text and decodes it to UTF-8 with `\n` line ends."""

import codecs
import re
from itertools import islice

_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NEARLY_UTF8 = "utf-8"
_LATIN_ENCODINGS = ("cp1252", "cp1250", "cp1254")
_OTHER_ENCODINGS = ("cp1251", "koi8_r", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1253")
_DECLARED_ENCODING = re.compile(
    rb"(?:coding|charset)\s*[:=]\s*[\"']?"
    rb"((?:iso|cp|windows|latin|koi|gb|big5|euc|shift|sjis)[\w.-]*)",
    re.IGNORECASE,
)
_DECLARED_BYTES = 1024
"""Bytes in which an editor's mark, an XML declaration or a meta element may name the encoding."""
_SAMPLE_BYTES, _LINE_BYTES = 65_536, 2_000
"""Bytes from which an encoding is detected, and of a line that is sampled as a whole."""
_NON_ASCII_CHARACTER = re.compile(r"[^\x00-\x7f\ufffd]")
_NON_ASCII_RUN = re.compile(rb"[\x80-\xff]+")
_NON_ASCII_WORDS = re.compile(rb"(?:[\x80-\xff]{1,200}[ -~\t]{0,40}){1,20}")
_CONTROL_CHARACTER = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")

# matches only from the start of a run: trying each of its characters takes a minute per megabyte
_BASE64_RUN = re.compile(
    rb"(?:(?<![A-Za-z0-9+/\\])|(?<=\\)(?!n))"
    rb"((?:[A-Za-z0-9+/]|\\n){60})(?:[A-Za-z0-9+/=]|\\n){400,}"
)


class NotTextError(Exception):
    """The content cannot be indexed as text; the message is the skip reason."""


def decode_text(content: bytes, encoding: str = "") -> bytes:
    """The content as UTF-8 without a byte order mark; raises NotTextError if it is not text.

    CR LF becomes LF; a lone CR is a line end only in a file without any LF. A few invalid bytes in
    otherwise readable text become U+FFFD. `encoding` is what `other_encoding` returned for it.
    """
    reject_lfs_pointer(content)
    text = _to_utf8(content, encoding)
    if b"\0" in text:
        raise NotTextError("binary")
    if b"\r" not in text:
        return text
    return text.replace(b"\r\n", b"\n") if b"\n" in text else text.replace(b"\r", b"\n")


def has_byte_order_mark(content: bytes) -> bool:
    """Tells whether the content begins with a mark of UTF-8, UTF-16 or UTF-32."""
    return content.startswith(tuple(bom for bom, _ in _BOMS))


def reject_lfs_pointer(content: bytes) -> None:
    """Raises NotTextError for a Git LFS pointer file."""
    if content.startswith(_LFS_POINTER):
        raise NotTextError("a pointer to a file in LFS")


def truncate_base64(content: bytes) -> bytes:
    """Cuts long runs of base64, such as images in a notebook, to their first 60 characters.

    Line numbers stay the same.
    """
    return _BASE64_RUN.sub(rb"\1", content)


def _to_utf8(content: bytes, encoding: str) -> bytes:
    for bom, marked in _BOMS:
        if content.startswith(bom):
            return _decode_lenient(content[len(bom) :], marked)
    if b"\0" in content:
        raise NotTextError("binary")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        encoding = encoding or other_encoding(content)
    else:
        return content
    if encoding == _NEARLY_UTF8:
        return content.decode("utf-8", "replace").encode("utf-8")
    return _decode_lenient(content, encoding)


def _decode_lenient(content: bytes, encoding: str) -> bytes:
    """Decodes from a known encoding; up to 1 % of the characters may be invalid."""
    text = content.decode(encoding, "replace")
    if text.count("\ufffd") > 1 + len(text) // 100:
        raise NotTextError(f"not readable as {encoding}")
    return text.encode("utf-8")


def other_encoding(content: bytes) -> str:
    """The encoding of text that is invalid UTF-8: nearly UTF-8, a declared or a detected one.

    Raises NotTextError if none is likely.
    """
    text = content.decode("utf-8", "replace")
    if 4 * text.count("\ufffd") < len(_NON_ASCII_CHARACTER.findall(text)):
        return _NEARLY_UTF8
    if declared := _DECLARED_ENCODING.search(content[:_DECLARED_BYTES]):
        name = declared[1].decode()
        try:
            content.decode(name)
        except (LookupError, UnicodeError):
            pass
        else:
            return name
    return _detect_encoding(content)


def _detect_encoding(content: bytes) -> str:
    """The most likely encoding; raises NotTextError if none is likely."""
    from charset_normalizer import from_bytes

    if 50 * len(_CONTROL_CHARACTER.findall(content)) > len(content):
        raise NotTextError("binary")
    sample = _non_ascii_sample(content)
    runs = _NON_ASCII_RUN.findall(sample)
    # In Latin script accented letters stand alone; elsewhere most bytes of a word are not ASCII.
    is_latin = 2 * sum(len(run) == 1 for run in runs) > len(runs)
    guesses = from_bytes(sample, cp_isolation=list(_LATIN_ENCODINGS)) if is_latin else ()
    guesses = guesses or from_bytes(sample, cp_isolation=[*_LATIN_ENCODINGS, *_OTHER_ENCODINGS])
    if best := guesses.best():
        likely = (guess for guess in guesses if guess.chaos <= best.chaos)
        is_western = any(_LATIN_ENCODINGS[0] in guess.could_be_from_charset for guess in likely)
        return _LATIN_ENCODINGS[0] if is_western else best.encoding
    if 4 * sum(map(len, runs)) > len(content):
        raise NotTextError("no text in an encoding that can be detected")
    return _LATIN_ENCODINGS[0]


def _non_ascii_sample(content: bytes) -> bytes:
    """Lines that are not ASCII, shortened to the words around if long, up to `_SAMPLE_BYTES`."""
    lines: list[bytes] = []
    size = 0
    for line in content.split(b"\n"):
        if size < _SAMPLE_BYTES and not line.isascii():
            is_long = len(line) > _LINE_BYTES
            words = islice(_NON_ASCII_WORDS.finditer(line), _LINE_BYTES) if is_long else ()
            lines.append(b" ".join(match[0] for match in words) if is_long else line)
            size += len(lines[-1])
    return b"\n".join(lines)
