"""Recognizing text and its encoding, and splitting plain text into chunks."""

import codecs
import json
import random

import pytest

from feeder.parse import ParsedFile
from feeder.parse.decoding import NotTextError, decode_text
from feeder.parse.file_parser import parse_file
from parse.outlines import GRAMMARS, assert_properties_hold, document_nodes, nodes

GERMAN = "{ Größe und Länge ändern }\nunit Foo;\n// für Jürgen\n"
POLISH = "Zażółć gęślą jaźń. Proszę wybrać inny plik, ponieważ ten jest za duży.\n"
RUSSIAN = "int x = 1; // комментарий к этому коду\n"
JAPANESE = "int x = 1; // これは日本語のコメントです\n"
CHINESE = "// 这是一个中文注释 用于说明代码\nint x = 1;\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "latin-1"),
        ("“Quoted” — is it… or not?\n", "cp1252"),
        ("é", "latin-1"),
        ("int main(void);\n" * 2000 + "/* Jürgen */\n", "latin-1"),
        ("Le système a été arrêté à la suite d'une erreur réseau.\n", "latin-1"),
        (POLISH, "cp1250"),
        (RUSSIAN, "cp1251"),
        ("Это русский текст для проверки определения кодировки.\n", "koi8-r"),
        (JAPANESE, "shift-jis"),
        (JAPANESE, "euc-jp"),
        (CHINESE, "gbk"),
        ("이것은 한국어 텍스트입니다. 파일을 읽습니다.\n", "cp949"),
        ("# -*- coding: iso-8859-2 -*-\nx = 'ž'\n", "iso-8859-2"),
        ("<?xml version='1.0' encoding='ISO-8859-15'?>\n<price>5 €</price>\n", "iso-8859-15"),
    ],
)
def test_text_that_is_not_utf8_is_decoded(text: str, encoding: str) -> None:
    """With the declared encoding, or the most likely one; a Western one for a few accents."""
    assert decode_text(text.encode(encoding)).decode() == text


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_byte_order_mark_decides_the_encoding_and_is_removed(mark: bytes, encoding: str) -> None:
    assert decode_text(mark + GERMAN.encode(encoding)).decode() == GERMAN


def test_few_invalid_bytes_do_not_lose_a_file() -> None:
    """UTF-8 with a stray byte, UTF-16 with half a character at the end."""
    utf8 = "Größe, Länge, schöne Wörter\n".encode()
    assert decode_text(utf8 * 3 + b"\xff\n").decode() == utf8.decode() * 3 + "\ufffd\n"
    utf16 = codecs.BOM_UTF16_LE + ("x = 1\n" * 30).encode("utf-16-le")
    assert decode_text(utf16 + b"\n").decode() == "x = 1\n" * 30 + "\ufffd"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\0\0\0", "binary"),
        (b"text for a while\n" * 1000 + b"\0", "binary"),
        (codecs.BOM_UTF16_LE + b"a\0\0\0", "binary"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8" * 50, "not readable as utf-16-le"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
            "a pointer to a file in LFS",
        ),
    ],
)
def test_binary_file_is_skipped_with_a_reason(content: bytes, reason: str) -> None:
    assert parse_file(GRAMMARS, "file.txt", content) == ParsedFile("file.txt", [], reason)


@pytest.mark.parametrize("size", [16, 300, 5000])
def test_random_bytes_are_no_text(size: int) -> None:
    """Even without a NUL byte."""
    noise = random.Random(size)
    content = bytes(noise.randrange(1, 256) for _ in range(size))
    with pytest.raises(NotTextError):
        decode_text(content)


def test_line_ends_become_newlines() -> None:
    """A carriage return ends a line only in a file without newlines."""
    assert decode_text(b"a\r\nb\r\n") == b"a\nb\n"
    assert decode_text(b"a\rb\r") == b"a\nb\n"
    assert decode_text(b"50 %\r100 %\ndone\r\n") == b"50 %\r100 %\ndone\n"


def test_only_newlines_end_lines() -> None:
    """Form feeds and U+2028 do not."""
    text = "one\n\x0ctwo\u2028still two\x85and here\n\nfour"
    assert document_nodes("notes.txt", text) == [("chunk", None, 1, 4)]
    assert_properties_hold("notes.txt", text, nodes("notes.txt", text))


def test_empty_file_has_no_nodes_and_no_skip_reason() -> None:
    """Also one with white space only, in any language."""
    for path in ("a.txt", "a.md", "a.json", "a.yaml", "a.toml", "a.xml", "a.py", "a.ipynb"):
        for content in (b"", b"\n \t\r\n\n", codecs.BOM_UTF8):
            assert parse_file(GRAMMARS, path, content) == ParsedFile(path, [])


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("build/justfile", "just"),
        ("CMakeLists.txt", "cmake"),
        ("requirements.txt", "requirements"),
        ("notes.txt", "text"),
        ("LICENSE", "text"),
        ("styles/main.css", "css"),
        ("index.html", "html"),
        ("shaders/Blur.GLSL", "glsl"),
        ("docs/index.tex", "latex"),
        (".gitignore", "ignore"),
        ("run.unknown-ending", "text"),
    ],
)
def test_other_text_is_chunks_of_its_language(path: str, language: str) -> None:
    """The name or extension decides; unknown files are `text`."""
    assert [(n.language, n.node_type) for n in nodes(path, "some words\n")] == [(language, "chunk")]


@pytest.mark.slow
def test_long_line_is_split_into_parts() -> None:
    """Each part has the line's number, and nothing is lost."""
    text = "".join(f"f{n}({{a:{n}}});" for n in range(100_000))
    found = nodes("bundle.css", text)
    assert_properties_hold("bundle.css", text, found)
    assert {(node.start_line, node.end_line) for node in found} == {(1, 1)}


def test_damaged_notebook_is_chunks_with_truncated_images() -> None:
    """An image keeps its line and its first 60 characters; other text stays complete."""
    cell = {"cell_type": "code", "source": ["import pandas as pd\n", "pd.read_csv('sales.csv')"]}
    image = {"data": {"image/png": "iVBORw0KGgo" + "A" * 70_000 + "=="}}
    text = json.dumps({"cells": [{**cell, "outputs": [image]}]}, indent=1)
    found = nodes("sales.ipynb", text)
    assert [(n.language, n.node_type, n.start_line, n.end_line) for n in found] == [
        ("notebook", "chunk", 1, 18)
    ]
    assert '    "import pandas as pd\\n",' in found[0].text
    assert f'"image/png": "iVBORw0KGgo{"A" * 49}"' in found[0].text
