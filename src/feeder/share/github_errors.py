"""Turns a response of GitHub that is no success into an error with a remedy."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from feeder.errors import FeederError, ServiceError, TransientError, UserError
from feeder.retry import MAX_RETRY_AFTER_S, retry_after_s

if TYPE_CHECKING:
    import httpx

REDIRECTS = (301, 302, 303, 307, 308)
_MAX_MESSAGE_CHARS = 300
_LATER = "Run the command again later."


class _Problem(Struct):
    """One of the problems that the body of an error names."""

    code: str = ""
    message: str = ""


class _ErrorBody(Struct):
    message: str = ""
    errors: list[_Problem] = []


class Answer(NamedTuple):
    """A response and its body."""

    response: httpx.Response
    body: bytes

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def is_taken(self) -> bool:
        """True if the name or the tag exists already."""
        return self.status == 422 and any(
            problem.code == "already_exists" for problem in self._error_body().errors
        )

    def described(self) -> str:
        """The status, and what GitHub says about it."""
        body = self._error_body()
        said = [body.message, *(problem.message or problem.code for problem in body.errors)]
        text = ", ".join(filter(None, said))[:_MAX_MESSAGE_CHARS]
        return f"HTTP {self.status}: {text}" if text else f"HTTP {self.status}"

    def _error_body(self) -> _ErrorBody:
        try:
            return msgspec.json.decode(self.body, type=_ErrorBody)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # a page of a proxy
            return _ErrorBody()


def permanent_error(answer: Answer, place: str, *, has_token: bool) -> FeederError | None:
    """Returns the error of a response that the same request would get again; None for success."""
    status, said = answer.status, answer.described()
    if answer.response.is_success:
        return None
    if status in REDIRECTS:
        return UserError(f"{place} has moved (HTTP {status}).", "Use its new name.")
    if status == 401:
        return UserError(
            f"GitHub refused the token ({said}).",
            "Set GITHUB_TOKEN to a valid one, or unset it to pull from a public repository.",
        )
    if status == 403:
        remedy = (
            "The token needs the permission contents: write to publish, contents: read to pull."
            if has_token
            else "Set GITHUB_TOKEN."
        )
        return UserError(f"{place} refused the request ({said}).", remedy)
    if status == 404:
        remedy = (
            "Check the name, and that the token may read this repository."
            if has_token
            else "Check the name. A private repository needs GITHUB_TOKEN."
        )
        return UserError(f"{place} was not found ({said}).", remedy)
    return ServiceError(f"{place} refused the request ({said}).", status=status)


def transient_error(answer: Answer, place: str, *, has_token: bool) -> ServiceError | None:
    """Returns the error of a used-up rate limit or a failing server; None for other responses.

    A rate limit that lasts longer than a retry may wait is permanent.
    """
    status, now = answer.status, time.time()
    if status == 408 or status >= 500:
        return TransientError(f"{place} failed (HTTP {status}).", _LATER, status=status)
    headers = answer.response.headers
    delay_s = retry_after_s(answer.response, now)
    is_used_up = headers.get("X-RateLimit-Remaining") == "0"
    # GitHub answers 403 for a missing permission too
    if status != 429 and not (status == 403 and (is_used_up or delay_s is not None)):
        return None
    reset = headers.get("X-RateLimit-Reset", "")
    if is_used_up and reset.isdecimal():
        delay_s = max(0.0, int(reset) - now)
    problem = f"GitHub's rate limit is used up (HTTP {status})"
    remedy = _LATER if has_token else "Set GITHUB_TOKEN, which has a higher limit."
    if delay_s is not None and delay_s > MAX_RETRY_AFTER_S:
        until = datetime.fromtimestamp(now + min(delay_s, 86_400.0), UTC)
        return ServiceError(f"{problem} until {until:%H:%M} UTC.", remedy, status=status)
    error = TransientError(f"{problem}.", remedy, status=status)
    error.retry_after_s = delay_s
    return error
