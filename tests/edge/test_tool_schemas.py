"""The Worker checks tool arguments like the program, with the same errors."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from edge.worker_process import Worker
from feeder.errors import UserError
from feeder.mcp.tool_schemas import WORKER_TOOL_DEFINITIONS, validate_arguments
from feeder.suggestions import did_you_mean

INPUT_SCHEMAS = {tool["name"]: tool["inputSchema"] for tool in WORKER_TOOL_DEFINITIONS}
"""Those of the Worker: the others also have booleans, which it cannot check."""
NAMES = sorted({name for schema in INPUT_SCHEMAS.values() for name in schema["properties"]})
VALUES: list[Any] = [
    None,
    True,
    0,
    1,
    8,
    51,
    10**70,
    -3,
    1.0,
    2.5,
    1e300,
    "",
    "8",
    " 12 ",
    "-1",
    "yes",
    "no",
]
VALUES += ["only", "full", "x" * 1_001, "🛒" * 1_000, "\ud800a\0b", '["a", "b"]', "[1]", "[", "a"]
VALUES += [[], ["a"], ["a", 1], {}, {"a": [1, "b", None]}, "größer"]
Given = st.dictionaries(
    st.sampled_from([*NAMES, "lmit", "querry", "größe", "x" * 300]),
    st.sampled_from(VALUES) | st.text("a1 é🛒\0", max_size=80),
    max_size=4,
)


def in_python(tool: str, said: Mapping[str, Any]) -> Any:
    try:
        return validate_arguments(tool, INPUT_SCHEMAS[tool], said)
    except UserError as exc:
        return str(exc)


@given(tool=st.sampled_from(sorted(INPUT_SCHEMAS)), said=Given)
def test_arguments_are_checked_alike(worker: Worker, tool: str, said: dict[str, Any]) -> None:
    wanted = json.loads(json.dumps(in_python(tool, said)))
    assert worker.call("validateArguments", tool, INPUT_SCHEMAS[tool], said) == wanted


def test_missing_arguments_and_suggestions(worker: Worker) -> None:
    schema = INPUT_SCHEMAS["read"]
    assert worker.call("validateArguments", "read", schema, {}) == "read requires `target`."
    schema = INPUT_SCHEMAS["search"]
    assert worker.call("validateArguments", "search", schema, {"query": "x", "lmit": 3}).startswith(
        "search has no argument `lmit`. Did you mean `limit`? It has query, like, path, "
    )


Letters = st.text("abcd", max_size=12)


@given(name=Letters, known=st.lists(Letters.filter(bool), max_size=5, unique=True))
def test_suggested_names_are_the_same(worker: Worker, name: str, known: list[str]) -> None:
    assert worker.call("didYouMean", name, known) == did_you_mean(name, known)
