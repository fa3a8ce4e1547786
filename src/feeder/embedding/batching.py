"""Splits texts into requests within a service's limits, runs several at once, halves those that
are too large, and checks the returned vectors.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
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
"""Requests at once."""
BYTES_PER_TOKEN = 3
"""Of source code in UTF-8, cautiously: prose has more bytes a token, and a CJK sign is three."""


class RequestLimits(NamedTuple):
    """Of a service: texts in one request, their tokens together, and those of the longest text."""

    texts: int
    request_tokens: int
    tokens: int

    def estimate(self, text_bytes: Sequence[int], prefix: str, batch: int) -> ServiceUsage:
        """What texts of so many bytes take, of which `batch` are handed over at a time."""
        most = self.tokens * BYTES_PER_TOKEN
        each = [_tokens_of_bytes(min(len(prefix) + size, most)) for size in text_bytes]
        calls = [each[at : at + batch] for at in range(0, len(each), batch)]
        requests = sum(len(split_batches(call, self.texts, self.request_tokens)) for call in calls)
        return ServiceUsage(requests, sum(each))

    def truncate(self, text: str) -> str:
        """What can be sent: no lone surrogates, and no longer than the model reads."""
        raw = text.encode(errors="replace")[: self.tokens * BYTES_PER_TOKEN]
        return raw.decode(errors="ignore") or " "


class BatchEmbedder:
    """Deals texts to as few requests as can be, a few of them under way at once.

    `ask` is one request: a vector for each text. Where it raises TooLargeError, it is asked for
    half of the texts, and a single text is cut in half.
    """

    def __init__(self, limits: RequestLimits, send: Callable[[list[str]], list["Vector"]]) -> None:
        self._limits = limits
        self._send = send

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        """The vector of each text, in the caller's order."""
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
    """The answers in the order of the requests; after an error no further one is begun.

    Nobody waits for those under way then, nor after Ctrl-C: a service may be silent for minutes,
    and the threads of a pool would be waited for.
    """
    todo = deque(enumerate(requests))
    done: SimpleQueue[tuple[int, Future[Answer]]] = SimpleQueue()

    def work() -> None:
        with suppress(IndexError):  # nothing is left
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
    except BaseException as exc:  # raised where it is waited for
        outcome.set_exception(exc)
    return outcome


def split_batches(sizes: Sequence[int], max_items: int, max_size: int) -> list[list[int]]:
    """Positions dealt to as few parts as can be, none of more than `most` or above `most_size`.

    The largest first, in turns: so the parts come out nearly equal. One that is too large by
    itself is a part of its own.
    """
    count = max(math.ceil(len(sizes) / max_items), math.ceil(sum(sizes) / max_size))
    order = sorted(range(len(sizes)), key=lambda at: -sizes[at])
    while count < len(sizes):
        parts = [order[start::count] for start in range(count)]
        if all(sum(sizes[at] for at in part) <= max_size for part in parts):
            return parts
        count += 1
    return [[at] for at in order]


def estimate_tokens(text: str) -> int:
    """An estimate."""
    return _tokens_of_bytes(len(text.encode()))


def _tokens_of_bytes(size: int) -> int:
    """Of so many bytes."""
    return -(-size // BYTES_PER_TOKEN)


def normalize_vectors(
    model: str, answered: Any, count: int, dimensions: int, kept_dimensions: int
) -> list["Vector"]:
    """As many vectors as there are texts, shortened to `kept` numbers and of length 1.

    Raises ServiceError for an answer that is anything else.
    """
    import numpy as np

    lengths = sorted({len(numbers) for numbers in answered})
    if len(answered) != count or lengths != [dimensions]:
        raise ServiceError(
            f"{model} answered {len(answered)} vectors of {lengths} dimensions to {count} "
            f"texts; {dimensions} dimensions were expected."
        )
    with np.errstate(over="ignore"):
        vectors = np.array(answered, dtype=np.float32)[:, :kept_dimensions]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(norms).all() and norms.all()):
        raise ServiceError(
            f"{model} answered vectors that have no direction. Run again; if they come again, "
            "name another --model."
        )
    return list(vectors / norms)
