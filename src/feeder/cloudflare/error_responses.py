"""Maps an error response of Cloudflare to an error of this program: transient, permanent, too
large, or one the user must resolve. Codes and messages decide first, the HTTP status last.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from feeder.errors import FeederError, ServiceError, TooLargeError, TransientError, UserError

SERVICE_NAMES = {"d1": "D1", "vectorize": "Vectorize", "ai": "Workers AI"}
PERMISSIONS = {"d1": "D1 Edit", "vectorize": "Vectorize Edit", "ai": "Workers AI Read"}
SETTING_HINTS = {
    "d1": "the database's id with --database-id",
    "vectorize": "the index's name with --index-name",
    "ai": "the model with --model",
}
MAX_MESSAGE_CHARS = 500
"""Longest part of a service's message that is shown: some quote the whole request."""
INVALID_ACCOUNT_ID = (
    "The account id (CLOUDFLARE_ACCOUNT_ID, or account_id in the wrangler file) is not one of "
    "Cloudflare's.",
    "Set CLOUDFLARE_ACCOUNT_ID to the 32 hex digits that the dashboard shows.",
)
_ACCOUNT_ID = re.compile(r"[0-9a-f]{32}")


class MissingResourceError(UserError):
    """The account has no database or index of this id or name."""


class OverloadedError(TransientError, TooLargeError):
    """A call that may succeed later, or else in smaller parts."""


class ErrorResponse(NamedTuple):
    """An error response: code and message of its first error, and the ray id for support."""

    service: str
    status: int
    code: int | None
    message: str
    ray: str | None
    path: str = ""
    """The path of the request."""

    @property
    def service_name(self) -> str:
        """The service's name in messages."""
        return SERVICE_NAMES.get(self.service, "Cloudflare")

    @property
    def setting_hint(self) -> str:
        """The setting that names the missing resource."""
        return SETTING_HINTS.get(self.service, "another one")

    def to_error(self, kind: type[ServiceError] = ServiceError, remedy: str = "") -> ServiceError:
        """Returns an error that quotes the service's message."""
        facts = [f"HTTP {self.status}"]
        facts += [f"code {self.code}"] if self.code is not None else []
        facts += [f"ray {self.ray}"] if self.ray else []
        message = self.message[:MAX_MESSAGE_CHARS].rstrip(". \n")
        problem = f"{self.service_name}: {message} ({', '.join(facts)})."
        return kind(problem, remedy, status=self.status, code=self.code, ray=self.ray)


class ErrorRule(NamedTuple):
    """Assigns an error to responses of some services, by code or by a pattern in the message."""

    services: str
    codes: frozenset[int]
    message_pattern: re.Pattern[str] | None
    make_error: Callable[[ErrorResponse], FeederError]

    def matches(self, response: ErrorResponse) -> bool:
        if self.services != "*" and response.service not in self.services.split():
            return False
        if response.code in self.codes:
            return True
        return bool(self.message_pattern and self.message_pattern.search(response.message))


def error_from(response: ErrorResponse) -> FeederError:
    """Returns the error that a response stands for; the first rule that matches decides."""
    for rule in _RULES:
        if rule.matches(response):
            return rule.make_error(response)
    return _error_by_status(response)


def _error_by_status(response: ErrorResponse) -> FeederError:
    if response.status in {401, 403}:
        return _permission_error(response)
    if response.status == 413:
        return response.to_error(TooLargeError)
    if response.status in {408, 429} or response.status >= 500:
        return response.to_error(TransientError)
    return response.to_error()


def _permanent_error(response: ErrorResponse) -> FeederError:
    return response.to_error()


def _transient_error(response: ErrorResponse) -> FeederError:
    return response.to_error(TransientError)


def _too_large_error(response: ErrorResponse) -> FeederError:
    return response.to_error(TooLargeError)


def _overloaded_error(response: ErrorResponse) -> FeederError:
    return response.to_error(OverloadedError)


def _quota_error(response: ErrorResponse) -> FeederError:
    remedy = "The free quota of the day is used up; it resets at 00:00 UTC. Run again then."
    return response.to_error(remedy=remedy)


def _database_full_error(response: ErrorResponse) -> FeederError:
    return UserError(
        f"The D1 database is full: {response.message.rstrip('.')}.",
        "Index fewer files with .feederignore, or move to a plan with larger databases.",
    )


def _token_error(response: ErrorResponse) -> FeederError:
    return UserError(
        f"Cloudflare rejected the token ({response.message.rstrip('.')}).",
        "Set CLOUDFLARE_API_TOKEN to a valid API token.",
    )


