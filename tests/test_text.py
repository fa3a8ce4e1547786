"""Splitting of compound words."""

import pytest

from feeder.text import compound_parts, compound_parts_of, expand_words


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("parseDeltaFile", "parse Delta File"),
        ("HTTPServer2", "HTTP Server 2"),
        ("größeBerechnen", "größe Berechnen"),
        ("see parseURL, then parseURL", "parse URL"),
        ("utf8", "utf 8"),
    ],
)
def test_parts_of_compound_words_are_appended(text: str, parts: str) -> None:
    """So that an identifier is found by its parts."""
    assert expand_words(text) == f"{text}\n{parts}"


@pytest.mark.parametrize("text", ["", "plain words", "snake_case_name", "SCREAMING_CASE", "Größe"])
def test_text_without_camel_case_is_unchanged(text: str) -> None:
    """The tokenizer itself splits at underscores."""
    assert expand_words(text) == text


def test_texts_at_once_have_the_parts_of_each() -> None:
    """A word at the end of a text is not joined with the first of the next; repeats count once."""
    texts = ["parseURL", "", "parseURL parseURL", "größeBerechnen", "plain", "a1 a1", "utf8"]
    assert compound_parts_of(texts) == list(map(compound_parts, texts))
    assert compound_parts_of(texts)[2:4] == ["parse URL", "größe Berechnen"]
    assert compound_parts_of([]) == []
