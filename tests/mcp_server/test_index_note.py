"""While the index is being updated anyway, no note advises to run `feeder sync`."""

import pytest

from feeder.mcp.formatting import index_note, missing_vectors_notes
from feeder.mcp.index_refresh import VECTORS_PENDING_NOTE
from feeder.search.index_status import IndexStatus

UPDATING = "Files have changed, and the index is being updated: search again soon."
ANOTHER_SERVER = "Another server is updating the index."
OLD, NEW = "a" * 40, "b" * 40
BEHIND = IndexStatus("shop", OLD, NEW, 2)
NOTES = {
    BEHIND: "The index is 2 commits behind HEAD (aaaaaaa → bbbbbbb).",
    BEHIND._replace(below="my dir"): "The index of the folder my dir is 2 commits behind HEAD "
    "(aaaaaaa → bbbbbbb).",
    BEHIND._replace(
        working=True
    ): "The index equals the working tree last seen on aaaaaaa; HEAD is bbbbbbb.",
    BEHIND._replace(unfinished=True): "The index equalled aaaaaaa; a later sync is running "
    "or was stopped.",
    BEHIND._replace(
        partial=True
    ): "The index equals aaaaaaa except for files that were indexed one by one, "
    "or are to be read again.",
    IndexStatus(
        "shop", head=NEW, unfinished=True
    ): "No sync has finished yet, so files are missing.",
    IndexStatus("shop", NEW, NEW): "The index equals HEAD bbbbbbb.",
}


@pytest.mark.parametrize("before", [UPDATING, ANOTHER_SERVER, VECTORS_PENDING_NOTE])
@pytest.mark.parametrize("age", NOTES)
def test_a_note_advises_no_command_while_the_index_is_being_updated(
    age: IndexStatus, before: str
) -> None:
    assert index_note(before, age.note) == f"{before} {NOTES[age]}"


@pytest.mark.parametrize(
    "hint",
    [
        "Make them: feeder sync",
        "Add them: feeder sync",
        "Add them: feeder sync with the same --model",
    ],
)
def test_missing_vectors_are_named_without_advice_while_they_are_computed(hint: str) -> None:
    note = "The index has no vectors by feeder-static-1."
    advice = f"{note} {hint}"
    assert missing_vectors_notes(VECTORS_PENDING_NOTE, [advice]) == [note]
    assert missing_vectors_notes(None, [advice]) == [advice]


@pytest.mark.parametrize("before", [None, "The index could not be updated: disk."])
def test_a_note_advises_the_command_otherwise(before: str | None) -> None:
    assert index_note(before, BEHIND.note).endswith("(aaaaaaa → bbbbbbb): feeder sync")
