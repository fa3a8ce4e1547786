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

NOSCRIPT_PLACEHOLDER = "<!-- without scripts -->"
"""Of the first file."""

PAGE_SUFFIXES = frozenset({".css", ".html", ".js", ".svg"})

MEDIA_TYPES = {".js": "text/javascript"}
"""That this machine may call otherwise."""


class PageFile(NamedTuple):
    """A file of the page as it is sent."""

    content: bytes
    media_type: str
    etag: str


@cache
def file_paths() -> frozenset[str]:
    """The addresses of the files but the first, each from `/` on."""
    files = (
        file
        for file in PAGE_FOLDER.rglob("*")
        if file.suffix in PAGE_SUFFIXES and file.name != INDEX_FILE
    )
    return frozenset(f"/{file.relative_to(PAGE_FOLDER).as_posix()}" for file in files)


@cache
def page_file(path: str) -> PageFile:
    """What lies at one of `paths`."""
    name = PAGE_FOLDER / path.removeprefix("/")
    content = name.read_bytes()
    media_type = MEDIA_TYPES.get(name.suffix) or guess_type(name.name)[0] or "text/plain"
    return PageFile(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


@cache
def index_html() -> str:
    """The first file, `index.html`."""
    return (PAGE_FOLDER / INDEX_FILE).read_text("utf-8")


OWN_FETCH_SITES = ("same-origin", "none")
"""What a browser says of requests of our own page, and of its user."""

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""That keep a browser safe."""

NOT_FOUND_REMEDY = "Ask POST /mcp, or GET /api/search?q=…."
"""What whoever asks for something else is told."""
