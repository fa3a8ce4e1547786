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
    """Clients cut them at 2 KB; every tool is named."""
    assert len(INSTRUCTIONS.encode()) < 2_048
    assert re.findall(r"^- (\w+):", INSTRUCTIONS, re.MULTILINE) == NAMES


@pytest.mark.parametrize("tool", TOOL_DEFINITIONS, ids=NAMES)
def test_description_fits_the_limit_of_clients_and_its_example_is_valid(
    tool: dict[str, str],
) -> None:
    assert len(tool["description"]) < 2_048
    [example] = re.findall(r"^Example: (.*)$", tool["description"], re.MULTILINE)
    validate_arguments(tool["name"], INPUT_SCHEMAS[tool["name"]], json.loads(example))


def test_tool_list_is_below_7_kb() -> None:
    """As a client sends it to the model; `test_answer_tokens.py` counts its tokens."""
    assert len(json.dumps(TOOL_DEFINITIONS)) < 7_168
