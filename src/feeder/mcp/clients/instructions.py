"""The texts written for language models: the marked block in an instruction file (CLAUDE.md,
AGENTS.md) and the definition of a search sub-agent.
"""

import json

from feeder.mcp.clients.known_clients import Client

BLOCK_START, BLOCK_END = "<!-- feeder:start -->", "<!-- feeder:end -->"
GENERATED_NOTE = "Written by `feeder mcp install`; `feeder mcp uninstall` removes it."

_PROGRAM = "PROGRAM"
_INSTRUCTIONS_BLOCK = f"""\
{BLOCK_START}
## Searching code with feeder

In a git repository the MCP server `feeder` has an index of the code, by name, by word and by
meaning, that equals the working tree.

- To find where something is done or defined, use its tool `search` first, in words or with a name;
  then `read` its results (`path#Symbol`, `path:12-40`). Do not grep for the same thing again.
- `outline` lists the symbols of a file or folder, `similar` finds code like a place.
- `references` lists who calls or uses a symbol, `impact` what a change touches and the tests to
  run.
- If these tools are missing, as in a sub-agent, run on the command line
  `{_PROGRAM} search "where is the token refreshed"`, `{_PROGRAM} show path#Symbol`.
- grep is for every occurrence of an exact text.
{BLOCK_END}
"""

_AGENT_DESCRIPTION = (
    "Finds code in this repository by name, by word and by meaning. Use it to find where something "
    "is done or defined, how a thing works, and what is similar, before grep or reading files."
)
_AGENT_BODY = f"""\
Find code with `feeder`, on the command line; it answers from an index of the repository.

    {_PROGRAM} search "where is the token refreshed"       # by words, names and meaning
    {_PROGRAM} search "lang:py path:src/ type:class -word Cart"
    {_PROGRAM} show src/cart.py#Cart.add                   # a symbol, or src/cart.py:12-40
    {_PROGRAM} outline src/cart.py                         # symbols with their lines
    {_PROGRAM} similar src/cart.py:12                      # code like it
    {_PROGRAM} references src/cart.py#Cart.add             # who calls it; --out: what it calls

1. Search first, in words or with a name; `-n 20` gives more, `--full` all lines of each hit.
2. Read only what the hits name, with `show`.
3. If an answer says that the index is behind or missing, run `{_PROGRAM} sync` once, and search
   again.
4. Use grep only for every occurrence of an exact text.

Answer with paths and lines, and with the lines of code that matter.
"""


def agent_file(client: Client, file_name: str, program: str) -> str:
    """The file that defines the sub-agent; `program` is the command that starts feeder."""
    body = _AGENT_BODY.replace(_PROGRAM, program)
    if file_name.endswith(".toml"):
        return (
            f'# {GENERATED_NOTE}\nname = "feeder-search"\n'
            f"description = {json.dumps(_AGENT_DESCRIPTION)}\n"
            f"developer_instructions = '''\n{body}'''\n"
        )
    head = [
        "---",
        "name: feeder-search",
        f"description: {_AGENT_DESCRIPTION}",
        *([client.agent_tools_line] if client.agent_tools_line else []),
        "---",
    ]
    return "\n".join([*head, f"<!-- {GENERATED_NOTE} -->", "", body])


def add_block(text: str, program: str) -> str:
    """The text with the block, in place of an older one or at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _INSTRUCTIONS_BLOCK.replace(_PROGRAM, program).replace("\n", newline)
    if position := _find_block(text):
        start, end = position
        return text[:start] + block.removesuffix(newline) + text[end:]
    if not text.strip("\ufeff \t\r\n"):
        return text + block
    gap = newline if text.endswith(("\n", "\r")) else newline * 2
    return text + gap + block


def remove_block(text: str) -> str:
    """The text without the block, the blank line before it and the line end after it."""
    position = _find_block(text)
    if not position:
        return text
    start, end = position
    before, after = text[:start], text[end:]
    after = after.removeprefix("\r").removeprefix("\n")
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2):
            return before.removesuffix(newline) + after
    return before + after


def has_block(text: str) -> bool:
    """True if the text has the block; raises ValueError if its end is missing."""
    return _find_block(text) is not None


def _find_block(text: str) -> tuple[int, int] | None:
    """The start and end of the block in the text; raises ValueError if its end is missing."""
    start = text.find(BLOCK_START)
    if start < 0:
        return None
    end = text.find(BLOCK_END, start)
    if end < 0:
        line = text.count("\n", 0, start) + 1
        column = start - text.rfind("\n", 0, start)
        raise ValueError(f"line {line}, column {column}: {BLOCK_START} has no {BLOCK_END} after it")
    return start, end + len(BLOCK_END)
