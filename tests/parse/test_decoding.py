"""Is it text, in which encoding, and into which chunks does it go?"""

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
def test_text_that_is_not_utf8_is_read_in_its_encoding(text: str, encoding: str) -> None:
    """The declared encoding, or else the most likely one; Western for a few accents among ASCII."""
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
def test_a_byte_order_mark_decides_and_goes(mark: bytes, encoding: str) -> None:
    """What follows it is read as it says."""
    assert decode_text(mark + GERMAN.encode(encoding)).decode() == GERMAN


def test_a_few_broken_bytes_do_not_lose_a_file() -> None:
    """UTF-8 stays UTF-8 with a stray byte in it, UTF-16 with half a character at its end."""
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
def test_what_is_no_text_is_left_out_with_the_reason(content: bytes, reason: str) -> None:
    """It has no nodes."""
    assert parse_file(GRAMMARS, "file.txt", content) == ParsedFile("file.txt", [], reason)


@pytest.mark.parametrize("size", [16, 300, 5000])
def test_random_bytes_are_no_text(size: int) -> None:
    """Also without a NUL byte among them."""
    noise = random.Random(size)
    content = bytes(noise.randrange(1, 256) for _ in range(size))
    with pytest.raises(NotTextError):
        decode_text(content)


def test_line_ends_become_newlines() -> None:
    """A lone carriage return ends a line only where nothing else does."""
    assert decode_text(b"a\r\nb\r\n") == b"a\nb\n"
    assert decode_text(b"a\rb\r") == b"a\nb\n"
    assert decode_text(b"50 %\r100 %\ndone\r\n") == b"50 %\r100 %\ndone\n"


def test_lines_are_those_that_newlines_end() -> None:
    """Form feeds and U+2028 are within a line."""
    text = "one\n\x0ctwo\u2028still two\x85and here\n\nfour"
    assert document_nodes("notes.txt", text) == [("chunk", None, 1, 4)]
    assert_properties_hold("notes.txt", text, nodes("notes.txt", text))


def test_an_empty_file_has_no_nodes_and_needs_no_reason() -> None:
    """The same holds for one of white space only, whatever its language."""
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
def test_any_other_text_is_chunks_of_its_language(path: str, language: str) -> None:
    """The name or the ending tells the language, and what is unknown is text."""
    assert [(n.language, n.node_type) for n in nodes(path, "some words\n")] == [(language, "chunk")]


def test_a_long_line_is_cut_into_pieces() -> None:
    """Nothing of it is lost, and each piece says the line."""
    text = "".join(f"f{n}({{a:{n}}});" for n in range(100_000))
    found = nodes("bundle.css", text)
    assert_properties_hold("bundle.css", text, found)
    assert {(node.start_line, node.end_line) for node in found} == {(1, 1)}


def test_a_notebook_is_chunks_with_its_images_cut() -> None:
    """An image keeps its line and its first 60 characters; sources and other outputs stay whole."""
    cell = {"cell_type": "code", "source": ["import pandas as pd\n", "pd.read_csv('sales.csv')"]}
    image = {"data": {"image/png": "iVBORw0KGgo" + "A" * 70_000 + "=="}}
    text = json.dumps({"cells": [{**cell, "outputs": [image]}]}, indent=1)
    found = nodes("sales.ipynb", text)
    assert [(n.language, n.node_type, n.start_line, n.end_line) for n in found] == [
        ("notebook", "chunk", 1, 18)
    ]
    assert '    "import pandas as pd\\n",' in found[0].text
    assert f'"image/png": "iVBORw0KGgo{"A" * 49}"' in found[0].text
