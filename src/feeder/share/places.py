"""Opens the store that an address names: a folder, files behind HTTPS, an object store, or a
release on GitHub.
"""

import re
from pathlib import Path

from feeder.errors import UserError
from feeder.share.object_store import ObjectStore
from feeder.share.stores import Folder, HTTPSource, Pace, Source, Target, without_password
from feeder.shared_settings import GITHUB_SCHEME

_FORMS = (
    "Name a folder, github:owner/name, s3://bucket/folder, gs://bucket/folder or "
    "az://container/folder. `feeder pull` also takes https://…"
)
_OBJECT_STORES = ("s3://", "gs://", "az://")


def open_source(place: str, base: Path, limit_s: float | None = None) -> Source:
    """Opens a store to read from; a relative folder is below `base`.

    With `limit_s`, a store that does not answer in that time, or sends less than 1 MB/s after it,
    raises ServiceError.
    """
    pace = Pace(limit_s)
    return HTTPSource(place, pace) if _is_address(place) else _open(place, base, pace)


def open_target(place: str, base: Path) -> Target:
    """Opens a store to publish to; raises UserError for a place that cannot be written."""
    if _is_address(place):
        raise UserError(f"{without_password(place)} is read-only.", _FORMS)
    return _open(place, base, Pace(None), is_written=True)


def _open(place: str, base: Path, pace: Pace, *, is_written: bool = False) -> Target:
    if place.startswith(_OBJECT_STORES):
        return ObjectStore(place.rstrip("/"), pace)
    if place.startswith(GITHUB_SCHEME):
        from feeder.share.github_release import GitHubRelease

        return GitHubRelease(place, pace, is_written=is_written)
    if "://" in place or re.match(r"[a-z0-9]+:", place):
        raise UserError(f"{without_password(place)} is not a place that feeder can use.", _FORMS)
    return Folder(base / Path(place).expanduser())


def _is_address(place: str) -> bool:
    return place.startswith(("https://", "http://"))
