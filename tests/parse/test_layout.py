"""Properties of the layout: for any text and spans, nothing is lost or indexed twice."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.parse.layout import SourceText, Span, layout_nodes
from parse.outlines import assert_properties_hold, nodes

NODE_TYPES = ["chunk", "class", "method", "md_section", "json_object", "yaml_mapping"]

_words = st.sampled_from(
    ["a", "{", "}", "key: value", "été", "漢字", "x" * 40, "😀", '"', "#", "- "]
)
_blanks = st.sampled_from([" ", "\n", "\n\n", "    ", "\t", "\n  ", "\u2028", "\x0c"])
_pieces = st.lists(st.one_of(_words, _blanks), max_size=60).map("".join)
_texts = st.builds(lambda text, times: text * times, _pieces, st.sampled_from([1, 1, 2, 10, 60]))


@st.composite
def _spans(draw: st.DrawFn, cuts: list[int], depth: int) -> Span:
    """Generates a span from the first cut to the last, with nested spans."""
    span = Span(cuts[0], cuts[-1], draw(st.sampled_from(NODE_TYPES)))
    if depth and len(cuts) > 2:
        inner = draw(st.lists(st.sampled_from(cuts), max_size=6, unique=True).map(sorted))
        for start, end in pairwise(inner):
            if draw(st.booleans()):
                between = [cut for cut in cuts if start <= cut <= end]
                span.children.append(draw(_spans(between, depth - 1)))
    return span


@st.composite
def _files(draw: st.DrawFn) -> tuple[str, Span]:
    """Generates a text and a tree of spans at character boundaries."""
    text = draw(_texts)
    offsets = draw(st.lists(st.integers(0, len(text)), max_size=12))
    cuts = sorted({0, len(text), *offsets})
    return text, draw(_spans([len(text[:cut].encode()) for cut in cuts], 3))


@given(_files())
def test_every_character_is_in_one_node(file: tuple[str, Span]) -> None:
    """Each visible character once, each line in some node, and no node too large."""
    text, root = file
    source = SourceText(text.encode())
    found = layout_nodes(source, root, "text")
    assert_properties_hold("file.txt", text, found)
    assert layout_nodes(source, root, "text") == found


_markdown = st.lists(
    st.sampled_from(
        [
            "# A\n",
            "## B #\n",
            "C\n===\n",
            "D\n---\n",
            "#\n",
            "```\n",
            "- a\n",
            "  b\n",
            "> q\n",
            "\n",
            "words " * 20 + "\n",
            "---\n",
            "| a | b |\n",
            "<b>\n",
            "[l](x)\n",
            "    code\n",
        ]
    ),
    max_size=40,
)
_json = st.recursive(
    st.sampled_from(['"text"', "1", "null", '"' + "long " * 40 + '"', "", "// c\n", "é"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6).map(lambda items: "[" + ",\n".join(items) + "]"),
        st.lists(inner, max_size=6).map(
            lambda items: "{" + ", ".join(f'"k{n}": {i}' for n, i in enumerate(items)) + "}\n"
        ),
    ),
    max_leaves=30,
).map(lambda text: [text])
_yaml = st.lists(
    st.sampled_from(
        [
            "a: 1\n",
            "b:\n",
            "  c: d\n",
            "  - e\n",
            "# note\n",
            "---\n",
            "...\n",
            "f: |\n",
            "\n",
            "  text " * 30 + "\n",
            "- {g: h}\n",
            "'i.j': &k [l, m]\n",
            "n: *k\n",
            "\t",
            "? o\n: p\n",
        ]
    ),
    max_size=30,
)
_toml = st.lists(
    st.sampled_from(
        [
            "[a]\n",
            "[[b.c]]\n",
            '["d.e".f]\n',
            "g = 1\n",
            'h = "' + "long " * 30 + '"\n',
            "# note\n",
            "i = [\n",
            "]\n",
            "\n",
            'j = """\n',
            '"""\n',
            "k.l = {m = 1}\n",
            "=",
            "é",
        ]
    ),
    max_size=30,
)
_xml = st.lists(
    st.sampled_from(
        [
            "<a>",
            "</a>",
            "<b c='d'>",
            "</b>",
            "<e/>\n",
            "text",
            "\n",
            "<!-- note -->\n",
            "&amp;",
            "<![CDATA[ <f> ]]>",
            "<?g h?>",
            "<i>" + "long " * 30 + "</i>\n",
            "<a>\n",
            "</a>\n",
        ]
    ),
    max_size=30,
)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("x.md", _markdown),
        ("x.json", _json),
        ("x.yaml", _yaml),
        ("x.toml", _toml),
        ("x.xml", _xml),
    ],
)
@given(data=st.data())
def test_any_document_keeps_all_its_text(
    path: str, parts: st.SearchStrategy[list[str]], data: st.DataObject
) -> None:
    """Well-formed or not."""
    text = "".join(data.draw(parts))
    found = nodes(path, text)
    assert_properties_hold(path, text, found)
    assert nodes(path, text) == found


def test_parts_are_filled_with_short_lines() -> None:
    """500 lines of three characters fit into 1,500."""
    found = nodes("many.txt", "ab\n" * 10_000)
    assert [(n.start_line, n.end_line) for n in found] == [
        (first, first + 499) for first in range(1, 10_000, 500)
    ]


def test_split_is_at_the_least_indented_line() -> None:
    """Between 750 and 1,500 characters, even if the rest is short."""
    lines = [" " * 4 + "a" * 900, "b" * 400, " " * 4 + "c" * 1300, " " * 4 + "d" * 900]
    found = nodes("cuts.txt", "\n".join(lines))
    assert [(n.start_line, n.end_line) for n in found] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_container_node_covers_its_whole_range() -> None:
    """Its text is what its children leave."""
    text = "class A:\n    x = 1\n\n    def f(self):\n        pass\n\n    y = 2\n"
    method = Span(text.index("def"), text.index("pass") + 4, "method", "A.f")
    found = layout_nodes(
        SourceText(text.encode()), Span(0, len(text), "class", "A", children=[method]), "python"
    )
    assert [(n.symbol, n.start_line, n.end_line, n.text) for n in found] == [
        ("A", 1, 7, "class A:\n    x = 1\n    y = 2"),
        ("A.f", 4, 5, "def f(self):\n        pass"),
    ]
