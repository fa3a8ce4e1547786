"""The Worker parses queries and words like the program."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edge.texts import KNOWN, SAMPLES, some, texts
from edge.worker_process import Worker
from feeder.errors import UserError
from feeder.query.query import MAX_QUERY_CHARS, Query, parse_query
from feeder.query.query_text import ANALYZED_CHARS, QueryText, name_part_stems
from feeder.text import (
    expand_words,
    lowercase_parts,
    normalize_symbol,
    split_compound,
    symbol_ends_with,
)
from query.test_query import query_of

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "query" / "query_cases.json").read_text("utf-8")
)
NAMES = st.lists(
    st.sampled_from(["Cart", "add", "::", "->", "#", " > ", ".", "()", "~", "$", "_x", "é", " "])
).map("".join)


def in_typescript(query: Query) -> dict[str, Any]:
    """Returns a query in the Worker's form."""
    fields = {
        re.sub("_(.)", lambda found: found[1].upper(), name): value
        for name, value in query._asdict().items()
    }
    return json.loads(json.dumps({**fields, "text": query.text}))  # type: ignore[no-any-return]


def letters(text: str) -> dict[str, object]:
    """Returns what Python's string methods give for a text."""
    return {
        "strip": text.strip(),
        "split": text.split(),
        "length": len(text),
        "casefold": text.casefold(),
        "lower": text.lower(),
        "cut": text[:5],
    }


def parsed_fields(text: str) -> list[Any]:
    """What a question says."""
    asked = QueryText(text)
    sets = [
        asked.identifiers,
        asked.capitalized_words,
        asked.named_files,
        asked.path_words,
        asked.stems,
        asked.stems_with_stop_words,
    ]
    own = [asked.fts_terms, asked.title_terms, asked.word_parts, asked.name, asked.path]
    own += [asked.code_tokens, asked.anchor_names]
    return [*own, *map(sorted, sets)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["question"]))
def test_query_syntax_is_the_same(worker: Worker, case: dict[str, Any]) -> None:
    """By the program's own cases."""
    parsed = worker.call("parseQuery", case["question"])
    if "error" in case:
        assert case["error"] in parsed["error"]
    else:
        assert parsed == in_typescript(query_of(case))


def test_every_character_is_classified_alike(worker: Worker) -> None:
    """Alone and between others: spaces, lower case, letters without case, word characters."""
    alone = [f"a{sign} {sign}B{sign}1 {sign}" for sign in some(KNOWN)]
    together = ["".join(alone[at : at + 30]) for at in range(0, len(alone), 30)]
    assert worker.call("stringMethods", together) == [*map(letters, together)]
    assert worker.call("queryTexts", together) == [*map(parsed_fields, together)]


@given(texts)
@example("ΌΔΟΣ")
@example("\x1c a\x85b \ufeff")
def test_characters_are_classified_like_in_python(worker: Worker, text: str) -> None:
    assert worker.call("stringMethods", [text]) == [letters(text)]


@given(st.lists(texts))
def test_texts_are_ordered_by_code_point(worker: Worker, some: list[str]) -> None:
    """U+FFFF precedes U+10000, whose surrogates have smaller numbers."""
    assert worker.call("sortTexts", some) == sorted(some)


@given(texts)
def test_words_and_compound_parts_are_the_same(worker: Worker, text: str) -> None:
    assert worker.call("expandWords", text) == expand_words(text)
    assert worker.call("splitCompound", text) == [list(one) for one in split_compound(text)]
    assert worker.call("lowercaseParts", text) == lowercase_parts(text)
    assert sorted(worker.call("namePartStems", [text])) == sorted(name_part_stems([text]))


@given(NAMES | texts, NAMES | texts)
def test_names_are_the_same(worker: Worker, name: str, other: str) -> None:
    assert worker.call("normalizeSymbol", name) == normalize_symbol(name)
    assert worker.call("symbolEndsWith", name, other) == symbol_ends_with(name, other)


@given(texts)
def test_queries_are_parsed_alike(worker: Worker, text: str) -> None:
    assert worker.call("parseQuery", text) == in_typescript(parse_query(text))


@given(
    st.lists(
        st.sampled_from(
            [*'"/-: *a\\“”,', "lang:", "path:", "tests:no", "tests:only", "case:yes", "-x", "a.b*"]
        )
    ).map("".join)
)
def test_any_mixture_of_operators_is_parsed_alike(worker: Worker, text: str) -> None:
    assert worker.call("parseQuery", text) == in_typescript(parse_query(text))


@given(
    st.lists(
        st.sampled_from(
            [*'"()-:* a/', " OR ", " AND ", '"a b"', "lang:go", "calls:b", "f(", "c*", "/d/", "-ef"]
        )
    ).map("".join)
)
@example('(a OR "b") OR (f(x) OR lang:go)')
def test_alternatives_are_parsed_alike(worker: Worker, text: str) -> None:
    """Also those that are errors."""
    try:
        expected = in_typescript(parse_query(text))
    except UserError as exc:
        expected = {"error": str(exc)}
    assert worker.call("parseQuery", text) == expected


@given(texts | NAMES)
@example("a" * (ANALYZED_CHARS + 1))
@example("\U0001d538" * ANALYZED_CHARS)
@example("\U0001d538" * (ANALYZED_CHARS + 1))
def test_parsed_fields_are_the_same(worker: Worker, text: str) -> None:
    assert worker.call("queryTexts", [text]) == [parsed_fields(text)]


LINES = st.lists(
    st.sampled_from(
        ["\n", " ", "`cart.add`", "`a b`", "`", "cartTotal(", "Cart::add", "a->b_c", "x.y()", "é_à"]
    )
).map("".join)


@given(LINES)
@example("a title\nof `Cart::add`, add_item and add_item()\n")
def test_names_of_several_lines_are_the_same(worker: Worker, text: str) -> None:
    assert worker.call("queryTexts", [text]) == [parsed_fields(text)]


@pytest.mark.parametrize("text", SAMPLES)
def test_samples_of_each_script_are_parsed_alike(worker: Worker, text: str) -> None:
    some = [text, text * 100, *text.split(), *unicodedata.normalize("NFD", text).split()]
    assert worker.call("queryTexts", some) == [*map(parsed_fields, some)]


@given(texts, st.sampled_from(["stra", "ss", "i", "\u03c3", "^a", r"\Z", "\uab70|\u13a0"]))
def test_prefix_searches_are_the_same(worker: Worker, text: str, pattern: str) -> None:
    given = pattern.replace(r"\Z", "$")
    assert worker.call("matchesPattern", text, given) == QueryText(text).matches(
        re.compile(pattern)
    )


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, '"' * 100_000, "/a " * 400_000, "\U0001d538" * 20_000]
)
def test_long_query_is_cut_alike(worker: Worker, text: str) -> None:
    assert worker.call("parseQuery", text) == in_typescript(parse_query(text))
    assert len(worker.call("parseQuery", text)["words"]) <= MAX_QUERY_CHARS
