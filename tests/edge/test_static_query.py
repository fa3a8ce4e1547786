"""The Worker computes the static model's query vectors from the file beside it."""

import json
import subprocess
from typing import Any

import numpy as np

from feeder.embedding.static_model import MODEL_FILE, StaticEmbedder, read_model

SCRIPT = MODEL_FILE.with_name("static_query.mjs")
PROGRAM = """
import { readFileSync } from "node:fs";
const { queryVector, readModel } = await import(process.argv[1]);
const { buffer, byteOffset, byteLength } = readFileSync(process.argv[2]);
const model = readModel(buffer.slice(byteOffset, byteOffset + byteLength));
const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => queryVector(text, model))));
"""
QUERIES = [
    "where is the refresh token stored",
    "parseDeltaFile XMLHttpRequest2 utf8",
    "zxqvbnm frobnicateTheWidgets zxqvbnm zxqvbnm",
    "zzqqxx",
    "Größe der Warteschlange, naïve façade",
    "где хранится токен 日本語の文書",
    "' OR 1=1; -- %_\" \\",
    "a\nline",
    "…",
]


def vectors_in_node(texts: list[str]) -> Any:
    """Runs the Worker's JavaScript on texts."""
    command = ["node", "--input-type=module", "--eval", PROGRAM, str(SCRIPT), str(MODEL_FILE)]
    done = subprocess.run(
        command, input=json.dumps(texts).encode(), capture_output=True, check=True
    )
    return json.loads(done.stdout)


def test_query_has_the_vector_of_the_model() -> None:
    """For known and unknown words, all alphabets, and none."""
    model = StaticEmbedder()
    for text, vector in zip(QUERIES, vectors_in_node(QUERIES), strict=True):
        np.testing.assert_allclose(vector, model.embed_query(text), atol=1e-6, err_msg=text)


def test_first_and_last_word_of_the_vocabulary_have_their_own_rows() -> None:
    model = StaticEmbedder()
    vocabulary = list(read_model().vocabulary)
    words = [vocabulary[0], vocabulary[-1]]
    for word, vector in zip(words, vectors_in_node(words), strict=True):
        np.testing.assert_allclose(vector, model.embed_query(word), atol=1e-6, err_msg=word)
