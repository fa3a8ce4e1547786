"""The official clients of both eras work with the Worker."""

import pytest

from edge.workerd import TOKEN
from mcp_server.test_official_clients import COMMANDS, TOOLS, texts_of_calls

WORKER_TOOLS = [name for name in TOOLS if name not in {"grep", "impact"}]


@pytest.mark.parametrize("client", COMMANDS)
def test_official_client_works(address: str, client: str) -> None:
    """In its era: all but grep and impact, four concurrent calls, both kinds of error."""
    texts = texts_of_calls(client, [f"{address}/mcp", TOKEN], WORKER_TOOLS)
    assert [text.split("\n")[0] for text in texts] == ["src/money.py:4-5 method exchange"] * 4
