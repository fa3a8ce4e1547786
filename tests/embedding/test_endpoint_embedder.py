"""The `Embedder` for a model behind an address, against a server over real HTTP."""

from typing import Any

import numpy as np
import pytest

from embedding.endpoint_server import (
    Model,
    hashed_vectors,
    respond_as_bge_m3,
    respond_with,
    respond_with_vectors,
)
from feeder.embedding.endpoint import Endpoint, parse_address
from feeder.embedding.endpoint_embedder import EndpointEmbedder
from feeder.errors import UserError


@pytest.mark.parametrize("as_base64", [False, True])
def test_vectors_are_in_the_order_of_texts(model: Model, as_base64: bool) -> None:
    """The server returns them in reverse, with length 2, as numbers or as base64."""
    model.server.always = respond_with_vectors(as_base64=as_base64)
    vectors = model().embed(["a", "b", "c"])
    assert [vector.dtype for vector in vectors] == [np.float32] * 3
    for vector, expected in zip(vectors, hashed_vectors("a", "b", "c"), strict=True):
        assert vector == pytest.approx(expected, abs=1e-6)


def test_request_has_key_model_and_texts(model: Model) -> None:
    """No encoding format, which Voyage would reject."""
    model(key="s3cret-key", known=model.known()).embed(["a"])
    [request] = model.server.log
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "some-model", "input": ["a"]}
    assert request.headers["Authorization"] == "Bearer s3cret-key"
    assert request.headers["Content-Type"] == "application/json"


def test_without_a_key_no_header_is_sent(model: Model) -> None:
    """As for Ollama."""
    model(known=model.known()).embed(["a"])
    assert "Authorization" not in model.server.log[0].headers


@pytest.mark.parametrize(
    ("url", "path", "place"),
    [
        ("http://h:1/v1#m", "http://h:1/v1/embeddings", "m@h:1"),
        ("http://h:1/v1/#m", "http://h:1/v1/embeddings", "m@h:1"),
        ("http://h:1/v1/embeddings#m", "http://h:1/v1/embeddings", "m@h:1"),
        ("http://h:1#m", "http://h:1/v1/embeddings", "m@h:1"),
        ("HTTPS://Example.org/V2/gate/v1#a/b:c", "https://example.org/V2/gate/v1/embeddings",
         "a/b:c@example.org/V2/gate"),
        ("http://[::1]:8/v1#m", "http://[::1]:8/v1/embeddings", "m@[::1]:8"),
        ("https://u:p@h/v1?api-version=1#m", "https://h/v1/embeddings?api-version=1", "m@h"),
    ],
)  # fmt: skip
def test_model_identity_contains_name_and_address(url: str, path: str, place: str) -> None:
    """Without user, password and query."""
    endpoint = Endpoint(parse_address(url))
    assert endpoint.address.url == path
    assert EndpointEmbedder(endpoint).model == place
    endpoint.close()


@pytest.mark.parametrize(
    "wrong",
    ["http://h/v1", "http://h/v1#", "http://#m", "ftp://u:pa55@h#m", "http://h:x/v1#m",
     "http://h/v1#a b", "http://[h/v1#m", "http://h\x1b/v1#m", "http:///v1#m"],
)  # fmt: skip
def test_invalid_address_is_an_error_with_an_example(wrong: str) -> None:
    """The address is not quoted, since it may contain a password."""
    with pytest.raises(UserError) as raised:
        parse_address(wrong)
    assert str(raised.value) == (
        "The model's address does not have the form URL#name. "
        "Write it as in --model http://127.0.0.1:11434/v1#nomic-embed-text."
    )


