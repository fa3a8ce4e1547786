"""Hits of phrases, patterns and words in their case show a line that matches."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.cli.rendering import render_vimgrep
from feeder.query.literals import Literal, LiteralMatch, find_literals, find_spans
from feeder.search.answers import Page, PageHit
from feeder.snippets.snippets import SnippetRequest, make_snippet
from search.run_query import find, index_files
from source.repos import Repo

FILLER = "".join(f"    value_{at} = load(value_{at - 1})\n" for at in range(1, 20))
CALLS = f"""\
def old_api(value_0):
    \"\"\"Warns about the warnings module, and warns again.\"\"\"
{FILLER}    warnings.warn("a")
{FILLER}    warnings.warn("b")
{FILLER}    Warnings.Warn("c")
{FILLER}    warnings.warn("d")
    return value_1
"""
CLASS = f"""\
class Throttle:
    \"\"\"The num_proxies of a throttle.\"\"\"

    num_proxies = 2

    def ident(self, num_proxies):
{FILLER}        self.num_proxies = num_proxies
        return settings.NUM_PROXIES
"""
FILES = {"api.py": CALLS, "throttle.py": CLASS, "notes.md": "# Notes\n\nconnection\nrefused: a\n"}


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    index_files(repo, FILES)
    return repo


def shown_lines(hit: PageHit) -> dict[int, str]:
    return {
        part.start_line + at: line
        for part in hit.snippet.parts
        for at, line in enumerate(part.lines)
    }


def shown_numbers(page: Page, pattern: str) -> list[int]:
    [hit] = page.hits
    return [number for number, line in shown_lines(hit).items() if re.search(pattern, line)]


def numbers_in(text: str, pattern: str) -> list[int]:
    return [at for at, line in enumerate(text.split("\n"), 1) if re.search(pattern, line)]


def test_all_calls_of_a_function_are_shown_where_there_is_room(indexed: Repo) -> None:
    expected = numbers_in(CALLS, r"(?i)warnings\.warn\(")
    page = find(indexed, r"/warnings\.warn\(/")
    assert shown_numbers(page, r"(?i)warnings\.warn\(") == expected
    assert sum(len(part.lines) for part in page.hits[0].snippet.parts) <= 6
    assert page.hits[0].snippet.below == 0


def test_case_chooses_the_lines(indexed: Repo) -> None:
    expected = numbers_in(CALLS, r"Warnings\.Warn\(")
    assert shown_numbers(find(indexed, "case:yes Warnings.Warn(", 1), "Warn") == expected
    assert shown_numbers(find(indexed, r'case:yes "Warnings.Warn("', 1), "Warn") == expected
    [hit] = find(indexed, "case:yes NUM_PROXIES", 2).hits
    assert "        return settings.NUM_PROXIES" in shown_lines(hit).values()


def test_phrase_over_two_lines_is_shown_and_highlighted(indexed: Repo) -> None:
    [hit] = find(indexed, '"connection refused"', 2).hits
    assert shown_lines(hit) == {3: "connection", 4: "refused: a"}
    assert [tuple(mark) for mark in hit.snippet.marks] == [(3, 0, 10), (4, 0, 7)]


def test_vimgrep_has_a_row_for_each_line_that_matches(indexed: Repo) -> None:
    page = find(indexed, r"case:yes /warnings\.warn\(/")
    rows = [
        row.rpartition("api.py:")[2].split(":")[:2] for row in render_vimgrep(page, indexed.path)
    ]
    assert rows == [[str(number), "5"] for number in numbers_in(CALLS, r"warnings\.warn\(")]


def test_line_that_an_edit_removed_is_reported(indexed: Repo) -> None:
    (indexed.path / "throttle.py").write_text(CLASS.replace("settings.NUM_PROXIES", "None"))
    for query in ("case:yes /settings.NUM_PROXIES/", 'case:yes "settings.NUM_PROXIES"'):
        page = find(indexed, query)
        assert not page.hits[0].literals
        assert list(map(str, page.notes)) == [
            "1 hit no longer has what the query requires: the file has changed since the index "
            "was made."
        ]


# what git and Python read differently is matched as git reads it
@pytest.mark.parametrize(
    "query",
    [
        '"warnings"',
        "case:yes load",
        '"value_3 = load(value_2) value_4"',
        '"num_proxies"',
        r"/\bvalue_1[0-3]\b/",
        r"/\h+return/",
        "/[[:upper:]][a-z]+s/",
        r"/^\s*def \Kold/",
        '"(value_0)"',
        '"):"',
        "/$/",
    ],
)
@pytest.mark.parametrize("lines", [1, 2, 3, 6])
def test_each_hit_shows_a_line_that_matches(indexed: Repo, query: str, lines: int) -> None:
    page = find(indexed, query, lines)
    assert page.hits
    if query != "/$/":  # an empty match has no characters to show
        assert not page.notes
        for hit in page.hits:
            assert {place.line for place in hit.literals} & shown_lines(hit).keys(), hit


LINES = st.lists(
    st.sampled_from(["", "cart", "  total(", "    (cart", ")", "}", "def cart(total):", "x total"]),
    min_size=1,
    max_size=30,
)


def test_fewer_lines_that_hide_more_literals_are_shortened_again() -> None:
    lines = ["", "", "", "", "", "cart", "", ""]
    literals = [(0, 0, 1), (6, 0, 1), (7, 0, 1)]
    request = SnippetRequest(["total"], 7, anchor=0, literals=literals)
    parts = make_snippet(lines, 0, request).parts
    shown = {part.start_line + at for part in parts for at, _ in enumerate(part.lines)}
    assert {0, 6, 7} <= shown


@given(LINES, st.integers(1, 8), st.sampled_from([None, "def cart(total):"]), st.data())
def test_snippet_has_a_literal_if_there_is_one(
    lines: list[str], size: int, signature: str | None, data: st.DataObject
) -> None:
    """All of them where half of the lines is enough; at most `size` lines, each once."""
    rows = sorted(data.draw(st.sets(st.integers(0, len(lines) - 1), max_size=5)))
    literals = [(row, 0, 1) for row in rows]
    anchor = data.draw(st.none() | st.integers(0, len(lines) - 1))
    found = make_snippet(
        lines, 0, SnippetRequest(["total"], size, signature, anchor, literals=literals)
    )
    shown = [part.start_line + at for part in found.parts for at, _ in enumerate(part.lines)]
    assert len(shown) <= size
    assert shown == sorted(set(shown))
    assert found.below == len(lines) - 1 - max(shown)
    assert not rows or set(rows) & set(shown)
    if len(rows) <= size // 2:
        assert set(rows) <= set(shown)
    assert all(
        lines[part.start_line + at] == text
        for part in found.parts
        for at, text in enumerate(part.lines)
    )


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        (Literal("Cart"), [(0, 0, 4), (1, 2, 6), (1, 7, 11)]),
        (Literal("Cart", True), [(1, 7, 11)]),
        (Literal("cart", False, True), [(0, 0, 4), (1, 7, 11)]),
        (Literal("cart(", False, True), [(1, 7, 12)]),
        (Literal("cart x"), [(0, 0, 4), (1, 0, 1)]),
        (Literal("STRASSE"), [(2, 0, 6)]),
        (Literal("ße"), [(2, 4, 6)]),
        (Literal("absent"), []),
    ],
)
def test_literals_are_found(literal: Literal, expected: list[tuple[int, int, int]]) -> None:
    lines = ["cart", "x_cart Cart(1)", "Straße"]
    assert find_literals(lines, [literal]) == [LiteralMatch(*span) for span in expected]


@given(
    st.text("ab \n.", max_size=40),
    st.lists(st.text("ab.", min_size=1, max_size=2), min_size=2, max_size=3),
)
def test_every_place_of_a_literal_of_several_words_is_found(text: str, words: list[str]) -> None:
    """Also where a place begins within another one."""
    pattern = r"\s+".join(map(re.escape, words))
    expected = [match.span() for match in re.finditer(pattern, text)]
    assert list(find_spans(text, Literal(" ".join(words), True))) == expected


def test_a_literal_of_several_words_is_not_part_of_a_longer_word() -> None:
    text = "xto use, to use it, to used; To  use"
    assert list(find_spans(text, Literal("to use", True, True))) == [(9, 15)]
    assert list(find_spans(text, Literal("to use", False, True))) == [(9, 15), (29, 36)]
