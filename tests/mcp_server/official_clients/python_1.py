"""Runs the official Python client, major version 1, against a server and prints what it received.

Usage: python_1.py COMMAND… for a stdio server, or python_1.py URL TOKEN for a running server.
"""

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


def pipes_of(command: list[str]) -> Any:
    if not command[0].startswith("http"):
        return stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
    return streamablehttp_client(command[0], {"authorization": f"Bearer {command[1]}"})


async def facts(command: list[str]) -> dict[str, Any]:
    async with pipes_of(command) as (read, write, *_), ClientSession(read, write) as client:
        started = await client.initialize()
        await client.send_ping()
        tools = (await client.list_tools()).tools
        calls = [client.call_tool("search", {"query": "exchange"}) for _ in range(4)]
        found = await asyncio.gather(*calls)
        wrong = await client.call_tool("search", {"query": "x", "limit": 0})
        try:
            await client.call_tool("nothing", {})
            refused = None
        except McpError as exc:
            refused = exc.error.code
        return {
            "version": started.protocolVersion,
            "server": started.serverInfo.name,
            "instructions": started.instructions.splitlines()[0],
            "tools": [tool.name for tool in tools],
            "reads_only": all(tool.annotations.readOnlyHint for tool in tools),
            "structured": [answer.structuredContent for answer in found],
            "texts": [answer.content[0].text for answer in found],
            "wrong": [wrong.isError, wrong.content[0].text],
            "refused": refused,
        }


print(json.dumps(asyncio.run(facts(sys.argv[1:]))))
