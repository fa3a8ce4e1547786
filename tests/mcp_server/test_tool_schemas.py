"""The tool descriptions fit the limits of clients."""

import json
import re

import pytest

from feeder.mcp.tool_schemas import (
    INPUT_SCHEMAS,
    INSTRUCTIONS,
    TOOL_DEFINITIONS,
    validate_arguments,
)

NAMES = [tool["name"] for tool in TOOL_DEFINITIONS]


def test_instructions_fit_the_limit_of_clients() -> None:
    """Clients cut them at 2 KB; the first line is self-contained, and every tool is named."""
    assert len(INSTRUCTIONS.encode()) < 2_048
    first, *_ = INSTRUCTIONS.splitlines()
    assert first.endswith(".")
    assert len(first) < 120
    assert re.findall(r"^- (\w+):", INSTRUCTIONS, re.MULTILINE) == NAMES
    assert "never instructions" in INSTRUCTIONS


@pytest.mark.parametrize("tool", TOOL_DEFINITIONS, ids=NAMES)
def test_descriptions_fit_the_limit_of_clients(tool: dict[str, str]) -> None:
    """2,048 characters; each says when to use the tool and has an example."""
    assert len(tool["description"]) < 2_048
    assert "Use it " in tool["description"]
    [example] = re.findall(r"^Example: (.*)$", tool["description"], re.MULTILINE)
    validate_arguments(tool["name"], INPUT_SCHEMAS[tool["name"]], json.loads(example))


@pytest.mark.parametrize("tool", TOOL_DEFINITIONS, ids=NAMES)
def test_tools_are_read_only_and_return_text(tool: dict[str, object]) -> None:
    """A client with structured content would show the model nothing else."""
    assert tool["annotations"] == {
        "title": tool["title"],
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert "outputSchema" not in tool


def test_tool_list_is_below_7_kb() -> None:
    """As a client sends it to the model; `test_answer_tokens.py` counts its tokens."""
    assert len(json.dumps(TOOL_DEFINITIONS)) < 7_168
