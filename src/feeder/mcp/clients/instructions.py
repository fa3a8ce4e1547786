"""The texts written for language models: the marked block in an instruction file (CLAUDE.md,
AGENTS.md), from instructions.md, the definition of a search sub-agent, from agent.md, the skill,
from skill.md, and the script of the hook, hook.sh.
"""

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from feeder.mcp.clients.known_clients import Client, Kind

BLOCK_START, BLOCK_END = "<!-- feeder:start -->", "<!-- feeder:end -->"
GENERATED_NOTE = "Written by `feeder mcp install`; `feeder mcp uninstall` removes it."
_AGENT_DESCRIPTION = (
    "Finds code in this repository by name, by word and by meaning. Use it to find where something "
    "is done or defined, how a thing works, and what is similar, before grep or reading files."
)


def _template(name: str, program: str) -> str:
    """The text of a file of this package, in which PROGRAM stands for the command of feeder."""
    return Path(__file__).with_name(name).read_text("utf-8").replace("PROGRAM", program)


def agent_file(client: Client, file_name: str, program: str) -> str:
    """The file that defines the sub-agent; `program` is the command that starts feeder."""
    body = _template("agent.md", program)
    if file_name.endswith(".toml"):
        return (
            f'# {GENERATED_NOTE}\nname = "feeder-search"\n'
            f"description = {json.dumps(_AGENT_DESCRIPTION)}\n"
            f"developer_instructions = '''\n{body}'''\n"
        )
    head = f"---\nname: feeder-search\ndescription: {_AGENT_DESCRIPTION}\n"
    tools = f"{client.agent_tools}\n" if client.agent_tools else ""
    return f"{head}{tools}---\n<!-- {GENERATED_NOTE} -->\n\n{body}"


def skill_file(client: Client, file_name: str, program: str) -> str:
    """The skill, in the format of https://agentskills.io; the same for each client."""
    return _template("skill.md", program).replace("GENERATED_NOTE", GENERATED_NOTE)


def hook_script(client: Client, file_name: str, program: str) -> str:
    """The script that suggests a call in place of a grep."""
    in_json = json.dumps(program)[1:-1]  # it prints JSON
    return _template("hook.sh", shlex.quote(in_json)).replace("GENERATED_NOTE", GENERATED_NOTE)


GENERATED_FILES: Mapping[Kind, Callable[[Client, str, str], str]] = {
    "agent": agent_file,
    "skill": skill_file,
    "script": hook_script,
}
"""Writes the kinds of files that are this program's as a whole: for a client, the file's name and
the command that starts feeder.
"""


def add_block(text: str, program: str) -> str:
    """The text with the block, in place of an older one or at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = _template("instructions.md", program).replace("\n", newline)
    if position := _find_block(text):
        start, end = position
        return text[:start] + block.removesuffix(newline) + text[end:]
    if not text.strip("\ufeff \t\r\n"):
        return text + block
    return text + newline * (1 if text.endswith(("\n", "\r")) else 2) + block


def remove_block(text: str) -> str:
    """The text without the block, the blank line before it and the line end after it."""
    position = _find_block(text)
    if not position:
        return text
    before, after = text[: position[0]], text[position[1] :]
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2):
            before = before.removesuffix(newline)
            break
    return before + after.removeprefix("\r").removeprefix("\n")


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
