"""Rewrites remedies that were written for the command line for clients of MCP: a tool in place of
a command that is a tool as well, an argument in place of an option that is an argument.

The Worker has the tools' part in `worker/src/mcp/formatting.ts`.
"""

import re

from feeder.errors import FeederError
from feeder.mcp.tool_schemas import INPUT_SCHEMAS
from feeder.notes import Note

_TOOLS = {
    "outline": ("outline", "path"),
    "references": ("references", "target"),
    "search": ("search", "query"),
    "show": ("read", "target"),
    "similar": ("search", "like"),
}
"""The tool and its argument for each command that is a tool."""
_TOOL_COMMAND = re.compile(rf"feeder ({'|'.join(_TOOLS)})\b(?: ([^\s)]+))?")
_SHELL_COMMAND = r"feeder [a-z]+(?: --?[\w-]+(?: (?:'[^']*'|[^\s;,)-][^\s;,)]*))?)*"
_OPTION = re.compile(
    rf"({_SHELL_COMMAND})|(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?![\w-])(?: [A-Z]{{2,}}\b)?"
)
_ARGUMENTS = {name for schema in INPUT_SCHEMAS.values() for name in schema["properties"]}
OPTIONS_NOTE = "Options are those of feeder's command line."


def error_for_agent(error: FeederError | OSError) -> str:
    """The message of an error for an agent."""
    if isinstance(error, OSError):
        return str(error)
    advice = error.remedy.rsplit("\n", error.reason_count)
    return " ".join([error.problem, *map(remedy_for_agent, advice)]).strip()


def note_for_agent(note: Note) -> str:
    """The text of a note for an agent."""
    return str(note.with_remedy(remedy_for_agent(note.remedy)))


def remedy_for_agent(text: str) -> str:
    """The remedy for an agent: `--base REF` becomes "`base`", `feeder outline src` the tool.

    Other commands stay, for a client with a shell; other options stay too, with a sentence that
    says where they are given.
    """
    text = _TOOL_COMMAND.sub(_name_tool, text)
    has_other_options = False

    def rename(match: re.Match[str]) -> str:
        nonlocal has_other_options
        option = match[2]
        if option is None:
            return match[0]
        if option in _ARGUMENTS:
            return f"`{option}`"
        has_other_options = True
        return match[0]

    text = _OPTION.sub(rename, text)
    return f"{text} {OPTIONS_NOTE}" if has_other_options else text


def _name_tool(match: re.Match[str]) -> str:
    tool, argument = _TOOLS[match[1]]
    return f'the {tool} tool with {argument} "{match[2]}"' if match[2] else f"the {tool} tool"
