"""What does a refusal of Cloudflare's API mean: which error, and is another try worthwhile?

Codes and messages decide and the HTTP status comes last: D1 has one code for SQL errors and for
passing ones, Vectorize throttles under any status, HTTP 200 can carry a refusal, and one status
of 429 stands for "slower", "later" and "tomorrow".
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from feeder.errors import FeederError, ServiceError, TooLargeError, TransientError, UserError

NAMES = {"d1": "D1", "vectorize": "Vectorize", "ai": "Workers AI"}
PERMISSIONS = {"d1": "D1 Edit", "vectorize": "Vectorize Edit", "ai": "Workers AI Read"}
OBJECTS = {
    "d1": "the database's id with --database-id",
    "vectorize": "the index's name with --index-name",
    "ai": "the model with --model",
}
MESSAGE_CHARS = 500
"""Of a refusal's words: some quote the whole request."""


class OverloadedError(TransientError, TooLargeError):
    """The same call may go through later, and if it does not, in smaller parts."""


class Refusal(NamedTuple):
    """A service's no: the code and words of its first error, and the id that support asks for."""

    service: str
    status: int
    code: int | None
    message: str
    ray: str | None

    @property
    def name(self) -> str:
        """The service as messages call it."""
        return NAMES.get(self.service, "Cloudflare")

    @property
    def object_setting(self) -> str:
        """What names the thing that was asked for."""
        return OBJECTS.get(self.service, "what is asked for")

    def error(self, kind: type[ServiceError] = ServiceError, remedy: str = "") -> ServiceError:
        """The refusal as an error, in the service's own words."""
        facts = [f"HTTP {self.status}"]
        facts += [f"code {self.code}"] if self.code is not None else []
        facts += [f"ray {self.ray}"] if self.ray else []
        words = self.message[:MESSAGE_CHARS].rstrip(". \n")
        sentence = f"{self.name}: {words} ({', '.join(facts)}).{remedy and ' '}{remedy}"
        return kind(sentence, status=self.status, code=self.code, ray=self.ray)


class Rule(NamedTuple):
    """Makes the error of a refusal that has one of the codes, or the words, of these services."""

    services: str
    codes: frozenset[int]
    words: re.Pattern[str] | None
    make: Callable[[Refusal], FeederError]

    def covers(self, refusal: Refusal) -> bool:
        if self.services != "*" and refusal.service not in self.services.split():
            return False
        if refusal.code in self.codes:
            return True
        return bool(self.words and self.words.search(refusal.message))


def error_of(refusal: Refusal) -> FeederError:
    """The error that a refusal stands for."""
    for rule in _RULES:
        if rule.covers(refusal):
            return rule.make(refusal)
    return _by_status(refusal)


def _by_status(refusal: Refusal) -> FeederError:
    if refusal.status in {401, 403}:
        return _permission(refusal)
    if refusal.status == 413:
        return refusal.error(TooLargeError)
    if refusal.status in {408, 429} or refusal.status >= 500:
        return refusal.error(TransientError)
    return refusal.error()


def _final(refusal: Refusal) -> FeederError:
    return refusal.error()


def _passing(refusal: Refusal) -> FeederError:
    return refusal.error(TransientError)


def _too_large(refusal: Refusal) -> FeederError:
    return refusal.error(TooLargeError)


def _overloaded(refusal: Refusal) -> FeederError:
    return refusal.error(OverloadedError)


def _used_up(refusal: Refusal) -> FeederError:
    remedy = "The free quota of the day is used up; it resets at 00:00 UTC. Run again then."
    return refusal.error(remedy=remedy)


def _full(refusal: Refusal) -> FeederError:
    return UserError(
        f"The D1 database is full: {refusal.message.rstrip('.')}. Index fewer files with "
        ".feederignore, or move to a plan with larger databases."
    )


def _token(refusal: Refusal) -> FeederError:
    return UserError(
        f"Cloudflare does not take the token ({refusal.message.rstrip('.')}). "
        "Set CLOUDFLARE_API_TOKEN to an API token that is valid."
    )


