"""A store in the files of a release on GitHub: `github:owner/name` or `github:owner/name@tag`.

A release cannot replace a file: it would be missing between two requests. But it takes each name
only once. So `latest.json` is stored as `latest-1.json`, `latest-2.json` and so on, and the highest
number counts. A publish that has read number 7 uploads number 8, which fails if another publish
was faster.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial

from feeder.errors import ServiceError, TransientError, UserError
from feeder.retry import MAX_TRIES, Clock, Result, RetryPolicy
from feeder.share.github_api import Asset, GitHubAPI, Release
from feeder.share.manifest import LATEST, sha256
from feeder.share.stores import Pace, Versioned, too_large
from feeder.shared_settings import GITHUB_TOKENS

DEFAULT_TAG = "feeder-index"
MAX_ASSETS = 1_000
"""Files that GitHub stores in a release."""
UPLOAD_S = 120.0
"""Age at which an upload of somebody else that has not finished counts as interrupted."""
OLD_LISTING_S = 3600.0
"""Age before an earlier listing is deleted. Its number must not become free while a publish runs
that has read the one before it.
"""

_PLACE = re.compile(r"github:([\w-]+/(?!\.\.?(?:@|\Z))[\w.-]+)(?:@(\w[\w.-]*))?", re.ASCII)
_LISTING = re.compile(r"latest-([1-9][0-9]{0,8})\.json")
_OWN_NAME = re.compile(r"[pt]-[0-9a-f]{64}|m-[0-9a-f]{64}\.json")
_TITLE = "Index for feeder"
_TEXT = (
    "The index of this repository. `feeder publish` writes these files, and `feeder pull {place}` "
    "starts from them."
)


class GitHubRelease:
    """The store of a place `github:…`.

    Raises UserError for one that names no repository, and without a token for one to publish to.
    """

    def __init__(self, place: str, pace: Pace, *, is_written: bool) -> None:
        found = _PLACE.fullmatch(place)
        if not found:
            raise UserError(
                f"{place} names no repository on GitHub.",
                "Write github:OWNER/NAME or github:OWNER/NAME@TAG.",
            )
        self._place = place
        self._tag = found[2] or DEFAULT_TAG
        self._api = GitHubAPI(found[1], pace)
        if is_written and not self._api.has_token:
            raise UserError(
                f"Publishing to {place} needs a token.",
                f"Set {GITHUB_TOKENS[1]} to a token with the permission `contents: write`.",
            )
        self._retry_policy = RetryPolicy("GitHub", Clock())
        # waiting for a service that fails takes longer than making the index
        self._max_tries = 1 if pace.limit_s else MAX_TRIES
        self._release: Release | None = None
        self._creation = threading.Lock()
        self._assets: dict[str, Asset] = {}
        self._interrupted: set[str] = set()
        """Files whose upload from here has failed."""
        self._is_public = True
        """False once a file was found that is shown only with the token."""

    def read(self, name: str, limit: int) -> Versioned | None:
        return self._retry(lambda: self._read(name, limit))

    def names(self) -> dict[str, float]:
        assets = self._retry(self._list)
        return {
            name: asset.updated_at.timestamp()
            for name, asset in assets.items()
            if asset.is_complete and _OWN_NAME.fullmatch(name)
        }

    def write(self, name: str, data: bytes) -> None:
        self._retry(lambda: self._upload(name, data))

    def replace(self, name: str, data: bytes, version: str | None) -> bool:
        """Only for the listing, whose version is the name of its file."""
        assert name == LATEST
        number = _listing_number(version) + 1 if version else 1
        added = f"latest-{number}.json"

        def upload() -> bool:
            # an upload whose response was lost is there when it is tried again
            existing = self._upload(added, data)
            return existing is None or existing.digest == f"sha256:{sha256(data)}"

        if not self._retry(upload):
            return False
        oldest_s = time.time() - OLD_LISTING_S
        self.delete(
            asset.name
            for asset in list(self._assets.values())
            if 0 < _listing_number(asset.name) < number and asset.updated_at.timestamp() < oldest_s
        )
        return True

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            if asset := self._assets.get(name):
                self._retry(partial(self._api.delete, asset.id))

    def close(self) -> None:
        self._retry_policy.close()
        self._api.close()

    def _retry(self, send: Callable[[], Result]) -> Result:
        return self._retry_policy.call(send, on_retry=lambda: None, max_tries=self._max_tries)

    def _read(self, name: str, limit: int) -> Versioned | None:
        asset = None if name == LATEST else self._find(name)
        for _ in range(2):
            if asset is None:
                self._list()
                asset = self._find(name)
            if asset is None:
                return None
            if asset.size > limit:
                raise too_large(name)
            data = self._download(asset)
            if data is not None:
                return Versioned(data, asset.name)
            asset = None  # deleted since the files were listed
        return None

    def _list(self) -> dict[str, Asset]:
        self._release = self._release or self._api.release(self._tag)
        found = self._api.assets(self._release.id) if self._release else []
        self._assets = {asset.name: asset for asset in found}
        return self._assets

    def _find(self, name: str) -> Asset | None:
        complete = (asset for asset in list(self._assets.values()) if asset.is_complete)
        if name != LATEST:
            return next((asset for asset in complete if asset.name == name), None)
        listings = (asset for asset in complete if _listing_number(asset.name))
        return max(listings, key=lambda asset: _listing_number(asset.name), default=None)

    def _download(self, asset: Asset) -> bytes | None:
        """Reads from the public address where that works: it does not count for the rate limit."""
        if self._is_public:
            try:
                data = self._api.download(asset, with_token=False)
            except TransientError:
                raise
            except ServiceError:  # longer than the file: a page to sign in
                if not self._api.has_token:
                    raise
                data = None
            if (data is not None and len(data) == asset.size) or not self._api.has_token:
                return data
            self._is_public = False
        return self._api.download(asset, with_token=True)

    def _upload(self, name: str, data: bytes) -> Asset | None:
        """Adds a file; returns the complete one that has this name already."""
        release = self._release or self._create_release()
        if len(self._assets) >= MAX_ASSETS and name not in self._assets:
            raise UserError(
                f"{self._place} has {len(self._assets):,} files, and GitHub stores no more.",
                "Delete the release, and publish again with a smaller --keep.",
            )
        try:
            added = self._api.upload(release.id, name, data)
        except TransientError:
            self._interrupted.add(name)
            raise
        if added:
            self._assets[name] = added
            return None
        existing = self._list().get(name)
        if existing and existing.is_complete:
            return existing
        if existing:
            age_s = time.time() - existing.updated_at.timestamp()
            if name not in self._interrupted and age_s < UPLOAD_S:
                raise TransientError(
                    f"Another publish to {self._place} has not finished.",
                    "Run the command again in two minutes.",
                )
            self._api.delete(existing.id)
        raise TransientError(
            f"{name[:14]}… was changed by another publish.", "Run the command again."
        )

    def _create_release(self) -> Release:
        with self._creation:
            release = self._release or self._api.release(self._tag)
            if release is None:
                text = _TEXT.format(place=self._place)
                release = self._api.create_release(self._tag, _TITLE, text)
            release = release or self._api.release(self._tag)
            if release is None:
                raise TransientError(
                    f"{self._place} was created but cannot be found.",
                    "Run the command again later.",
                )
            self._release = release
            return release


def _listing_number(name: str) -> int:
    """The number in the name of a listing's file; 0 for another file."""
    found = _LISTING.fullmatch(name)
    return int(found[1]) if found else 0
