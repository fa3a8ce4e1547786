"""While the index is being updated anyway, no note advises to run `feeder sync`."""

import pytest

from feeder.corpus.index_status import IndexStatus
from feeder.mcp.formatting import index_note, without_needless_remedies
from feeder.mcp.index_refresh import VECTORS_PENDING_NOTE
from feeder.notes import Note, NoteKind

UPDATING = Note(
    NoteKind.UPDATE_RUNNING,
    "Files have changed, and the index is being updated: search again soon.",
)
ANOTHER_SERVER = Note(NoteKind.UPDATE_RUNNING, "Another server is updating the index.")
FAILED = Note(NoteKind.UPDATE_FAILED, "The index could not be updated: disk.")
OLD, NEW = "a" * 40, "b" * 40
BEHIND = IndexStatus("shop", OLD, NEW, 2)
NOTES = {
    BEHIND: "The index is 2 commits behind HEAD (aaaaaaa → bbbbbbb).",
    BEHIND._replace(below="my dir"): "The index of the folder my dir is 2 commits behind HEAD "
    "(aaaaaaa → bbbbbbb).",
    BEHIND._replace(
        working=True
    ): "The index matches the working tree as last indexed, on aaaaaaa; HEAD is bbbbbbb.",
    BEHIND._replace(unfinished=True): "The index matched aaaaaaa; a later sync is running "
    "or was stopped.",
    BEHIND._replace(
        partial=True
    ): "The index matches aaaaaaa except for files that were indexed one by one, "
    "or are to be read again.",
    IndexStatus(
        "shop", head=NEW, unfinished=True
    ): "No sync has finished yet, so files are missing.",
    IndexStatus("shop", NEW, NEW): "The index matches HEAD bbbbbbb.",
}


@pytest.mark.parametrize("before", [UPDATING, ANOTHER_SERVER, VECTORS_PENDING_NOTE])
@pytest.mark.parametrize("age", NOTES)
def test_a_note_advises_no_command_while_the_index_is_being_updated(
    age: IndexStatus, before: Note
) -> None:
    assert index_note(before, age.notes) == f"{before} {NOTES[age]}"


@pytest.mark.parametrize(
    "hint",
    [
        "Make them: feeder sync",
        "Add them: feeder sync",
        "Add them: feeder sync --model minilm",
    ],
)
def test_missing_vectors_are_named_without_advice_while_they_are_computed(hint: str) -> None:
    text = "The index has no vectors by feeder-static-1."
    advice = Note(NoteKind.MISSING_VECTORS, text, hint)
    [shown] = without_needless_remedies(VECTORS_PENDING_NOTE, [advice])
    assert str(shown) == text
    assert without_needless_remedies(None, [advice]) == [advice]


def test_a_note_that_no_sync_mends_keeps_its_advice() -> None:
    note = Note(NoteKind.PARTIAL_SEARCH, "x is in too many nodes.", "Narrow the search.")
    assert without_needless_remedies(UPDATING, [note]) == [note]


def test_each_of_several_notes_advises_nothing_while_the_index_is_being_updated() -> None:
    changed = Note(
        NoteKind.CHANGED_FILES,
        "1 file on disk differs from the index",
        "feeder sync --working-tree",
    )
    assert index_note(ANOTHER_SERVER, BEHIND._replace(changed_files=changed).notes) == (
        "Another server is updating the index. "
        "The index is 2 commits behind HEAD (aaaaaaa → bbbbbbb). "
        "1 file on disk differs from the index."
    )


@pytest.mark.parametrize("before", [None, FAILED])
def test_a_note_advises_the_command_otherwise(before: Note | None) -> None:
    assert index_note(before, BEHIND.notes).endswith("(aaaaaaa → bbbbbbb): feeder sync")
