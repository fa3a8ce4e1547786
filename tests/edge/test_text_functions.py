"""Letters, regular expressions and sums, on which the ranking depends, in both languages."""

import re
import unicodedata
from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.ranking_cases import letters, paths, questions, texts, words
from edge.worker_process import Worker
from feeder.edge.javascript_regex import to_javascript
from feeder.query import file_kinds
from feeder.ranking import retrieval
from feeder.store.scope import TEST_PATH_GLOBS, is_test_path
from feeder.text import SEPARATOR_PATTERN, normalize_symbol

PATTERNS = {
    "place": retrieval.LOCATION,
    "python": retrieval.PYTHON_NAME,
    "ruby": retrieval.RUBY_NAME,
    "java": retrieval.NAME_BEFORE[0],
    "debugger": retrieval.NAME_BEFORE[1],
    "go": retrieval.NAME_ABOVE[0],
    "rust": retrieval.NAME_ABOVE[1],
    "anonymous": retrieval.ANONYMOUS_PATTERN,
    "document": file_kinds.DOCUMENT_PATH_PATTERN,
    "example": file_kinds.EXAMPLE_PATH_PATTERN,
    "joints": SEPARATOR_PATTERN,
    **{
        kind.name: kind.query_pattern
        for kind in (file_kinds.TEST, file_kinds.DOCUMENT, file_kinds.EXAMPLE, file_kinds.DATA)
    },
    "edges": re.compile(r"\A\w+\b.\Z"),
}


def _is_known(text: str) -> bool:
    """True if both languages know all characters, whichever Unicode version is older."""
    return all(unicodedata.category(sign) not in ("Cn", "Cs") for sign in text)


def near(pattern: re.Pattern[str]) -> st.SearchStrategy[str]:
    """Generates texts that a pattern may match: its literals and unusual letters."""
    written = re.findall(r"\w{2,}|\S", pattern.pattern)
    pieces = st.sampled_from([*written, *"aAkKsSiI1 :/.\n'"]) | letters
    return st.lists(pieces, max_size=12).map("".join) | st.from_regex(pattern).filter(_is_known)


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=40)
@given(data=st.data())
def test_pattern_matches_alike(worker: Worker, name: str, data: st.DataObject) -> None:
    """With the same groups, anywhere in a text and at its start."""
    pattern = PATTERNS[name]
    text = data.draw(near(pattern))
    for flags, found in (("", pattern.search(text)), ("y", pattern.match(text))):
        said = worker.call("matchGroups", to_javascript(pattern), text, flags)
        assert said == (found and [found[0], *found.groups()])


def test_unknown_escape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Add it to feeder/edge/javascript_regex\.py"):
        to_javascript(re.compile(r"\Ba"))


@settings(max_examples=100)
@given(text=texts)
def test_letters_are_folded_and_stripped_alike(worker: Worker, text: str) -> None:
    assert worker.call("casefold", text) == text.casefold()
    assert worker.call("strip", text) == text.strip()


@settings(max_examples=60)
@given(some=st.lists(texts | words, max_size=8))
def test_texts_are_in_the_order_of_code_points(worker: Worker, some: list[str]) -> None:
    assert worker.call("sortTexts", some) == sorted(some)


@settings(max_examples=60)
@given(name=questions)
def test_names_are_dotted_alike(worker: Worker, name: str) -> None:
    assert worker.call("normalizeSymbol", name) == normalize_symbol(name)


@settings(max_examples=100)
@given(numbers=st.lists(st.floats(-1e300, 1e300) | st.floats(-1, 1), max_size=12))
def test_sums_are_correctly_rounded(worker: Worker, numbers: list[float]) -> None:
    assert float(worker.call("fsum", numbers)) == fsum(numbers)


@settings(max_examples=100)
@given(path=paths | texts)
def test_files_are_tests_and_documents_alike(worker: Worker, path: str) -> None:
    assert worker.call("isTestPath", path) == is_test_path(path)
    assert worker.call("isDocument", path) == file_kinds.is_document(path)


@pytest.mark.parametrize("glob", TEST_PATH_GLOBS)
def test_path_made_from_each_test_glob_is_a_test(worker: Worker, glob: str) -> None:
    """With one character for each star and class."""
    path = re.sub(r"\[(.)[^]]*\]", r"\1", glob.replace("*", "x"))[1:]
    assert is_test_path(path)
    assert worker.call("isTestPath", path)
