"""The Worker chooses the same snippet lines as the program."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge.texts import texts
from edge.worker_process import ROOT, Worker
from feeder.query.literals import (
    Literal,
    defines_literal,
    find_literals,
    find_spans,
    token_literal,
)
from feeder.snippets.snippets import SnippetRequest, make_snippet
from parse.outlines import SAMPLE_FILES

CASES = json.loads((ROOT / "tests" / "snippets" / "snippet_cases.json").read_text("utf-8"))
SIGNATURE = "def cart(total): \U0001d538 \U0001d538"
code = st.sampled_from(
    [
        "",
        " \x1c",
        "\t",
        "cart",
        "  total(",
        '    (emptyCart, \'(\' , "\\"[")',
        ")",
        "\t  the \u03c0",
        "  \t\rreturn cart[0]",
        "\u3000total",
        "}",
        "end",
        "endCart",
        "else:",
        "def cart(total):",
        "| cart | total |",
        "|---|:--:|",
        "def cart(total):, ;\U0001d538",
        "\U0001d538 total \U0001d538 Cart",
        "\U0001d538,",
        "\ud800",
    ]
)
lines = st.lists(code | texts.map(lambda text: text.replace("\n", " ")), max_size=40)
words = st.lists(
    st.sampled_from(["cart", "total", "emptyCart", "the", "\u03c0", "c*", "\0", "a b", "total"])
)
wanted = st.builds(
    SnippetRequest,
    words,
    st.integers(0, 12),
    st.sampled_from([None, "", "def cart(total):", "cart", "total( (emptyCart", SIGNATURE]),
    st.none() | st.integers(-2, 45),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 40)), max_size=2),
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 3), st.integers(4, 6)), max_size=6),
)


def chosen(rows: list[str], start_line: int, asked: SnippetRequest) -> dict[str, Any]:
    """Returns a snippet in the form of the cases."""
    found = make_snippet(rows, start_line, asked)._asdict()
    found["marks"] = [list(mark) for mark in found["marks"]]
    found["head"] = found["head"] and found["head"]._asdict()
    found["more"] = [part._asdict() for part in found["more"]]
    return found


def given_to_worker(asked: SnippetRequest) -> dict[str, Any]:
    """Returns the input of a case as JSON."""
    lists = {name: [*map(list, getattr(asked, name))] for name in ("inner", "literals")}
    return {**asked._asdict(), "words": [*asked.words], **lists}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_snippet_equals_the_expected_lines(worker: Worker, case: dict[str, Any]) -> None:
    """Of the cases that the program has too."""
    found = worker.call("makeSnippet", case["lines"], case["start_line"], case["wanted"])
    assert found == case["window"]


@given(lines, wanted)
@example(["def cart(total):,,", "\U0001d538\U0001d538 x"], SnippetRequest(["x"], 6, SIGNATURE))
def test_same_lines_are_chosen(worker: Worker, rows: list[str], asked: SnippetRequest) -> None:
    asked = asked._replace(
        literals=[literal for literal in asked.literals if literal[0] < len(rows)]
    )
    assert worker.call("makeSnippet", rows, 7, given_to_worker(asked)) == chosen(rows, 7, asked)


@pytest.mark.parametrize("path", SAMPLE_FILES, ids=lambda path: path.name)
def test_same_lines_are_chosen_in_every_language(worker: Worker, path: Path) -> None:
    """For each of the file's words, and some combinations."""
    rows = path.read_bytes().decode(errors="replace").split("\n")
    some = [*dict.fromkeys(" ".join(rows).split())]
    for asked in [*([word] for word in some[:40]), some[::7], ["name", "return", "value*"]]:
        for size in (3, 6, 12, 30):
            one = SnippetRequest(asked, size, rows[0])
            assert worker.call("makeSnippet", rows, 1, given_to_worker(one)) == chosen(rows, 1, one)


def test_one_line_file_has_the_same_number_of_highlights(worker: Worker) -> None:
    one = SnippetRequest(["zebra"])
    rows = ["\U0001d538 zebra " * 5000]
    assert worker.call("makeSnippet", rows, 1, given_to_worker(one)) == chosen(rows, 1, one)


literals = st.builds(
    Literal,
    st.sampled_from(
        ["cart", "Total(", "emptyCart (cart", "straße", "STRASSE", "x y", "(", " ", "_a"]
    ),
    st.booleans(),
    st.booleans(),
)
literal_lines = st.lists(
    st.sampled_from(
        [
            "cart",
            "Cart cart_ carts xcart",
            "  total( Total(1)",
            "    emptyCart",
            "(cart",
            "",
            "Straße \U0001d538straße STRASSE",
            "\u0130 x\u00a0y x",
            "y\u0665_a a_a \u03c0_a",
        ]
    ),
    max_size=8,
)


@given(literal_lines, st.lists(literals, max_size=3))
def test_same_literals_are_found(worker: Worker, rows: list[str], asked: list[Literal]) -> None:
    found = worker.call("findLiterals", rows, [*map(list, asked)])
    assert found == [*map(list, find_literals(rows, asked))]


@given(
    st.lists(
        st.sampled_from(
            [
                "KEY",
                "'",
                '"',
                "--",
                " ",
                ":",
                "=",
                "=>",
                "\n",
                ",",
                "Flag(",
                "getFlag(",
                "option_get(",
                "name",
                "OTHER",
                "const ",
                "#define x ",
                "-k, ",
                "é",
            ]
        ),
        max_size=10,
    )
)
def test_same_lines_define_a_literal(worker: Worker, parts: list[str]) -> None:
    text = "".join([*parts[:5], "KEY", *parts[5:]])
    [(start, end), *_] = [*find_spans(text, token_literal("KEY")), (0, 0)]
    assert worker.call("definesLiteral", text, "KEY") == defines_literal(text, start, end)
