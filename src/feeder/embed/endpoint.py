"""Where is a model asked over HTTP, and how? One class, and in it one method that uses the wire."""

import base64
import json
import re
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from feeder import shown
from feeder.embed.dealing import UNDER_WAY
from feeder.embed.refused import KEY, Refused, error_of, words_of
from feeder.errors import FeederError, ServiceError, TransientError, UserError
from feeder.wire import (
    MAX_MASKED_CHARS,
    MAX_TRIES,
    Clock,
    RetryPolicy,
    connection_error,
    create_client,
    json_bytes,
    retry_after_s,
    summarize_error_page,
)

if TYPE_CHECKING:
    import httpx

CONNECT_S = 10.0
QUESTION_S = 30.0
"""Somebody waits: words answer then."""
MOST_BYTES = 256_000_000
_OF_ANY_PAGE = frozenset({401, 403, 408, 413, 429})
"""What proxies say too, in HTML."""


class Use(NamedTuple):
    """What is asked at an address: by which route, for what, which stands in which list of the
    answer; and the option that names it, with an example."""

    route: str
    what: str
    field: str
    option: str
    name: str

    @property
    def example(self) -> str:
        """How the option is said."""
        return f"{self.option} http://127.0.0.1:11434/v1#{self.name}"


EMBEDDINGS = Use("embeddings", "embeddings", "data", "--model", "nomic-embed-text")
ANSWERS = Use("chat/completions", "an answer", "choices", "--describe", "qwen2.5-coder:3b")


class Timeouts(NamedTuple):
    """Without a byte, and for all of an answer.

    A large model on a CPU takes its time, and may have to be loaded first.
    """

    silent_s: float = 120.0
    whole_s: float = 300.0


class Address(NamedTuple):
    """Where a model is asked, and what it is called there.

    `place` is the address without what must not be shown: user, password and query.
    """

    url: str
    place: str
    model: str
    user: str
    password: str
    secrets: tuple[str, ...]
    use: Use = EMBEDDINGS


def is_address(said: str) -> bool:
    """Whether a model is named by an address, rightly or not."""
    return "://" in said


def address_of(said: str, use: Use = EMBEDDINGS) -> Address:
    """What `URL#name` says; raises UserError, which quotes nothing of it."""
    url, _, model = said.partition("#")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    is_whole = re.fullmatch(r"https?://[^\s#]+#\S+", said, re.IGNORECASE)
    if not is_whole or not host or not said.isprintable():
        raise UserError(f"The model's address is not of the form URL#name. Write: {use.example}.")
    path = parts.path.rstrip("/").removesuffix(f"/{use.route}") or "/v1"
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    values = [value for _, value in parse_qsl(parts.query)]
    query = f"?{parts.query}" if parts.query else ""
    return Address(
        f"{parts.scheme}://{netloc}{path}/{use.route}{query}",
        f"{netloc}{path.removesuffix('/v1')}",
        model,
        user,
        password,
        (*values, password or user),
        use,
    )


