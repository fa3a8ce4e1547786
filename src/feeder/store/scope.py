"""Where does a search look? What SQL says exactly, and what can be said of paths as a range."""

import re
from typing import NamedTuple

from feeder.errors import UserError

# ?3 a folder or file by its name, ?4 what a glob begins with and ?5 the rest of it
IN_SCOPE = """
d.repo = ?2
AND (?3 IS NULL OR d.path = ?3 OR substr(d.path, 1, length(?3) + 1) = ?3 || '/'
  OR substr(d.path, 1, length(?4)) = ?4 AND (
    substr(d.path, length(?4) + 1) GLOB ?5 OR substr(d.path, length(?4) + 1) GLOB ?5 || '/*'))
AND (?6 IS NULL OR d.language = ?6) AND (?7 IS NULL OR d.node_type = ?7)
"""
"""Whether the node `d` is in the scope whose `params` are ?2 to ?7."""
EVERYWHERE = """
SELECT coalesce(?3, ?6, ?7) IS NULL
  AND (SELECT min(repo) FROM docs) = ?2 AND (SELECT max(repo) FROM docs) = ?2
"""
"""Whether every node is in that scope."""

_GLOB = re.compile(r"(?P<before>(?:[^*?\[/]*/)*)(?P<glob>[^*?\[/]*[*?\[].*)", re.DOTALL)
# D1 allows patterns of 50 bytes, and `/*` is put behind one
_GLOB_BYTES = 48
_LAST, _BEFORE_SURROGATES, _AFTER_SURROGATES = "\U0010ffff", "\ud7ff", "\ue000"


class Scope(NamedTuple):
    """Where a search looks: None means everywhere.

    `path` is a file or folder by its name, or a glob whose `*` crosses folders.
    """

    repo: str
    path: str | None = None
    language: str | None = None
    node_type: str | None = None

    @property
    def place(self) -> str:
        """The path without slashes at its end; empty for everywhere."""
        return (self.path or "").rstrip("/")

    @property
    def beginning(self) -> str:
        """What the paths of all its nodes begin with."""
        return re.split(r"[*?\[]", self.place, maxsplit=1)[0]

    @property
    def is_glob(self) -> bool:
        """Whether it may have more than one file or folder."""
        return self.beginning != self.place


def params(scope: Scope) -> tuple[str | None, ...]:
    """What `IN_SCOPE` wants to know; raises UserError for a glob that is too long."""
    parts = _GLOB.fullmatch(scope.place)
    before, glob = parts.groups() if parts else (None, None)
    if glob and len(glob.encode()) > _GLOB_BYTES:
        raise UserError(
            f"--path has {len(glob.encode())} bytes from its first folder with *, ? or [ on, and "
            f"may have {_GLOB_BYTES}. Shorten it."
        )
    return scope.repo, scope.place or None, before, glob, scope.language, scope.node_type


def end_of(beginning: str) -> str | None:
    """The text that follows, by the bytes of UTF-8, on all that begin so; None where none does.

    Bytes of UTF-8 order texts as their code points do.
    """
    stem = beginning.rstrip(_LAST)
    if not stem:
        return None
    follower = _AFTER_SURROGATES if stem[-1] == _BEFORE_SURROGATES else chr(ord(stem[-1]) + 1)
    return stem[:-1] + follower