def test_key_with_invalid_characters_is_refused(model: Model) -> None:
    """It would break the header and be quoted in an error."""
    with pytest.raises(UserError, match="FEEDER_API_KEY contains spaces") as raised:
        model(key="one two")
    assert "one two" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "text", "query"),
    [
        ("nomic-embed-text", {"input": ["search_document: t"]}, {"input": ["search_query: t"]}),
        ("intfloat/multilingual-e5-small", {"input": ["passage: t"]}, {"input": ["query: t"]}),
        ("bge-base-en-v1.5", {"input": ["t"]},
         {"input": ["Represent this sentence for searching relevant passages: t"]}),
        ("voyage-code-3", {"input": ["t"], "input_type": "document"},
         {"input": ["t"], "input_type": "query"}),
        ("jina-embeddings-v3", {"input": ["t"], "task": "retrieval.passage"},
         {"input": ["t"], "task": "retrieval.query"}),
        ("text-embedding-qwen3-embedding-0.6b", {"input": ["t"]},
         {"input": ["Instruct: Given a question about a code base, retrieve the code that answers "
                    "it\nQuery: t"]}),
        ("bge-m3", {"input": ["t"]}, {"input": ["t"]}),
    ],
)  # fmt: skip
def test_each_model_family_gets_its_prompts(
    model: Model, name: str, text: dict[str, Any], query: dict[str, Any]
) -> None:
    """As a prefix of the text or as a field of the request."""
    embedder = model(name)
    model.server.always = respond_with_vectors(dimensions=embedder.dimensions)
    embedder.embed(["t"])
    embedder.embed_query("t")
    assert [request.body for request in model.server.log] == [
        {"model": name, **text},
        {"model": name, **query},
    ]


def test_dimensions_are_requested_once_if_unknown(model: Model) -> None:
    """With one short text; a table of models and the index make it unnecessary."""
    unknown = model()
    assert (unknown.dimensions, unknown.dimensions) == (64, 64)
    assert [request.texts for request in model.server.log] == [["a"]]
    assert model("bge-m3").dimensions == 1024
    assert model(known=model.known()).dimensions == 64
    assert len(model.server.log) == 1
    assert model(known={"model": "other@h", "dimensions": "7"}).dimensions == 64


@pytest.mark.parametrize(
    ("name", "field"),
    [("text-embedding-3-small", "dimensions"), ("voyage-code-3", "output_dimension"),
     ("some-model", "dimensions")],
)  # fmt: skip
def test_shorter_vectors_are_requested(model: Model, name: str, field: str) -> None:
    """With the parameter name of the server."""
    embedder = model(name, 64)
    assert len(embedder.embed(["a"])[0]) == 64
    assert model.server.log[0].body[field] == 64


def test_full_vectors_are_shortened_if_the_model_allows_it(model: Model) -> None:
    """LM Studio ignores `dimensions`. The first numbers are normalized to length 1."""
    model.server.always = respond_with_vectors(dimensions=1024)
    text = " ".join(f"word{number}" for number in range(200))
    [vector] = model("qwen3-embedding:0.6b", 256).embed([text])
    [whole] = hashed_vectors(text, dimensions=1024)
    assert vector == pytest.approx(whole[:256] / np.linalg.norm(whole[:256]), abs=1e-6)


def test_default_dimensions_are_not_sent(model: Model) -> None:
    """vLLM rejects the parameter."""
    model.server.always = respond_as_bge_m3
    model("bge-m3", 1024).embed(["a"])
    assert set(model.server.log[0].body) == {"model", "input"}


def test_shortened_unknown_model_has_another_identity(model: Model) -> None:
    """Its index does not tell the full number of dimensions."""
    assert model("m", 64).model == f"m@{model.server.place} at 64"
    assert model("text-embedding-3-small", 64).model == (
        f"text-embedding-3-small@{model.server.place}"
    )


def test_texts_are_distributed_to_requests(model: Model) -> None:
    """32 per request for an unknown model: 70 texts are three requests."""
    model(known=model.known()).embed([f"text {number}" for number in range(70)])
    assert sorted(len(request.texts) for request in model.server.log) == [23, 23, 24]


def test_long_text_is_cut_to_the_models_limit(model: Model) -> None:
    """512 tokens of three bytes, including the prefix."""
    embedder = model("e5-small-v2")
    model.server.always = respond_with_vectors(dimensions=384)
    embedder.embed(["x" * 5000])
    assert model.server.log[0].texts == ["passage: " + "x" * (1536 - 9)]


def test_requests_and_tokens_are_counted(model: Model) -> None:
    """Tokens as the server reports them: 7 per text."""
    model.server.answers = [respond_with(500, {"error": "busy"})]
    embedder = model(known=model.known())
    embedder.embed(["a", "b"])
    assert embedder.usage == (2, 14, 0)
    assert embedder.estimate([30] * 70) == (3, 700, 0)
