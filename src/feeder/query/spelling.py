"""Finds the words of a query that are nowhere in the index, and the words of names that they may
be misspellings of.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from feeder.notes import Note, NoteKind
from feeder.query.query import MIN_WORD_LETTERS, Query
from feeder.query.query_text import ALNUM_PATTERN, ANALYZED_CHARS
from feeder.query.stopwords import RANKING_STOP_WORDS
from feeder.store import Database, Row, Statement, fts_query
from feeder.store.name_search import name_matches, names_with_any_statement
from feeder.store.scope import Scope
from feeder.store.word_search import missing_words_statement
from feeder.suggestions import is_within_one_edit
from feeder.text import expand_words, lowercase_parts

MAX_CORRECTED = 2
"""Words of a query that are corrected; if more are missing, it is about something else."""

MIN_CORRECTED_LETTERS, MAX_CORRECTED_LETTERS = 4, 24
"""Shorter words are one edit from too many others; each letter adds 52 words that are looked up."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""The letters tried in a misspelt word; `string.ascii_lowercase` would import one more module."""


def words_to_check(query: Query) -> list[str]:
    """The words of a query that the index should have.

    Empty for a text of several lines, such as a stack trace; for a single word, whose spelling is
    compared with names instead; and with `case:yes`. Without those of unknown filters, which have
    a note of their own.
    """
    text = query.words
    if query.case or "\n" in text or len(text) > ANALYZED_CHARS:
        return []
    reported = set(ALNUM_PATTERN.findall(" ".join(query.unknown_filters)))
    words = [
        word
        for word in dict.fromkeys(ALNUM_PATTERN.findall(text))
        if len(word) >= MIN_WORD_LETTERS
        and word not in reported
        and word.lower() not in RANKING_STOP_WORDS
        and not (word.isascii() and word.isdigit())
    ]
    return words if len(words) > 1 else []


def missing_words_query(words: Sequence[str]) -> Statement:
    """Selects those of the words that no node has, nor a part of theirs."""
    terms = [[word, _any_term(word)] for word in words]
    return missing_words_statement(json.dumps(terms))


def missing_words(rows: Iterable[Row]) -> list[str]:
    """The words from the rows of that statement."""
    return [str(word) for (word,) in rows]


def _any_term(word: str) -> str:
    return fts_query.any_of(ALNUM_PATTERN.findall(expand_words(word)))


def find_corrections(database: Database, missing: Sequence[str], scope: Scope) -> dict[str, str]:
    """Maps each missing word to the nearest word of a name, if there is one.

    Empty if more than `MAX_CORRECTED` words are missing: then the query is about something else.
    """
    words = [word for word in missing if _is_correctable(word)]
    if not words or len(missing) > MAX_CORRECTED:
        return {}
    row_sets = database.run(
        [names_with_any_statement(one_edit_variants(word.lower()), scope) for word in words]
    )
    nearest = {
        word: nearest_part(word.lower(), [match.name for match in name_matches(rows)])
        for word, rows in zip(words, row_sets, strict=True)
    }
    return {word: part for word, part in nearest.items() if part}


def _is_correctable(word: str) -> bool:
    has_length = MIN_CORRECTED_LETTERS <= len(word) <= MAX_CORRECTED_LETTERS
    return has_length and word.isascii() and word[1:].islower()


def one_edit_variants(word: str, fixed_letters: int = 1) -> list[str]:
    """The words one edit away that begin with the same letter, or the same `fixed_letters`; other
    letters are ASCII ones.

    Trigrams would not find them: none of a short word is left after an edit in its middle.
    """
    variants: dict[str, None] = {}
    for at in range(fixed_letters, len(word) + 1):
        before, rest = word[:at], word[at:]
        if rest:
            variants[before + rest[1:]] = None
        if len(rest) > 1:
            variants[before + rest[1] + rest[0] + rest[2:]] = None
        for letter in LETTERS:
            variants[before + letter + rest] = None
            if rest:
                variants[before + letter + rest[1:]] = None
    variants.pop(word, None)
    return list(variants)


def nearest_part(word: str, names: Iterable[str]) -> str:
    """The part of the names that is nearest to a word and begins with the same letter; of equal
    ones the most frequent one. Empty if none is near.
    """
    counts = Counter(part for name in names for part in lowercase_parts(name))
    near = [
        (-count, part)
        for part, count in counts.items()
        if part[0] == word[0] and is_within_one_edit(word, part)
    ]
    return min(near)[1] if near else ""


def correct_text(text: str, corrections: Mapping[str, str]) -> str:
    """The text with each misspelt word replaced."""
    return ALNUM_PATTERN.sub(lambda word: corrections.get(word[0], word[0]), text)


def spelling_note(missing: Sequence[str], corrections: Mapping[str, str]) -> Note:
    """Names the words that no node has, and what was searched for in their place."""
    rest = [word for word in missing if word not in corrections]
    sentences = [
        f"No matches for {word}; searched for {corrections[word]} instead." for word in corrections
    ]
    if rest:
        sentences.append(f"No matches for {', '.join(rest)}.")
    return Note(NoteKind.SPELLING, " ".join(sentences))
