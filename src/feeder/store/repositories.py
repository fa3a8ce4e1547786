"""Which repository of an index is meant, where a user names one? The rule for all who ask."""

from collections.abc import Sequence

from feeder.errors import UserError
from feeder.nearby import nothing
from feeder.store import Database, Statement

_FED = "SELECT substr(key, 1, length(key) - 4) FROM meta WHERE key LIKE '%:run' ORDER BY 1"


def fed(database: Database) -> list[str]:
    """The repositories that runs have fed to the index, by name."""
    [rows] = database.run([Statement(_FED)])
    return [str(repo) for (repo,) in rows]


def meant(name: str, there: Sequence[str]) -> str:
    """The one of just this name, else the only one whose name ends with `/` and it.

    Raises UserError where several end so, and with the nearest where none does.
    """
    found = called(name, there)
    if len(found) > 1:
        raise UserError(f"The repository {name} may be {' or '.join(found)}. Name one of them.")
    if not found:
        raise nothing("repository", name, there)
    return found[0]


def called(name: str, there: Sequence[str]) -> list[str]:
    """The one of just this name, else all whose names end with `/` and it."""
    return [name] if name in there else [repo for repo in there if repo.endswith(f"/{name}")]
