"""A language model at an address: what it is asked, and what becomes of each of its answers."""

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


def test_it_is_asked_as_openai_has_it(model: ChatServer, describer: EndpointDescriber) -> None:
    """With the prompt and the text apart, a key, and no more tokens than a line may take."""
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
def test_each_answer_is_taken_for_what_it_is(
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
            "sent no complete response",
        ),
        (error_reply(429, "slow down", Retry_After="7"), ServiceError, "slow down"),
        (error_reply(500, "it fell over"), ServiceError, "it fell over"),
    ],
)
def test_each_refusal_is_told_with_its_remedy(
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


def test_what_passes_is_asked_again(model: ChatServer, describer: EndpointDescriber) -> None:
    model.answers = [error_reply(429, "slow"), error_reply(500, "fell"), error_reply(503, "busy")]
    assert describer.ask("Do so.", "python method add").text.startswith("Does")
    assert len(model.log) == 4 <= MAX_TRIES


def test_what_a_model_refuses_to_be_told_is_told_otherwise_from_then_on(
    model: ChatServer, describer: EndpointDescriber
) -> None:
    """As models that think first do."""
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
    ("said", "words"),
    [
        ("qwen", "Write one as URL#name"),
        ("http://127.0.0.1:1/v1", "does not have the form URL#name. Write it as in --describe"),
        ("@cf/meta/llama", "models of Workers AI need --store cloudflare"),
    ],
)
def test_what_is_no_model_is_refused_in_a_sentence(said: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        select_describer(Settings(describe=said))


def test_nobody_is_asked_where_none_is_named() -> None:
    assert select_describer(Settings()) is None
    assert select_describer(Settings(describe="off")) is None
