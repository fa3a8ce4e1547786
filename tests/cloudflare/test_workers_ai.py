"""The `Embedder` on Workers AI, against its limits."""

from typing import Any

import numpy as np
import pytest
import respx
from clouds import Cloud, FakeClock
from hypothesis import given
from hypothesis import strategies as st

from feeder.cloudflare.api import Api
from feeder.cloudflare.workers_ai import MODELS, WorkersAIEmbedder
from feeder.embedding.batching import split_batches
from feeder.errors import ServiceError, UserError

QWEN = "@cf/qwen/qwen3-embedding-0.6b"
GEMMA = "@cf/google/embeddinggemma-300m"


def requests(cloud: Cloud) -> list[dict[str, Any]]:
    return [entry for entry in cloud.standin.log() if entry["route"] == "ai.run"]


def embedded(cloud: Cloud, *texts: str, **settings: Any) -> list[Any]:
    embedder = WorkersAIEmbedder(cloud.api, **settings)
    vectors = embedder.embed(texts)
    embedder.close()
    return vectors


def test_default_model_is_bge_m3(cloud: Cloud) -> None:
    """1,024 dimensions, length 1, float32."""
    embedder = WorkersAIEmbedder(cloud.api)
    [vector] = embedder.embed(["def add(a, b): return a + b"])

    assert (embedder.model, embedder.dimensions) == ("@cf/baai/bge-m3", 1024)
    assert vector.dtype == np.float32
    assert len(vector) == 1024
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_embeds_texts_and_queries(cloud: Cloud, name: str) -> None:
    """With the dimensions of the table."""
    embedder = WorkersAIEmbedder(cloud.api, name)

    assert [len(vector) for vector in embedder.embed(["one", "two"])] == [embedder.dimensions] * 2
    assert len(embedder.embed_query("three")) == embedder.dimensions


def test_vectors_are_in_the_order_of_texts(cloud: Cloud) -> None:
    """Although texts are distributed to several concurrent requests."""
    texts = [f"number{number} " * (1 + number * 37 % 50) for number in range(450)]

    together = embedded(cloud, *texts)

    alone = embedded(cloud, texts[0]) + embedded(cloud, texts[17]) + embedded(cloud, texts[449])
    for one, vector in zip(alone, (together[0], together[17], together[449]), strict=True):
        assert np.array_equal(one, vector)


@pytest.mark.parametrize(
    ("model", "count", "sizes"),
    [
        (None, 1000, [100] * 10),
        (None, 101, [50, 51]),
        (QWEN, 65, [21, 22, 22]),
    ],
)
def test_request_has_the_models_number_of_texts(
    cloud: Cloud, model: str | None, count: int, sizes: list[int]
) -> None:
    """100 for bge-m3, 32 for qwen3; no request for no text."""
    embedded(cloud, *[f"text {number}" for number in range(count)], model=model)
    embedded(cloud, model=model)

    assert sorted(entry["texts"] for entry in requests(cloud)) == sizes


def test_request_is_below_the_token_limit(cloud: Cloud) -> None:
    """100 texts of 3,000 characters are an estimated 100,000 tokens; the limit is 50,000."""
    embedded(cloud, *["x" * 3000] * 100)

    assert [entry["texts"] for entry in requests(cloud)] == [50, 50]


def test_too_long_text_is_cut(cloud: Cloud) -> None:
    """Whether or not the model has a parameter for it."""
    long = "word " * 20_000
    for model in ("@cf/baai/bge-m3", QWEN, GEMMA):
        [vector] = embedded(cloud, long, model=model)
        [same] = embedded(cloud, long + "and more", model=model)
        assert np.array_equal(vector, same)


def test_text_that_the_service_rejects_as_too_long_is_halved(cloud: Cloud) -> None:
    """The estimate can be wrong; a too large request is split as well."""
    # four characters a token by the stand-in, so these 400 tokens are too many for it
    cloud.standin.change(ai_request_tokens=150)

    vectors = embedded(cloud, "a" * 800, "b" * 800)

    assert len(vectors) == 2
    assert [entry["status"] for entry in requests(cloud)] == [413, 413, 200, 413, 200]


def test_empty_and_invalid_texts_are_embedded(cloud: Cloud) -> None:
    assert len(embedded(cloud, "", "caf\udce9", "𝄞")) == 3


def test_shortened_vectors_are_normalized(cloud: Cloud) -> None:
    """The first numbers of the whole vector, at length 1."""
    [whole] = embedded(cloud, "a text", model=QWEN)
    [short] = embedded(cloud, "a text", model=QWEN, dimensions=256)

    assert short == pytest.approx(whole[:256] / np.linalg.norm(whole[:256]), abs=1e-6)


@pytest.mark.parametrize(
    ("model", "dimensions", "remedy"),
    [
        (None, 256, "Set --dimensions 1024."),
        (QWEN, 31, "Set --dimensions 32 to 1024."),
        (QWEN, 2048, "Set --dimensions 32 to 1024."),
        (GEMMA, 300, "Set --dimensions 128 or 256 or 512 or 768."),
    ],
)
def test_unsupported_dimensions_are_refused(
    cloud: Cloud, model: str | None, dimensions: int, remedy: str
) -> None:
    """The error lists the supported ones."""
    with pytest.raises(UserError, match=remedy):
        WorkersAIEmbedder(cloud.api, model, dimensions)


