"""Output on a terminal: within its width, without control characters, and with optional colours."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.cli.terminal import Terminal, cut_middle, highlight_code, stdout_terminal, to_cells

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
TEXTS = st.text(st.sampled_from("a b\t漢é\u0301\x1b\r\n\u202e🛒\ud800x"), max_size=60)


def columns(text: str) -> int:
    """Counts columns by an independent rule: non-ASCII is wide or combining."""
    return sum({"漢": 2, "🛒": 2, "\u0301": 0}.get(one, 1) for one in text)


@given(TEXTS, st.integers(1, 40), st.data())
def test_no_line_is_wider_than_the_terminal(text: str, width: int, data: st.DataObject) -> None:
    """With highlights and colours, and without control characters."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    marks = [(start, end)] if start < end else []
    for colours in (True, False):
        line = Terminal(colours, width + 8).render_code_line(
            "     7  ", text, marks, ["32"] * len(text)
        )
        bare = COLOUR.sub("", line)
        assert columns(bare) <= width + 8
        assert all(unicodedata.category(one) not in ("Cc", "Cs", "Zl") for one in bare)
        assert "\u202e" not in bare
        assert colours or bare == line


@pytest.mark.parametrize(
    ("text", "mark", "shown"),
    [
        ("0123456789abcdefghij", (0, 2), "0123456789a…"),
        ("0123456789abcdefghij", (18, 20), "…9abcdefghij"),
        ("0123456789ab", (11, 12), "0123456789ab"),
        ("漢" * 9 + "x", (9, 10), "…漢漢漢漢漢x"),
        ("漢漢漢漢漢漢漢", (0, 1), "漢漢漢漢漢…"),
        ("\ta\tb", (1, 2), "    a   b"),
        ("a\x1b[2J", (0, 1), "a\\u001b[2J"),
    ],
)
def test_long_line_shows_its_first_highlight(text: str, mark: tuple[int, int], shown: str) -> None:
    """In twelve columns, with a mark for omitted text."""
    assert Terminal(False, 12 + 3).render_code_line("7  ", text, [mark]) == f"7  {shown}"


def test_piped_output_is_not_cut() -> None:
    """Tabs are kept for other programs."""
    text = "\t" + "x" * 300
    assert Terminal().render_code_line("7  ", text, [(3, 4)]) == f"7  {text}"


@pytest.mark.parametrize("colours", [False, True])
def test_piped_minified_line_is_cut_around_its_match(colours: bool) -> None:
    """Both cuts are marked; the full output is not cut."""
    text = "x" * 50_000 + " needle " + "y" * 50_000
    line = COLOUR.sub("", Terminal(colours).render_code_line("7  ", text, [(50_001, 50_007)]))
    assert re.fullmatch("7  …x+ needle y+…", line)
    assert len(line) <= 3 + 400
    whole = Terminal(colours, max_line_columns=None).render_code_line(
        "7  ", text, [(50_001, 50_007)]
    )
    assert COLOUR.sub("", whole) == f"7  {text}"


def test_highlights_override_syntax_colours() -> None:
    line = Terminal(True).render_code_line("1  ", "def vat", [(4, 7)], ["34"] * 3 + [""] * 4)
    assert line == "\x1b[2m1  \x1b[0m\x1b[34mdef\x1b[0m \x1b[1;31mvat\x1b[0m"


def test_code_is_coloured_by_language() -> None:
    """Line by line, also within a two-line comment; without a lexer there are no colours."""
    first, second = highlight_code(["/* one", "two */ let x;"], "javascript")
    assert set(first) == {"2"}
    assert set(second[:6]) == {"2"}
    assert second[7:10] == ["34"] * 3
    assert highlight_code(["x"], "unheard") == [[]]
    assert highlight_code(["x"], None) == [[]]


@pytest.mark.parametrize(
    ("color", "variables", "colours"),
    [
        ("auto", {}, True),
        ("auto", {"NO_COLOR": "1"}, False),
        ("auto", {"TERM": "dumb"}, False),
        ("never", {}, False),
        ("always", {"NO_COLOR": "1"}, True),
    ],
)
def test_colours_depend_on_terminal_and_environment(
    monkeypatch: pytest.MonkeyPatch, color: str, variables: dict[str, str], colours: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "72")
    assert stdout_terminal(color) == Terminal(colours, 72)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert stdout_terminal(color) == Terminal(color == "always", None)


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("middleware.ThrottleBacklog", 12, "middl…acklog"),
        ("middleware.ThrottleBacklog", 26, "middleware.ThrottleBacklog"),
        ("middleware", 1, "…"),
        ("漢漢漢漢", 5, "漢…漢"),
    ],
)
def test_a_name_is_cut_in_its_middle(text: str, width: int, expected: str) -> None:
    assert Terminal().render_cells(cut_middle(to_cells(text), width)) == expected


def test_long_heading_is_cut_at_its_end() -> None:
    assert Terminal(False, 10).render_cells(to_cells("src/cart.py:7")) == "src/cart.…"
