"""How does a browser get a document itself? As it was indexed, and so that nothing in it runs."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from feeder import shown
from feeder.serve import unscripted
from feeder.serve.api import answer_of
from feeder.serve.crew import Crew
from feeder.serve.desk import Desk
from feeder.serve.guard import Refusal
from feeder.serve.heard import GONE, HUNG_UP, while_heard
from feeder.tree import kinds

_OFFICE = "application/vnd.openxmlformats-officedocument"
_EXCEL, _OPEN = "application/vnd.ms-excel", "application/vnd.oasis.opendocument"
TYPES = {
    "docm": "application/vnd.ms-word.document.macroEnabled.12",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "epub": "application/epub+zip",
    # what a browser would run as a page is given a type that none runs
    "mht": "application/octet-stream",
    "mhtml": "application/octet-stream",
    "odp": f"{_OPEN}.presentation",
    "ods": f"{_OPEN}.spreadsheet",
    "odt": f"{_OPEN}.text",
    "pdf": "application/pdf",
    "pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "rtf": "application/rtf",
    "xls": _EXCEL,
    "xlsb": f"{_EXCEL}.sheet.binary.macroEnabled.12",
    "xlsm": f"{_EXCEL}.sheet.macroEnabled.12",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}
"""By the ending of a document."""
SHOWN = "pdf"
"""What a browser shows itself, and keeps apart from pages; all others are saved."""
POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def routes(desk: Desk, crew: Crew) -> list[Route]:
    """The address of documents."""
    return [Route("/api/document", partial(_document, desk, crew), methods=["GET"])]


async def _document(desk: Desk, crew: Crew, request: Request) -> Response:
    said = {key: request.query_params.getlist(key) for key in request.query_params}
    work = crew.do(lambda tell: answer_of(desk, "document", said, tell))
    found: Any = await while_heard(request, work)
    if found is GONE:
        return HUNG_UP
    if isinstance(found, Refusal):
        return _refused(request, found)
    return Response(found["content"], headers=_headers(found["path"]))


def _headers(path: str) -> dict[str, str]:
    ending = kinds.document_extension(path)
    name = quote(shown.escape_line(path.rpartition("/")[2]), safe="")
    how = "inline" if ending == SHOWN else "attachment"
    return {
        "content-type": TYPES[ending],
        "content-disposition": f"{how}; filename*=UTF-8''{name}",
        "content-security-policy": POLICY,
    }


def _refused(request: Request, refusal: Refusal) -> Response:
    """A sentence in the tab that somebody has opened; JSON for programs."""
    if "text/html" not in request.headers.get("accept", ""):
        return refusal.response()
    return HTMLResponse(unscripted.alone(refusal), refusal.status)
