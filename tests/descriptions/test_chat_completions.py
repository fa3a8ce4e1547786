"""A language model behind an address: its requests, responses and errors."""

from collections.abc import Iterator

import pytest
from chat_server import (
    Answer,
    ChatReply,
    ChatServer,
    description_reply,
    error_reply,
    running_chat_server,
)
from clouds import FakeClock

from feeder.config import Settings
from feeder.descriptions import MAX_ANSWER_TOKENS, ModelAnswer
from feeder.descriptions.chat_completions import EndpointDescriber
from feeder.embedding.endpoint import CHAT_COMPLETIONS, Endpoint, Timeouts, parse_address
from feeder.errors import ServiceError, TooLargeError, TransientError, UserError
from feeder.retry import MAX_TRIES
from feeder.session.model_selection import select_describer

KEY = "Xk29-qLmR47_vTzE81wPbN36sHcYdU05jGaF"


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with running_chat_server() as model:
        yield model


@pytest.fixture
def describer(model: ChatServer) -> Iterator[EndpointDescriber]:
    address = parse_address(f"{model.url}#some-model", CHAT_COMPLETIONS)
    made = EndpointDescriber(Endpoint(address, KEY, Timeouts(1, 2), FakeClock(start=1_000_000)))
    yield made
    made.close()


def test_request_has_openais_format(model: ChatServer, describer: EndpointDescriber) -> None:
    """Prompt and text are separate messages, with a key and a token limit."""
    assert describer.ask("Do so.", "python method add\n\x00\ud800") == ModelAnswer(
        "Does what is called add here."
    )
    [request] = model.log
    assert (request.path, request.headers["Authorization"]) == (
        "/v1/chat/completions",
        f"Bearer {KEY}",
    )
    assert (request.prompt, request.text) == ("Do so.", "python method add\n\x00?")
    assert (request.body["max_tokens"], request.body["stream"]) == (MAX_ANSWER_TOKENS, False)
    assert (describer.model, tuple(describer.usage)) == (model.model_name, (1, 100, 0.0))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (description_reply(""), ModelAnswer("")),
        (
            description_reply("It adds and adds", "length"),
            ModelAnswer("It adds and adds", is_complete=False),
        ),
        (description_reply("", "content_filter"), ModelAnswer("", refused=True)),
        (description_reply("", refusal="I will not."), ModelAnswer("", refused=True)),
        (
            error_reply(400, "The response was filtered by content management"),
            ModelAnswer("", refused=True),
        ),
        (lambda _: ChatReply(200, {"choices": []}), ModelAnswer("")),
        (lambda _: ChatReply(200, {"choices": [{"message": None}]}), ModelAnswer("")),
        (
            lambda _: ChatReply(200, {"choices": [{"message": {"content": [{"text": "a"}]}}]}),
            ModelAnswer("a"),
        ),
    ],
)
def test_response_is_a_description_or_a_reason(
    model: ChatServer, describer: EndpointDescriber, answer: Answer, told: ModelAnswer
) -> None:
    model.always = answer
    assert describer.ask("Do so.", "python method add") == told


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (error_reply(401, "no such key"), UserError, "FEEDER_API_KEY"),
        (error_reply(404, "model 'x' not found"), UserError, "correct --describe URL#name"),
        (error_reply(400, "maximum context length is 512 tokens"), TooLargeError, "context length"),
        (
            lambda _: ChatReply(200, "<title>Log in</title>"),
            UserError,
            "without an answer ('Log in')",
        ),
        (lambda _: ChatReply(200, {"object": "list"}), UserError, "without an answer"),
        (
            lambda _: ChatReply(200, {"choices": []}, hangs_s=30),
            TransientError,
            "sent an incomplete response",
        ),
        (error_reply(429, "slow down", Retry_After="7"), ServiceError, "slow down"),
        (error_reply(500, "it fell over"), ServiceError, "it fell over"),
    ],
)
def test_error_response_names_the_remedy(
    model: ChatServer,
    describer: EndpointDescriber,
    answer: Answer,
    kind: type[Exception],
    words: str,
) -> None:
    model.always = answer
    with pytest.raises(kind) as raised:
        describer.ask("Do so.", "python method add")
    assert words in str(raised.value)
    assert KEY not in str(raised.value)


def test_transient_error_is_retried(model: ChatServer, describer: EndpointDescriber) -> None:
    model.answers = [error_reply(429, "slow"), error_reply(500, "fell"), error_reply(503, "busy")]
    assert describer.ask("Do so.", "python method add").text.startswith("Does")
    assert len(model.log) == 4 <= MAX_TRIES


def test_rejected_parameter_is_replaced_in_later_requests(
    model: ChatServer, describer: EndpointDescriber
) -> None:
    """As by reasoning models."""
    model.answers = [
        error_reply(400, "Unsupported parameter: 'max_tokens' is not supported with this model."),
        error_reply(400, "Unsupported value: 'temperature' does not support 0 with this model."),
    ]
    for _ in range(2):
        assert describer.ask("Do so.", "python method add").text
    told = [(set(one.body) - {"model", "messages", "stream"}) for one in model.log]
    assert told == [
        {"max_tokens", "temperature"},
        {"max_completion_tokens", "temperature"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
    ]


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ("qwen", "Write one as URL#name"),
        ("http://127.0.0.1:1/v1", "does not have the form URL#name. Write it as in --describe"),
        ("@cf/meta/llama", "models of Workers AI need --store cloudflare"),
    ],
)
def test_invalid_model_is_refused(expected: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        select_describer(Settings(describe=expected))


def test_without_a_model_no_request_is_sent() -> None:
    assert select_describer(Settings()) is None
    assert select_describer(Settings(describe="off")) is None
