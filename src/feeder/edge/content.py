"""Which files does the Worker's folder have? The built module, the page, and how to go on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import feeder
from feeder.errors import UserError
from feeder.web import page_files
from feeder.web.borders import SECURITY_HEADERS

PACKAGE_FOLDER = Path(__file__).parent
MODULE_FILE, SOURCE_MAP_FILE, ASSETS_FOLDER = "worker.js", "worker.js.map", "assets"
LICENCE_SUFFIX = ".license"
"""How a file ends that says whose another one is."""
NO_SCRIPT_NOTE = "<p>The page needs JavaScript. Without it, ask the JSON interface, below /api.</p>"
_REFERRER_HEADER = {"referrer-policy": "same-origin"}
"""With none at all, a browser would not say whose page asks."""


def folder_contents(config_path: str) -> dict[str, str]:
    """The text of each file by its path in the folder; `configured` is the configuration's path.

    Raises UserError where the module is not built.
    """
    return {
        MODULE_FILE: _built_file(MODULE_FILE),
        SOURCE_MAP_FILE: _built_file(SOURCE_MAP_FILE),
        **{f"{ASSETS_FOLDER}/{name}": text for name, text in _page_files()},
        f"{ASSETS_FOLDER}/_headers": _headers_file(),
        "README.md": _readme_text(config_path),
        # the page's files are not the project's own: no index has them
        ".noindex": "",
    }


def _built_file(name: str) -> str:
    try:
        return (PACKAGE_FOLDER / name).read_bytes().decode()
    except FileNotFoundError as exc:
        raise UserError(
            f"{PACKAGE_FOLDER / name} is not built; that takes Node. In a clone of feeder run: "
            "make worker, "
            "and install feeder from that clone, such as by: pip install --force-reinstall ."
        ) from exc


def _page_files() -> Iterator[tuple[str, str]]:
    """The files of the page; the first says what it lacks where scripts do not run."""
    yield (
        page_files.INDEX_FILE,
        page_files.index_html().replace(page_files.NOSCRIPT_PLACEHOLDER, NO_SCRIPT_NOTE),
    )
    for path in sorted(page_files.PAGE_FOLDER.rglob("*")):
        name = path.relative_to(page_files.PAGE_FOLDER).as_posix()
        if f"/{name}" in page_files.file_paths() or path.suffix == LICENCE_SUFFIX:
            yield name, path.read_bytes().decode()


def _headers_file() -> str:
    """What keeps a browser safe, as Cloudflare reads it for files; they may be kept for a while."""
    said = {
        name: text for name, text in SECURITY_HEADERS.items() if name != "cache-control"
    } | _REFERRER_HEADER
    return "".join(["/*\n", *(f"  {name}: {text}\n" for name, text in said.items())])


def _readme_text(config_path: str) -> str:
    text = (PACKAGE_FOLDER / "readme.md").read_text("utf-8")
    place = os.path.dirname(config_path) or "."  # noqa: PTH120 - a path as it is written
    return text.replace("$VERSION", feeder.__version__).replace("$PLACE", place)
