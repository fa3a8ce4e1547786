"""Plans and writes the Worker's folder: the built module, the page, headers and README; files
that the user has edited stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import feeder
from feeder.cloudflare import wrangler
from feeder.edge import several_repositories, worker_config
from feeder.edge.worker_config import (
    ASSETS_FOLDER,
    MODEL_FILE,
    MODULE_FILE,
    OAUTH_FILE,
    WorkerSettings,
)
from feeder.embedding import static_model
from feeder.errors import UserError
from feeder.mcp.clients import text_files
from feeder.web import page_files
from feeder.web.page_files import SECURITY_HEADERS

PACKAGE_FOLDER = Path(__file__).parent

LICENCE_SUFFIX = ".license"
"""Suffix of a file with the licence of the file of the same name."""

NO_SCRIPT_NOTE = "<p>The page needs JavaScript. Without it, use the JSON API below /api.</p>"

_BODY = '<body data-server="worker">'
"""Tells the page that queries are billed: it sends none at each key."""

_REFERRER_HEADER = {"referrer-policy": "same-origin"}
"""Without a referrer, a browser does not tell which page sends a request."""


Content = str | bytes
"""The content of a file; bytes of one that is no text."""


def folder_contents(config_path: str, *, has_oauth: bool = False) -> dict[str, Content]:
    """The content of each file by its path in the folder, with `has_oauth` also the sign-in's.

    `config_path` is the path of the Worker's configuration, relative to the folder.

    Raises UserError if the built module is missing from the installation.
    """
    return {
        MODULE_FILE: _built_file(MODULE_FILE),
        MODEL_FILE: static_model.MODEL_FILE.read_bytes(),
        **({OAUTH_FILE: _built_file(OAUTH_FILE)} if has_oauth else {}),
        **{f"{ASSETS_FOLDER}/{name}": text for name, text in _page_files()},
        f"{ASSETS_FOLDER}/_headers": _headers_file(),
        "README.md": _readme_text(config_path),
        # keeps the copies of the page's files out of an index of the project
        ".noindex": "",
    }


def _built_file(name: str) -> str:
    try:
        return (PACKAGE_FOLDER / name).read_bytes().decode()
    except FileNotFoundError as exc:
        raise UserError(
            f"{PACKAGE_FOLDER / name} is missing, so this installation of feeder is incomplete.",
            "Install feeder again; in a clone, run: make worker",
        ) from exc


def _page_files() -> Iterator[tuple[str, str]]:
    """The files of the page; the first contains a note for browsers without scripts."""
    html = page_files.index_html().replace(page_files.NOSCRIPT_PLACEHOLDER, NO_SCRIPT_NOTE)
    yield page_files.INDEX_FILE, html.replace("<body>", _BODY, 1)
    for path in sorted(page_files.PAGE_FOLDER.rglob("*")):
        name = path.relative_to(page_files.PAGE_FOLDER).as_posix()
        if f"/{name}" in page_files.file_paths() or path.suffix == LICENCE_SUFFIX:
            yield name, path.read_bytes().decode()


def _headers_file() -> str:
    """The security headers in the form of Cloudflare's `_headers`; browsers may cache the files."""
    headers = {
        name: text for name, text in SECURITY_HEADERS.items() if name != "cache-control"
    } | _REFERRER_HEADER
    return "".join(["/*\n", *(f"  {name}: {text}\n" for name, text in headers.items())])


def _readme_text(config_path: str) -> str:
    text = (PACKAGE_FOLDER / "worker_readme.md").read_text("utf-8")
    place = os.path.dirname(config_path) or "."  # noqa: PTH120 - Path would normalize it
    return text.replace("$VERSION", feeder.__version__).replace("$PLACE", place)


Action = Literal["created", "changed", "deleted", "unchanged", "kept"]

MANIFEST_FILE = ".written.json"
"""The digests of the written files, which distinguish an edited file from an older version."""

_NOT_DIFFED = (MODULE_FILE, MODEL_FILE, OAUTH_FILE, MANIFEST_FILE)
"""Generated files, whose diff is not printed."""


class PlannedFile(NamedTuple):
    """A file's content before and after, None for no file; a file that the user edited stays."""

    file: Path
    before: Content | None
    after: Content | None
    is_user_edited: bool = False

    @property
    def action(self) -> Action:
        if self.is_user_edited:
            return "kept"
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "changed"

    def diff(self) -> Iterator[str]:
        """The lines of a unified diff, without their ends; none for generated files."""
        if self.file.name not in _NOT_DIFFED and self.action not in ("kept", "unchanged"):
            texts = [None if one is None else str(one) for one in (self.before, self.after)]
            yield from text_files.diff(self.file, *texts)


