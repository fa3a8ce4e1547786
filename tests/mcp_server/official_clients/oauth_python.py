"""The official Python client signs in by OAuth: `oauth_client_python.py ADDRESS GITHUB`.

Runs in the environment of either major version. In place of a person with a browser, it allows the
client on the Worker's page and signs in at the stand-in for GitHub.
"""

import asyncio
import json
import re
import sys
from http.cookies import SimpleCookie
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp import ClientSession
from mcp.client import auth, streamable_http
from mcp.shared.auth import OAuthClientMetadata

# version 2 has its successor
httpx: Any = import_module("httpx" if find_spec("httpx") else "httpx2")
ADDRESS, GITHUB = sys.argv[1:]
REDIRECT = "http://localhost:8765/callback"


class Storage:
    tokens: Any = None
    client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


answers: dict[str, str] = {}


async def sign_in(url: str) -> None:
    cookies: dict[str, str] = {}
    async with httpx.AsyncClient(trust_env=False) as http:

        async def browse(method: str, place: str, **said: Any) -> Any:
            cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
            response = await http.request(method, place, headers={"cookie": cookie}, **said)
            http.cookies.clear()
            for line in response.headers.get_list("set-cookie"):
                cookies.update({name: one.value for name, one in SimpleCookie(line).items()})
            return response

        page = await browse("GET", url)
        [handle] = re.findall(r'name="handle" value="([^"]+)"', page.text)
        allowed = await browse("POST", url, data={"handle": handle, "decision": "allow"})
        place = urlsplit(allowed.headers["location"])
        signed_in = await http.get(f"{GITHUB}{place.path}?{place.query}")
        finished = await browse("GET", signed_in.headers["location"])
        query = parse_qs(urlsplit(finished.headers["location"]).query)
        answers.update({name: values[0] for name, values in query.items()})


async def main() -> None:
    metadata = OAuthClientMetadata(
        client_name="Official Python client",
        redirect_uris=[REDIRECT],
        token_endpoint_auth_method="none",
    )

    async def callback() -> Any:
        if not hasattr(auth, "AuthorizationCodeResult"):  # version 1
            return answers["code"], answers["state"]
        return auth.AuthorizationCodeResult(**answers)

    provider = auth.OAuthClientProvider(ADDRESS, metadata, Storage(), sign_in, callback)
    http = streamable_http.create_mcp_http_client(auth=provider)
    streams = streamable_http.streamable_http_client(ADDRESS, http_client=http)
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        answer = await session.call_tool("search", {"query": "exchange"})
    print(json.dumps(answer.content[0].text.split("\n")[0]))


asyncio.run(main())
