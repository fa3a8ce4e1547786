"""Error responses and invalid responses of an embedding server."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from clouds import FakeClock

from embedding.endpoint_server import (
    Answer,
    EmbeddingRequest,
    EmbeddingResponse,
    Model,
    Server,
    hashed_vectors,
    respond_as_bge_m3,
    respond_with,
    running_server,
)
from feeder.embedding.endpoint import Endpoint, Timeouts, parse_address
from feeder.embedding.endpoint_embedder import EndpointEmbedder
from feeder.errors import ServiceError, UserError

pytestmark = pytest.mark.slow

KEY_REFUSED = "{m}: no reason given (HTTP 401). Set FEEDER_API_KEY to a key that is valid at {p}."
PLACE = "Load or pull the model there, or correct --model URL#name: the URL usually ends in /v1."
CHECK = (
    "Check the address, as in --model http://127.0.0.1:11434/v1#nomic-embed-text, and the proxy "
    "if there is one."
)
ELSE = "{p} answered HTTP %d without embeddings (%r). " + CHECK


def too_large(words: Any, status: int, *, texts: int, chars: int = 10_000) -> Answer:
    """Responds with an error to requests with more texts or a longer text."""

    def answer(request: EmbeddingRequest) -> EmbeddingResponse:
        if len(request.texts) > texts or max(map(len, request.texts)) > chars:
            return respond_with(status, words)(request)
        return respond_as_bge_m3(request)

    return answer


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (413, {"error": "batch size 64 > maximum allowed batch size 32", "error_type": "x"}),
        (422, {"error": "Input validation error: `inputs` must have less tokens, max tokens 512"}),
        (400, {"error": {"message": "the input length exceeds the context length", "code": None}}),
        (400, {"object": "error", "message": "This model's maximum context length is 512 tokens."}),
        (400, {"detail": "The max allowed tokens per submitted batch is 120000."}),
        (400, {"object": "error", "message": "Too many tokens in batch. Max is 16384 got 17555"}),
        (400, {"error": {"message": "batch size is invalid, it should not be larger than 10."}}),
        (500, {"error": {"code": 500, "message": "input is too large to process."}}),
        (429, {"error": {"message": "Request too large for text-embedding-3-small on TPM"}}),
    ],
)
def test_too_large_request_is_halved(model: Model, status: int, words: Any) -> None:
    """For the error messages of TEI, Ollama, vLLM, Voyage, Mistral, DashScope, llama.cpp and
    OpenAI, without waiting.
    """
    model.server.always = too_large(words, status, texts=2, chars=100)
    vectors = model("bge-m3").embed(["a", "b" * 150, "c"])
    for vector, expected in zip(
        vectors, hashed_vectors("a", "b" * 75, "c", dimensions=1024), strict=True
    ):
        assert vector == pytest.approx(expected, abs=1e-6)
    assert model.clock.slept == []


def test_request_that_stays_too_large_is_an_error(model: Model) -> None:
    """After a text of one character."""
    said_ = model.error_message(ServiceError, respond_with(413, {"error": "Payload too large"}))
    assert said_.endswith("Payload too large (HTTP 413).")


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
@pytest.mark.parametrize("page", [{"error": {"message": "busy"}}, "<title>Busy</title>", ""])
def test_transient_error_is_retried(model: Model, status: int, page: Any) -> None:
    """After 1, 2, 4 and 8 s, each with up to one more; after five tries the run fails."""
    model.server.answers = [respond_with(status, page)] * 4
    model.server.always = respond_as_bge_m3
    assert len(model("bge-m3").embed(["a"])) == 1
    for slept, least in zip(model.clock.slept, (1, 2, 4, 8), strict=True):
        assert least <= slept <= least + 1
    words = model.error_message(ServiceError, respond_with(status, page))
    assert f"(HTTP {status}). Run again later." in words
    assert len(model.server.log) == 10


@pytest.mark.parametrize(
    ("after", "slept"), [("7", 7), ("Mon, 12 Jan 1970 13:46:52 GMT", 12), ("9999", 300)]
)
def test_retry_after_is_obeyed(model: Model, after: str, slept: int) -> None:
    """At most five minutes; the clock is at 1,000,000 s, which is 13:46:40 of that day."""
    model.server.answers = [respond_with(429, {"error": "slow down"}, Retry_After=after)]
    model.server.always = respond_as_bge_m3
    model("bge-m3").embed(["a"])
    assert model.clock.slept == [slept]


def test_query_is_tried_once(model: Model) -> None:
    """A user waits, and words can be searched without it."""
    model.server.always = respond_with(503, {"error": "loading"}, Retry_After="60")
    with pytest.raises(ServiceError):
        model("bge-m3").embed_query("a")
    assert (len(model.server.log), model.clock.slept) == (1, [])


@pytest.mark.parametrize(
    ("status", "answer", "sentence"),
    [
        (
            401,
            {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}},
            "{m}: Incorrect API key provided [invalid_api_key] (HTTP 401). Set FEEDER_API_KEY to a "
            "key that is valid at {p}.",
        ),
        (401, "", KEY_REFUSED),
        (
            403,
            "<html><title>Forbidden</title>",
            "{m}: Forbidden (HTTP 403). Set FEEDER_API_KEY to a key that is valid at {p}.",
        ),
        (
            404,
            {"error": {"message": "model not found, try pulling it first"}},
            "{m}: model not found, try pulling it first (HTTP 404). " + PLACE,
        ),
        (
            400,
            {"error": "No models loaded. Please load a model in the developer page."},
            "{m}: No models loaded. Please load a model in the developer page (HTTP 400). " + PLACE,
        ),
        (400, {"detail": "Model 'x' not found"}, "{m}: Model 'x' not found (HTTP 400). " + PLACE),
        (
            400,
            {"object": "error", "message": "Model does not support matryoshka representation"},
            "{m}: Model does not support matryoshka representation (HTTP 400). Leave --dimensions "
            "out, or choose a model that can shorten its vectors.",
        ),
        (
            422,
            {"detail": [{"loc": ["body"], "msg": "dimensions: not a number"}]},
            "{m}: dimensions: not a number (HTTP 422). Leave --dimensions out, or choose a model "
            "that can shorten its vectors.",
        ),
        (404, "404 page not found", ELSE % (404, "404 page not found")),
        (200, "<html><title>Log in</title></html>", ELSE % (200, "Log in")),
        (200, {"error": "Unexpected endpoint"}, ELSE % (200, "Unexpected endpoint")),
        (200, [1, 2], ELSE % (200, "[1, 2]")),
    ],
)
def test_permanent_error_names_the_remedy(
    model: Model, status: int, answer: Any, sentence: str
) -> None:
    """One sentence with the server's message, after one request."""
    words = model.error_message(UserError, respond_with(status, answer))
    place = model.server.place
    assert words == sentence.format(m=f"bge-m3@{place}", p=place)
    assert len(model.server.log) == 1


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (402, {"detail": "Payment Required"}),
        (403, {"detail": "Insufficient account balance"}),
        (429, {"error": {"message": "You exceeded it, see there", "code": "insufficient_quota"}}),
    ],
)
def test_exhausted_quota_is_not_retried(model: Model, status: int, answer: Any) -> None:
    words = model.error_message(ServiceError, respond_with(status, answer))
    assert words.endswith("Wait, or raise the quota there; then run again.")
    assert len(model.server.log) == 1


