"""Says what an answer without hits could not see: lines that no grammar knows, files read as plain
text, and files kept out of the index.

An answer with hits does not ask: each of these is a query.
"""

from __future__ import annotations

from collections.abc import Sequence

from feeder.corpus.skipped_files import SKIP_REMEDIES
from feeder.errors import UserError
from feeder.escaping import count_of
from feeder.notes import Note, NoteKind, unparsed_text
from feeder.source import SkipReason
from feeder.store import Database
from feeder.store.scope import Scope
from feeder.store.unread_files import UnreadGroup, unread_in_scope

UNREADABLE_CONTENT = ("binary", "a pointer to a file in LFS")
"""Reasons of files whose name promises text, but whose content is none."""

REASONS_WITHOUT_TEXT = (
    *(SkipReason.SYMLINK.value, SkipReason.SPECIAL.value, SkipReason.OWN_FILE.value),
    *(SkipReason.BINARY.value, *UNREADABLE_CONTENT),
)
"""Reasons of skipped files that have no text which could be found."""

MAX_REASONS = 3
"""Reasons that a note names."""


def unread_notes(database: Database, scope: Scope, before: Sequence[Note] = ()) -> list[Note]:
    """Says what of a scope the index does not know, one note for each kind; one request.

    If the scope is one path and a note `before` says that it was skipped, none repeats that.
    """
    groups, where = unread_in_scope(database, scope), _place(scope)
    notes = (
        _unparsed_note(groups, where),
        _plain_text_note(groups, where),
        None if _names_only_path(before, scope) else _kept_out_note(groups, where),
    )
    return [note for note in notes if note is not None]


def _unparsed_note(groups: Sequence[UnreadGroup], where: str) -> Note | None:
    lines = sum(group.lines for group in groups)
    if not lines:
        return None
    files = sum(group.files for group in groups if group.lines)
    text = f"{unparsed_text(files, lines, where)}; symbols there may be missing."
    return Note(NoteKind.UNPARSED_LINES, text, "To list the lines: feeder skipped --unparsed")


def _plain_text_note(groups: Sequence[UnreadGroup], where: str) -> Note | None:
    plain = [group for group in groups if group.reason and not group.is_skipped]
    if not plain:
        return None
    files = sum(group.files for group in plain)
    verb = "was" if files == 1 else "were"
    counted = f"{count_of(files, 'file')}{where} {verb}"
    text = f"{counted} read as plain text, without functions ({_reasons(plain)})."
    return Note(NoteKind.UNPARSED_LINES, text)


def _kept_out_note(groups: Sequence[UnreadGroup], where: str) -> Note | None:
    skipped = [
        group for group in groups if group.is_skipped and group.reason not in REASONS_WITHOUT_TEXT
    ]
    if not skipped:
        return None
    files = sum(group.files for group in skipped)
    verb = "is" if files == 1 else "are"
    text = f"{count_of(files, 'file')}{where} {verb} not in the index ({_reasons(skipped)})."
    return Note(NoteKind.SKIPPED_FILE, text)


def check_folder_not_skipped(
    database: Database, repo: str, folder: str, paths: Sequence[str]
) -> None:
    """Raises UserError if a folder without indexed files, at one of `paths`, has skipped ones."""
    exact = tuple(path for path in paths if not path.startswith("*/"))
    if not exact:
        return
    groups = unread_in_scope(database, Scope.of_repo(repo)._replace(paths=exact))
    skipped = [group for group in groups if group.is_skipped]
    if skipped:
        remedy = SKIP_REMEDIES.get(skipped[0].reason, "") if len(skipped) == 1 else ""
        raise UserError(
            f"Nothing in '{folder}' is indexed ({_reasons(skipped)}).",
            remedy or "List the files: feeder skipped",
        )


def unsearched_notes(database: Database, scope: Scope, before: Sequence[Note] = ()) -> list[Note]:
    """Says what of a scope a search through all lines could not read; one request.

    Nothing if the scope is one path and a note `before` says that it was skipped.
    """
    if _names_only_path(before, scope):
        return []
    groups, where = unread_in_scope(database, scope), _place(scope)
    notes = _no_text_note(groups, where), _submodule_note(groups, where)
    return [note for note in notes if note is not None]


def _no_text_note(groups: Sequence[UnreadGroup], where: str) -> Note | None:
    unreadable = [group for group in groups if group.reason in UNREADABLE_CONTENT]
    if not unreadable:
        return None
    files = sum(group.files for group in unreadable)
    verb = "has" if files == 1 else "have"
    text = f"{count_of(files, 'file')}{where} {verb} no text to search ({_reasons(unreadable)})."
    return Note(NoteKind.SKIPPED_FILE, text)


def _submodule_note(groups: Sequence[UnreadGroup], where: str) -> Note | None:
    count = sum(group.files for group in groups if group.reason == SkipReason.SUBMODULE.value)
    if not count:
        return None
    verb = "was" if count == 1 else "were"
    text = f"{count_of(count, 'submodule')}{where} {verb} not searched."
    return Note(NoteKind.SKIPPED_FILE, text, "To search one, run feeder sync in its folder.")


def _reasons(groups: Sequence[UnreadGroup]) -> str:
    """The reasons, the most frequent first: "a lock file: 9; larger than the limit: 5"."""
    if len(groups) == 1:
        return groups[0].reason
    named = [f"{group.reason}: {group.files:,}" for group in groups[:MAX_REASONS]]
    if rest := groups[MAX_REASONS:]:
        named.append(f"other reasons: {sum(group.files for group in rest):,}")
    return "; ".join(named)


def _place(scope: Scope) -> str:
    """The files of the scope in words: " in src", " among those searched", or nothing for all."""
    if path := _only_path(scope):
        return f" in {path}"
    has_file_filters = any(scope[1:5]) or scope.tests
    return " among those searched" if has_file_filters else ""


def _names_only_path(notes: Sequence[Note], scope: Scope) -> bool:
    """True if the scope is one path, and one of the notes says that it was skipped."""
    return bool(_only_path(scope)) and any(note.kind is NoteKind.SKIPPED_FILE for note in notes)


def _only_path(scope: Scope) -> str:
    """The path that is the scope's only filter of files; else empty."""
    is_alone = len(scope.paths) == 1 and not (any(scope[2:5]) or scope.tests)
    return scope.paths[0].removeprefix("*/") if is_alone else ""
