"""Models of Workers AI in workerd, and words alone where they fail."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.indexed_worker import IndexedWorker, program
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
) -> Iterator[IndexedWorker]:
    account.reset()
    account.change(vectorize_delay_s=0)
    repo = Repo(tmp_path_factory.mktemp("model") / "shop")
    repo.commit(FILES)
    one = IndexedWorker(account, repo, request.param, script)
    one.feed("--texts")
    one.deploy()
    yield one
    one.close()


def test_query_has_the_same_vector_as_in_the_program(fed: IndexedWorker) -> None:
    """The stand-in's vectors depend on text, prompt and model, so an equal cosine means an equal
    request.
    """
    desk = fed.desk()
    ours, theirs = fed.query_worker("search", q=ASKED), program(desk, "search", q=ASKED)
    desk.close()
    assert fed.request_counts["ai"] == 1
    assert [(hit["id"], hit.get("vector_rank")) for hit in ours["hits"]] == [
        (hit["id"], hit.get("vector_rank")) for hit in theirs["hits"]
    ]
    assert any(hit.get("vector_rank") for hit in ours["hits"])
    assert ours["notes"] == theirs["notes"]


def test_repeated_query_is_not_embedded_again(fed: IndexedWorker) -> None:
    fed.query_worker("search", q="asked twice")
    fed.query_worker("search", q="asked twice")
    assert "ai" not in fed.request_counts


def test_too_long_query_is_cut(fed: IndexedWorker) -> None:
    """As in the program: the stand-in rejects more tokens than the model accepts."""
    found = fed.query_worker("search", q="charge " * 1400)
    assert fed.request_counts["ai"] == 1
    assert not [note for note in found["notes"] if "words alone" in note]


REFUSALS = [
    ("ai_daily_neurons", {}, "The free quota of the day is used up; it resets at 00:00 UTC."),
    ("ai_capacity", {}, "It has no capacity now; try again later."),
    ("ai_capacity", {"code": 3007, "message": "Timeout"}, "It took too long; try again later."),
    ("ai_capacity", {"code": 3008, "message": "Aborted"}, "It took too long; try again later."),
]


@pytest.mark.parametrize(("kind", "more", "sentence"), REFUSALS)
def test_words_are_searched_when_the_model_fails(
    fed: IndexedWorker, kind: str, more: dict[str, object], sentence: str
) -> None:
    """With the service's message, its meaning, and without a vector."""
    fed.standin.fault(kind, route="ai.run", times=1, **more)
    question = f"charge a card {kind} {more.get('code', '')}"
    found = fed.query_worker("search", q=question)
    [note] = [
        note for note in found["notes"] if note.startswith("Searched by words only: Workers AI: ")
    ]
    assert note.endswith(sentence)
    assert found["hits"] and not any(hit.get("vector_rank") for hit in found["hits"])
    assert "vectorize" not in fed.request_counts
    again = fed.query_worker("search", q=question)
    assert any(hit.get("vector_rank") for hit in again["hits"])


def test_model_is_not_called_without_its_binding(fed: IndexedWorker) -> None:
    fed.deploy(ai=False)
    found = fed.query_worker("search", q=ASKED)
    assert "Searched by words only: The binding AI is missing." in found["notes"]
    fed.deploy()


def test_models_are_the_programs_except_older_ones() -> None:
    assert {name for name in MODELS if "/bge-" not in name or "m3" in name} == {
        "@cf/baai/bge-m3",
        "@cf/qwen/qwen3-embedding-0.6b",
        "@cf/google/embeddinggemma-300m",
    }
