"""Another model in a folder: here a network of five tokens and two dimensions.

It looks each token up in a table and does nothing else, so that every vector can be worked out in
one's head: [CLS] (0, 2) and [SEP] (0, -2) cancel out, a is (3, 4), b is (5, 2), [UNK] is (0, -1).
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


def opened(folder: Path) -> closing[OnnxEmbedder]:
    """The model of the folder."""
    require_extras("local")
    return closing(OnnxEmbedder.from_folder(folder))


def embedded(folder: Path, *texts: str) -> list[list[float]]:
    """The texts' vectors by the folder's model, to six places."""
    with opened(folder) as embedder:
        return [np.round(vector.astype(float), 6).tolist() for vector in embedder.embed(texts)]


def model(folder: Path) -> str:
    """The name under which the index keeps the folder's model."""
    with opened(folder) as embedder:
        return embedder.model


def test_a_texts_vector_is_the_mean_of_its_tokens_at_length_1(folder: Path) -> None:
    """a: (3, 4) / 5; a b: (8, 6) / 10; a token of the specials alone: (0, -1)."""
    assert embedded(folder, "a", "a b", "?") == [[0.6, 0.8], [0.8, 0.6], [0.0, -1.0]]


def test_tokens_that_cancel_out_make_a_zero_and_no_nan(folder: Path) -> None:
    """[CLS] and [SEP] alone add up to nothing."""
    assert embedded(folder, "") == [[0.0, 0.0]]


def test_a_query_is_embedded_like_a_text(folder: Path) -> None:
    """These models tell the two apart by nothing."""
    with opened(folder) as embedder:
        np.testing.assert_allclose(embedder.embed_query("b a"), [0.8, 0.6], rtol=1e-6)


def test_the_models_size_is_that_of_its_config(folder: Path) -> None:
    """DistilBERT calls it dim."""
    write(folder / "config.json", dim=2)
    with opened(folder) as embedder:
        assert embedder.dimensions == 2


def test_weights_may_lie_in_a_folder_named_onnx(folder: Path) -> None:
    """Where exports for the browser put them."""
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert embedded(folder, "a") == [[0.6, 0.8]]


def test_a_network_is_given_the_inputs_it_names(folder: Path) -> None:
    """BERT has three, DistilBERT two, this one had one."""
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    (folder / "model.onnx").write_bytes(network(TABLE, inputs))
    assert embedded(folder, "a") == [[0.6, 0.8]]


def test_the_first_token_is_the_text_where_the_model_was_trained_so(folder: Path) -> None:
    """CLS pooling leaves [CLS]: (0, 2), whatever follows."""
    write(
        folder / "1_Pooling/config.json",
        pooling_mode_cls_token=True,
        pooling_mode_mean_tokens=False,
    )
    assert embedded(folder, "a b") == [[0.0, 1.0]]


def test_capitals_count_where_the_model_was_trained_so(folder: Path) -> None:
    """`A` is unknown to a cased model that knows `a`: (0, -1)."""
    write(folder / "tokenizer_config.json", do_lower_case=False)
    assert embedded(folder, "A", "a") == [[0.0, -1.0], [0.6, 0.8]]


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("config.json", "max_position_embeddings"),
        ("tokenizer_config.json", "model_max_length"),
        ("sentence_bert_config.json", "max_seq_length"),
    ],
)
def test_a_text_is_cut_at_the_shortest_length_that_a_file_names(
    file: str, key: str, folder: Path
) -> None:
    """Three tokens are [CLS] a [SEP], of `a b` too; a length like 1e30 is no limit."""
    write(folder / "tokenizer_config.json", model_max_length=1e30)
    write(folder / file, hidden_size=2, **{key: 3})
    assert embedded(folder, "a b") == [[0.6, 0.8]]


def test_the_name_is_the_folders_and_a_digest(folder: Path) -> None:
    """A person recognises the model, and 12 hex digits tell its versions apart."""
    assert re.fullmatch("tiny@[0-9a-f]{12}", model(folder))


def test_a_copy_of_a_folder_is_the_same_model(folder: Path, tmp_path: Path) -> None:
    """Vectors stay good when the folder moves."""
    copy = shutil.copytree(folder, tmp_path / "elsewhere" / "tiny")
    assert model(copy) == model(folder)


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
def test_whatever_changes_vectors_changes_the_name(file: str, content: bytes, folder: Path) -> None:
    """Vectors of two models never mix, also when they share a folder's name."""
    before = model(folder)
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(content)
    assert model(folder) != before


@pytest.mark.parametrize("file", ["model.onnx", "vocab.txt", "config.json"])
def test_a_missing_file_is_named(file: str, folder: Path) -> None:
    """The sentence says what a model folder needs."""
    (folder / file).unlink()
    with pytest.raises(UserError, match=rf"has no .*{file}.*\. Choose a folder with an ONNX model"):
        OnnxEmbedder.from_folder(folder)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("config.json", b"{", r"config\.json cannot be read"),
        ("config.json", b"[]", r"config\.json is not a JSON object"),
        ("config.json", b"{}", r"has no hidden_size"),
        ("1_Pooling/config.json", b'{"pooling_mode_max_tokens": true}', "other than mean or cls"),
    ],
)
def test_an_unusable_setting_is_named(file: str, content: bytes, said: str, folder: Path) -> None:
    """What a folder says wrongly is found before a text is read."""
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(content)
    with pytest.raises(UserError, match=said):
        OnnxEmbedder.from_folder(folder)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("model.onnx", b"not a network", r"model\.onnx cannot be run"),
        ("model.onnx", network(TABLE, ("input_ids", "pixels")), r"cannot be run \('pixels'\)"),
        ("model.onnx", network(TABLE[:4]), r"model\.onnx cannot be run"),
        ("vocab.txt", b"a\nb\n", r"vocab\.txt is not a WordPiece vocabulary"),
        ("config.json", b'{"hidden_size": 3}', "returns 2 dimensions, its config.json says 3"),
    ],
)
def test_an_unusable_model_is_named_when_it_is_loaded(
    file: str, content: bytes, said: str, folder: Path
) -> None:
    """The first text loads it; a table too short for the vocabulary shows then, too."""
    (folder / file).write_bytes(content)
    with (
        opened(folder) as embedder,
        pytest.raises(UserError, match=said),
    ):
        embedder.embed(["b"])
