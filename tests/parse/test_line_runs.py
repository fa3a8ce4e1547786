"""Line runs: the lines that consecutive parts of a node cover, and hashes of lines."""

import json

from feeder.nodes import LineRun
from feeder.parse import ParsedFile
from feeder.parse.file_parser import parse_file
from parse.outlines import GRAMMARS

TWICE = "def total(cart):\n    price = sum(cart)\n    return price\n"


def parsed(path: str, text: str) -> ParsedFile:
    return parse_file(GRAMMARS, path, text.encode())


def run_of(file: ParsedFile, symbol: str | None) -> LineRun:
    [run] = [
        run for node, run in zip(file.nodes, file.line_runs, strict=True) if node.symbol == symbol
    ]
    return run


def test_nodes_with_the_same_lines_have_the_same_hash() -> None:
    """The name of the file, its other lines and where the lines are do not count."""
    one, other = parsed("a.py", TWICE), parsed("lib/b.py", f"import os\n\n\n{TWICE}")
    assert run_of(one, "total") == LineRun(1, 3, 1, run_of(other, "total").lines_hash)
    assert run_of(other, "total")[:3] == (4, 6, 1)
    changed = parsed("a.py", TWICE.replace("sum", "max"))
    assert run_of(changed, "total").lines_hash != run_of(one, "total").lines_hash
    assert 0 < run_of(one, "total").lines_hash < 2**48


def test_lines_of_nested_nodes_are_part_of_the_hash() -> None:
    """Of a class the indexed text leaves out the methods, but a reader sees its lines."""
    text = "class Cart:\n    size = 1\n\n    def total(self):\n        return 1\n"
    one, other = parsed("a.py", text), parsed("a.py", text.replace("return 1", "return 2"))
    assert [node.text for node in one.nodes][:1] == [node.text for node in other.nodes][:1]
    assert run_of(one, "Cart").lines_hash != run_of(other, "Cart").lines_hash


def test_short_texts_have_no_hash() -> None:
    """Two lines of code, eleven words of a document."""
    file = parsed("a.py", "def total(cart):\n    return sum(cart)\n")
    assert run_of(file, "total") == LineRun(1, 2, 1, 0)


def test_parts_of_a_node_have_its_run() -> None:
    """All consecutive parts have the lines of the whole function and the hash of these."""
    body = "".join(
        f"    total += weigh({at}, cart, 'a longer line of text')\n" for at in range(200)
    )
    file = parsed("a.py", f"def before():\n    pass\n\n\ndef total(cart):\n{body}\n")
    runs = [
        run for node, run in zip(file.nodes, file.line_runs, strict=True) if node.symbol == "total"
    ]
    assert len(runs) > 2
    assert len(set(runs)) == 1
    assert runs[0][:3] == (5, 205, len(runs))
    alone = parsed("b.py", f"def total(cart):\n{body}\n")
    assert alone.line_runs[0].lines_hash == runs[0].lines_hash


def test_nodes_of_one_name_apart_are_runs_of_their_own() -> None:
    """Two definitions with other lines between them are no parts of one node."""
    text = f"if x:\n    pass\n{TWICE}\n\nother = 1\nmore = 2\nlast = 3\n\n\n{TWICE}"
    file = parsed("a.py", text)
    runs = [
        run for node, run in zip(file.nodes, file.line_runs, strict=True) if node.symbol == "total"
    ]
    assert [run[:3] for run in runs] == [(3, 5, 1), (13, 15, 1)]
    assert runs[0].lines_hash == runs[1].lines_hash


def test_notebook_is_hashed_by_the_lines_of_its_cells() -> None:
    def notebook(indent: int) -> str:
        cell = {
            "cell_type": "code",
            "source": TWICE.splitlines(keepends=True),
            "metadata": {},
            "outputs": [],
        }
        content = {"nbformat": 4, "metadata": {}, "nbformat_minor": 5, "cells": [cell]}
        return json.dumps(content, indent=indent)

    one, other = parsed("a.ipynb", notebook(1)), parsed("b.ipynb", "\n" + notebook(2))
    assert [run.lines_hash for run in one.line_runs] == [run.lines_hash for run in other.line_runs]
    assert all(run.lines_hash for run in one.line_runs)
