"""HTTP client of a server with OpenAI's interface, for embeddings and for chat completions:
address parsing, retries, timeouts, secret masking.
"""

import base64
import json
import re
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from feeder import escaping
from feeder.embedding.batching import MAX_CONCURRENT_REQUESTS
from feeder.embedding.endpoint_errors import (
    API_KEY_VARIABLE,
    EndpointErrorResponse,
    error_from,
    error_message,
)
from feeder.errors import FeederError, ServiceError, TransientError, UserError
from feeder.http_client import (
    MAX_MASKED_CHARS,
    connection_error,
    create_client,
    json_bytes,
    summarize_error_page,
)
from feeder.retry import MAX_TRIES, Clock, RetryPolicy, retry_after_s

if TYPE_CHECKING:
    import httpx

CONNECT_TIMEOUT_S = 10.0
QUERY_TIMEOUT_S = 30.0
"""For a query's vector: a user waits, and the search continues with words alone."""
MAX_RESPONSE_BYTES = 256_000_000
_PROXY_STATUSES = frozenset({401, 403, 408, 413, 429})
"""Statuses that proxies send as well, as HTML."""


class EndpointApi(NamedTuple):
    """One API of a server: its route, its result's name in messages, the answer's list that has
    the result, and the option that names the address, with an example model."""

    route: str
    noun: str
    list_field: str
    option: str
    example_model: str

    @property
    def example(self) -> str:
        """The option with an example value."""
        return f"{self.option} http://127.0.0.1:11434/v1#{self.example_model}"


EMBEDDINGS = EndpointApi("embeddings", "embeddings", "data", "--model", "nomic-embed-text")
CHAT_COMPLETIONS = EndpointApi(
    "chat/completions", "an answer", "choices", "--describe", "qwen2.5-coder:3b"
)


class Timeouts(NamedTuple):
    """Seconds without a byte, and seconds for a whole response.

    Long, because a large model on a CPU is slow and may have to be loaded first.
    """

    idle_s: float = 120.0
    total_s: float = 300.0


class Address(NamedTuple):
    """Address of a model's server, and the model's name there.

    `display_url` is the URL without secrets: no user, password and query.
    """

    url: str
    display_url: str
    model: str
    user: str
    password: str
    secrets: tuple[str, ...]
    api: EndpointApi = EMBEDDINGS


def is_address(text: str) -> bool:
    """Returns whether a model's name is meant as an address, even a malformed one."""
    return "://" in text


def parse_address(text: str, api: EndpointApi = EMBEDDINGS) -> Address:
    """Parses `URL#name`; raises UserError, which quotes nothing of it since it may hold secrets."""
    url, _, model = text.partition("#")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    is_whole = re.fullmatch(r"https?://[^\s#]+#\S+", text, re.IGNORECASE)
    if not is_whole or not host or not text.isprintable():
        raise UserError(
            "The model's address does not have the form URL#name.", f"Write it as in {api.example}."
        )
    path = parts.path.rstrip("/").removesuffix(f"/{api.route}") or "/v1"
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    values = [value for _, value in parse_qsl(parts.query)]
    query = f"?{parts.query}" if parts.query else ""
    return Address(
        f"{parts.scheme}://{netloc}{path}/{api.route}{query}",
        f"{netloc}{path.removesuffix('/v1')}",
        model,
        user,
        password,
        (*values, password or user),
        api,
    )


