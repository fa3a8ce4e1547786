"""Notes about an answer or the index: what a user should know, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto
from shlex import quote
from typing import TYPE_CHECKING

from feeder.errors import FeederError, problem_and_remedy
from feeder.escaping import count_of

if TYPE_CHECKING:
    from feeder.errors import FeederError


class NoteKind(Enum):
    """The subject of a note: code tells notes apart by it, never by their text."""

    FILTER = auto()
    """Words of a query that are not the filters that they look like, or that are replaced."""
    PARTIAL_SEARCH = auto()
    """A part of the query, or of the nodes and files, that was not searched."""
    SPELLING = auto()
    """Words that no node has, and what was searched for in their place."""
    SIMILAR_NAMES = auto()
    """No symbol has the name; similar names."""
    NAME_IN_CODE = auto()
    """No node has the name, and code has the word."""
    NO_WORD_FOUND = auto()
    """No exact matches; the results are related."""
    INEXACT_HITS = auto()
    """Hits without what the query requires literally."""
    UNPARSED_LINES = auto()
    """Lines that no grammar has parsed; symbols there may be missing."""
    SKIPPED_FILE = auto()
    """Files that the index skipped."""
    MODEL_FAILED = auto()
    """A model failed, and words answered alone."""
    MISSING_VECTORS = auto()
    """The index has no vectors by a model; a sync makes them."""
    MISSING_MODEL = auto()
    """The model of the index's vectors is not installed."""
    MISSING_REPOSITORY = auto()
    """The index does not have the repository."""
    INDEX_STATE = auto()
    """The commit or working tree that the index equals; a sync brings it up to date."""
    CHANGED_FILES = auto()
    """Files on disk that differ from the index; a sync of the working tree indexes them."""
    UPDATE_RUNNING = auto()
    """The index is being updated without the user's doing."""
    UPDATE_FAILED = auto()
    """An update of the index failed."""


NEEDLESS_DURING_SYNC = frozenset(
    {NoteKind.MISSING_VECTORS, NoteKind.INDEX_STATE, NoteKind.CHANGED_FILES}
)
"""Kinds whose remedy is needless while the index is being updated anyway."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note with its remedy, if there is one: a command, or what to do in words.

    A text without a full stop leads to its remedy by a colon:
    ("It is 1 commit behind", "feeder sync") → "It is 1 commit behind: feeder sync".
    """

    kind: NoteKind
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        if not self.remedy:
            return self.text
        return f"{self.text}{' ' if self.text.endswith('.') else ': '}{self.remedy}"

    def without_remedy(self) -> Note:
        """The note as a sentence that advises nothing."""
        return Note(self.kind, f"{self.text.removesuffix('.')}.") if self.remedy else self

    def with_remedy(self, remedy: str) -> Note:
        """The note with its remedy in other words."""
        return replace(self, remedy=remedy)


def joined(notes: Iterable[Note]) -> str:
    """The notes as one text; a command gets a full stop if another note follows it."""
    texts = list(map(str, notes))
    ended = (text if text.endswith((".", "!", "?")) else f"{text}." for text in texts[:-1])
    return " ".join([*ended, *texts[-1:]])


WORDS_ONLY = "Searched by words only:"


def model_failed_note(error: FeederError) -> Note:
    """Says that words answered alone, since a model failed with this error."""
    return Note(NoteKind.MODEL_FAILED, f"{WORDS_ONLY} {error.problem}", error.remedy)


def update_failed_note(error: FeederError | OSError) -> Note:
    """Says that the index could not be updated, why, and what to do."""
    reason = " ".join(problem_and_remedy(error)).strip()
    return Note(NoteKind.UPDATE_FAILED, f"The index could not be updated: {reason}")


def sync_command(folder: str = "", *, working_tree: bool = False) -> str:
    """Returns the command that updates an index; `folder` is the only one that it covers."""
    return f"feeder sync{' --working-tree' if working_tree else ''}{path_option(folder)}"


def path_option(folder: str) -> str:
    """Returns the option that chooses a folder, with a space before it; empty for all folders."""
    return f" --path {quote(folder)}" if folder else ""


def unparsed_text(files: int, lines: int, where: str = "") -> str:
    """Says how much a grammar did not parse: "1 file in src has 2 lines that could not be
    parsed".
    """
    counted = f"{count_of(files, 'file')}{where} {'has' if files == 1 else 'have'}"
    return f"{counted} {count_of(lines, 'line')} that could not be parsed"
