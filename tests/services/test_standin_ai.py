"""Workers AI of the stand-in: what each embedding model takes, and the vectors it gives."""

import math
from typing import Any

import httpx
import pytest
from standin import StandIn
from standin_calls import error_of, result

BGE_M3 = "@cf/baai/bge-m3"
QWEN3 = "@cf/qwen/qwen3-embedding-0.6b"


def _run(api: httpx.Client, model: str, **body: Any) -> httpx.Response:
    return api.post(f"/ai/run/{model}", json=body)


def _vector(api: httpx.Client, model: str = BGE_M3, **body: Any) -> list[float]:
    (vector,) = result(_run(api, model, **body))["data"]
    numbers: list[float] = vector
    return numbers


def _cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(
    ("model", "dimensions", "texts", "tokens"),
    [
        (BGE_M3, 1024, 100, 8192),
        (QWEN3, 1024, 32, 8192),
        ("@cf/google/embeddinggemma-300m", 768, 100, 2048),
        ("@cf/baai/bge-small-en-v1.5", 384, 100, 512),
        ("@cf/baai/bge-base-en-v1.5", 768, 100, 512),
        ("@cf/baai/bge-large-en-v1.5", 1024, 100, 512),
    ],
)
def test_a_model_has_its_dimensions_and_limits(
    api: httpx.Client, model: str, dimensions: int, texts: int, tokens: int
) -> None:
    """A model gives vectors of its dimensions, and refuses too many texts or too long a one."""
    answer = result(_run(api, model, text=["a"] * texts))

    assert answer["shape"] == [texts, dimensions]
    assert {len(vector) for vector in answer["data"]} == {dimensions}
    assert error_of(_run(api, model, text=["a"] * (texts + 1))) == (400, 5006)
    assert _run(api, model, text="abcd" * tokens).is_success
    assert error_of(_run(api, model, text="abcd" * tokens + "e")) == (413, 5021)


def test_bge_m3_cuts_too_long_an_input_when_told_to(api: httpx.Client) -> None:
    """`truncate_inputs` lets a text pass that is too long; another model does not know it."""
    too_long = "abcd" * 9000

    assert _run(api, BGE_M3, text=too_long, truncate_inputs=True).is_success
    assert error_of(_run(api, QWEN3, text=too_long, truncate_inputs=True)) == (413, 5021)


def test_a_request_has_50_000_tokens(api: httpx.Client, standin: StandIn) -> None:
    """The texts of a request have at most 50,000 tokens together, at four characters a token."""
    texts = ["abcd" * 5000] * 10

    assert _run(api, BGE_M3, text=texts).is_success
    assert error_of(_run(api, BGE_M3, text=[*texts, "a"])) == (413, 3006)
    assert standin.log()[0]["tokens"] == 50_000


@pytest.mark.parametrize("path", ["%40cf%2Fbaai%2Fbge-m3", "@cf%2Fbaai%2Fbge-m3", "@cf/acme/none"])
def test_a_model_is_a_path_with_real_slashes(api: httpx.Client, path: str) -> None:
    """An encoded slash is no slash, and there is no route to an unknown model."""
    assert error_of(api.post(f"/ai/run/{path}", json={"text": "a"})) == (400, 7000)


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (BGE_M3, {}),
        (BGE_M3, {"text": []}),
        (BGE_M3, {"text": [1]}),
        (BGE_M3, {"documents": ["a"]}),
        (QWEN3, {"documents": ["a"], "queries": ["b"]}),
    ],
)
def test_an_input_of_another_shape_is_refused(
    api: httpx.Client, model: str, body: dict[str, Any]
) -> None:
    """A model takes texts, in the field that it knows."""
    assert error_of(_run(api, model, **body)) == (400, 5006)


def test_a_body_that_is_no_json_is_refused(api: httpx.Client) -> None:
    """A body that does not parse is an incomplete request."""
    assert error_of(api.post(f"/ai/run/{BGE_M3}", content="{")) == (400, 3003)


def test_the_same_text_has_the_same_vector_of_length_1(api: httpx.Client) -> None:
    """Vectors are a function of model and text, alone or among others, and are normalised."""
    alone = _vector(api, text="def add(item)")
    _, among = result(_run(api, BGE_M3, text=["other", "def add(item)"]))["data"]

    assert alone == among
    assert math.isclose(_cosine(alone, alone), 1, abs_tol=1e-6)
    assert alone != _vector(api, "@cf/baai/bge-large-en-v1.5", text="def add(item)")


def test_texts_that_share_words_are_near(api: httpx.Client) -> None:
    """A text is nearer to one that shares words with it than to one that does not."""
    query = _vector(api, text="parse delta file")
    near = _vector(api, text="parse the delta of a file")
    far = _vector(api, text="render html template")

    assert _cosine(query, near) > _cosine(query, far) + 0.3


def test_qwen3_tells_queries_from_documents(api: httpx.Client) -> None:
    """A query is embedded with its instruction, a document without one."""
    document = _vector(api, QWEN3, documents=["parse delta file"])
    query = _vector(api, QWEN3, queries=["parse delta file"])
    instructed = _vector(api, QWEN3, queries=["parse delta file"], instruction="find code")

    assert document == _vector(api, QWEN3, text="parse delta file")
    assert document != query != instructed
    assert _cosine(document, query) > 0.5