class Endpoint:
    """HTTP client of one model at an OpenAI-compatible server; safe for several threads.

    `requests` counts the requests sent. Raises UserError for a malformed key.
    """

    def __init__(
        self,
        address: Address,
        key: str = "",
        timeouts: Timeouts | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.address = address
        self.requests = 0
        headers, self._secrets = _auth_headers(address, key)
        self._timeouts = timeouts or Timeouts()
        self._lock = threading.Lock()
        self._clock = clock or Clock()
        self._retry_policy = RetryPolicy(address.display_url, self._clock)
        self._client = _make_client(headers, self._timeouts.idle_s)

    @property
    def name(self) -> str:
        """The model's name with its address, without secrets."""
        return f"{self.address.model}@{self.address.display_url}"

    def post(self, body: dict[str, Any], *, is_query: bool = False) -> dict[str, Any]:
        """Sends one request and returns the checked answer.

        A query is not retried: a search continues with words alone. Raises UserError, ServiceError,
        or TooLargeError when the caller has to send less.
        """
        send = partial(self._send_once, json_bytes({"model": self.address.model, **body}), is_query)
        return self._retry_policy.call(
            send, on_retry=lambda: None, max_tries=1 if is_query else MAX_TRIES
        )

    def close(self) -> None:
        """Closes the connections and wakes threads that wait for a retry."""
        self._retry_policy.close()
        self._client.close()

    def _send_once(self, content: bytes, is_query: bool) -> dict[str, Any]:
        """Makes one try; the only place that uses the network."""
        import httpx

        with self._lock:
            self.requests += 1
        timeout = httpx.Timeout(QUERY_TIMEOUT_S) if is_query else self._client.timeout
        total_s = QUERY_TIMEOUT_S if is_query else self._timeouts.total_s
        try:
            with self._client.stream(
                "POST", self.address.url, content=content, timeout=timeout
            ) as response:
                page = self._read_body(response, total_s)
        except httpx.RequestError as exc:
            # httpx may quote the request, which has secrets
            reason = self._mask(str(exc) or type(exc).__name__)
            raise connection_error(
                exc, reason, self.address.display_url, self._api.option
            ) from None
        return self._parse_response(response, page)

    def _read_body(self, response: "httpx.Response", timeout_s: float) -> bytes:
        """Reads the whole body; raises ServiceError when it takes too long or is too large."""
        ends, page = time.monotonic() + timeout_s, bytearray()
        for part in response.iter_bytes():
            page += part
            if len(page) > MAX_RESPONSE_BYTES or time.monotonic() > ends:
                raise ServiceError(
                    f"{self.name} did not finish its response ({len(page):,} bytes so far).",
                    f"Run again later, or choose another {self._api.option}.",
                )
        return bytes(page)

    def _parse_response(self, response: "httpx.Response", page: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(page)
        except (ValueError, RecursionError):
            answer = None
        if response.is_success and self._is_valid(answer):
            valid: dict[str, Any] = answer
            return valid
        error = self._error_from(response, page.decode(errors="replace"), answer)
        if isinstance(error, TransientError):
            error.retry_after_s = retry_after_s(response, self._clock.now())
        raise error

    def _error_from(self, response: "httpx.Response", page: str, answer: Any) -> FeederError:
        status, place, example = response.status_code, self.address.display_url, self._api.example
        words = self._mask(error_message(answer)[:MAX_MASKED_CHARS]) or summarize_error_page(
            page, self._mask
        )
        if response.is_redirect:
            return UserError(
                f"{place} redirects (HTTP {status}), and the key is not sent to another address.",
                f"Use the final address, as in {example}.",
            )
        if answer is None and "json" in response.headers.get("Content-Type", ""):
            return TransientError(
                f"{place} sent an incomplete response.", "Run again later.", status=status
            )
        if response.is_success or (
            answer is None and status < 500 and status not in _PROXY_STATUSES
        ):
            return UserError(
                f"{place} answered HTTP {status} without {self._api.noun} ({words!r}).",
                f"Check the address, as in {example}, and the proxy if there is one.",
            )
        return error_from(EndpointErrorResponse(self.name, place, status, words, self._api.option))

    def _is_valid(self, answer: Any) -> bool:
        return isinstance(answer, dict) and isinstance(answer.get(self._api.list_field), list)

    @property
    def _api(self) -> EndpointApi:
        return self.address.api

    def _mask(self, text: str) -> str:
        for secret in self._secrets:
            text = escaping.mask_secret(text, secret)
        return text


def _auth_headers(address: Address, key: str) -> tuple[dict[str, str], list[str]]:
    """Returns the Authorization header, and the secrets to mask in messages."""
    key = key.strip()
    if not re.fullmatch(r"[\x21-\x7e]*", key):
        raise UserError(
            f"{API_KEY_VARIABLE} contains spaces or non-ASCII characters.", "Copy the key again."
        )
    authorization = f"Bearer {key}" if key else ""
    secrets = [key, *address.secrets]
    if address.user or address.password:
        basic = base64.b64encode(f"{address.user}:{address.password}".encode()).decode()
        authorization = f"Basic {basic}"
        secrets.append(basic)
    headers = {"Authorization": authorization} if authorization else {}
    return headers, [secret for secret in secrets if secret]


def _make_client(headers: dict[str, str], timeout_s: float) -> "httpx.Client":
    import httpx

    timeout = httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S))
    return create_client(
        {**headers, "Content-Type": "application/json"}, timeout, MAX_CONCURRENT_REQUESTS
    )
