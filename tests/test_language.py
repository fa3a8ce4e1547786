"""The code uses the words of the glossary: banned_words.toml has those that it does not use."""

from dataclasses import replace
from pathlib import Path

import pytest

from language import PROGRAM, TOOLS, Words, check_file, check_files, modules

SAMPLE = '''
"""Where is it?"""

SEAM = 1

class Crew:
    """A pool."""

    def ask_told(self, wanted, /):
        """Whether it is asked."""
        found = kept_rows = f"The {wanted} has no heart"
        self.trips = found
        raise ValueError("in vain")

@option("--x", help="Which files.")
def good(rows):
    """Returns rows; `--asked` is no word, and border-width none either."""
    query = "SELECT asked FROM told WHERE said"
    return "kept"
'''
VIOLATIONS = [
    (1, "module", "crew"),
    (2, "docstring", "Where"),
    (1, "docstring", "?"),
    (4, "constant", "seam"),
    (6, "class", "crew"),
    (9, "function", "told"),
    (9, "parameter", "wanted"),
    (10, "docstring", "asked"),
    (10, "docstring", "Whether"),
    (11, "variable", "found"),
    (11, "variable", "kept"),
    (11, "text", "heart"),
    (12, "field", "trips"),
    (13, "text", "in vain"),
    (15, "help", "Which"),
]


@pytest.mark.parametrize("folder", [PROGRAM, *TOOLS], ids=lambda folder: folder.name)
def test_the_code_uses_the_words_of_the_glossary(folder: Path) -> None:
    """In names, docstrings, help and messages: `python tests/language.py` lists the others."""
    files = modules([folder])
    assert files
    assert list(map(str, check_files(files, Words.read()))) == []


def test_every_exception_is_needed_and_has_a_reason() -> None:
    words = Words.read()
    without = replace(words, allowed=[])
    violations = check_files(modules(), without)
    for entry in words.allowed:
        only = replace(words, allowed=[entry])
        assert any(map(only.is_allowed, violations)), entry
        assert entry["reason"]


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module with a violation of each kind."""
    path = tmp_path / "crew.py"
    path.write_text(SAMPLE)
    return path


def test_what_is_checked(module: Path) -> None:
    words = replace(Words.read(), allowed=[])
    violations = check_file(module, words, module.parent)
    found = {(one.line, one.kind, one.word) for one in violations}
    assert found == set(VIOLATIONS)


@pytest.mark.parametrize("where", ["crew.py", "crew.py::SEAM"])
def test_an_exception_is_for_a_module_or_a_name(module: Path, where: str) -> None:
    allowed = [{"word": "seam", "where": where, "reason": "an example"}]
    violations = check_file(module, replace(Words.read(), allowed=allowed), module.parent)
    assert "seam" not in {one.word for one in violations}
    assert len(violations) == len(VIOLATIONS) - 1
