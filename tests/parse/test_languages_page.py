"""docs/reference/languages.md agrees with the program."""

import re
from pathlib import Path

import pytest

from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_schema import GRAMMAR_FILE_SCHEMA, MapOf, ObjectOf
from feeder.parse.grammars import load_grammars

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "languages.md").read_text("utf-8")


def block(language: str) -> str:
    """Returns the first code block in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_example_gives_the_printed_nodes(tmp_path: Path) -> None:
    own = tmp_path / "r.json"
    own.write_text(block("json"), "utf-8")
    grammars = load_grammars(own)
    grammars.compile_all()
    nodes = parse_file(grammars, "cart.r", block("r").encode()).nodes
    shown = [
        f"cart.r:{n.start_line}-{n.end_line}  {n.node_type}  {n.symbol or ''}".rstrip()
        for n in nodes
    ]
    assert sorted(shown) == sorted(block("text").splitlines())
    assert grammars.detect_language("bin/tool", b"#!/usr/bin/env Rscript\n") == ("r", "code")


def test_page_names_every_section_and_field() -> None:
    shapes, hidden = (
        GRAMMAR_FILE_SCHEMA.fields[name] for name in ("document_nodes", "hidden_text")
    )
    assert isinstance(shapes, MapOf) and isinstance(shapes.value, ObjectOf)
    assert isinstance(hidden, MapOf) and isinstance(hidden.value, ObjectOf)
    known = [*GRAMMAR_FILE_SCHEMA.fields, *shapes.value.fields, *hidden.value.fields]
    assert [name for name in known if f"`{name}`" not in PAGE] == []
