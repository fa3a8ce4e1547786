"""The official clients of both eras are served by the Worker."""

import pytest

from edge.workerd import TOKEN
from mcp_server.test_official_clients import COMMANDS, texts_of_calls


@pytest.mark.parametrize("client", COMMANDS)
def test_an_official_client_is_served(address: str, client: str) -> None:
    """In its own era: the tools, four calls at once as text alone, and both kinds of errors."""
    texts = texts_of_calls(client, [f"{address}/mcp", TOKEN])
    assert [text.split("\n")[0] for text in texts] == ["src/money.py:4-5 method exchange"] * 4
