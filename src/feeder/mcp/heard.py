"""Does whoever asked still wait? Work ends where nobody does."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

DISCONNECTED: Final = object()
CLIENT_CLOSED_REQUEST = Response(status_code=499)
"""What is answered then; nobody reads it."""


async def run_until_disconnect(request: Request, work: Coroutine[Any, Any, object]) -> object:
    """What work gives; `GONE` where whoever asked has hung up before."""
    working = asyncio.create_task(work)
    gone = asyncio.create_task(_wait_for_disconnect(request))
    await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
    if working.done():
        gone.cancel()
        return working.result()
    working.cancel()
    return DISCONNECTED


async def _wait_for_disconnect(request: Request) -> None:
    """What is left of a body is of no interest."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
