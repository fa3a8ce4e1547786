"""ONNX models in a folder: here a network of five tokens and two dimensions.

It only looks up each token in a table, so that vectors can be computed by hand: [CLS] (0, 2) and
[SEP] (0, -2) cancel out, a is (3, 4), b is (5, 2), [UNK] is (0, -1).
"""

import json
import re
import shutil
import struct
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from feeder.embedding.onnx import OnnxEmbedder
from feeder.errors import UserError
from required_extras import require_extras

pytestmark = pytest.mark.slow

VOCABULARY = "[UNK]\n[CLS]\n[SEP]\na\nb\n"
TABLE = ((0, -1), (0, 2), (0, -2), (3, 4), (5, 2))
FLOAT, INT64 = 1, 7


def field(number: int, value: int | str | bytes) -> bytes:
    """A field of a protocol buffer; all numbers and lengths here are below 128 or spelled out."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    content = value.encode() if isinstance(value, str) else value
    length = len(content)
    return bytes([number << 3 | 2, length & 127 | 128, length >> 7]) + content


def tensor(number: int, name: str, element: int, dimensions: Sequence[str]) -> bytes:
    """An input (11) or output (12) of a graph, its dimensions by name."""
    shape = b"".join(field(1, field(2, dimension)) for dimension in dimensions)
    return field(number, field(1, name) + field(2, field(1, field(1, element) + field(2, shape))))


def network(table: Sequence[Sequence[float]], inputs: Sequence[str] = ("input_ids",)) -> bytes:
    """An ONNX model that replaces each id by its row of the table."""
    rows = b"".join(struct.pack("<2f", *row) for row in table)
    weights = field(1, len(table)) + field(1, 2) + field(2, FLOAT) + field(8, "t") + field(9, rows)
    lookup = field(1, "t") + field(1, "input_ids") + field(2, "states") + field(4, "Gather")
    graph = field(1, lookup) + field(2, "g") + field(5, weights)
    graph += b"".join(tensor(11, name, INT64, ("batch", "sequence")) for name in inputs)
    graph += tensor(12, "states", FLOAT, ("batch", "sequence", "size"))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(network(TABLE))
    (folder / "vocab.txt").write_text(VOCABULARY, encoding="utf-8")
    write(folder / "config.json", hidden_size=2)
    return folder


def write(path: Path, **settings: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(settings), encoding="utf-8")


def open_model(folder: Path) -> closing[OnnxEmbedder]:
    """Opens the model in the folder."""
    require_extras("local")
    return closing(OnnxEmbedder.from_folder(folder))


def embed_texts(folder: Path, *texts: str) -> list[list[float]]:
    """Returns the vectors of texts, rounded to six digits."""
    with open_model(folder) as embedder:
        return [np.round(vector.astype(float), 6).tolist() for vector in embedder.embed(texts)]


def identity_of(folder: Path) -> str:
    """Returns the identity of the folder's model."""
    with open_model(folder) as embedder:
        return embedder.model


def test_vector_is_the_normalized_mean_of_token_vectors(folder: Path) -> None:
    """a: (3, 4) / 5; a b: (8, 6) / 10; an unknown token alone: (0, -1)."""
    assert embed_texts(folder, "a", "a b", "?") == [[0.6, 0.8], [0.8, 0.6], [0.0, -1.0]]


def test_tokens_that_cancel_out_give_zero_not_nan(folder: Path) -> None:
    """[CLS] and [SEP] alone add up to zero."""
    assert embed_texts(folder, "") == [[0.0, 0.0]]


def test_query_is_embedded_like_a_text(folder: Path) -> None:
    """These models have no prompts."""
    with open_model(folder) as embedder:
        np.testing.assert_allclose(embedder.embed_query("b a"), [0.8, 0.6], rtol=1e-6)


def test_dimensions_are_read_from_the_config(folder: Path) -> None:
    """DistilBERT names them `dim`."""
    write(folder / "config.json", dim=2)
    with open_model(folder) as embedder:
        assert embedder.dimensions == 2


def test_weights_may_be_in_a_subfolder_onnx(folder: Path) -> None:
    """As in exports for browsers."""
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert embed_texts(folder, "a") == [[0.6, 0.8]]


