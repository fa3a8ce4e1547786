"""Properties of code in every language: the extent of declarations, and splitting."""

import string
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.nodes import node_ids
from feeder.parse.splitting import PART_MAX, PART_MIN
from feeder.parse.worker_messages import Limits
from feeder.parse.worker_pool import WorkerPool
from parse.outlines import (
    SAMPLE_FILES,
    assert_properties_hold,
    nodes,
    nodes_of,
    only,
    outline,
    sample,
)


def test_comment_above_a_declaration_belongs_to_it() -> None:
    found = nodes_of("doc.go", "package a\n\n// One.\n// Two.\nfunc F() {}\n")
    assert outline(found) == ["chunk - 1:1", "method a.F 3:5"]
    assert only(found, "a.F").text == "// One.\n// Two.\nfunc F() {}"


def test_blank_line_separates_a_comment_from_the_declaration() -> None:
    found = nodes_of("doc.go", "package a\n\n// Of the section that follows.\n\nfunc F() {}\n")
    assert outline(found) == ["chunk - 1:3", "method a.F 5:5"]


@pytest.mark.parametrize("receiver", ["b Bag", "b *Bag", "b Bag[T]", "b *Bag[T]", "Bag[_]"])
def test_method_of_go_belongs_to_the_type_of_its_receiver(receiver: str) -> None:
    found = nodes_of("bag.go", f"package a\n\nfunc ({receiver}) Add(item T) {{}}\n")
    assert outline(found) == ["chunk - 1:1", "method a.Bag.Add 3:3"]


def test_trailing_comment_does_not_belong_to_the_next_declaration() -> None:
    found = nodes_of("doc.go", "package a\n\nvar limit = 1000000000 // how many\nfunc F() {}\n")
    assert outline(found) == ["chunk - 1:3", "method a.F 4:4"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "@A  # b\n# c\n@D(\n  1,  # e\n)  # f\nclass X: ...\n"),
        ("a.ts", "@A() // b\n// c\n@D(\n  1, // e\n) // f\nclass X {}\n"),
        ("a.rs", "#[A] // b\n// c\n#[D(\n  1, // e\n)] // f\nstruct X;\n"),
        ("a.dart", "@A // b\n// c\n@D(\n  1, // e\n) // f\nclass X {}\n"),
        ("a.groovy", "@A // b\n// c\n@D(a = 1) // d\n// e\n// f\nclass X {}\n"),
        ("a.java", "@A // b\n// c\n@D(\n  a = 1 // e\n) // f\nclass X {}\n"),
        ("a.kt", "@A // b\n// c\n@D(\n  1, // e\n) // f\nclass X {}\n"),
    ],
)
def test_annotations_with_comments_belong_to_the_declaration(path: str, text: str) -> None:
    assert outline(nodes(path, text)) == ["class X 1:6"]


def test_code_on_the_lines_of_a_declaration_belongs_to_it() -> None:
    found = nodes_of("beside.ts", "export const f = () => {\n  go();\n}; // since 2\nf();\n")
    assert only(found, "f").text == "export const f = () => {\n  go();\n}; // since 2"


def test_one_line_class_shares_its_line_with_its_methods() -> None:
    found = nodes_of("One.java", "class One { int a() { return 1; } int b() { return 2; } }\n")
    assert outline(found) == ["class One 1:1", "method One.a 1:1", "method One.b 1:1"]
    assert [node.text for node in found] == [
        "class One {\n }",
        "int a() { return 1; }",
        "int b() { return 2; }",
    ]


def test_overloads_on_one_line_have_different_ids() -> None:
    found = nodes_of("Two.java", "class Two {\n  void f(int a) {} void f(long a) {}\n}\n")
    assert outline(found)[1:] == ["method Two.f 2:2", "method Two.f 2:2"]
    assert len(set(node_ids("acme/shop", "Two.java", found))) == 3