class Endpoint:
    """A server with OpenAI's interface; several threads may ask at once.

    `requests` counts what was sent. Raises UserError for what can be no key.
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
        headers, self._secrets = _credentials(address, key)
        self._timeouts = timeouts or Timeouts()
        self._lock = threading.Lock()
        self._clock = clock or Clock()
        self._patience = RetryPolicy(address.place, self._clock)
        self._client = _client(headers, self._timeouts.silent_s)

    @property
    def name(self) -> str:
        """The model, and where it is."""
        return f"{self.address.model}@{self.address.place}"

    def ask(self, body: dict[str, Any], *, question: bool = False) -> dict[str, Any]:
        """An answer that has the list which is asked for.

        A question is sent once: whoever asks has words to go on with. Raises UserError,
        ServiceError, or TooLargeError where the caller has to ask for less.
        """
        send = partial(self._send, json_bytes({"model": self.address.model, **body}), question)
        return self._patience.call(
            send, on_retry=lambda: None, max_tries=1 if question else MAX_TRIES
        )

    def close(self) -> None:
        """Ends the connections, and the sleep of those who wait for another try."""
        self._patience.close()
        self._client.close()

    def _send(self, content: bytes, question: bool) -> dict[str, Any]:
        """One try: the only place that uses the wire."""
        import httpx

        with self._lock:
            self.requests += 1
        timeout = httpx.Timeout(QUESTION_S) if question else self._client.timeout
        whole_s = QUESTION_S if question else self._timeouts.whole_s
        try:
            with self._client.stream(
                "POST", self.address.url, content=content, timeout=timeout
            ) as response:
                page = self._page(response, whole_s)
        except httpx.RequestError as exc:
            # what breaks HTTP is quoted, and it may quote the request
            reason = self._masked(str(exc) or type(exc).__name__)
            raise connection_error(exc, reason, self.address.place, self._use.option) from None
        return self._answer(response, page)

    def _page(self, response: "httpx.Response", whole_s: float) -> bytes:
        """All of the answer, but not whatever it takes."""
        ends, page = time.monotonic() + whole_s, bytearray()
        for part in response.iter_bytes():
            page += part
            if len(page) > MOST_BYTES or time.monotonic() > ends:
                raise ServiceError(
                    f"{self.name} does not come to the end of its answer, {len(page):,} bytes by "
                    f"now. Run again later, or name another {self._use.option}."
                )
        return bytes(page)

    def _answer(self, response: "httpx.Response", page: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(page)
        except (ValueError, RecursionError):
            answer = None
        if response.is_success and self._is_one(answer):
            found: dict[str, Any] = answer
            return found
        error = self._refusal(response, page.decode(errors="replace"), answer)
        if isinstance(error, TransientError):
            error.retry_after_s = retry_after_s(response, self._clock.now())
        raise error

    def _refusal(self, response: "httpx.Response", page: str, answer: Any) -> FeederError:
        status, place, example = response.status_code, self.address.place, self._use.example
        words = self._masked(words_of(answer)[:MAX_MASKED_CHARS]) or summarize_error_page(
            page, self._masked
        )
        if response.is_redirect:
            return UserError(
                f"{place} sends elsewhere (HTTP {status}), and the key does not go along. Name the "
                f"address itself: {example}."
            )
        if answer is None and "json" in response.headers.get("Content-Type", ""):
            return TransientError(f"{place} gave an answer that breaks off.", status=status)
        if response.is_success or (answer is None and status < 500 and status not in _OF_ANY_PAGE):
            return UserError(
                f"{place} answered HTTP {status} with something else than {self._use.what} "
                f"({words!r}). Check the address, such as {example}, and the proxy if there is one."
            )
        return error_of(Refused(self.name, place, status, words, self._use.option))

    def _is_one(self, answer: Any) -> bool:
        return isinstance(answer, dict) and isinstance(answer.get(self._use.field), list)

    @property
    def _use(self) -> Use:
        return self.address.use

    def _masked(self, text: str) -> str:
        for secret in self._secrets:
            text = shown.mask_secret(text, secret)
        return text


def _credentials(address: Address, key: str) -> tuple[dict[str, str], list[str]]:
    """The header that lets in, and what no message may show."""
    key = key.strip()
    if not re.fullmatch(r"[\x21-\x7e]*", key):
        raise UserError(f"{KEY} has blanks or other odd characters in it. Copy the key again.")
    said = f"Bearer {key}" if key else ""
    secrets = [key, *address.secrets]
    if address.user or address.password:
        basic = base64.b64encode(f"{address.user}:{address.password}".encode()).decode()
        said = f"Basic {basic}"
        secrets.append(basic)
    return ({"Authorization": said} if said else {}), [secret for secret in secrets if secret]


def _client(headers: dict[str, str], timeout_s: float) -> "httpx.Client":
    import httpx

    timeout = httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S))
    return create_client({**headers, "Content-Type": "application/json"}, timeout, UNDER_WAY)
