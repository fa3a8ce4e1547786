"""Lines that a grammar could not parse: those of error nodes and of missing tokens."""

import json

import pytest
from tree_sitter import Range

from feeder.line_ranges import LineRange, count_lines, decode_ranges, encode_ranges, merge_ranges
from feeder.parse.file_parser import parse_as_plain_text, parse_file
from feeder.parse.syntax_tree import parse_range, parse_tree, unparsed_lines
from parse.outlines import GRAMMARS

TYPESCRIPT_USING = """\
function before() {
  return 1;
}

function looped(list: Lock[]) {
  for (using lock of list) {
    lock.take();
  }
}
"""


def unparsed(language: str, text: str) -> tuple[LineRange, ...]:
    return unparsed_lines(parse_tree(GRAMMARS.grammar(language), text.encode()))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def total(cart):\n    return sum(cart)\n"),
        ("c", "int total(void) {\n  return 1;\n}\n"),
        ("markdown", "# Title\n\nText with [a link](\n"),
        ("python", ""),
    ],
)
def test_a_file_that_the_grammar_knows_has_none(language: str, text: str) -> None:
    assert unparsed(language, text) == ()


def test_an_error_has_its_line() -> None:
    """`$$` is no Python; the lines above and below are."""
    assert unparsed("python", "first = 1\nsecond = 2 $$ 3\nthird = 3\n") == ((2, 2),)


def test_an_error_has_the_lines_of_its_statement_and_no_other() -> None:
    """The loop of lines 6 to 8, inside a function that the grammar knows otherwise."""
    assert unparsed("typescript", TYPESCRIPT_USING) == ((6, 8),)


def test_a_missing_token_has_the_line_that_it_is_missing_on() -> None:
    """The semicolon of line 2; the last bracket, whose place is after the last line's end."""
    assert unparsed("c", "int total(void) {\n  return 1\n}\n") == ((2, 2),)
    assert unparsed("json", '{"a": 1,\n "b": 2\n') == ((2, 2),)


def test_hidden_text_is_in_no_error() -> None:
    """`languages/c/hidden.toml` blanks a macro before a declaration, and the grammar knows the
    rest; a macro that it does not blank is an error.
    """
    assert unparsed("c", "LUALIB_API lua_Integer luaL_len (lua_State *L) {\n}\n") == ()
    assert unparsed("c", "int f(void) {\n}\n\nint ) g(void) {\n}\n") == ((4, 4),)


def test_lines_of_an_embedded_language_are_those_of_the_file() -> None:
    text = b"<p>\n<script>\nlet one = 1;\nlet = = 2;\n</script>\n"
    start, end = text.index(b"let one"), text.index(b"</script>")
    byte_range = Range((2, 0), (4, 0), start, end)
    root = parse_range(GRAMMARS.grammar("javascript"), text, byte_range)
    assert unparsed_lines(root) == ((4, 4),)


def test_ranges_are_joined_where_no_line_is_between() -> None:
    assert merge_ranges([(9, 9), (1, 3), (2, 2), (4, 5)]) == ((1, 5), (9, 9))
    assert count_lines([(1, 5), (9, 9)]) == 6


@pytest.mark.parametrize(
    ("text", "ranges"), [("", ()), ("7", ((7, 7),)), ("12-40,55", ((12, 40), (55, 55)))]
)
def test_ranges_have_a_stored_form(text: str, ranges: tuple[LineRange, ...]) -> None:
    assert encode_ranges(ranges) == text
    assert decode_ranges(text) == ranges


def parsed_lines(path: str, text: str) -> tuple[LineRange, ...]:
    return parse_file(GRAMMARS, path, text.encode()).unparsed


def test_a_file_has_its_lines_and_those_of_its_regions() -> None:
    """An attribute of line 1 is no HTML, and line 4 no JavaScript."""
    page = "<p <>\n<script>\nlet one = 1;\nlet = = 2;\n</script>\n</p>\n"
    assert parsed_lines("a.html", page) == ((1, 1), (4, 4))
    assert parsed_lines("a.html", page.replace("= = 2", "two = 2")) == ((1, 1),)
    assert parsed_lines("a.html", page.replace("<p <>", "<p>")) == ((4, 4),)


def test_a_notebook_has_lines_of_its_file() -> None:
    """Line 8 of the file is the second line of the second cell; a magic command is no error."""
    cells = [["%matplotlib inline\n", "x = 1"], ["y = 2\n", "z = 3 $$ 4"]]
    source = ",\n".join(
        '{"cell_type": "code", "source": [\n' + ",\n".join(map(json.dumps, cell)) + "\n]}"
        for cell in cells
    )
    text = f'{{"nbformat": 4, "metadata": {{}}, "cells": [\n{source}\n]}}\n'
    assert text.split("\n")[7] == '"z = 3 $$ 4"'
    assert parsed_lines("a.ipynb", text) == ((8, 8),)


def test_plain_text_has_none() -> None:
    """Its reason says that no grammar has read it."""
    assert parsed_lines("a.txt", "( $$") == ()
    file = parse_as_plain_text(GRAMMARS, "a.py", b"( $$", "it crashed")
    assert (file.reason, file.unparsed) == ("it crashed", ())