def test_network_gets_the_inputs_it_declares(folder: Path) -> None:
    """BERT has three, DistilBERT two, this one had one."""
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    (folder / "model.onnx").write_bytes(network(TABLE, inputs))
    assert embed_texts(folder, "a") == [[0.6, 0.8]]


def test_cls_pooling(folder: Path) -> None:
    """The vector of [CLS] is (0, 2), whatever follows."""
    write(
        folder / "1_Pooling/config.json",
        pooling_mode_cls_token=True,
        pooling_mode_mean_tokens=False,
    )
    assert embed_texts(folder, "a b") == [[0.0, 1.0]]


def test_cased_model_keeps_capitals(folder: Path) -> None:
    """`A` is unknown to a model that knows `a`: (0, -1)."""
    write(folder / "tokenizer_config.json", do_lower_case=False)
    assert embed_texts(folder, "A", "a") == [[0.0, -1.0], [0.6, 0.8]]


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("config.json", "max_position_embeddings"),
        ("tokenizer_config.json", "model_max_length"),
        ("sentence_bert_config.json", "max_seq_length"),
    ],
)
def test_text_is_cut_at_the_shortest_configured_length(file: str, key: str, folder: Path) -> None:
    """Three tokens are [CLS] a [SEP], also for `a b`; a length such as 1e30 is no limit."""
    write(folder / "tokenizer_config.json", model_max_length=1e30)
    write(folder / file, hidden_size=2, **{key: 3})
    assert embed_texts(folder, "a b") == [[0.6, 0.8]]


def test_identity_is_the_folders_name_and_a_digest(folder: Path) -> None:
    """12 hex digits distinguish versions."""
    assert re.fullmatch("tiny@[0-9a-f]{12}", identity_of(folder))


def test_copy_of_a_folder_has_the_same_identity(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "elsewhere" / "tiny")
    assert identity_of(copy) == identity_of(folder)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("model.onnx", network(((0, -1), (0, 2), (0, -2), (3, 4), (5, 3)))),
        ("vocab.txt", VOCABULARY.replace("a\nb", "b\na").encode()),
        ("tokenizer_config.json", b'{"do_lower_case": false}'),
        ("tokenizer_config.json", b'{"model_max_length": 4}'),
        ("1_Pooling/config.json", b'{"pooling_mode_cls_token": true}'),
    ],
)
def test_identity_changes_with_the_vectors(file: str, content: bytes, folder: Path) -> None:
    before = identity_of(folder)
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(content)
    assert identity_of(folder) != before


@pytest.mark.parametrize("file", ["model.onnx", "vocab.txt", "config.json"])
def test_missing_file_is_an_error(file: str, folder: Path) -> None:
    """It names what a model folder needs."""
    (folder / file).unlink()
    with pytest.raises(UserError, match=rf"has no .*{file}.*\. Choose a folder with an ONNX model"):
        OnnxEmbedder.from_folder(folder)


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("config.json", b"{", r"config\.json cannot be read"),
        ("config.json", b"[]", r"config\.json is not a JSON object"),
        ("config.json", b"{}", r"has no hidden_size"),
        ("1_Pooling/config.json", b'{"pooling_mode_max_tokens": true}', "other than mean or cls"),
    ],
)
def test_invalid_setting_is_an_error_before_any_text(
    file: str, content: bytes, expected: str, folder: Path
) -> None:
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(content)
    with pytest.raises(UserError, match=expected):
        OnnxEmbedder.from_folder(folder)


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("model.onnx", b"not a network", r"model\.onnx cannot be run"),
        ("model.onnx", network(TABLE, ("input_ids", "pixels")), r"cannot be run \('pixels'\)"),
        ("model.onnx", network(TABLE[:4]), r"model\.onnx cannot be run"),
        ("vocab.txt", b"a\nb\n", r"vocab\.txt is not a WordPiece vocabulary"),
        ("config.json", b'{"hidden_size": 3}', "returns 2 dimensions, its config.json says 3"),
    ],
)
def test_invalid_model_is_an_error_at_the_first_text(
    file: str, content: bytes, expected: str, folder: Path
) -> None:
    """Including a table that is too small for the vocabulary."""
    (folder / file).write_bytes(content)
    with (
        open_model(folder) as embedder,
        pytest.raises(UserError, match=expected),
    ):
        embedder.embed(["b"])
