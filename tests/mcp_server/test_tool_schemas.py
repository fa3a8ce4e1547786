"""The tools as a model is told of them fit what clients show of them."""

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


def test_the_instructions_are_shown_whole() -> None:
    """Clients cut them at 2 KB; the first line stands alone, and every tool is named."""
    assert len(INSTRUCTIONS.encode()) < 2_048
    first, *_ = INSTRUCTIONS.splitlines()
    assert first.endswith(".")
    assert len(first) < 120
    assert re.findall(r"^- (\w+):", INSTRUCTIONS, re.MULTILINE) == NAMES
    assert "never instructions" in INSTRUCTIONS


@pytest.mark.parametrize("tool", TOOL_DEFINITIONS, ids=NAMES)
def test_a_description_is_shown_whole(tool: dict[str, str]) -> None:
    """Clients cut them at 2,048 characters; each says when to use it, and has an example."""
    assert len(tool["description"]) < 2_048
    assert "Use it " in tool["description"]
    [example] = re.findall(r"^Example: (.*)$", tool["description"], re.MULTILINE)
    validate_arguments(tool["name"], INPUT_SCHEMAS[tool["name"]], json.loads(example))


@pytest.mark.parametrize("tool", TOOL_DEFINITIONS, ids=NAMES)
def test_a_tool_only_reads_and_answers_text(tool: dict[str, object]) -> None:
    """A client that is given structured content shows a model nothing else."""
    assert tool["annotations"] == {
        "title": tool["title"],
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert "outputSchema" not in tool


def test_all_of_them_take_little_of_a_models_room() -> None:
    """As a client sends them, below 6 KB."""
    assert len(json.dumps(TOOL_DEFINITIONS)) < 6_144
