"""Splits texts into requests within a service's limits, runs several at once, halves those that
are too large, and checks the returned vectors.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence, Sized
from concurrent.futures import Future
from contextlib import suppress
from itertools import chain
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from feeder.embedding import ServiceUsage
from feeder.errors import ServiceError, TooLargeError

if TYPE_CHECKING:
    from feeder.embedding import Vector

Request = TypeVar("Request")
Answer = TypeVar("Answer")

MAX_CONCURRENT_REQUESTS = 4
BYTES_PER_INPUT_TOKEN = 3
"""Low estimate for source code as an embedding input, in UTF-8: prose has more, and a CJK character
is three bytes."""


class RequestLimits(NamedTuple):
    """Limits of one request: number of texts, tokens of all texts, tokens of the longest text."""

    texts: int
    request_tokens: int
    tokens: int

    def estimate(self, text_bytes: Sequence[int], prefix: str, batch: int) -> ServiceUsage:
        """Returns the usage of texts of these sizes in bytes, embedded `batch` at a time."""
        added = len(prefix)
        tokens = [min(_tokens_of_bytes(added + size), self.tokens) for size in text_bytes]
        calls = [tokens[at : at + batch] for at in range(0, len(tokens), batch)]
        requests = sum(len(split_batches(call, self.texts, self.request_tokens)) for call in calls)
        return ServiceUsage(requests, sum(tokens))

    def truncate(self, text: str) -> str:
        """Cuts a text to what the model reads and replaces lone surrogates."""
        raw = text.encode(errors="replace")[: self.tokens * BYTES_PER_INPUT_TOKEN]
        return raw.decode(errors="ignore") or " "


class BatchEmbedder:
    """Distributes texts over as few requests as possible and runs several at once.

    `send` makes one request and returns a vector for each text. When it raises TooLargeError, the
    request is split in two; a single text is cut in half.
    """

    def __init__(self, limits: RequestLimits, send: Callable[[list[str]], list["Vector"]]) -> None:
        self._limits = limits
        self._send = send

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        """Returns the vector of each text, in the same order."""
        parts = split_batches(
            [estimate_tokens(text) for text in texts],
            self._limits.texts,
            self._limits.request_tokens,
        )
        answers = run_concurrently(
            self._embed_or_halve, [[texts[at] for at in part] for part in parts]
        )
        vectors = dict(zip(chain(*parts), chain(*answers), strict=True))
        return [vectors[at] for at in range(len(texts))]

    def _embed_or_halve(self, texts: list[str]) -> list["Vector"]:
        try:
            return self._send(texts)
        except TooLargeError:
            if len(texts) > 1:
                middle = len(texts) // 2
                return self._embed_or_halve(texts[:middle]) + self._embed_or_halve(texts[middle:])
            if len(texts[0]) <= 1:
                raise
            return self._embed_or_halve([texts[0][: len(texts[0]) // 2]])


def run_concurrently(
    call: Callable[[Request], Answer], requests: Sequence[Request]
) -> list[Answer]:
    """Returns the answers in the order of the requests; starts none after the first error.

    Does not wait for running requests after an error or Ctrl-C: a service may be silent for
    minutes. That is why the threads are daemons and not a ThreadPoolExecutor's, which joins them.
    """
    todo = deque(enumerate(requests))
    done: SimpleQueue[tuple[int, Future[Answer]]] = SimpleQueue()

    def work() -> None:
        with suppress(IndexError):  # the queue is empty
            while True:
                at, request = todo.popleft()
                done.put((at, _run_to_future(call, request)))

    for _ in requests[:MAX_CONCURRENT_REQUESTS]:
        Thread(target=work, name="embed", daemon=True).start()
    answers: dict[int, Answer] = {}
    try:
        for _ in requests:
            at, outcome = done.get()
            answers[at] = outcome.result()
    finally:
        todo.clear()
    return [answers[at] for at in range(len(requests))]


def _run_to_future(call: Callable[[Request], Answer], request: Request) -> Future[Answer]:
    outcome: Future[Answer] = Future()
    try:
        outcome.set_result(call(request))
    except BaseException as exc:  # raised again by the waiting thread
        outcome.set_exception(exc)
    return outcome


def split_batches(sizes: Sequence[int], max_items: int, max_size: int) -> list[list[int]]:
    """Splits positions into few parts of at most `max_items` items and `max_size` in total.

    Items are dealt round-robin, largest first, so parts are nearly equal. An item above `max_size`
    is a part of its own.
    """
    count = max(math.ceil(len(sizes) / max_items), math.ceil(sum(sizes) / max_size))
    order = sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)
    while count < len(sizes):
        parts = [order[start::count] for start in range(count)]
        if all(sum(sizes[at] for at in part) <= max_size for part in parts):
            return parts
        count += 1
    return [[at] for at in order]


def estimate_tokens(text: str) -> int:
    """Estimates the number of tokens in a text."""
    return _tokens_of_bytes(len(text.encode()))


def _tokens_of_bytes(size: int) -> int:
    return -(-size // BYTES_PER_INPUT_TOKEN)


def normalize_vectors(
    model: str, answered: Any, count: int, dimensions: int, short_dimensions: int
) -> list["Vector"]:
    """Checks an answer's vectors, shortens them to `short_dimensions` and scales them to length 1.

    `count` vectors of `dimensions` numbers are expected. Raises ServiceError for anything else.
    """
    import numpy as np

    lengths = sorted({len(numbers) if isinstance(numbers, Sized) else 0 for numbers in answered})
    if len(answered) != count or lengths != [dimensions]:
        raise ServiceError(
            f"{model} returned {len(answered)} vectors of {lengths} dimensions for {count} "
            f"texts; expected {count} of {dimensions} dimensions.",
            "Run again; if it happens again, choose another --model.",
        )
    try:
        with np.errstate(over="ignore"):
            vectors = np.array(answered, dtype=np.float32)[:, :short_dimensions]
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    except (TypeError, ValueError, OverflowError):  # null, a text or a list in place of a number
        norms = np.array([np.nan])
    if not (np.isfinite(norms).all() and norms.all()):
        raise ServiceError(
            f"{model} returned vectors that are zero or not finite.",
            "Run again; if it happens again, choose another --model.",
        )
    return list(vectors / norms)
