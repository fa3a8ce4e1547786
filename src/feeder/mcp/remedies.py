"""What does a message tell a model to do? To ask a tool, where it names a command."""

import re

RETRY_SOON = "ask again soon."
VECTORS_IN_PROGRESS = "vectors are being made."
UPDATE_IN_PROGRESS = "brings the index on at this moment."
"""How a sentence ends that says that the index is followed up without the one who asks."""
_SYNC_HINT = re.compile(
    r"\.?(?: To go on| For all)?: feeder sync(?: --path .+)?(?: --working-tree)?$"
)
_OUTLINE_COMMAND = re.compile(r"feeder outline (\S+)")


def without_sync_hint(refresh_note: str | None, age_note: str) -> str:
    """How old the index is, without the command that brings it on where somebody is at it."""
    return (
        _SYNC_HINT.sub(".", age_note)
        if refresh_note
        and refresh_note.endswith((RETRY_SOON, UPDATE_IN_PROGRESS, VECTORS_IN_PROGRESS))
        else age_note
    )


def commands_to_tools(text: str) -> str:
    """The same with tools for the commands that are tools too."""
    return _OUTLINE_COMMAND.sub(r'the outline tool with path "\1"', text)