def _authentication(refusal: Refusal) -> FeederError:
    """D1 answers 401 to a bad token and to one without its permission; the others tell 403."""
    if refusal.status == 403:
        return _permission(refusal)
    if refusal.service != "d1":
        return _token(refusal)
    return UserError(
        "Cloudflare does not take the token for D1. Set CLOUDFLARE_API_TOKEN to a valid token "
        f"that has the permission {PERMISSIONS['d1']} on the account CLOUDFLARE_ACCOUNT_ID."
    )


def _permission(refusal: Refusal) -> FeederError:
    permission = PERMISSIONS.get(refusal.service)
    wanted = f"the permission {permission}" if permission else "the permission for it"
    return UserError(
        f"The token may not use {refusal.name} ({refusal.message.rstrip('.')}). Give "
        f"CLOUDFLARE_API_TOKEN {wanted} on the account CLOUDFLARE_ACCOUNT_ID, or mend that id."
    )


def _account(refusal: Refusal) -> FeederError:
    return UserError(
        f"The account is not one of the token's ({refusal.message.rstrip('.')}). "
        "Set CLOUDFLARE_ACCOUNT_ID to the account that CLOUDFLARE_API_TOKEN belongs to."
    )


def _route(refusal: Refusal) -> FeederError:
    if re.search(r"/accounts/[^/]*,", refusal.message):
        return UserError(
            "CLOUDFLARE_ACCOUNT_ID is not the id of an account. Copy its 32 hex digits from the "
            "dashboard."
        )
    return _object(refusal)


def _object(refusal: Refusal) -> FeederError:
    return UserError(
        f"{refusal.name} does not have what is asked for ({refusal.message.rstrip('.')}). "
        f"Name {refusal.object_setting}, or make it with: feeder init"
    )


def _model(refusal: Refusal) -> FeederError:
    return UserError(
        f"Workers AI does not have this model ({refusal.message.rstrip('.')}). "
        "Name another with --model."
    )


def _dimensions(refusal: Refusal) -> FeederError:
    return UserError(
        f"The Vectorize index has other dimensions than the model ({refusal.message.rstrip('.')})."
        " Name another index with --index-name and make it with feeder init, or choose --model "
        "or --dimensions as the index has them."
    )


def _rule(
    services: str, codes: tuple[int, ...], words: str | None, make: Callable[[Refusal], FeederError]
) -> Rule:
    pattern = re.compile(words, re.IGNORECASE) if words else None
    return Rule(services, frozenset(codes), pattern, make)


# The first rule that covers a refusal decides.
_RULES = [
    _rule("d1", (), r"free tier daily|daily row (read|write)", _used_up),
    _rule("ai", (3036,), r"daily free allocation", _used_up),
    _rule("d1", (), r"maximum (DB|database) size|SQLITE_FULL", _full),
    _rule("d1", (), r"SQLITE_TOOBIG", _too_large),
    # what SQLite says of a statement may quote anything, so it is looked at before the words below
    _rule("d1", (), r"SQLITE_(ERROR|CONSTRAINT|AUTH|MISMATCH|RANGE)", _final),
    _rule("d1", (), r"is overloaded", _overloaded),
    _rule("d1", (), r"exceeded (timeout|its memory limit|its CPU time limit)", _too_large),
    _rule("ai", (3006, 5021), r"too large|context window|too many (inputs|texts)", _too_large),
    _rule("ai", (), r"^.*length of '/\w+' must", _too_large),
    _rule("*", (971, 10429, 40041), None, _passing),
    _rule("ai", (3040,), None, _passing),
    _rule(
        "*",
        (),
        r"internal (server )?error|network connection lost|its code was updated"
        r"|object to be reset|transient issue",
        _passing,
    ),
    _rule("vectorize", (40010, 40012), r"\bdimensions?\b", _dimensions),
    _rule("vectorize", (3000, 3005), r"index\.(not_found|deleted)", _object),
    _rule("ai", (5007, 7000), r"no route for|no such model", _model),
    _rule("d1", (7404,), r"database.* could not be found|invalid uuid", _object),
    _rule("*", (7403,), None, _account),
    _rule("*", (7003,), None, _route),
    _rule("*", (1000, 6003, 6111, 9106, 9109), None, _token),
    _rule("*", (10000,), r"^authentication error", _authentication),
]