def test_redirect_is_not_followed(model: Model) -> None:
    """It would pass on the key."""
    with running_server() as other:
        elsewhere = respond_with(307, "", Location=f"{other.url}/embeddings")
        words = model.error_message(UserError, elsewhere, key="s3cret-key")
        assert "redirects (HTTP 307), and the key is not sent to another address" in words
        assert other.log == []


def numbers(*vectors: Any, **more: Any) -> Answer:
    return respond_with(200, {"data": [{"embedding": vector, **more} for vector in vectors]})


LONG = [1.0] * 1024


@pytest.mark.parametrize(
    "answer",
    [
        numbers(LONG),
        numbers(LONG, LONG, LONG),
        numbers(),
        numbers(LONG, LONG, index=0),
        numbers(LONG, LONG, index="first"),
        numbers(LONG, LONG[:1000]),
        numbers([LONG], [LONG]),
        numbers("AAA", "AAA"),
        numbers({}, {}),
        numbers("x" * 4096, "a word"),
        respond_with(200, {"data": [1, 2]}),
        respond_with(200, {"data": [{"index": 0}, {"index": 1}]}),
    ],
)
def test_response_without_one_vector_per_text_is_an_error(model: Model, answer: Answer) -> None:
    """Too few, too many, of two lengths, or not numbers."""
    words = model.error_message(ServiceError, answer)
    assert words == (
        f"bge-m3@{model.server.place} did not return 2 vectors of one length for 2 "
        "texts. Run again; if it happens again, choose another --model."
    )
    assert len(model.server.log) == 1


@pytest.mark.parametrize("number", ["NaN", "Infinity", "0", "1e60", "null"])
def test_zero_or_infinite_vector_is_an_error(model: Model, number: str) -> None:
    vector = f"[{', '.join([number] * 1024)}]"
    page = f'{{"data": [{{"embedding": {vector}}}, {{"embedding": {vector}}}]}}'
    assert "are zero or not finite" in model.error_message(ServiceError, respond_with(200, page))


