"""Notebooks: the nodes of their cells and the lines of those."""

import json
import sys
from random import Random
from typing import Any

import pytest

from feeder.parse.file_parser import INVALID_NOTEBOOK, parse_as_plain_text, parse_file
from feeder.parse.notebook_cells import notebook_source_lines
from parse.invariants import violated_property
from parse.mutations import mutate
from parse.outlines import GRAMMARS, SAMPLES, assert_properties_hold


def notebook(*cells: dict[str, Any], **more: object) -> bytes:
    """Returns a notebook with one string per line."""
    whole = {"cells": list(cells), "metadata": {}, "nbformat": 4, **more}
    return json.dumps(whole, indent=1).encode()


def code(*source: str) -> dict[str, Any]:
    """Returns a code cell with an output."""
    return {"cell_type": "code", "source": list(source), "outputs": [{"text": ["a secret"]}]}


SCALA = {"language_info": {"file_extension": ".scala", "name": "scala"}}


@pytest.mark.parametrize(
    ("metadata", "symbols"),
    [
        ({}, ["f"]),
        ({"kernelspec": {"language": "python"}}, ["f"]),
        ({"language_info": {"name": "python", "file_extension": ".py"}}, ["f"]),
        ({"language_info": {"name": "R", "file_extension": ".r"}}, []),
        ({"language_info": []}, ["f"]),
    ],
)
def test_language_is_that_of_the_kernel(metadata: object, symbols: list[str]) -> None:
    content = notebook(code("def f():\n", "    pass"), metadata=metadata)
    found = parse_file(GRAMMARS, "a.ipynb", content).nodes
    assert [node.symbol for node in found if node.symbol] == symbols


def test_scala_object_is_a_class() -> None:
    content = notebook(code("object Cart {\n", "  def add = 1\n", "}"), metadata=SCALA)
    found = parse_file(GRAMMARS, "a.ipynb", content).nodes
    assert [node.symbol for node in found] == ["Cart", "Cart.add"]


def test_outputs_are_not_indexed() -> None:
    found = parse_file(GRAMMARS, "a.ipynb", notebook(code("print(1)"))).nodes
    assert [node.text for node in found] == ["print(1)"]


def test_magic_commands_hide_no_declaration() -> None:
    content = notebook(code("!pip install 'a\n", "def f(): pass\n", "%time f(\n", "f?"))
    found = parse_file(GRAMMARS, "a.ipynb", content).nodes
    assert [node.symbol for node in found if node.symbol] == ["f"]
    assert violated_property(parse_file(GRAMMARS, "a.ipynb", content), content) is None


def test_node_covers_all_lines_of_its_strings() -> None:
    """`{`, `"cells": [`, `{`, the kind and `"source": [` are on lines 1 to 5."""
    found = parse_file(GRAMMARS, "a.ipynb", notebook(code("x = ", "1\r\n", "y"))).nodes
    assert [(n.text, n.start_line, n.end_line) for n in found] == [("x = 1\ny", 6, 8)]


def test_invalid_characters_are_replaced() -> None:
    content = notebook(code("a = '\ud800\0'"))
    assert [n.text for n in parse_file(GRAMMARS, "a.ipynb", content).nodes] == [
        "a = '\ufffd\ufffd'"
    ]


def test_notebook_without_cells_has_no_nodes() -> None:
    parsed = parse_file(GRAMMARS, "a.ipynb", notebook())
    assert (parsed.nodes, parsed.reason) == ([], None)


@pytest.mark.parametrize(
    "content",
    [
        b'{"cells": [',
        b"[]",
        b'{"nbformat": 4}',
        notebook(nbformat=3),
        notebook(nbformat=[]),
        notebook({"cell_type": "code"}),
        notebook({"cell_type": 1, "source": ""}),
        notebook({"cell_type": "code", "source": [1]}),
        notebook({"cell_type": "code", "source": {}}),
        b'{"nbformat": 4, "cells": {}}',
        pytest.param(b'{"nbformat": 4, "cells": ' + b"[" * 100_000, id="deep"),
    ],
)
def test_damaged_notebook_is_plain_text(content: bytes) -> None:
    """Nothing is lost, and the report has the reason."""
    parsed = parse_file(GRAMMARS, "a.ipynb", content)
    assert (parsed.reason, {node.node_type for node in parsed.nodes}) == (
        INVALID_NOTEBOOK,
        {"chunk"},
    )
    assert_properties_hold("a.ipynb", content.decode(), parsed.nodes)


def test_mutated_notebook_keeps_the_properties() -> None:
    """In some only a string changed; others are no JSON any more."""
    some, real = Random(12), (SAMPLES / "sales.ipynb").read_bytes()
    contents = [mutate(real, real, some) for _ in range(300)]
    parsed = [parse_file(GRAMMARS, "a.ipynb", content) for content in contents]
    assert list(filter(None, map(violated_property, parsed, contents))) == []
    assert {file.reason for file in parsed} == {None, INVALID_NOTEBOOK}


def test_cell_of_a_megabyte_keeps_the_properties() -> None:
    content = notebook(code("a = 1\n" * 60_000), code("b" * 500_000), code("def f(): pass"))
    assert violated_property(parse_file(GRAMMARS, "a.ipynb", content), content) is None


def test_notebook_whose_parser_was_stopped_keeps_its_lines() -> None:
    content = (SAMPLES / "sales.ipynb").read_bytes()
    found = parse_as_plain_text(GRAMMARS, "sales.ipynb", content, "too slow").nodes
    assert [(n.node_type, n.start_line, n.end_line) for n in found] == [("chunk", 7, 57)]
    assert "only an output" not in found[0].text


def test_shown_lines_of_a_notebook_are_the_cells_source() -> None:
    content = (SAMPLES / "sales.ipynb").read_bytes()
    assert notebook_source_lines(content, 30, 31) == [
        (30, "def load(path):"),
        (31, "    return pd.read_csv(path)"),
    ]
    assert notebook_source_lines(b"[]", 1, 1) is None


@pytest.mark.slow
def test_deeply_nested_notebook_is_parsed_or_plain_text() -> None:
    """No exception at the depth that `json.loads` just accepts."""
    for depth in range(sys.getrecursionlimit() // 2, sys.getrecursionlimit() + 10):
        deep = "[" * depth + "]" * depth
        cell = f'{{"cell_type": "code", "metadata": {deep}, "source": "a = 1"}}'
        text = f'{{"nbformat": 4, "cells": [{cell}]}}'
        found = parse_file(GRAMMARS, "a.ipynb", text.encode())
        assert found.reason in {None, INVALID_NOTEBOOK}
