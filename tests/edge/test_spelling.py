"""The Worker checks and corrects the words of a query as the program does."""

from hypothesis import example, given
from hypothesis import strategies as st

from edge.ranking_cases import names, questions
from edge.worker_process import Worker
from feeder.query.query import parse_query
from feeder.query.spelling import (
    correct_text,
    nearest_part,
    one_edit_variants,
    spelling_note,
    words_to_check,
)
from feeder.ranking.name_matching import spellings
from feeder.suggestions import is_within_one_edit

letters = st.text(st.sampled_from("abet\U0001d538"), max_size=8)
words = st.sampled_from(["midleware", "throtle", "cart", "größe", "Straße", "getCart"])
corrections = st.dictionaries(words, st.sampled_from(["middleware", "throttle"]), max_size=3)


@given(text=questions | st.lists(words, max_size=4).map(" ".join))
@example(text="case:yes midleware throtle")
@example(text="Größe of the 42 carts 42")
def test_same_words_are_checked(worker: Worker, text: str) -> None:
    assert worker.call("wordsToCheck", text) == words_to_check(parse_query(text))


@given(one=letters, other=letters)
def test_same_words_are_one_edit_apart(worker: Worker, one: str, other: str) -> None:
    assert worker.call("isWithinOneEdit", one, other) == is_within_one_edit(one, other)


@given(word=words.map(str.lower) | st.text("abet", min_size=1, max_size=6))
def test_variants_are_equal(worker: Worker, word: str) -> None:
    assert worker.call("oneEditVariants", word) == one_edit_variants(word)


@given(name=st.lists(words | st.text("abet", max_size=2), max_size=6).map("_".join))
@example(name="if_err_nil_return")
@example(name="if_err_nil_return_ctx")
def test_spellings_of_names_are_equal(worker: Worker, name: str) -> None:
    assert worker.call("spellings", name) == spellings(name)


@given(word=words.map(str.lower), found=st.lists(names, max_size=8))
@example(word="throtle", found=["a.Throttle", "throttles", "throt_le"])
def test_nearest_parts_are_equal(worker: Worker, word: str, found: list[str]) -> None:
    assert worker.call("nearestPart", word, found) == nearest_part(word, found)


@given(text=st.lists(words | letters, max_size=5).map(" ".join), replaced=corrections)
def test_texts_and_notes_are_equal(worker: Worker, text: str, replaced: dict[str, str]) -> None:
    pairs = [list(pair) for pair in replaced.items()]
    missing = [*replaced, "blorptangle"]
    assert worker.call("correctText", text, pairs) == correct_text(text, replaced)
    assert worker.call("spellingNote", missing, pairs) == str(spelling_note(missing, replaced))
