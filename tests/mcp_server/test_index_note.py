"""While the index follows by itself, nobody is told to bring it on."""

import pytest

from feeder.mcp.formatting import index_note
from feeder.mcp.index_refresh import VECTORS_PENDING_NOTE
from feeder.search.index_status import IndexStatus

FOLLOWS = "The files have changed, and the index follows: ask again soon."
AT_IT = "Another server brings the index on at this moment."
OLD, NEW = "a" * 40, "b" * 40
BEHIND = IndexStatus("shop", OLD, NEW, 2)
NOTES = {
    BEHIND: "The index is 2 commits behind HEAD (aaaaaaa → bbbbbbb).",
    BEHIND._replace(below="my dir"): "The index of the folder my dir is 2 commits behind HEAD "
    "(aaaaaaa → bbbbbbb).",
    BEHIND._replace(
        working=True
    ): "The index equals the working tree last seen on aaaaaaa; HEAD is bbbbbbb.",
    BEHIND._replace(unfinished=True): "The index equalled aaaaaaa; a run since is under way, "
    "or was stopped.",
    BEHIND._replace(partial=True): "The index equals aaaaaaa but for files given one by one.",
    IndexStatus(
        "shop", head=NEW, unfinished=True
    ): "No run has come to its end: files are missing.",
    IndexStatus("shop", NEW, NEW): "The index equals HEAD bbbbbbb.",
}


@pytest.mark.parametrize("before", [FOLLOWS, AT_IT, VECTORS_PENDING_NOTE])
@pytest.mark.parametrize("age", NOTES)
def test_who_waits_is_told_no_command(age: IndexStatus, before: str) -> None:
    assert index_note(before, age.note) == f"{before} {NOTES[age]}"


@pytest.mark.parametrize("before", [None, "The index could not be brought to the files: disk."])
def test_who_has_to_do_something_is_told_what(before: str | None) -> None:
    assert index_note(before, BEHIND.note).endswith("(aaaaaaa → bbbbbbb): feeder sync")