def _authentication_error(response: ErrorResponse) -> FeederError:
    """D1 and Workers AI answer 401 to an invalid token and to a missing permission alike."""
    permission = PERMISSIONS.get(response.service)
    if response.status == 403:
        return _permission_error(response)
    if not permission:
        return _token_error(response)
    return UserError(
        f"Cloudflare does not accept the token for {response.service_name}.",
        f"Set CLOUDFLARE_API_TOKEN to a valid token that has the permission {permission} on the "
        "account CLOUDFLARE_ACCOUNT_ID, or correct that id.",
    )


def _permission_error(response: ErrorResponse) -> FeederError:
    permission = PERMISSIONS.get(response.service)
    required = f"the permission {permission}" if permission else "the permission for it"
    return UserError(
        f"The token may not use {response.service_name} ({response.message.rstrip('.')}).",
        f"Give CLOUDFLARE_API_TOKEN {required} on the account CLOUDFLARE_ACCOUNT_ID, or correct "
        "that id.",
    )


def _account_error(response: ErrorResponse) -> FeederError:
    return UserError(
        f"The token does not belong to the account ({response.message.rstrip('.')}).",
        "Set CLOUDFLARE_ACCOUNT_ID to the account that CLOUDFLARE_API_TOKEN belongs to.",
    )


def _route_error(response: ErrorResponse) -> FeederError:
    account = re.search(r"/accounts/([^/,\s]+)", response.message)
    if account and not _ACCOUNT_ID.fullmatch(account[1]):
        return UserError(*INVALID_ACCOUNT_ID)
    return _not_found_error(response)


def _not_found_error(response: ErrorResponse) -> FeederError:
    return MissingResourceError(
        f"{response.service_name} did not find the resource in the account "
        f"CLOUDFLARE_ACCOUNT_ID ({response.message.rstrip('.')}).",
        f"Correct the account id, set {response.setting_hint}, or create it with: feeder init",
    )


def _model_error(response: ErrorResponse) -> FeederError:
    if "/ai/run/" not in response.path:  # the request names no model
        return _permission_error(response)
    return UserError(
        f"Workers AI does not have this model ({response.message.rstrip('.')}).",
        "Choose another --model.",
    )


def _dimensions_error(response: ErrorResponse) -> FeederError:
    return UserError(
        "The Vectorize index and the model have different dimensions "
        f"({response.message.rstrip('.')}).",
        "Choose the index's --model and --dimensions, or create another index with: feeder init "
        "--index-name NAME",
    )


def _make_rule(
    services: str,
    codes: tuple[int, ...],
    pattern: str | None,
    make_error: Callable[[ErrorResponse], FeederError],
) -> ErrorRule:
    compiled = re.compile(pattern, re.IGNORECASE) if pattern else None
    return ErrorRule(services, frozenset(codes), compiled, make_error)


_RULES = [
    _make_rule("d1", (), r"free tier daily|daily row (read|write)", _quota_error),
    _make_rule("ai", (3036,), r"daily free allocation", _quota_error),
    _make_rule("d1", (), r"maximum (DB|database) size|SQLITE_FULL", _database_full_error),
    _make_rule("d1", (), r"SQLITE_TOOBIG", _too_large_error),
    # before the patterns below: an error of SQLite may quote any text
    _make_rule("d1", (), r"SQLITE_(ERROR|CONSTRAINT|AUTH|MISMATCH|RANGE)", _permanent_error),
    _make_rule("d1", (), r"is overloaded", _overloaded_error),
    _make_rule(
        "d1", (), r"exceeded (timeout|its memory limit|its CPU time limit)", _too_large_error
    ),
    _make_rule(
        "ai", (3006, 5021), r"too large|context window|too many (inputs|texts)", _too_large_error
    ),
    _make_rule("ai", (), r"^.*length of '/\w+' must", _too_large_error),
    _make_rule("*", (971, 10429, 40041), None, _transient_error),
    _make_rule("ai", (3040,), None, _transient_error),
    _make_rule(
        "*",
        (),
        r"internal (server )?error|network connection lost|its code was updated"
        r"|object to be reset|transient issue",
        _transient_error,
    ),
    _make_rule("vectorize", (40010, 40012), r"\bdimensions?\b", _dimensions_error),
    _make_rule("vectorize", (3000, 3005), r"index\.(not_found|deleted)", _not_found_error),
    _make_rule("ai", (5007, 7000), r"no route for|no such model", _model_error),
    _make_rule("d1", (7404,), r"database.* could not be found|invalid uuid", _not_found_error),
    _make_rule("*", (7403,), None, _account_error),
    _make_rule("*", (7003,), None, _route_error),
    _make_rule("*", (1000, 6003, 6111, 9106, 9109), None, _token_error),
    _make_rule("*", (10000,), r"^authentication error", _authentication_error),
]
