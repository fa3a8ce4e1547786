"""Detects whether content is text and decodes it to UTF-8 with `\n` line ends."""

import codecs
import re
from itertools import islice


class NotTextError(Exception):
    """The content is no text to index; the message says what it is."""


_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LATIN_ENCODINGS = ("cp1252", "cp1250", "cp1254")
_OTHER_ENCODINGS = ("cp1251", "koi8_r", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1253")
_DECLARED_ENCODING = re.compile(
    rb"(?:coding|charset)\s*[:=]\s*[\"']?"
    rb"((?:iso|cp|windows|latin|koi|gb|big5|euc|shift|sjis)[\w.-]*)",
    re.IGNORECASE,
)
_DECLARED_BYTES = 1024
"""Where an editor's mark, an XML declaration or a meta element names the encoding."""
_SAMPLE_BYTES, _LINE_BYTES = 65_536, 2_000
"""How much an encoding is detected from, and of how long a line all of it."""
_NON_ASCII_CHARACTER = re.compile(r"[^\x00-\x7f\ufffd]")
_NON_ASCII_RUN = re.compile(rb"[\x80-\xff]+")
_NON_ASCII_WORDS = re.compile(rb"(?:[\x80-\xff]{1,200}[ -~\t]{0,40}){1,20}")
_CONTROL_CHARACTER = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")

# begins only where a run does: from each of its characters, a shorter run takes a minute a megabyte
_BASE64_RUN = re.compile(
    rb"(?:(?<![A-Za-z0-9+/\\])|(?<=\\)(?!n))"
    rb"((?:[A-Za-z0-9+/]|\\n){60})(?:[A-Za-z0-9+/=]|\\n){400,}"
)


def decode_text(content: bytes) -> bytes:
    """The content as UTF-8, without a byte order mark; raises NotText for what is none.

    A carriage return ends a line with the newline behind it, and alone only where the file has no
    newlines at all. Bytes that do not fit into otherwise readable text become U+FFFD.
    """
    reject_lfs_pointer(content)
    text = _to_utf8(content)
    if b"\0" in text:
        raise NotTextError("binary")
    if b"\r" not in text:
        return text
    return text.replace(b"\r\n", b"\n") if b"\n" in text else text.replace(b"\r", b"\n")


def reject_lfs_pointer(content: bytes) -> None:
    """Raises NotText for what stands in the place of a file in LFS."""
    if content.startswith(_LFS_POINTER):
        raise NotTextError("a pointer to a file in LFS")


def truncate_base64(content: bytes) -> bytes:
    """A notebook's text with long runs of base64, its images, cut to their first characters.

    Every line stays, at its number: what is cut are bytes that nobody can read or search for.
    """
    return _BASE64_RUN.sub(rb"\1", content)


def _to_utf8(content: bytes) -> bytes:
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return _decode_lenient(content[len(bom) :], encoding)
    if b"\0" in content:
        raise NotTextError("binary")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return _transcode(content)
    return content


def _decode_lenient(content: bytes, encoding: str) -> bytes:
    """The content in an encoding that it must be in, with a few mistakes let pass."""
    text = content.decode(encoding, "replace")
    if text.count("\ufffd") > 1 + len(text) // 100:
        raise NotTextError(f"not readable as {encoding}")
    return text.encode("utf-8")


def _transcode(content: bytes) -> bytes:
    """Text that is not UTF-8: nearly so, in the encoding that it declares, or in a detected one."""
    text = content.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if 4 * broken < len(_NON_ASCII_CHARACTER.findall(text)):
        return text.encode("utf-8")
    if declared := _DECLARED_ENCODING.search(content[:_DECLARED_BYTES]):
        try:
            return content.decode(declared[1].decode()).encode("utf-8")
        except (LookupError, UnicodeError):
            pass
    return _decode_lenient(content, _detect_encoding(content))


def _detect_encoding(content: bytes) -> str:
    """The encoding that what is not ASCII is most likely in; raises NotText where there is none."""
    from charset_normalizer import from_bytes

    if 50 * len(_CONTROL_CHARACTER.findall(content)) > len(content):
        raise NotTextError("binary")
    sample = _non_ascii_sample(content)
    runs = _NON_ASCII_RUN.findall(sample)
    # In Latin script accented letters stand alone; elsewhere most bytes of a word are not ASCII.
    is_latin = 2 * sum(len(run) == 1 for run in runs) > len(runs)
    found = from_bytes(sample, cp_isolation=list(_LATIN_ENCODINGS)) if is_latin else ()
    found = found or from_bytes(sample, cp_isolation=[*_LATIN_ENCODINGS, *_OTHER_ENCODINGS])
    if best := found.best():
        likely = (one for one in found if one.chaos <= best.chaos)
        western = any(_LATIN_ENCODINGS[0] in one.could_be_from_charset for one in likely)
        return _LATIN_ENCODINGS[0] if western else best.encoding
    if 4 * sum(map(len, runs)) > len(content):
        raise NotTextError("no text in an encoding that can be detected")
    return _LATIN_ENCODINGS[0]


def _non_ascii_sample(content: bytes) -> bytes:
    """Lines that are not ASCII, of long ones the words around, as much as a detector needs."""
    lines: list[bytes] = []
    size = 0
    for line in content.split(b"\n"):
        if size < _SAMPLE_BYTES and not line.isascii():
            is_long = len(line) > _LINE_BYTES
            found = islice(_NON_ASCII_WORDS.finditer(line), _LINE_BYTES) if is_long else ()
            lines.append(b" ".join(match[0] for match in found) if is_long else line)
            size += len(lines[-1])
    return b"\n".join(lines)
