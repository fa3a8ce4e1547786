"""reStructuredText, AsciiDoc and org-mode: sections by headings, tables and code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.nodes import Node
from parse.outlines import assert_properties_hold, document_nodes, nodes

LONG = "The watchdog resets the unit when nobody has fed it, as the table below says in full.\n" * 2
CODE = "".join(f"    register_{n} = read(0x{n:02})\n" for n in range(10))


LINES = [
    *("", "=", "====", "----", "Clock", "* A", "== B", "| a | b |", "|===", '"', 'x,"y', "a,b"),
    *("::", "  in", ".. code::", "+---+", "#+begin_src", "#+end_src", "== ==", "word " * 30),
]


def checked_nodes(path: str, text: str) -> list[tuple[str, str | None, int, int]]:
    """Returns the nodes of a text after checking their properties."""
    assert_properties_hold(path, text, nodes(path, text))
    return document_nodes(path, text)


def test_restructuredtext_heading_levels_follow_first_use() -> None:
    text = f"=====\nClock\n=====\n\n{LONG}\nPower\n-----\n\n{LONG}\nVolts\n~~~~~\n\n{LONG}\n"
    text += f"Reset\n-----\n\n{LONG}"
    assert checked_nodes("m.rst", text) == [
        ("doc_section", "Clock", 1, 24),
        ("doc_section", "Clock > Power", 8, 18),
        ("doc_section", "Clock > Power > Volts", 14, 18),
        ("doc_section", "Clock > Reset", 20, 24),
    ]


@pytest.mark.parametrize("before", ["Read them::\n\n", ".. code-block:: python\n\n"])
def test_restructuredtext_code_is_a_block(before: str) -> None:
    text = f"Clock\n=====\n\n{LONG}\n{before}{CODE}\n{LONG}"
    code = [part for part in checked_nodes("m.rst", text) if part[0] == "doc_codeblock"]
    last = text[: text.index(CODE)].count("\n") + CODE.count("\n")
    assert [(path, end) for _, path, _, end in code] == [("Clock", last)]


@pytest.mark.parametrize(
    ("path", "table", "head"),
    [
        ("m.rst", "+---+---+\n| A | B |\n+===+===+\n| 1 | 2 |\n+---+---+\n", "| A | B |"),
        ("m.rst", "== ==\nA  B\n== ==\n1  2\n== ==\n", "A  B"),
        ("m.rst", ".. list-table:: Rails\n\n   * - A\n     - B\n", ".. list-table:: Rails"),
        ("m.adoc", "|===\n|A |B\n\n|1 |2\n|===\n", "|A |B"),
        ("m.org", "| A | B |\n|---+---|\n| 1 | 2 |\n", "| A | B |"),
    ],
)
def test_table_is_a_node_with_its_header(path: str, table: str, head: str) -> None:
    text = f"{LONG}\n{table}\n{LONG}"
    assert_properties_hold(path, text, nodes(path, text))
    [found] = [node for node in nodes(path, text) if node.node_type == "doc_table"]
    assert found.text == table.rstrip()
    assert found.signature == head


def test_asciidoc_headings_are_ignored_in_listings() -> None:
    text = f"= Clock\n\n{LONG}\n== Power ==\n\n{LONG}\n----\n== no heading\n{CODE}----\n"
    assert [part[:2] for part in checked_nodes("m.adoc", text)] == [
        ("doc_section", "Clock"),
        ("doc_section", "Clock > Power"),
        ("doc_codeblock", "Clock > Power"),
    ]


def test_org_mode_headings_have_no_markup() -> None:
    text = f"* TODO [#A] Clock :hard:soft:\n{LONG}\n** DONE Power\n{LONG}\n"
    text += f"#+BEGIN_SRC python\n{CODE}#+END_SRC\n"
    assert [part[:2] for part in checked_nodes("m.org", text)] == [
        ("doc_section", "Clock"),
        ("doc_section", "Clock > Power"),
        ("doc_codeblock", "Clock > Power"),
    ]


@pytest.mark.parametrize("letter", ["x", "é"])
@pytest.mark.parametrize(("size", "is_own"), [(199, False), (200, True)])
@pytest.mark.parametrize(
    ("path", "head", "begin", "end"),
    [
        ("m.md", "# Clock", "```\n", "\n```"),
        ("m.adoc", "= Clock", "----\n", "\n----"),
        ("m.org", "* Clock", "#+begin_src c\n", "\n#+end_src"),
        ("m.rst", "Clock\n=====\n\nSo::", "  ", ""),
    ],
)
def test_code_block_of_200_characters_is_a_node(
    path: str, head: str, begin: str, end: str, size: int, letter: str, is_own: bool
) -> None:
    code = f"{begin}{letter * (size - len(begin + end))}{end}"
    found = checked_nodes(path, f"{head}\n\n{code}\n")
    assert any(part[0].endswith("_codeblock") for part in found) == is_own


def test_row_ranges_have_the_header_of_their_file() -> None:
    rows = [f"{n};Widget {n};{n}.5" for n in range(300)]
    found = nodes("p.csv", "\n".join(["id;name;price", *rows, ""]))
    assert found[0].logical_path is not None
    assert found[0].logical_path.startswith("A1:C")
    assert found[-1].logical_path is not None
    assert found[-1].logical_path.endswith("C301")
    assert {node.signature for node in found} == {"id;name;price"}
    assert {node.node_type for node in found} == {"sheet"}


def test_quoted_row_with_several_lines_is_not_split() -> None:
    rows = [f'{n},"first\nsecond {n}"' for n in range(200)]
    found = nodes("p.csv", "\n".join(["id,text", *rows]))
    assert all(node.text.count('"') % 2 == 0 for node in found)
    assert found[-1].logical_path is not None
    assert found[-1].logical_path.endswith("B201")


@given(
    st.sampled_from(["m.rst", "m.adoc", "m.org", "m.csv", "m.tsv"]),
    st.lists(
        st.sampled_from(LINES),
        max_size=40,
    ),
)
def test_every_line_is_in_a_node(path: str, lines: list[str]) -> None:
    text = "\n".join(lines)
    found: list[Node] = nodes(path, text)
    assert_properties_hold(path, text, found)