def plan_folder(
    folder: Path, directory: Path, settings: WorkerSettings, *, is_forced: bool
) -> list[PlannedFile]:
    """Each file of the folder, and the configuration, with its new text."""
    _check_not_repository(folder)
    configured = worker_config.config_file(folder, directory)
    config = wrangler.read_settings(configured) if configured.exists() else {}
    has_oauth = settings.has_oauth or worker_config.is_oauth(config)
    path = Path(os.path.relpath(configured, folder)).as_posix()
    content = folder_contents(path, has_oauth=has_oauth)
    manifest = _read_manifest(folder)
    plan = [
        _plan_file(folder, name, content.get(name), manifest.get(name), is_forced=is_forced)
        for name in [*content, *(name for name in manifest if name not in content)]
    ]
    return [
        *plan,
        _plan_manifest(folder, content, plan),
        _plan_config(configured, folder, settings),
    ]


def write_plan(plan: list[PlannedFile]) -> None:
    """Writes all files; raises UserError before the first write if one of them is not writable."""
    changed = [file for file in plan if file.action not in ("kept", "unchanged")]
    for file in changed:
        text_files.check_writable(file.file)
    for file in changed:
        if file.after is None:
            text_files.delete(file.file)
        else:
            text_files.write(file.file, file.after)


def _plan_file(
    folder: Path, name: str, new: Content | None, known_digest: str | None, *, is_forced: bool
) -> PlannedFile:
    """A file that feeder did not write, or that was edited since, is overwritten only if forced."""
    file = folder / name
    _check_no_symlink(file, within=folder)
    before = text_files.read_bytes(file) if name == MODEL_FILE else text_files.read(file)
    is_own = before is None or before == new or _sha256(before) == known_digest
    return PlannedFile(file, before, new, is_user_edited=not is_own and not is_forced)


def _check_not_repository(folder: Path) -> None:
    """Rejects a repository, which `.noindex` would leave out of the index, and git's folder."""
    path = folder.resolve()
    if path.is_file():
        raise UserError(f"{folder} is a file.", "Name a folder.")
    if (path / ".git").exists() or ".git" in path.parts:
        raise UserError(f"{folder} is a repository or inside .git.", "Name a folder of its own.")


def _check_no_symlink(file: Path, within: Path) -> None:
    """Rejects symbolic links, with which a commit could redirect the writes."""
    parents = [
        parent for parent in file.parents if parent.is_relative_to(within) and parent != within
    ]
    for parent in (file, *parents):
        if parent.is_symlink():
            raise UserError(f"{parent} is a symbolic link.", "Remove it.")


def _plan_manifest(
    folder: Path, content: Mapping[str, Content], plan: list[PlannedFile]
) -> PlannedFile:
    """The digests of the files that this version writes, without those that the user edited."""
    edited = {file.file for file in plan if file.is_user_edited}
    digests = {name: _sha256(own) for name, own in content.items() if folder / name not in edited}
    facts = {"feeder": feeder.__version__, "files": digests}
    file = folder / MANIFEST_FILE
    _check_no_symlink(file, within=folder)
    return PlannedFile(file, text_files.read(file), json.dumps(facts, indent=1) + "\n")


def _read_manifest(folder: Path) -> dict[str, str]:
    """The digests of the files written before, by their paths in the folder."""
    try:
        facts: Any = json.loads(text_files.read(folder / MANIFEST_FILE) or "{}")
        digests = facts.get("files", {}).items()
        return {name: digest for name, digest in digests if _is_relative_inside(name)}
    except (ValueError, AttributeError) as exc:
        raise UserError(f"{folder / MANIFEST_FILE} has been modified.", "Remove it.") from exc


def _is_relative_inside(name: str) -> bool:
    """A name that a file of the folder can have: it may be deleted by it."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts


def _plan_config(file: Path, folder: Path, settings: WorkerSettings) -> PlannedFile:
    before = text_files.read(file)
    name = settings.names.database_name if settings.names else folder.name
    after = before or wrangler.new_file_text(name)
    facts = wrangler.parse_settings(file, after)
    for path, value in [*worker_config.config_changes(facts, file, folder, settings)]:
        after = wrangler.set_value(file, after, path, value)
    for step in several_repositories.configuration_steps(facts, settings.places):
        for path, value in [*step(wrangler.parse_settings(file, after))]:
            after = wrangler.set_value(file, after, path, value)
    return PlannedFile(file, before, after)


def _sha256(content: Content) -> str:
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()
