"""The Worker finds query words at the same places as FTS5."""

import json
import re
import sys
from itertools import accumulate, product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge.texts import SAMPLES, some, texts
from edge.worker_process import ROOT, Worker
from feeder.query.stopwords import HIGHLIGHT_STOP_WORDS
from feeder.query.term_matching import TermMatcher, text_stems
from feeder.store import fts_query
from feeder.store.tokenizer import tokenize
from parse.outlines import SAMPLE_FILES

QUESTION = "where is the name of a file returned, added* or printed to users"
ENDINGS = re.findall(
    r"\w+",
    """
s es ies sses ss ed eed ing at bl iz y ational tional enci anci izer logi bli alli entli eli ousli
ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful
ness al ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize e ll
""",
)
BEGINNINGS = [*"aby", "", "ab", "by", "toy", "hop", "hopp", "fall", "abad", "oxy", "x2", "é"]
BIGRAM_CASES = json.loads((ROOT / "tests/query/bigram_cases.json").read_text("utf-8"))
runs = st.text(st.sampled_from('适者生存ーア한𩸽a1_* 。・é🚀"'), max_size=9)
parts = st.sampled_from([*ENDINGS, *BEGINNINGS, *"aeiouybtlsz", "\u0301", "Case", "\u8000"])
words = st.lists(parts, max_size=5).map("".join)
questions = st.lists(words | texts | st.sampled_from(["*", "the", "app*", "x\u0301*"]), max_size=4)


def tokens(text: str) -> list[list[object]]:
    """Returns SQLite's tokens with their offsets in characters."""
    content = text.encode("utf-8", "replace")
    column = [*accumulate(((byte & 0xC0) != 0x80 for byte in content), initial=0)]
    return [[column[start], column[end], stem] for start, end, stem in tokenize(content)]


def places(asked: list[str], lines: list[str]) -> list[list[object]]:
    """Returns the places that the program finds."""
    return [
        [place.row, place.start, place.end, sorted(place.stems)]
        for place in TermMatcher(asked).find_matches(lines)
    ]


def test_every_character_is_tokenized_and_folded_like_in_sqlite(worker: Worker) -> None:
    """At the start, at the end and inside words, on all planes of Unicode."""
    codes = [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]
    signs = some(map(chr, codes))
    for at in range(0, len(signs), 5000):
        text = " ".join(f"{sign}a{sign}b {sign}" for sign in signs[at : at + 5000])
        assert worker.call("tokenize", text) == tokens(text), ascii(signs[at])


def test_every_suffix_is_stemmed_like_in_sqlite(worker: Worker) -> None:
    """For stems of each measure, and two suffixes in sequence."""
    for stem in BEGINNINGS:
        text = " ".join(f"{stem}{one}{other}" for one, other in product(ENDINGS, ["", *ENDINGS]))
        assert worker.call("tokenize", text) == tokens(text), stem


@given(words)
@example("a" * 64 + "s")
@example("a" * 63 + "s")
@example("é" * 31 + "as")
@example("é" * 31 + "aas")
@example("a\u8000ing")
def test_stems_equal_sqlites(worker: Worker, word: str) -> None:
    assert worker.call("tokenize", word) == tokens(word)


@given(texts)
def test_tokens_equal_sqlites(worker: Worker, text: str) -> None:
    assert worker.call("tokenize", text) == tokens(text)
    assert worker.call("textStems", text) == sorted(text_stems(text))


@given(questions, st.lists(words | texts, max_size=4))
@example(["\u017f*", "ß*", "\u212a*", "\u0131*"], ["start ss k i K", "\u017ftart ß"])
@example(["userName"], ["👍 userName user_name UserName", "user's name"])
@example(["the"], ["the other"])
@example(["*", "**"], ["anything"])
def test_places_are_the_same(worker: Worker, asked: list[str], lines: list[str]) -> None:
    assert worker.call("findMatches", asked, lines) == places(asked, lines)


@pytest.mark.parametrize("text", SAMPLES)
def test_words_of_samples_are_found_at_the_same_places(worker: Worker, text: str) -> None:
    for word in text.split():
        lines = [text, "", text * 3]
        assert worker.call("findMatches", [word], lines) == places([word], lines)


@pytest.mark.parametrize("path", SAMPLE_FILES, ids=lambda path: path.name)
def test_places_are_the_same_in_every_language(worker: Worker, path: Path) -> None:
    lines = path.read_bytes().decode(errors="replace").split("\n")
    assert worker.call("findMatches", QUESTION.split(), lines) == places(QUESTION.split(), lines)
    assert worker.call("tokenize", "\n".join(lines)) == tokens("\n".join(lines))


def test_runs_are_split_and_highlighted_alike(worker: Worker) -> None:
    """By the cases of the program."""
    for text, expected in BIGRAM_CASES["phrases"]:
        assert worker.call("ftsPhrase", text) == expected
    for text, expected in BIGRAM_CASES["prefixes"]:
        assert worker.call("ftsPrefix", text) == expected
    for text, expected in BIGRAM_CASES["terms"]:
        assert worker.call("queryTexts", [text])[0][0] == expected
    for query, line, expected in BIGRAM_CASES["highlights"]:
        assert [[*one[1:3]] for one in worker.call("findMatches", query, [line])] == expected


@given(runs)
def test_phrases_are_split_alike(worker: Worker, text: str) -> None:
    assert worker.call("ftsPhrase", text) == fts_query.phrase(text)
    assert worker.call("ftsPrefix", text) == fts_query.prefix(text)


@given(st.lists(runs, max_size=3), st.lists(runs, max_size=3))
def test_places_in_runs_are_the_same(worker: Worker, asked: list[str], lines: list[str]) -> None:
    assert worker.call("findMatches", asked, lines) == places(asked, lines)


@pytest.mark.parametrize(
    ("text", "limit", "first"),
    [
        ("one two three", 2, "one two"),
        ("one two", 2, "one two"),
        ("适者生存法则", 4, "适者生存"),
        ("use 适者 now", 3, "use 适者"),
        ("Vue组件", 2, "Vue组"),
    ],
)
def test_long_phrases_are_cut(worker: Worker, text: str, limit: int, first: str) -> None:
    """Each character of a run counts as a word."""
    assert worker.call("firstWords", text, limit) == first


def test_stop_words_are_the_same(worker: Worker) -> None:
    constants = worker.call("workerData")["constants"]
    assert set(constants["stopwords"]["HIGHLIGHT_STOP_WORDS"]) == HIGHLIGHT_STOP_WORDS
