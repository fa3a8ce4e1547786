"""By which words is a text found?"""

import pytest

from feeder.text import expand_words


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
def test_the_parts_of_a_compound_word_follow_the_text(text: str, parts: str) -> None:
    """An identifier is found by the words that it is made of."""
    assert expand_words(text) == f"{text}\n{parts}"


@pytest.mark.parametrize("text", ["", "plain words", "snake_case_name", "SCREAMING_CASE", "Größe"])
def test_what_has_no_inner_case_stays_as_it_is(text: str) -> None:
    """The tokenizer itself parts words at underscores; nothing is added for them."""
    assert expand_words(text) == text