def test_large_method_is_split_into_parts_with_its_name() -> None:
    lines = "".join(f"    step({n:02})  # {'.' * 40}\n" for n in range(99))
    found = nodes_of("long.py", f"def long():\n{lines}")
    assert {(node.symbol, node.signature) for node in found} == {("long", "def long():")}
    assert found[0].start_line == 1 and found[-1].end_line == 100
    assert all(below.start_line == above.end_line + 1 for above, below in pairwise(found))
    assert all(PART_MIN <= len(node.text) <= PART_MAX for node in found[:-1])


def test_distant_closing_brace_joins_the_chunk_that_opened_it() -> None:
    body = "\n\n".join(f"  export function f{n}() {{}}" for n in range(20))
    found = nodes_of("space.ts", f"export namespace a {{\n{body}\n}}\n")
    assert outline(found)[0] == "chunk - 1:41"
    assert found[0].text == "export namespace a {\n}"


def test_distant_short_line_with_words_is_its_own_chunk() -> None:
    filler = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(9))
    found = nodes_of("far.py", f"import os\n\n{filler}empty = object()\n")
    assert [node.text for node in found if node.node_type == "chunk"] == [
        "import os",
        "empty = object()",
    ]


def test_overlapping_captures_of_a_declaration_are_one_node() -> None:
    found = nodes_of(
        "get.kt", "class A {\n    var a = 1\n        get() = field\n        set(v) {}\n}\n"
    )
    assert outline(found) == ["class A 1:5", "method A.a 2:4"]


def test_hundreds_of_nested_declarations_are_parsed() -> None:
    text = "".join(f"{' ' * depth}def f{depth}():\n" for depth in range(400)) + " " * 400 + "pass\n"
    assert_properties_hold("deep.py", text, nodes("deep.py", text))


@pytest.mark.parametrize("path", SAMPLE_FILES, ids=lambda path: path.name)
def test_sample_loses_no_character(path: Path) -> None:
    assert_properties_hold(path.name, path.read_text("utf-8"), sample(path.name))


@st.composite
def damaged_samples(draw: st.DrawFn) -> tuple[str, str]:
    """Generates names of samples with their text after a few random edits."""
    path = draw(st.sampled_from(SAMPLE_FILES))
    text = path.read_text("utf-8")
    for accident in draw(st.lists(st.sampled_from(ACCIDENTS), min_size=1, max_size=6)):
        start = draw(st.integers(0, len(text)))
        text = accident(draw, text, start)
    return path.name, text


def cut(draw: st.DrawFn, text: str, start: int) -> str:
    """Moves text from one place to another."""
    return text[start : draw(st.integers(start, len(text)))]


def flip(draw: st.DrawFn, text: str, at: int) -> str:
    """Replaces one character by punctuation."""
    return text[:at] + draw(st.sampled_from(string.punctuation)) + text[at + 1 :]


def rearrange(draw: st.DrawFn, text: str, at: int) -> str:
    """Removes, doubles or reorders lines."""
    lines = text.splitlines(keepends=True)
    first = text.count("\n", 0, at)
    some = lines[first : first + draw(st.integers(1, 8))]
    others = draw(st.sampled_from([[], some * 2, some * 60]) | st.permutations(some))
    return "".join([*lines[:first], *others, *lines[first + len(some) :]])


ACCIDENTS = [cut, flip, flip, rearrange, rearrange]


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerPool]:
    """A worker pool; some edits make a query hang, as in a damaged build.gradle."""
    with WorkerPool(count=1, limits=Limits(timeout_s=2)) as parser:
        yield parser


@settings(max_examples=60)
@given(file=damaged_samples())
def test_damaged_file_keeps_the_properties(workers: WorkerPool, file: tuple[str, str]) -> None:
    """Each character is in one node, ids are unique, and the result is deterministic."""
    path, text = file
    found, again = workers.parse([(path, text.encode())] * 2)
    assert_properties_hold(path, text, found.nodes)
    assert found.nodes == again.nodes or found.reason != again.reason
