"""The models of Workers AI answer a question in workerd, and words alone where they do not."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.indexed_worker import Fed, program
from feeder.cloudflare.workers_ai import MODELS
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "cart.py": "def add(cart, item):\n    cart.append(item)\n",
    "pay.py": "def charge(card, amount):\n    return card.take(amount)\n",
    "README.md": "# Shop\n\nWhat is bought is charged when it is sent.\n",
}
ASKED = "who takes the money"


@pytest.fixture(
    scope="module",
    params=["@cf/baai/bge-m3", "@cf/qwen/qwen3-embedding-0.6b", "@cf/google/embeddinggemma-300m"],
)
def fed(
    account: StandIn,
    script: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[Fed]:
    account.reset()
    account.change(vectorize_delay_s=0)
    repo = Repo(tmp_path_factory.mktemp("model") / "shop")
    repo.commit(FILES)
    one = Fed(account, repo, request.param, script)
    one.feed("--texts")
    one.deploy()
    yield one
    one.close()


def test_a_question_has_the_vector_that_the_program_has(fed: Fed) -> None:
    """The stand-in's vectors are another for each text, instruction and model: so a cosine tells
    that the same was asked in the same way."""
    desk = fed.desk()
    ours, theirs = fed.at_edge("search", q=ASKED), program(desk, "search", q=ASKED)
    desk.close()
    assert fed.took["ai"] == 1
    assert [(one["id"], one["vector_rank"]) for one in ours["hits"]] == [
        (one["id"], one["vector_rank"]) for one in theirs["hits"]
    ]
    assert any(one["vector_rank"] for one in ours["hits"])
    assert ours["notes"] == theirs["notes"]


def test_the_same_question_is_not_embedded_twice(fed: Fed) -> None:
    fed.at_edge("search", q="asked twice")
    fed.at_edge("search", q="asked twice")
    assert "ai" not in fed.took


def test_a_question_longer_than_the_model_reads_is_cut(fed: Fed) -> None:
    """The program's own cut: the stand-in refuses what has more tokens than the model takes."""
    found = fed.at_edge("search", q="charge " * 1400)
    assert fed.took["ai"] == 1
    assert not [note for note in found["notes"] if "words alone" in note]


REFUSALS = [
    ("ai_daily_neurons", {}, "The free quota of the day is used up; it resets at 00:00 UTC."),
    ("ai_capacity", {}, "It has no capacity now; try again later."),
    ("ai_capacity", {"code": 3007, "message": "Timeout"}, "It took too long; try again later."),
    ("ai_capacity", {"code": 3008, "message": "Aborted"}, "It took too long; try again later."),
]


@pytest.mark.parametrize(("kind", "more", "sentence"), REFUSALS)
def test_words_answer_alone_where_the_model_refuses(
    fed: Fed, kind: str, more: dict[str, object], sentence: str
) -> None:
    """With what the service says, what that means, and no vector that was not made."""
    fed.standin.fault(kind, route="ai.run", times=1, **more)
    question = f"charge a card {kind} {more.get('code', '')}"
    found = fed.at_edge("search", q=question)
    [note] = [
        one for one in found["notes"] if one.startswith("Searched by words only: Workers AI: ")
    ]
    assert note.endswith(sentence)
    assert found["hits"] and not any(one["vector_rank"] for one in found["hits"])
    assert "vectorize" not in fed.took
    again = fed.at_edge("search", q=question)
    assert any(one["vector_rank"] for one in again["hits"])


def test_a_model_is_not_asked_without_its_binding(fed: Fed) -> None:
    fed.deploy(ai=False)
    found = fed.at_edge("search", q=ASKED)
    assert "Searched by words only: The binding AI is missing." in found["notes"]
    fed.deploy()


def test_the_models_are_all_that_the_program_knows_but_older_ones() -> None:
    assert {name for name in MODELS if "/bge-" not in name or "m3" in name} == {
        "@cf/baai/bge-m3",
        "@cf/qwen/qwen3-embedding-0.6b",
        "@cf/google/embeddinggemma-300m",
    }
