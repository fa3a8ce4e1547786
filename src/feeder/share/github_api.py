"""GitHub's REST API for the releases of one repository.

The token goes to the API and to its address for uploads, never to the host that stores the files.
Each method makes one try.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import Struct

from feeder.errors import ServiceError, TransientError, UserError
from feeder.escaping import mask_secret
from feeder.http_client import connection_error, create_client, json_bytes
from feeder.share.github_errors import REDIRECTS, Answer, permanent_error, transient_error
from feeder.share.manifest import MAX_JSON_BYTES
from feeder.share.stores import (
    CONNECTIONS,
    TIMEOUT_S,
    Pace,
    check_encrypted,
    read_body,
    without_password,
)
from feeder.shared_settings import GITHUB_API, GITHUB_TOKENS

PUBLIC_API = "https://api.github.com"
_PAGE_ASSETS = 100
_MAX_PAGES = 20
_MAX_REDIRECTS = 5
_JSON, _BYTES = "application/vnd.github+json", "application/octet-stream"

Kind = TypeVar("Kind")


class Release(Struct):
    """A release of the repository."""

    id: int


class Asset(Struct):
    """A file of a release."""

    id: int
    name: str
    state: str
    size: int
    updated_at: datetime
    browser_download_url: str
    digest: str | None = None
    """`sha256:` and the digest; older servers have none."""

    @property
    def is_complete(self) -> bool:
        """False during an upload, and after one that was interrupted."""
        return self.state == "uploaded"


class GitHubAPI:
    """The releases of `owner/name`. Raises UserError for malformed settings."""

    def __init__(self, repository: str, pace: Pace) -> None:
        self._token = next(filter(None, map(os.environ.get, GITHUB_TOKENS)), "")
        if not re.fullmatch(r"[\x21-\x7e]*", self._token):
            raise UserError(
                f"{' or '.join(GITHUB_TOKENS)} contains spaces or non-ASCII characters.",
                "Copy the token again.",
            )
        address = (os.environ.get(GITHUB_API) or PUBLIC_API).rstrip("/")
        check_encrypted(address)
        self._place = f"github:{repository}"
        self._pace = pace
        self._repository = f"{address}/repos/{repository}"
        self._uploads = f"{upload_address(address)}/repos/{repository}"
        timeout_s = pace.limit_s or TIMEOUT_S
        self._client = create_client({"Accept-Encoding": "identity"}, timeout_s, CONNECTIONS)

    @property
    def has_token(self) -> bool:
        return bool(self._token)

    def close(self) -> None:
        self._client.close()

    def release(self, tag: str) -> Release | None:
        """Returns the release of a tag; None if there is none.

        Raises UserError if the repository cannot be seen.
        """
        answer = self._call("GET", f"{self._repository}/releases/tags/{tag}")
        if answer.status != 404:
            return self._result(answer, Release)
        self._check(self._call("GET", self._repository))
        return None

    def create_release(self, tag: str, title: str, text: str) -> Release | None:
        """Makes a prerelease; returns None if the tag has a release meanwhile."""
        facts: dict[str, Any] = {"tag_name": tag, "name": title, "body": text}
        content = json_bytes({**facts, "prerelease": True, "make_latest": "false"})
        answer = self._call("POST", f"{self._repository}/releases", content, "application/json")
        return None if answer.is_taken else self._result(answer, Release)

    def assets(self, release: int) -> list[Asset]:
        """Returns the files of a release; none if it is gone."""
        found: list[Asset] = []
        for page in range(1, _MAX_PAGES + 1):
            query = f"per_page={_PAGE_ASSETS}&page={page}"
            answer = self._call("GET", f"{self._repository}/releases/{release}/assets?{query}")
            if answer.status == 404:
                return []
            listed = self._result(answer, list[Asset])
            found += listed
            if len(listed) < _PAGE_ASSETS:
                break
        return found

    def upload(self, release: int, name: str, data: bytes) -> Asset | None:
        """Adds a file to a release; returns None if it has one of this name."""
        url = f"{self._uploads}/releases/{release}/assets?name={name}"
        answer = self._call("POST", url, data, _BYTES)
        if answer.is_taken:
            return None
        asset = self._result(answer, Asset)
        if not asset.is_complete or asset.size != len(data):
            raise TransientError(f"{self._place} stored {name[:14]}… only in part.")
        return asset

    def delete(self, asset: int) -> None:
        """Deletes a file; one that is gone is no error."""
        answer = self._call("DELETE", f"{self._repository}/releases/assets/{asset}")
        if answer.status != 404:
            self._check(answer)

    def download(self, asset: Asset, *, with_token: bool) -> bytes | None:
        """Returns a file; None if there is none, or it needs the token."""
        if with_token:
            url, headers = f"{self._repository}/releases/assets/{asset.id}", self._headers(_BYTES)
        else:
            url, headers = asset.browser_download_url, {"Accept": _BYTES}
        for _ in range(_MAX_REDIRECTS):
            check_encrypted(url)
            answer = self._send("GET", url, headers, limit=asset.size)
            if answer.status not in REDIRECTS:
                break
            # the address of the storage has a signature of its own
            url = urljoin(url, answer.response.headers.get("Location", ""))
            headers = {"Accept": _BYTES}
        if answer.status == 404 or (not with_token and answer.status in (401, 403)):
            return None
        self._check(answer)
        return answer.body

    def _headers(self, accept: str) -> dict[str, str]:
        headers = {"Accept": accept, "X-GitHub-Api-Version": "2022-11-28"}
        return headers | ({"Authorization": f"Bearer {self._token}"} if self._token else {})

    def _call(self, method: str, url: str, content: bytes = b"", kind: str = "") -> Answer:
        headers = self._headers(_JSON) | ({"Content-Type": kind} if kind else {})
        return self._send(method, url, headers, content)

    def _send(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        content: bytes = b"",
        limit: int = MAX_JSON_BYTES,
    ) -> Answer:
        """Raises the error of a response that is transient for any request."""
        import httpx

        try:
            with self._client.stream(method, url, headers=headers, content=content) as response:
                allowed = limit if response.is_success else MAX_JSON_BYTES
                body = read_body(response, f"A file of {self._place}", allowed, self._pace)
        except httpx.RequestError as exc:
            # the request has the token, and the storage's address a signature
            host = without_password("{0.scheme}://{0.netloc}".format(urlsplit(url)))
            reason = str(exc) or type(exc).__name__
            if self._token:
                reason = mask_secret(reason, self._token)
            raise connection_error(exc, reason, host, GITHUB_API) from None
        except httpx.InvalidURL:
            raise ServiceError(f"{self._place} sent an invalid address.") from None
        answer = Answer(response, body)
        if error := transient_error(answer, self._place, has_token=self.has_token):
            raise error
        return answer

    def _check(self, answer: Answer) -> None:
        """Raises the error that a response stands for."""
        if error := permanent_error(answer, self._place, has_token=self.has_token):
            raise error

    def _result(self, answer: Answer, kind: type[Kind]) -> Kind:
        self._check(answer)
        try:
            return msgspec.json.decode(answer.body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
            raise ServiceError(
                f"{self._place} sent a response that cannot be read: {exc}.",
                f"Check {GITHUB_API}.",
            ) from exc


def upload_address(api: str) -> str:
    """Returns the address for uploads that belongs to an API's.

    `https://api.github.com` → `https://uploads.github.com`,
    `https://example.org/api/v3` → `https://example.org/api/uploads`.
    """
    parts = urlsplit(api)
    if parts.path == "/api/v3":
        return parts._replace(path="/api/uploads").geturl()
    if parts.netloc.startswith("api."):
        return parts._replace(netloc=f"uploads.{parts.netloc.removeprefix('api.')}").geturl()
    return api
