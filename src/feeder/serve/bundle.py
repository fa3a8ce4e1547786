"""Which files is the page made of? They are served as they lie there; a Worker serves the same."""

from __future__ import annotations

import hashlib
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "page"
INDEX = "index.html"
PLACE = "<!-- without scripts -->"
"""Of the first file."""
KINDS = frozenset({".css", ".html", ".js", ".svg"})
TYPES = {".js": "text/javascript"}
"""That this machine may call otherwise."""


class File(NamedTuple):
    """A file of the page as it is sent."""

    content: bytes
    media_type: str
    etag: str


@cache
def paths() -> frozenset[str]:
    """The addresses of the files but the first, each from `/` on."""
    files = (file for file in FOLDER.rglob("*") if file.suffix in KINDS and file.name != INDEX)
    return frozenset(f"/{file.relative_to(FOLDER).as_posix()}" for file in files)


@cache
def file(path: str) -> File:
    """What lies at one of `paths`."""
    name = FOLDER / path.removeprefix("/")
    content = name.read_bytes()
    media_type = TYPES.get(name.suffix) or guess_type(name.name)[0] or "text/plain"
    return File(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


@cache
def index() -> str:
    """The first file, `index.html`."""
    return (FOLDER / INDEX).read_text("utf-8")
