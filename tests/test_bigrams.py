"""Runs of Chinese, Japanese and Korean characters: as they are indexed and searched for."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.bigrams import split_phrase, split_text
from feeder.query.literals import find_spans, token_literal
from feeder.query.query_text import QueryText
from feeder.query.term_matching import TermMatcher
from feeder.store import fts_query
from feeder.store.tokenizer import tokenize

CASES: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "query" / "bigram_cases.json").read_text("utf-8")
)
texts = st.text(st.sampled_from("适者生存はーア한a1_ 。・é🚀"), max_size=12)


def words(text: str) -> list[str]:
    """Returns the words that FTS5 makes of a text."""
    return [stem for _, _, stem in tokenize(text.encode())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("适者生存", ["适者", "者生", "生存", "存"]),
        ("使用Vue组件。", ["使用", "用", "vue", "组件", "件"]),
        ("我", ["我"]),
        ("人々の2つのメモ・帳", ["人々", "々の", "の", "2", "つの", "のメ", "メモ", "モ", "帳"]),
        ("사용자를 찾다", ["사용", "용자", "자를", "를", "찾다", "다"]),
        ("café größer", ["cafe", "großer"]),
    ],
)
def test_a_word_begins_at_each_character(text: str, expected: list[str]) -> None:
    assert words(split_text(text)) == expected


def test_other_text_is_the_same_object() -> None:
    text = "def add(cart): pass"
    assert split_text(text) is text


@pytest.mark.parametrize(("text", "expected"), CASES["phrases"])
def test_phrases_are_split(text: str, expected: str) -> None:
    assert fts_query.phrase(text) == expected


@pytest.mark.parametrize(("text", "expected"), CASES["prefixes"])
def test_prefixes_are_split(text: str, expected: str) -> None:
    assert fts_query.prefix(text) == expected


@pytest.mark.parametrize(("text", "expected"), CASES["terms"])
def test_words_are_pairs_and_the_phrase_of_them(text: str, expected: list[str]) -> None:
    assert QueryText(text).fts_terms == expected


@pytest.mark.parametrize(("query", "line", "expected"), CASES["highlights"])
def test_only_the_characters_of_the_query_are_highlighted(
    query: list[str], line: str, expected: list[list[int]]
) -> None:
    assert [[match.start, match.end] for match in TermMatcher(query).find_matches([line])] == (
        expected
    )


@given(texts, texts, texts)
def test_each_part_of_a_text_is_found_in_it(before: str, part: str, after: str) -> None:
    """Unless the part begins or ends within a word that has spaces around it."""
    runs_only = [
        side for side in (before[-1:], part[:1], part[-1:], after[:1]) if side in "适者生存はーア한"
    ]
    if len(runs_only) < 4 or not words(part):
        return
    posting = words(split_text(before + part + after))
    phrase, is_beginning = split_phrase(part)
    *first, last = words(phrase)
    places = range(len(posting) - len(first))
    assert any(
        posting[at : at + len(first)] == first
        and (posting[at + len(first)].startswith(last) if is_beginning else True)
        and (is_beginning or posting[at + len(first)] == last)
        for at in places
    )


@pytest.mark.parametrize(
    ("text", "token", "spans"),
    [
        ("适者生存法则", "生存", [(2, 4)]),
        ("使用Vue组件 Vue2", "Vue", [(2, 5)]),
        ("使用vue组件 vue2", "vue", [(2, 5)]),
        ("vue组件 xvue组件", "vue组", [(0, 4)]),
    ],
)
def test_only_other_words_have_bounds(text: str, token: str, spans: list[tuple[int, int]]) -> None:
    """`生存` is whole in `适者生存`, `Vue` is not in `Vue2`."""
    assert [*find_spans(text, token_literal(token))] == spans
