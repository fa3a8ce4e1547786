"""The static model: its vectors, and errors of other files."""

import hashlib
import json
import math
import re
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from feeder.embedding import STATIC_MODEL_SHA256, Embedder, static_tokenizer
from feeder.embedding.static_model import MODEL_FILE, StaticEmbedder
from feeder.embedding.static_query import StaticQueryEmbedder
from feeder.errors import UserError
from feeder.installation import install_command

# three words and two buckets in two dimensions, as docs/explanation/models.md tells the format
_WORDS = ["read", "file", "lib"]
_ROWS = [[100, 0], [0, 50], [0, -100], [30, 40], [30, 40]]
_SCALES = [0.5, 1.0, 0.25, 0.1, 0.1]
_IN_NAME = [1.0, 1.0, 0.0, 1.0, 1.0]
_IN_QUESTION = [2.0, 1.0, 1.0, 1.0, 1.0]
_SHARE = 0.5


def written(path: Path) -> StaticEmbedder:
    text = "\n".join(_WORDS).encode()
    content = b"FEEDERSM" + struct.pack("<5If", 1, 2, 3, 2, len(text), _SHARE)
    content = content.ljust(64, b"\0") + struct.pack("<15f", *_SCALES, *_IN_NAME, *_IN_QUESTION)
    content += struct.pack("10b", *(cell for row in _ROWS for cell in row)) + text
    path.write_bytes(content)
    return StaticEmbedder(path, hashlib.sha256(content).hexdigest())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> StaticEmbedder:
    return written(tmp_path_factory.mktemp("model") / "small.bin")


@pytest.fixture(scope="module")
def shipped() -> StaticEmbedder:
    return StaticEmbedder()


def unit(*numbers: float) -> list[float]:
    norm = math.hypot(*numbers)
    return [number / norm for number in numbers]


def test_body_is_the_weighted_mean_of_its_tokens(small: StaticEmbedder) -> None:
    # read (50, 0) once; file (0, 50) three times, which counts 1 + ln 3
    [vector] = small.embed_fields([("", "read(file, file, File)")])
    assert vector == pytest.approx(unit(50, 50 * (1 + math.log(3))), abs=1e-6)


def test_name_has_its_share_beside_the_body(small: StaticEmbedder) -> None:
    # unit(body) is (1, 0), unit(name) (0, 1): `lib` has no weight in names
    [vector] = small.embed_fields([("lib/file", "read")])
    assert vector == pytest.approx(unit(1, _SHARE), abs=1e-6)


def test_first_line_of_a_text_is_its_name(small: StaticEmbedder) -> None:
    [vector] = small.embed(["lib/file\nread"])
    assert vector == pytest.approx(unit(1, _SHARE), abs=1e-6)


def test_one_line_text_is_a_body(small: StaticEmbedder) -> None:
    [vector] = small.embed(["lib"])
    assert vector == pytest.approx([0, -1], abs=1e-6)


def test_tokens_have_other_weights_in_a_query(small: StaticEmbedder) -> None:
    assert small.embed_query("read file") == pytest.approx(unit(100, 50), abs=1e-6)


def test_unknown_token_is_the_mean_of_its_ngram_buckets(small: StaticEmbedder) -> None:
    [vector] = small.embed(["xyzzy"])
    assert vector == pytest.approx([0.6, 0.8], abs=1e-6)


def test_query_of_unknown_words_alone_is_near_nothing(small: StaticEmbedder) -> None:
    """Its n-grams count beside a known word only."""
    assert small.embed_query("xyzzy qwertz").tolist() == [0, 0]
    known = small.embed_query("read").tolist()
    assert small.embed_query("xyzzy read").tolist() not in ([0, 0], known)


@pytest.mark.parametrize("text", ["", " \n\t", "{}();", "\n", "…"])
def test_text_without_words_has_a_vector(small: StaticEmbedder, text: str) -> None:
    """A query without words has none, and nothing is near it."""
    [vector] = small.embed([text])
    assert vector.tolist() == pytest.approx([0.5**0.5, 0.5**0.5])
    assert small.embed_query(text).tolist() == [0, 0]


def test_vectors_are_normalized_float32(shipped: StaticEmbedder) -> None:
    vectors = shipped.embed(
        ["a.py python method f\ndef f(): pass", "größe 文件 🐛 x_1", "q" * 10_000]
    )
    for vector in [*vectors, shipped.embed_query("where is the file read")]:
        assert vector.dtype == np.float32 and vector.shape == (shipped.dimensions,)
        assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)


def test_vector_does_not_depend_on_the_batch(shipped: StaticEmbedder) -> None:
    texts = [f"src/x{n}.py python method f{n}\nreturn quux{n} + {n}" for n in range(200)]
    together = shipped.embed(texts)
    alone = [StaticEmbedder().embed([text])[0] for text in texts[::50]]
    np.testing.assert_allclose(np.array(together[::50]), np.array(alone), atol=1e-6)


