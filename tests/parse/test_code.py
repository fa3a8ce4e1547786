"""What holds for code in every language: where a declaration begins and ends, what is split."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.nodes import node_ids
from feeder.parse.layout import AIM_MAX, AIM_MIN
from parse.outlines import SAMPLES, nodes_of, only, outline, sample
from parsing import check_laws, nodes

FILES = sorted(path for path in SAMPLES.iterdir() if path.is_file())


def test_a_comment_right_above_a_declaration_belongs_to_it() -> None:
    found = nodes_of("doc.go", "package a\n\n// One.\n// Two.\nfunc F() {}\n")
    assert outline(found) == ["chunk - 1:1", "method a.F 3:5"]
    assert only(found, "a.F").text == "// One.\n// Two.\nfunc F() {}"


def test_a_blank_line_parts_a_comment_from_the_declaration() -> None:
    found = nodes_of("doc.go", "package a\n\n// Of the section that follows.\n\nfunc F() {}\n")
    assert outline(found) == ["chunk - 1:3", "method a.F 5:5"]


def test_a_comment_behind_code_is_no_doc_of_the_next_declaration() -> None:
    found = nodes_of("doc.go", "package a\n\nvar limit = 1000000000 // how many\nfunc F() {}\n")
    assert outline(found) == ["chunk - 1:3", "method a.F 4:4"]


def test_what_stands_beside_a_declaration_on_its_lines_belongs_to_it() -> None:
    found = nodes_of("beside.ts", "export const f = () => {\n  go();\n}; // since 2\nf();\n")
    assert only(found, "f").text == "export const f = () => {\n  go();\n}; // since 2"


def test_a_class_on_one_line_shares_it_with_its_methods() -> None:
    found = nodes_of("One.java", "class One { int a() { return 1; } int b() { return 2; } }\n")
    assert outline(found) == ["class One 1:1", "method One.a 1:1", "method One.b 1:1"]
    assert [node.text for node in found] == [
        "class One {\n }",
        "int a() { return 1; }",
        "int b() { return 2; }",
    ]


def test_overloads_on_one_line_have_ids_of_their_own() -> None:
    found = nodes_of("Two.java", "class Two {\n  void f(int a) {} void f(long a) {}\n}\n")
    assert outline(found)[1:] == ["method Two.f 2:2", "method Two.f 2:2"]
    assert len(set(node_ids("acme/shop", "Two.java", found))) == 3


def test_a_large_method_is_split_into_pieces_that_bear_its_name() -> None:
    lines = "".join(f"    step({n:02})  # {'.' * 40}\n" for n in range(99))
    found = nodes_of("long.py", f"def long():\n{lines}")
    assert {(node.symbol, node.signature) for node in found} == {("long", "def long():")}
    assert found[0].start_line == 1 and found[-1].end_line == 100
    assert all(below.start_line == above.end_line + 1 for above, below in pairwise(found))
    assert all(AIM_MIN <= len(node.text) <= AIM_MAX for node in found[:-1])


def test_a_closing_brace_joins_the_chunk_that_opened_it_however_far() -> None:
    body = "\n\n".join(f"  export function f{n}() {{}}" for n in range(20))
    found = nodes_of("space.ts", f"export namespace a {{\n{body}\n}}\n")
    assert outline(found)[0] == "chunk - 1:41"
    assert found[0].text == "export namespace a {\n}"


def test_a_short_line_with_words_far_from_other_chunks_stays_alone() -> None:
    filler = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(9))
    found = nodes_of("far.py", f"import os\n\n{filler}empty = object()\n")
    assert [node.text for node in found if node.node_type == "chunk"] == [
        "import os",
        "empty = object()",
    ]


def test_what_one_query_finds_inside_another_finds_of_the_same_thing_is_one_node() -> None:
    found = nodes_of(
        "get.kt", "class A {\n    var a = 1\n        get() = field\n        set(v) {}\n}\n"
    )
    assert outline(found) == ["class A 1:5", "method A.a 2:4"]


def test_declarations_nested_by_the_hundreds_cost_no_file() -> None:
    text = "".join(f"{' ' * depth}def f{depth}():\n" for depth in range(400)) + " " * 400 + "pass\n"
    check_laws("deep.py", text, nodes("deep.py", text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_sample_loses_no_character(path: Path) -> None:
    check_laws(path.name, path.read_text("utf-8"), sample(path.name))


@settings(deadline=None)
@given(st.sampled_from(FILES), st.data())
def test_a_torn_file_loses_no_character(path: Path, data: st.DataObject) -> None:
    whole = path.read_text("utf-8")
    start = data.draw(st.integers(0, len(whole)))
    text = whole[start : data.draw(st.integers(start, len(whole)))]
    check_laws(path.name, text, nodes(path.name, text))
