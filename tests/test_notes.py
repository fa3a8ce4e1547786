"""Notes as text."""

from feeder.notes import Note, NoteKind, joined


def test_command_between_notes_ends_with_a_full_stop() -> None:
    """So that the next note is no part of it."""
    behind = Note(NoteKind.INDEX_STATE, "It is 1 commit behind", "feeder sync")
    kept_out = Note(NoteKind.SKIPPED_FILE, "1 file is not in the index.")
    assert joined([behind, kept_out]) == (
        "It is 1 commit behind: feeder sync. 1 file is not in the index."
    )
    assert joined([kept_out, behind]) == (
        "1 file is not in the index. It is 1 commit behind: feeder sync"
    )
    assert joined([]) == ""
