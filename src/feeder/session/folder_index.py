"""Keeps the name of a folder's index equal to that of the repository: a remote may be renamed, the
folder too.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from feeder.config import Settings
from feeder.errors import FeederError
from feeder.progress import ProgressReporter
from feeder.session.workspace import Workspace
from feeder.source import git
from feeder.store import Statement
from feeder.store.inventory import indexed_repositories
from feeder.store.sqlite import SQLite

GIVEN_NAME_KEY = "named"
"""Key of a repository in `meta` if `--repo` gave its name, which then follows nothing."""

_OPTIONS_KEY = "options"
"""Key of a repository in `meta` with the options of the last run that are not the defaults."""

_RECORDED_OPTIONS: dict[str, type] = {
    "grammar": str,
    "max_file_bytes": int,
    "max_document_bytes": int,
    "mask_secrets": bool,
}

_RECORD_GIVEN_NAME = "INSERT OR REPLACE INTO meta (key, value) VALUES (?1 || ':named', '--repo')"
_READ_META = "SELECT key, value FROM meta WHERE key IN (SELECT value || ?2 FROM json_each(?1))"


def name_in_index(
    workspace: Workspace,
    settings: Settings,
    database: SQLite,
    progress: ProgressReporter,
    *,
    writes: bool,
) -> str:
    """Returns the name under which an index on this machine has the workspace's files.

    The index of a folder (not one at --db) belongs to that folder. If its files are recorded under
    an earlier name, a run that `writes` renames them, and others use that name.
    """
    if settings.db is not None:
        return workspace.repo
    if settings.repo is not None:
        if writes:
            database.run([Statement(_RECORD_GIVEN_NAME, (workspace.repo,))])
        return workspace.repo
    recorded = indexed_repositories(database)
    others = [name for name in recorded if name != workspace.repo]
    if not others or (not writes and len(others) < len(recorded)):
        return workspace.repo
    earlier = _earlier_names(workspace, database, others, is_only=len(recorded) == 1)
    if not writes:
        return earlier[0] if len(earlier) == 1 else workspace.repo
    from feeder.store.query_log_file import FILE_NAME, QueryLog
    from feeder.store.repository_name import remove_repository, rename_repository

    for name in earlier:
        is_new = workspace.repo not in indexed_repositories(database)
        if is_new and rename_repository(database, name, workspace.repo):
            with suppress(FeederError):  # a log that cannot be read is reported where it is used
                log = QueryLog(Path(database.place).with_name(FILE_NAME))
                log.rename(name, workspace.repo)
            progress.message(f"Renamed {name} to {workspace.repo} in the index.")
        else:
            remove_repository(database, name)
            progress.message(f"Removed {name} from the index: it is now called {workspace.repo}.")
    return workspace.repo


def record_options(database: SQLite, repo: str, settings: Settings) -> None:
    """Records the parsing options of a run that are not the defaults.

    Without them, an update before an answer would read all files again.
    """
    options = {name: getattr(settings, name) for name in _RECORDED_OPTIONS}
    if settings.grammar:
        options["grammar"] = str(settings.grammar.resolve())
    given = {name: value for name, value in options.items() if value != getattr(Settings, name)}
    key, text = f"{repo}:{_OPTIONS_KEY}", json.dumps(given) if given else None
    [rows] = database.run([Statement("SELECT value FROM meta WHERE key = ?1", (key,))])
    if rows == ([(text,)] if text else []):
        return
    delete = Statement("DELETE FROM meta WHERE key = ?1", (key,))
    insert = Statement("INSERT INTO meta (key, value) VALUES (?1, ?2)", (key, text))
    database.run([delete, insert] if text else [delete])


def recorded_options(meta: Mapping[str, str], repo: str) -> dict[str, Any]:
    """Returns the options of `record_options` as fields of `Settings`.

    Other fields and types are ignored: somebody else may have written the file, and an address of a
    model would be sent the source.
    """
    try:
        recorded: Any = json.loads(meta.get(f"{repo}:{_OPTIONS_KEY}", "{}"))
        found = {name: recorded.get(name) for name in _RECORDED_OPTIONS}
    except (ValueError, AttributeError):
        return {}
    options: dict[str, Any] = {
        name: value for name, value in found.items() if type(value) is _RECORDED_OPTIONS[name]
    }
    if "grammar" in options:
        options["grammar"] = Path(options["grammar"])
    return options


def _earlier_names(
    workspace: Workspace, database: SQLite, others: list[str], *, is_only: bool
) -> list[str]:
    """Those of the other names that the folder's repository had, the one of HEAD first.

    An index may have several repositories on purpose: an earlier name is of a commit that this
    repository has, and was not given with `--repo`.
    """
    given = _meta_of(database, others, GIVEN_NAME_KEY)
    derived = [other for other in others if other not in given]
    if is_only:
        return derived
    heads = _meta_of(database, derived, "head")
    commits = {name: _commit_here(workspace, heads.get(name, "")) for name in derived}
    head = _commit_here(workspace, "HEAD")
    return sorted(filter(commits.get, derived), key=lambda one: (commits[one] != head, one))


def _commit_here(workspace: Workspace, revision: str) -> str | None:
    is_repository = revision and git.find_root(workspace.base)
    return git.commit_id(workspace.base, revision) if is_repository else None


def _meta_of(database: SQLite, repos: list[str], kind: str) -> Mapping[str, str]:
    """The values of a kind of fact in `meta`, by repository."""
    suffix = f":{kind}"
    [rows] = database.run([Statement(_READ_META, (json.dumps(repos), suffix))])
    return {str(key).removesuffix(suffix): str(value) for key, value in rows}
