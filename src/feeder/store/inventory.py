"""Which repository of an index is meant, where a user names one? The rule for all who ask."""

from collections.abc import Sequence

from feeder.errors import UserError
from feeder.store import Database, Statement
from feeder.suggestions import unknown_name_error

_REPOSITORIES = "SELECT substr(key, 1, length(key) - 4) FROM meta WHERE key LIKE '%:run' ORDER BY 1"


def indexed_repositories(database: Database) -> list[str]:
    """The repositories that runs have fed to the index, by name."""
    [rows] = database.run([Statement(_REPOSITORIES)])
    return [str(repo) for (repo,) in rows]


def resolve_repository(name: str, existing: Sequence[str]) -> str:
    """The one of just this name, else the only one whose name ends with `/` and it.

    Raises UserError where several end so, and with the nearest where none does.
    """
    found = matching_repositories(name, existing)
    if len(found) > 1:
        raise UserError(f"The repository {name} may be {' or '.join(found)}. Name one of them.")
    if not found:
        raise unknown_name_error("repository", name, existing)
    return found[0]


def matching_repositories(name: str, existing: Sequence[str]) -> list[str]:
    """The one of just this name, else all whose names end with `/` and it."""
    return [name] if name in existing else [repo for repo in existing if repo.endswith(f"/{name}")]
