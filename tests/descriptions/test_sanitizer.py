"""A model's answer becomes one line of text without phrases that describe nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.descriptions import ModelAnswer
from feeder.descriptions.sanitizer import (
    MAX_DESCRIPTION_CHARS,
    RejectReason,
    SanitizedAnswer,
    parse_description,
)

CODE = 'python method Cart.add\n\ndef add(self, n):\n    """Adds a line to it."""\n    self.n += n'
KEY = "AKIA" + "QYLPMN5HHHFPZAM2"


@pytest.mark.parametrize(
    ("expected", "description"),
    [
        ("Adds an article to the cart.", "Adds an article to the cart."),
        ("  \n\nAdds an article\tto the cart.\nAnd more of it.", "Adds an article to the cart."),
        ("**Adds** an `article` to the *cart*.", "Adds an article to the cart."),
        ('"Adds an article to the cart."', "Adds an article to the cart."),
        ("1. Adds an article to the cart.", "Adds an article to the cart."),
        ("### Answer: Adds an article to it.", "Adds an article to it."),
        ("<b>Adds</b> an <a href='x'>article</a> to it.", "Adds an article to it."),
        ("Adds [an article](http://127.0.0.1/x) to it.", "Adds an article to it."),
        ("<think>Hm.\nWell.</think>\nAdds an article to it.", "Adds an article to it."),
        ("Hm. Well.</think>Adds an article to it.", "Adds an article to it."),
        ("```\nAdds an article to it.\n```", "Adds an article to it."),
        ("Adds\x1b[31m an \u202earticle\u200b to\x00 it.", "Adds [31m an article to it."),
        ("Adds a line to it.", "Adds a line to it."),  # its own doc comment is a sentence
        ("Keeps max_bytes and __init__ apart.", "Keeps max_bytes and init apart."),
        (f"Signs by {KEY} what is sent. # pragma: allowlist secret", None),
    ],
)
def test_description_is_cleaned(expected: str, description: str | None) -> None:
    found = parse_description(ModelAnswer(expected), CODE)
    assert KEY not in found.text
    assert description is None or found == SanitizedAnswer(description)


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        ("", RejectReason.EMPTY),
        ("\n" * 1_000_000, RejectReason.EMPTY),
        (
            "![" * 100_000,
            RejectReason.NOT_A_SENTENCE,
        ),  # to look for links in all of it would take an hour
        ("```\n```\n***", RejectReason.EMPTY),
        ("I cannot describe this.", RejectReason.REFUSED),
        ("I'm sorry, I can't do that", RejectReason.REFUSED),
        ("As an AI model, I have no opinion.", RejectReason.REFUSED),
        ("<think>And then again", RejectReason.INCOMPLETE),
        ("def add(self, n):", RejectReason.REPEATS_CODE),
        ("`self.n += n`", RejectReason.REPEATS_CODE),
        ("42", RejectReason.NOT_A_SENTENCE),
        ("Yes.", RejectReason.NOT_A_SENTENCE),
    ],
)
def test_answer_without_a_description_is_rejected(expected: str, reason: RejectReason) -> None:
    assert parse_description(ModelAnswer(expected), CODE) == SanitizedAnswer(reason=reason)


def test_long_description_is_cut_at_a_word() -> None:
    [description, reason] = parse_description(ModelAnswer("Adds articles " * 40), CODE)
    assert (
        reason,
        len(description) <= MAX_DESCRIPTION_CHARS,
        description.endswith("…"),
    ) == ("", True, True)
    assert set(description[:-1].split()) == {"Adds", "articles"}


@given(said=st.text(), whole=st.booleans())
def test_any_answer_is_one_line_or_a_reason(said: str, whole: bool) -> None:
    """Without control characters and within the length limit."""
    description, reason = parse_description(ModelAnswer(said, whole), CODE)
    assert bool(description) != bool(reason)
    assert len(description) <= MAX_DESCRIPTION_CHARS
    assert description.isprintable() or all(
        one.isprintable() or one == "\u3000" for one in description
    )
    assert "<script" not in description.lower()
