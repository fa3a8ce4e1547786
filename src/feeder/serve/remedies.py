"""What does a message tell a model to do? To ask a tool, where it names a command."""

import re

AGAIN = "ask again soon."
MADE = "vectors are being made."
AT_IT = "brings the index on at this moment."
"""How a sentence ends that says that the index is followed up without the one who asks."""
_SYNC = re.compile(r"\.?(?: To go on| For all)?: feeder sync(?: --path .+)?(?: --working-tree)?$")
_OUTLINE = re.compile(r"feeder outline (\S+)")


def left_to(before: str | None, age: str) -> str:
    """How old the index is, without the command that brings it on where somebody is at it."""
    return _SYNC.sub(".", age) if before and before.endswith((AGAIN, AT_IT, MADE)) else age


def in_tools(text: str) -> str:
    """The same with tools for the commands that are tools too."""
    return _OUTLINE.sub(r'the outline tool with path "\1"', text)
