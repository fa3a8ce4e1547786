"""What does a message tell a model to do? To ask a tool, where it names a command."""

import re

_OUTLINE = re.compile(r"feeder outline (\S+)")


def in_tools(text: str) -> str:
    """The same with tools for the commands that are tools too."""
    return _OUTLINE.sub(r'the outline tool with path "\1"', text)