def test_more_unknown_words_than_the_cache_holds_change_nothing(shipped: StaticEmbedder) -> None:
    text = "src/one.py python method one\nfrobnicate the wibble"
    [before] = shipped.embed([text])
    shipped.embed([" ".join(f"zq{n}xk{m}jv" for m in range(300)) for n in range(60)])
    [after] = shipped.embed([text])
    np.testing.assert_allclose(before, after, atol=1e-6)


def test_model_identity_is_that_of_its_file(shipped: StaticEmbedder) -> None:
    embedder: Embedder = shipped
    assert embedder.model == f"feeder-static-{STATIC_MODEL_SHA256[:8]}"
    assert embedder.dimensions == 256
    embedder.close()
    embedder.close()


def test_synonyms_are_near(shipped: StaticEmbedder) -> None:
    request = shipped.embed_query("delete a directory")
    right, wrong = shipped.embed(["remove_folder(path)", "parse_json(text)"])
    assert float(request @ right) > float(request @ wrong) + 0.2


@pytest.mark.parametrize("change", [b"", b"x", None])
def test_changed_file_is_refused_with_a_remedy(tmp_path: Path, change: bytes | None) -> None:
    path = tmp_path / "model.bin"
    content = MODEL_FILE.read_bytes()
    path.write_bytes(content[:-1] if change is None else change)
    with pytest.raises(UserError, match=re.escape(install_command())):
        StaticEmbedder(path)


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot be read .*Install it again"):
        StaticEmbedder(tmp_path / "none.bin")


def test_shipped_file_is_within_its_size_limit() -> None:
    assert MODEL_FILE.stat().st_size <= 10_000_000


@pytest.mark.parametrize(
    "text",
    [
        "how is a JSON file parsed?",
        "xyzzyFoo frobnicated xyzzyFoo",
        "Où est le café",
        "文件 file",
        "",
        "{}();",
        " ".join(f"zq{n}xk and more" for n in range(600)),
    ],
)
def test_query_vectors_without_numpy_are_the_same(shipped: StaticEmbedder, text: str) -> None:
    np.testing.assert_allclose(
        StaticQueryEmbedder().embed_query(text), shipped.embed_query(text), atol=1e-6
    )


@pytest.mark.parametrize("content", [MODEL_FILE.read_bytes()[:-1], b""], ids=["cut", "empty"])
def test_changed_file_is_refused_for_queries_too(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(UserError, match=re.escape(install_command())):
        StaticQueryEmbedder(path)


_RUN = """
import { readFileSync } from "node:fs";
const { splitWords, splitTokens, ngrams, fnv1a } = await import(process.argv[1]);
const file = readFileSync(process.argv[2]);
const [, dimensions, known, buckets, bytes] = new Uint32Array(file.buffer, file.byteOffset + 8, 5);
const count = known + buckets;
const at = 64 + 12 * count;
const weights = new Float32Array(file.buffer, file.byteOffset + 64, 3 * count);
const rows = new Int8Array(file.buffer, file.byteOffset + at, count * dimensions);
const names = file.toString("utf8", at + count * dimensions, at + count * dimensions + bytes);
const of = new Map(names.split("\\n").map((word, row) => [word, row]));
const embed = (text) => {
  const counts = new Map();
  for (const part of splitWords(text).flatMap(splitTokens))
    counts.set(part, (counts.get(part) ?? 0) + 1);
  const sum = new Float64Array(dimensions);
  for (const [part, times] of counts) {
    const bucket = (run) => known + (fnv1a(run) % buckets);
    const found = of.has(part) ? [of.get(part)] : ngrams(part).map(bucket);
    const weight = found.reduce((all, row) => all + weights[2 * count + row], 0) / found.length;
    for (const row of found) {
      const share = ((1 + Math.log(times)) * weight * weights[row]) / found.length;
      for (let d = 0; d < dimensions; d++) sum[d] += share * rows[row * dimensions + d];
    }
  }
  const norm = Math.hypot(...sum) || 1;
  return [...sum].map((one) => one / norm);
};
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(embed)));
"""


def test_javascript_computes_the_same_query_vectors(shipped: StaticEmbedder) -> None:
    texts = [
        "how is a JSON file parsed?",
        "xyzzyFoo frobnicated",
        "Où est le café",
        "",
        "文件 file",
    ]
    script = Path(static_tokenizer.__file__).with_suffix(".mjs")
    command = ["node", "--input-type=module", "--eval", _RUN, str(script), str(MODEL_FILE)]
    run = subprocess.run(command, input=json.dumps(texts).encode(), capture_output=True, check=True)
    mine = [shipped.embed_query(text).tolist() for text in texts]
    np.testing.assert_allclose(json.loads(run.stdout), mine, atol=1e-5)
