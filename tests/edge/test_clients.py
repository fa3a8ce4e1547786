"""The official clients of both eras are served by the Worker."""

import pytest

from edge.workerd import TOKEN
from serve.test_clients import COMMANDS, VERSIONS, facts


@pytest.mark.parametrize("client", COMMANDS)
def test_an_official_client_is_served(address: str, client: str) -> None:
    """In its own era: the tools, four calls at once as text alone, and both kinds of errors."""
    found = facts(client, [f"{address}/mcp", TOKEN])
    texts = found.pop("texts")
    assert found == {
        "version": VERSIONS[client.rpartition(" ")[2]],
        "server": "feeder",
        "instructions": "feeder searches this repository by meaning, word and name: "
        "begin with it instead of grep.",
        "tools": ["search", "read", "similar", "outline"],
        "reads_only": True,
        "structured": [None] * 4,
        "wrong": [True, "`limit` is a number from 1 to 50, not 0."],
        "refused": -32602,
    }
    assert [text.split("\n")[0] for text in texts] == ["src/money.py:4-5 method exchange"] * 4
