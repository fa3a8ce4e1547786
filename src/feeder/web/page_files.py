"""The page's static files with their media types and ETags, and the security headers of every
response. Imports no web framework: the Worker's folder and its constants are built from this.
"""

from __future__ import annotations

import hashlib
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from typing import NamedTuple

PAGE_FOLDER = Path(__file__).parent / "page"
INDEX_FILE = "index.html"
PAGE_SUFFIXES = frozenset({".css", ".html", ".js", ".svg"})
MEDIA_TYPES = {".js": "text/javascript"}
"""Media types that a machine may be configured to call otherwise."""

NOSCRIPT_PLACEHOLDER = "<!-- without scripts -->"
"""The place in `index.html` for what is shown without JavaScript."""

OWN_FETCH_SITES = ("same-origin", "none")
"""Values of Sec-Fetch-Site for requests of the server's own page and of the user."""

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every response that does not set them itself."""

NOT_FOUND_REMEDY = "Use POST /mcp or GET /api/search?q=…."
"""The remedy for an unknown address."""


class PageFile(NamedTuple):
    """A static file of the page."""

    content: bytes
    media_type: str
    etag: str


@cache
def file_paths() -> frozenset[str]:
    """The URL paths of all static files but `index.html`."""
    files = (
        file
        for file in PAGE_FOLDER.rglob("*")
        if file.suffix in PAGE_SUFFIXES and file.name != INDEX_FILE
    )
    return frozenset(f"/{file.relative_to(PAGE_FOLDER).as_posix()}" for file in files)


@cache
def page_file(path: str) -> PageFile:
    """The file at one of `file_paths`."""
    name = PAGE_FOLDER / path.removeprefix("/")
    content = name.read_bytes()
    media_type = MEDIA_TYPES.get(name.suffix) or guess_type(name.name)[0] or "text/plain"
    return PageFile(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


@cache
def index_html() -> str:
    """The text of `index.html`."""
    return (PAGE_FOLDER / INDEX_FILE).read_text("utf-8")
