"""The words of the program are those of the glossary."""

import language


def test_no_banned_word_is_used() -> None:
    assert list(language.check_tree()) == []