def test_changed_dimensions_are_an_error(model: Model) -> None:
    """The model behind the name has changed; the remedy names the right number."""
    with pytest.raises(UserError) as raised:
        model(known=model.known(32)).embed(["a"])
    assert str(raised.value) == (
        f"some-model@{model.server.place} returned vectors of 64 dimensions instead of 32. "
        "Set --dimensions 64, or choose another --model."
    )
    assert len(model(dimensions=64).embed(["a"])[0]) == 64


def test_model_that_cannot_shorten_is_an_error(model: Model) -> None:
    """The remedy names its dimensions; vectors are not cut."""
    model.server.always = respond_as_bge_m3
    with pytest.raises(UserError, match="returned vectors of 1024 dimensions instead of 100"):
        model("bge-m3", 100).embed(["a"])


def test_incomplete_response_is_retried(model: Model) -> None:
    """The connection or the JSON ends early."""
    kind = {"Content-Type": "application/json"}
    model.server.answers = [
        lambda request: EmbeddingResponse(200, b'{"data": [', kind, length=1000),
        lambda request: EmbeddingResponse(200, b'{"data": [', kind),
    ]
    model.server.always = respond_as_bge_m3
    assert len(model("bge-m3").embed(["a"])) == 1
    assert len(model.clock.slept) == 2


def test_silent_server_times_out(model: Model) -> None:
    """Five tries, each up to the timeout."""
    with running_server() as silent:
        released = silent.lock  # held: no request is answered
        with released:
            model.server = silent
            with pytest.raises(ServiceError, match=r"sent an incomplete response \(timed out\)"):
                model("bge-m3", timeouts=Timeouts(0.05, 5)).embed(["a"])
    assert len(model.clock.slept) == 4


def test_endless_response_times_out(model: Model) -> None:
    """A byte now and then would keep the connection open forever."""

    def drip() -> Iterator[bytes]:
        while True:
            yield b" "

    def dripping(request: EmbeddingRequest) -> EmbeddingResponse:
        return EmbeddingResponse(200, drip(), {"Content-Type": "application/json"}, length=10**12)

    words = model.error_message(ServiceError, dripping, timeouts=Timeouts(5, 0.2))
    assert "did not finish its response" in words
    assert len(model.server.log) == 1


def test_unreachable_server_is_an_error_after_retries(clock: FakeClock) -> None:
    """It may be starting; the error names what to check."""
    with running_server() as gone:
        address = parse_address(f"{gone.url}#bge-m3")
    embedder = EndpointEmbedder(Endpoint(address, clock=clock))
    with pytest.raises(ServiceError, match=r"cannot be reached .* and --model\.$"):
        embedder.embed(["a"])
    embedder.close()
    assert len(clock.slept) == 4


SECRET = "Xk29-qLmR47_vTzE81wPbN36sHcYdU05jGaF"


def echoing(request: EmbeddingRequest) -> EmbeddingResponse:
    """Responds with an error that quotes the request."""
    return respond_with(400, {"error": f"bad request: {request.headers} {request.path}"})(request)


@pytest.mark.parametrize(
    ("userinfo", "query", "key"),
    [
        ("", "", SECRET),
        (f"me:{SECRET}@", "", ""),
        (f"{SECRET}@", "", "k"),
        ("", f"?k={SECRET}", ""),
    ],
)
def test_errors_show_no_secret(
    server: Server, clock: FakeClock, userinfo: str, query: str, key: str
) -> None:
    """Neither key, password, user nor query; the model's name has none either."""
    server.always = echoing
    said_ = f"http://{userinfo}{server.place}/v1{query}#bge-m3"
    embedder = EndpointEmbedder(Endpoint(parse_address(said_), key, clock=clock))
    with pytest.raises(ServiceError) as raised:
        embedder.embed(["a"])
    embedder.close()
    shown = f"{raised.value}{embedder.model}"
    assert "***" in shown
    halves = {SECRET[at : at + len(SECRET) // 2] for at in range(len(SECRET) // 2)}
    assert not [half for half in halves if half in shown]


def test_user_and_password_are_sent_as_basic_authentication(server: Server) -> None:
    """ "me:pw" in base64."""
    endpoint = Endpoint(parse_address(f"http://me:pw@{server.place}/v1#bge-m3"), "key")
    server.always = respond_as_bge_m3
    embedder = EndpointEmbedder(endpoint)
    embedder.embed(["a"])
    embedder.close()
    assert server.log[0].headers["Authorization"] == "Basic bWU6cHc="


def test_close_ends_a_retry_delay(server: Server) -> None:
    server.always = respond_with(429, {"error": "slow down"}, Retry_After="300")
    endpoint = Endpoint(parse_address(f"{server.url}#bge-m3"))
    with ThreadPoolExecutor() as pool:
        asking = pool.submit(endpoint.post, {"input": ["a"]})
        while not server.log:
            time.sleep(0.01)
        endpoint.close()
        assert isinstance(asking.exception(), ServiceError)
