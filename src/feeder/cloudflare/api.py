"""REST client for one Cloudflare account: sends requests, retries transient errors, keeps to
the rate limit, masks the token.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from feeder import escaping
from feeder.cloudflare.error_responses import (
    INVALID_ACCOUNT_ID,
    SERVICE_NAMES,
    ErrorResponse,
    error_from,
)
from feeder.cloudflare.rate_limit import RateLimit
from feeder.errors import FeederError, ServiceError, TransientError, UserError
from feeder.http_client import connection_error, create_client, summarize_error_page
from feeder.retry import Clock, Result, RetryPolicy, retry_after_s

if TYPE_CHECKING:
    import httpx

BASE_URL = "https://api.cloudflare.com/client/v4"
TIMEOUT_S = 60.0
"""Seconds without a byte; a call of D1 takes at most 30 s."""
CONNECTIONS = 8


class Call(NamedTuple):
    """A request; `path` is relative to the account's URL, and with `content` it is a POST.

    Must be idempotent: it is sent again when its response is lost.
    """

    service: str
    path: str
    content: bytes | None = None
    content_type: str = "application/json"
    params: dict[str, str] | None = None
    check_before_send: Callable[[], None] | None = None
    """Called before each try, after all waiting; an exception ends the call."""
    receipt: str = ""
    """Name of the value in the result that confirms the write; without it, the write has failed."""


class Api:
    """Cloudflare's REST API for one account; safe for several threads.

    `requests` and `retries` count by service. Raises UserError for malformed settings.
    """

    def __init__(
        self,
        token: str,
        account_id: str,
        *,
        base_url: str = BASE_URL,
        timeout_s: float = TIMEOUT_S,
        clock: Clock | None = None,
    ) -> None:
        _validate_settings(token, account_id, base_url)
        self.requests: Counter[str] = Counter()
        self.retries: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._rate_limit = RateLimit()
        self._clock = clock or Clock()
        self._retry_policy = RetryPolicy("Cloudflare", self._clock)
        self.token, self.account_id = token, account_id
        self.address = base_url.rstrip("/")
        self._base = f"{self.address}/accounts/{account_id}"
        self._client = create_client({"Authorization": f"Bearer {token}"}, timeout_s, CONNECTIONS)

    def call(self, call: Call) -> Any:
        """Sends a request, with retries, and returns the `result` of the response.

        Raises UserError, ServiceError, or TooLargeError when the caller has to send less.
        """
        return self.retry(call.service, lambda: self._send_once(call))

    def retry(self, service: str, send: Callable[[], Result]) -> Result:
        """Calls `send`, again after a transient error, and returns its result."""
        return self._retry_policy.call(send, on_retry=lambda: self._count(self.retries, service))

    def wait_for_turn(self) -> None:
        """Sleeps as long as the rate limit requires before the next request."""
        if (wait_s := self._rate_limit.reserve(self._clock.now())) > 0:
            self.sleep(wait_s)

    def count_request(self, service: str) -> None:
        """Counts a request that is about to be sent."""
        self._count(self.requests, service)

    def result_of(self, service: str, response: "httpx.Response") -> Any:
        """Returns the `result` of a response that is read; raises the error that it stands for."""
        self._rate_limit.read_header(response.headers.get("Ratelimit", ""), self._clock.now())
        return self._parse_response(service, response)

    def connection_error(self, exc: "httpx.RequestError") -> FeederError:
        """Returns the error for a missing response; UserError where settings are the cause."""
        # httpx may quote the request, which has secrets
        reason = self._mask(str(exc) or type(exc).__name__)
        return connection_error(exc, reason, self.address, "CLOUDFLARE_BASE_URL")

    def set_concurrent_runs(self, runs: int) -> None:
        """Sets how many programs share the token's rate limit, including this one."""
        self._rate_limit = RateLimit(runs)

    def sleep(self, seconds: float) -> None:
        """Sleeps; `close` wakes it up."""
        self._retry_policy.sleep(seconds)

    @property
    def waited_s(self) -> float:
        """Seconds slept for the rate limit and before retries."""
        return self._retry_policy.waited_s

    def close(self) -> None:
        """Closes the connections and wakes threads that wait for a retry."""
        self._retry_policy.close()
        self._client.close()

    def _send_once(self, call: Call) -> Any:
        """Makes one try."""
        import httpx

        self.wait_for_turn()
        _check_permission(call)
        self.count_request(call.service)
        try:
            response = self._client.request(
                "GET" if call.content is None else "POST",
                f"{self._base}/{call.path}",
                params=call.params,
                content=call.content,
                headers={"Content-Type": call.content_type},
            )
        except httpx.RequestError as exc:
            # httpx may quote the request, which has secrets
            raise self.connection_error(exc) from None
        result = self.result_of(call.service, response)
        if call.receipt and not (isinstance(result, dict) and result.get(call.receipt)):
            service = SERVICE_NAMES.get(call.service, "Cloudflare")
            raise TransientError(
                f"{service} confirmed a write without a {call.receipt}, so the write may be lost.",
                "Run again later; finished work is saved.",
            )
        return result

    def _parse_response(self, service: str, response: "httpx.Response") -> Any:
        try:
            answer = response.json()
        except ValueError:
            answer = None
        if isinstance(answer, dict) and response.is_success and answer.get("success"):
            return answer.get("result")
        if isinstance(answer, dict) and "success" in answer:
            error = error_from(self._error_response(service, response, answer))
        else:
            error = self._non_json_error(service, response)
        if isinstance(error, TransientError):
            self._apply_retry_after(response, error)
        raise error

    def _error_response(
        self, service: str, response: "httpx.Response", answer: dict[str, Any]
    ) -> ErrorResponse:
        errors: Any = answer.get("errors")
        first: Any = errors[0] if isinstance(errors, list) and errors else {}
        if not isinstance(first, dict):
            first = {"message": first}
        message = self._mask(str(first.get("message") or "no reason given"))
        code = first.get("code")
        number = int(code) if str(code).isdecimal() else None
        return ErrorResponse(
            service,
            response.status_code,
            number,
            message,
            self._ray_id(response),
            response.request.url.path,
        )

    def _ray_id(self, response: "httpx.Response") -> str | None:
        return self._mask(response.headers.get("cf-ray", "")) or None

    def _mask(self, text: str) -> str:
        return escaping.mask_secret(text, self.token)

    def _non_json_error(self, service: str, response: "httpx.Response") -> FeederError:
        """Returns the error for a response that is not JSON: a failure at the edge, or a proxy."""
        status = response.status_code
        words = summarize_error_page(response.text, self._mask)
        if status in {408, 413, 429} or status >= 500:
            return error_from(ErrorResponse(service, status, None, words, self._ray_id(response)))
        if "json" in response.headers.get("Content-Type", ""):
            return TransientError(
                f"{self.address} sent an incomplete response.", "Run again later.", status=status
            )
        return UserError(
            f"{self.address} answered HTTP {status} without JSON ({words!r}).",
            "Check CLOUDFLARE_BASE_URL, and the proxy in HTTPS_PROXY if there is one.",
        )

    def _apply_retry_after(self, response: "httpx.Response", error: TransientError) -> None:
        """Reads `Retry-After`; after a 429 it applies to all requests of this token."""
        now = self._clock.now()
        error.retry_after_s = retry_after_s(response, now)
        if error.retry_after_s is not None and response.status_code == 429:
            self._rate_limit.block_until(now + error.retry_after_s)

    def _count(self, counter: Counter[str], service: str) -> None:
        with self._lock:
            counter[service] += 1


def _check_permission(call: Call) -> None:
    """Runs the call's check; its transient errors were retried already and become permanent."""
    try:
        if call.check_before_send:
            call.check_before_send()
    except TransientError as exc:
        raise ServiceError(
            exc.problem, exc.remedy, status=exc.status, code=exc.code, ray=exc.ray
        ) from exc


def _validate_settings(token: str, account_id: str, base_url: str) -> None:
    """Raises UserError for values that would break a header or URL and be quoted in an error."""
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise UserError(
            "CLOUDFLARE_API_TOKEN is empty or contains spaces or non-ASCII characters.",
            "Copy the token again.",
        )
    if not re.fullmatch(r"[A-Za-z0-9_-]+", account_id):
        raise UserError(*INVALID_ACCOUNT_ID)
    if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s?#]*)?", base_url):
        raise UserError("CLOUDFLARE_BASE_URL is not a URL.", f"Set one such as {BASE_URL}.")
