"""Serves an indexed document itself (PDF, Office, …) as it was indexed, with headers that keep
a browser from running anything in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from feeder import escaping
from feeder.mcp.http import CLIENT_CLOSED_REQUEST, ErrorResponse
from feeder.mcp.thread_pool import DISCONNECTED, ThreadPool, run_until_disconnect
from feeder.source import file_types
from feeder.web.access import DOCUMENT_PATH, AccessControl
from feeder.web.api import query_parameters, run_endpoint
from feeder.web.html import error_page, read_form

if TYPE_CHECKING:
    from feeder.mcp.service import IndexService

_OFFICE_TYPE = "application/vnd.openxmlformats-officedocument"
_EXCEL_TYPE, _OPEN_DOCUMENT_TYPE = "application/vnd.ms-excel", "application/vnd.oasis.opendocument"
CONTENT_TYPES = {
    "docm": "application/vnd.ms-word.document.macroEnabled.12",
    "docx": f"{_OFFICE_TYPE}.wordprocessingml.document",
    "epub": "application/epub+zip",
    # a browser would run these as a page
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
"""Media types by the extension of a document."""
INLINE_EXTENSION = "pdf"
"""Browsers show it in a viewer of its own; all other documents are downloaded."""
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def routes(service: IndexService, access: AccessControl, pool: ThreadPool) -> list[Route]:
    """The route of documents for programs, and the route of the page's form.

    A tab that is opened sends no header, so the page sends its key in a form.
    """
    for_page = partial(_send_to_page, service, access, pool)
    return [
        Route("/api/document", partial(_send_to_program, service, pool), methods=["GET"]),
        Route(DOCUMENT_PATH, for_page, methods=["POST"]),
    ]


async def _send_to_program(service: IndexService, pool: ThreadPool, request: Request) -> Response:
    return await _send_document(service, pool, request, query_parameters(request))


async def _send_to_page(
    service: IndexService, access: AccessControl, pool: ThreadPool, request: Request
) -> Response:
    form = await read_form(request)
    if not access.is_valid(form.pop("key", [""])[0]):
        remedy = "Reload the page that opened the document, and enter the token there."
        return _error_response(request, ErrorResponse(401, "The page's key is wrong.", remedy))
    return await _send_document(service, pool, request, form)


async def _send_document(
    service: IndexService,
    pool: ThreadPool,
    request: Request,
    parameters: Mapping[str, list[str]],
) -> Response:
    run = partial(run_endpoint, service, "document", parameters)
    answer: Any = await run_until_disconnect(request, pool.run(run))
    if answer is DISCONNECTED:
        return CLIENT_CLOSED_REQUEST
    if isinstance(answer, ErrorResponse):
        return _error_response(request, answer)
    return Response(answer["content"], headers=_headers(answer["path"]))


def _headers(path: str) -> dict[str, str]:
    extension = file_types.document_extension(path)
    name = quote(escaping.escape_line(path.rpartition("/")[2]), safe="")
    disposition = "inline" if extension == INLINE_EXTENSION else "attachment"
    return {
        "content-type": CONTENT_TYPES[extension],
        "content-disposition": f"{disposition}; filename*=UTF-8''{name}",
        "content-security-policy": CONTENT_SECURITY_POLICY,
    }


def _error_response(request: Request, error: ErrorResponse) -> Response:
    """A page for the browser's tab that opened the document; JSON for programs."""
    if "text/html" not in request.headers.get("accept", ""):
        return error.to_response()
    return HTMLResponse(error_page(error), error.status)
