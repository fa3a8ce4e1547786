"""languages/README.md and docs/reference/languages.md agree with the program."""

import re
from pathlib import Path

import pytest

from command_runner import RunFeeder, command_runner
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammar_schema import (
    GRAMMAR_FILE_SCHEMA,
    HIDDEN_SCHEMA,
    LANGUAGE_SCHEMA,
    PATTERNS_SCHEMA,
    MapOf,
    ObjectOf,
)

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
README = (ROOT / "languages/README.md").read_text("utf-8")
REFERENCE = (ROOT / "docs/reference/languages.md").read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    """Returns the code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.fixture
def feeder(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> RunFeeder:
    """Runs a command in a folder."""
    return command_runner(monkeypatch, capfd)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the example in the README, with the example's file beside it."""
    path = tmp_path / "r"
    path.mkdir()
    (path / "language.toml").write_text(blocks(README, "toml")[0])
    nodes, relations = blocks(README, "scheme")[:2]
    (path / "nodes.scm").write_text(nodes)
    (path / "relations.scm").write_text(relations)
    (tmp_path / "cart.r").write_text(blocks(README, "r")[0])
    return path


def test_example_prints_what_the_page_shows(feeder: RunFeeder, folder: Path) -> None:
    _, *arguments = blocks(README, "sh")[0].split()
    answer = feeder(folder.parent, *arguments)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == blocks(README, "text")[0]
    grammars = load_grammars(folder)
    assert grammars.detect_language("bin/tool", b"#!/usr/bin/env Rscript\n") == ("r", "code")


def test_error_of_the_example_is_what_the_page_shows(feeder: RunFeeder, folder: Path) -> None:
    path = folder / "nodes.scm"
    wrong = path.read_text().replace("\n(function_definition) @", "\n(function_defintion) @")
    path.write_text(wrong)
    answer = feeder(folder.parent, "languages", "try", "r", "cart.r")
    assert (answer.code, answer.err) == (2, blocks(README, "text")[1])


def test_json_of_the_reference_gives_nodes(tmp_path: Path) -> None:
    own = tmp_path / "r.json"
    own.write_text(blocks(REFERENCE, "json")[0], "utf-8")
    grammars = load_grammars(own)
    grammars.compile_all()
    nodes = parse_file(grammars, "cart.r", blocks(README, "r")[0].encode()).nodes
    assert [(node.symbol, node.start_line) for node in nodes if node.symbol] == [
        ("add", 4),
        ("total", 13),
    ]
    assert grammars.detect_language("bin/tool", b"#!/usr/bin/env Rscript\n") == ("r", "code")


def test_pages_name_every_section_and_field() -> None:
    shapes, hidden = (
        GRAMMAR_FILE_SCHEMA.fields[name] for name in ("document_nodes", "hidden_text")
    )
    assert isinstance(shapes, MapOf) and isinstance(shapes.value, ObjectOf)
    assert isinstance(hidden, MapOf) and isinstance(hidden.value, ObjectOf)
    sections = GRAMMAR_FILE_SCHEMA.fields
    assert [name for name in sections if f"`{name}`" not in REFERENCE] == []
    schemas = (LANGUAGE_SCHEMA, HIDDEN_SCHEMA, PATTERNS_SCHEMA, shapes.value, hidden.value)
    fields = {name for schema in schemas for name in schema.fields}
    assert [name for name in fields if not re.search(rf"`{name}`|\[+{name}[\].]", README)] == []