def test_unknown_model_is_refused(cloud: Cloud) -> None:
    """The error lists the known ones."""
    with pytest.raises(UserError, match="Choose one of: @cf/baai/bge-m3, "):
        WorkersAIEmbedder(cloud.api, "@cf/acme/none")


def test_query_prompt_depends_on_the_model(cloud: Cloud) -> None:
    """qwen3 and the smaller models have one; bge-m3 does not."""
    for model, differs in (("@cf/baai/bge-m3", False), (QWEN, True), (GEMMA, True)):
        embedder = WorkersAIEmbedder(cloud.api, model)
        [text] = embedder.embed(["add an article"])
        query = embedder.embed_query("add an article")
        assert np.array_equal(text, query) is not differs


@pytest.mark.parametrize(
    ("sizes", "requests", "tokens"),
    [
        ([], 0, 0),
        ([0], 1, 0),
        ([1, 3, 4], 1, 4),  # a third of a token is one
        ([3000] * 100, 2, 100_000),
        ([30_000], 1, 8192),  # cut at what the model reads
        ([3] * 1050, 11, 1050),  # a thousand texts are handed over at once
    ],
)
def test_requests_are_estimated_from_text_sizes(
    cloud: Cloud, sizes: list[int], requests: int, tokens: int
) -> None:
    """Three bytes per token; 100 texts and 50,000 tokens per request."""
    found = WorkersAIEmbedder(cloud.api).estimate(sizes)
    assert (found.requests, found.tokens) == (requests, tokens)


def test_tokens_and_neurons_are_estimated(cloud: Cloud) -> None:
    """Three bytes per token; $0.012 per million tokens at $0.011 per 1,000 neurons."""
    embedder = WorkersAIEmbedder(cloud.api)
    embedder.embed(["x" * 3000] * 10)
    embedder.embed_query("abc")

    assert embedder.usage.tokens == 10_001
    assert embedder.usage.neurons == pytest.approx(10_001 * 0.012 / 0.011 / 1000)


def test_transient_errors_are_retried(cloud: Cloud) -> None:
    """Some of the concurrent requests fail."""
    cloud.standin.fault("ai_capacity", route="ai.run", requests=[1, 4])
    cloud.standin.fault("reset", route="ai.run", requests=[2])

    assert len(embedded(cloud, *map(str, range(500)))) == 500
    assert cloud.api.retries["ai"] == 3


def test_daily_quota_stops_all_requests(cloud: Cloud) -> None:
    """Queued ones are not sent, and the embedder can be used again."""
    cloud.standin.fault("ai_daily_neurons", route="ai.run")
    embedder = WorkersAIEmbedder(cloud.api)

    with pytest.raises(ServiceError, match="00:00 UTC"):
        embedder.embed(list(map(str, range(1000))))

    assert len(embedder.embed(["a"])) == 1
    embedder.close()
    embedder.close()


def test_missing_permission_is_named(cloud: Cloud) -> None:
    """Workers AI Read."""
    cloud.standin.grant("only-d1", "d1")
    with pytest.raises(UserError, match="Workers AI Read"):
        WorkersAIEmbedder(cloud.connect("only-d1")).embed(["a"])


@pytest.mark.parametrize(
    ("result", "complaint"),
    [
        (
            {"shape": [1, 1024], "data": [[0.1] * 1024]},
            "1 vectors of .1024. dimensions for 2 texts",
        ),
        ({"data": [[0.1] * 1024, [0.1] * 768]}, "2 vectors of .768, 1024. dimensions for 2 texts"),
        ({"data": [[0.1] * 1024, [0.0] * 1024]}, "zero or not finite"),
        ({"data": [[0.1] * 1024, [None] * 1024]}, "zero or not finite"),
        ({"data": [[0.1] * 1024, ["a"] * 1024]}, "zero or not finite"),
        ({"data": [[0.1] * 1024, None]}, "2 vectors of .0, 1024. dimensions"),
        ({"data": None}, "0 vectors"),
        (None, "0 vectors"),
    ],
)
def test_malformed_response_is_an_error(result: Any, complaint: str) -> None:
    """The number and length of vectors are checked."""
    api = Api("token", "account", base_url="https://api.example.org", clock=FakeClock())
    with respx.mock as mock:
        mock.route().respond(json={"success": True, "result": result})
        with pytest.raises(ServiceError, match=complaint):
            WorkersAIEmbedder(api).embed(["a", "b"])


@given(st.lists(st.integers(1, 60), max_size=60), st.integers(1, 10), st.integers(60, 200))
def test_distribution_keeps_both_limits(sizes: list[int], most: int, most_size: int) -> None:
    """Every text is in exactly one request."""
    parts = split_batches(sizes, most, most_size)

    assert sorted(at for part in parts for at in part) == list(range(len(sizes)))
    assert all(0 < len(part) <= most for part in parts)
    assert all(sum(sizes[at] for at in part) <= most_size for part in parts)


def test_distribution_fills_requests_evenly() -> None:
    """Computed by hand: the largest first, in turns."""
    assert split_batches([1, 9, 5, 7, 3, 2], 3, 100) == [[1, 2, 5], [3, 4, 0]]
    assert split_batches([50, 50, 50], 100, 100) == [[0, 2], [1]]
    assert split_batches([500], 100, 100) == [[0]]
    assert split_batches([], 100, 100) == []
