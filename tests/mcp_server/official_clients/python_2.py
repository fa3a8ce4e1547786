"""Runs the official Python client, major version 2, against a server and prints what it received.

Usage: python_2.py auto|legacy COMMAND… for a stdio server, or python_2.py auto|legacy URL TOKEN for
a running server.
"""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def server_of(command: list[str]) -> Any:
    if not command[0].startswith("http"):
        return StdioServerParameters(command=command[0], args=command[1:], env=None)
    headers = {"authorization": f"Bearer {command[1]}"}
    client = httpx2.AsyncClient(headers=headers, trust_env=False)
    return streamable_http_client(command[0], http_client=client)


async def facts(mode: Any, command: list[str]) -> dict[str, Any]:
    async with Client(server_of(command), mode=mode) as client:
        tools = (await client.list_tools()).tools
        calls = [client.call_tool("search", {"query": "exchange"}) for _ in range(4)]
        found = await asyncio.gather(*calls)
        wrong = await client.call_tool("search", {"query": "x", "limit": 0})
        try:
            await client.call_tool("nothing", {})
            refused = None
        except MCPError as exc:
            refused = exc.error.code
        return {
            "version": client.protocol_version,
            "server": client.server_info.name,
            "instructions": client.instructions.splitlines()[0],
            "tools": [tool.name for tool in tools],
            "reads_only": all(tool.annotations.read_only_hint for tool in tools),
            "structured": [answer.structured_content for answer in found],
            "texts": [answer.content[0].text for answer in found],
            "wrong": [wrong.is_error, wrong.content[0].text],
            "refused": refused,
        }


print(json.dumps(asyncio.run(facts(sys.argv[1], sys.argv[2:]))))
