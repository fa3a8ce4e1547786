"""Serves an indexed document itself (PDF, Office, …) as it was indexed, with headers that keep
a browser from running anything in it.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from feeder import escaping
from feeder.mcp.http import CLIENT_CLOSED_REQUEST, ErrorResponse
from feeder.mcp.service import IndexService
from feeder.mcp.thread_pool import DISCONNECTED, ThreadPool, run_until_disconnect
from feeder.source import file_types
from feeder.web import page_routes
from feeder.web.api import run_endpoint

_OFFICE_TYPE = "application/vnd.openxmlformats-officedocument"
_EXCEL_TYPE, _OPEN_DOCUMENT_TYPE = "application/vnd.ms-excel", "application/vnd.oasis.opendocument"
CONTENT_TYPES = {
    "docm": "application/vnd.ms-word.document.macroEnabled.12",
    "docx": f"{_OFFICE_TYPE}.wordprocessingml.document",
    "epub": "application/epub+zip",
    # what a browser would run as a page is given a type that none runs
    "mht": "application/octet-stream",
    "mhtml": "application/octet-stream",
    "odp": f"{_OPEN_DOCUMENT_TYPE}.presentation",
    "ods": f"{_OPEN_DOCUMENT_TYPE}.spreadsheet",
    "odt": f"{_OPEN_DOCUMENT_TYPE}.text",
    "pdf": "application/pdf",
    "pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    "pptx": f"{_OFFICE_TYPE}.presentationml.presentation",
    "rtf": "application/rtf",
    "xls": _EXCEL_TYPE,
    "xlsb": f"{_EXCEL_TYPE}.sheet.binary.macroEnabled.12",
    "xlsm": f"{_EXCEL_TYPE}.sheet.macroEnabled.12",
    "xlsx": f"{_OFFICE_TYPE}.spreadsheetml.sheet",
}
"""By the ending of a document."""
INLINE_ENDING = "pdf"
"""What a browser shows itself, and keeps apart from pages; all others are saved."""
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def routes(service: IndexService, pool: ThreadPool) -> list[Route]:
    """The address of documents."""
    return [Route("/api/document", partial(_send_document, service, pool), methods=["GET"])]


async def _send_document(service: IndexService, pool: ThreadPool, request: Request) -> Response:
    said = {key: request.query_params.getlist(key) for key in request.query_params}
    work = pool.run(lambda tell: run_endpoint(service, "document", said, tell))
    found: Any = await run_until_disconnect(request, work)
    if found is DISCONNECTED:
        return CLIENT_CLOSED_REQUEST
    if isinstance(found, ErrorResponse):
        return _error_response(request, found)
    return Response(found["content"], headers=_headers(found["path"]))


def _headers(path: str) -> dict[str, str]:
    ending = file_types.document_extension(path)
    name = quote(escaping.escape_line(path.rpartition("/")[2]), safe="")
    how = "inline" if ending == INLINE_ENDING else "attachment"
    return {
        "content-type": CONTENT_TYPES[ending],
        "content-disposition": f"{how}; filename*=UTF-8''{name}",
        "content-security-policy": CONTENT_SECURITY_POLICY,
    }


def _error_response(request: Request, error: ErrorResponse) -> Response:
    """A sentence in the tab that somebody has opened; JSON for programs."""
    if "text/html" not in request.headers.get("accept", ""):
        return error.to_response()
    return HTMLResponse(page_routes.error_page(error), error.status)
