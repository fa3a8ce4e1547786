"""The `Vectors` in Vectorize, against its limits."""

import json
from collections.abc import Sequence

import numpy as np
import pytest
from clouds import DIMENSIONS, INDEX, Cloud

from feeder.cloudflare.vectorize import Vectorize
from feeder.errors import UserError
from feeder.store import NodeVector, Statement, Value
from feeder.store.scope import Scope


def vector(name: str, values: Sequence[float] = (1,), **metadata: Value) -> NodeVector:
    """Returns a vector whose other numbers are 0."""
    numbers = np.zeros(DIMENSIONS, dtype=np.float32)
    numbers[: len(values)] = values
    return NodeVector(name, "sha", numbers, metadata)


def ids(count: int) -> list[str]:
    return [f"{number:040x}" for number in range(count)]


def requests(cloud: Cloud, route: str) -> list[dict[str, int]]:
    return [entry for entry in cloud.standin.log() if entry["route"] == f"vectorize.{route}"]


def metadata_of(cloud: Cloud, name: str) -> dict[str, Value]:
    """Returns the stored metadata of a vector."""
    cloud.standin.settle()
    metadata: dict[str, Value] = cloud.standin.vectors(INDEX)[name]["metadata"]
    return metadata


def test_vectors_replace_those_with_the_same_id(cloud: Cloud) -> None:
    """Numbers are stored with seven digits."""
    cloud.vectorize.upsert([vector("a", [0.123456789], path="x.py"), vector("b", [1e-9])])
    cloud.vectorize.upsert([vector("a", [0.987654321], path="y.py")])

    cloud.standin.settle()
    found = cloud.standin.vectors(INDEX)
    assert sorted(found) == ["a", "b"]
    assert found["a"]["metadata"] == {"path": "y.py"}
    assert found["a"]["values"][0] == pytest.approx(0.9876543, abs=1e-7)
    assert found["b"]["values"][0] == pytest.approx(1e-9, rel=1e-6)


def test_empty_upsert_and_delete_send_no_request(cloud: Cloud) -> None:
    cloud.spent()
    cloud.vectorize.upsert([])
    cloud.vectorize.delete([])
    assert cloud.spent()["vectorize"] == 0


def test_upsert_sends_5000_vectors_per_request(cloud: Cloud) -> None:
    cloud.vectorize.upsert([vector(name) for name in ids(5001)])

    assert [entry["vectors"] for entry in requests(cloud, "upsert")] == [5000, 1]


def test_upsert_sends_at_most_50_mb_per_request(cloud: Cloud) -> None:
    """With 10 KB of metadata, fewer than 5,000 vectors fit."""
    cloud.vectorize.upsert([vector(name, text="x" * 10_200) for name in ids(5000)])

    sent = requests(cloud, "upsert")
    assert len(sent) == 2
    assert max(entry["bytes"] for entry in sent) <= 50_000_000


def test_100_ids_are_deleted_per_request(cloud: Cloud) -> None:
    """More would be an error; unknown ids are accepted."""
    cloud.vectorize.upsert([vector(name) for name in ids(205)])

    cloud.vectorize.delete([*ids(201), "never there"])

    assert [entry["ids"] for entry in requests(cloud, "delete_by_ids")] == [100, 100, 2]
    assert cloud.vector_ids() == ids(205)[201:]


def test_ids_are_listed_in_pages_of_1000(cloud: Cloud) -> None:
    """Three requests for 2,001 ids."""
    cloud.vectorize.upsert([vector(name) for name in ids(2001)])
    cloud.standin.settle()

    assert sorted(cloud.vectorize.ids()) == ids(2001)
    assert len(requests(cloud, "list")) == 3


def test_empty_index_lists_no_ids(cloud: Cloud) -> None:
    """With one request."""
    assert list(cloud.vectorize.ids()) == []


def test_nearest_come_first(cloud: Cloud) -> None:
    """The score is the cosine; Vectorize returns at most 100."""
    names = {"x": [1, 0], "y": [0, 1], "xy": [1, 1]}
    cloud.vectorize.upsert([vector(name, at, repo="r") for name, at in names.items()])
    cloud.standin.settle()

    found = cloud.vectorize.query(vector("", [1, 0.1]).values, 500, Scope.of_repo("r"))

    # cos(atan 0.1) = 0.995, cos(45° - 5.71°) = 0.774, sin(5.71°) = 0.0995
    assert [near.id for near in found] == ["x", "xy", "y"]
    assert [near.score for near in found] == pytest.approx([0.995, 0.774, 0.0995], abs=1e-3)


def test_long_metadata_is_truncated(cloud: Cloud) -> None:
    """Above 10,240 bytes the longest strings are cut, to exactly what fits."""
    cloud.vectorize.upsert([vector("a", symbol="s" * 20_000, path="src/a.py", start_line=7)])

    found = metadata_of(cloud, "a")
    assert (found["path"], found["start_line"]) == ("src/a.py", 7)
    assert len(json.dumps(found, separators=(",", ":"))) == 10_240


@pytest.mark.parametrize("text", ["𝄞" * 5_000, "ü" * 9_000, '"\n\x01' * 4_000])
def test_truncation_keeps_whole_characters(cloud: Cloud, text: str) -> None:
    cloud.vectorize.upsert([vector("a", symbol=text, logical_path=text)])

    found = metadata_of(cloud, "a")
    assert all(text.startswith(str(value)) for value in found.values())
    size = len(json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode())
    assert 10_240 - 6 <= size <= 10_240


def test_lone_surrogate_is_replaced(cloud: Cloud) -> None:
    cloud.vectorize.upsert([vector("a", path="caf\udce9.py"), vector("b")])

    assert metadata_of(cloud, "a") == {"path": "caf?.py"}


def test_clear_is_refused_unless_the_index_is_empty(cloud: Cloud) -> None:
    """Another model needs another index; the error says how to get one."""
    cloud.vectorize.clear(Statement("SELECT 1"))
    cloud.vectorize.upsert([vector("a")])
    cloud.standin.settle()

    with pytest.raises(UserError, match=r"has 1 vectors of another model.*--index-name"):
        cloud.vectorize.check_can_clear()


def test_other_dimensions_are_an_error(cloud: Cloud) -> None:
    """For vectors and queries."""
    cloud.make_index("small", 2)
    small = Vectorize(cloud.api, "small")

    with pytest.raises(UserError, match=r"expected 2 dimensions, and got 64.*--index-name"):
        small.upsert([vector("a")])
    with pytest.raises(UserError, match="expected 2 dimensions, and got 64"):
        small.query(vector("a").values, 5, Scope.of_repo("r"))


def test_missing_index_is_an_error(cloud: Cloud) -> None:
    """With the command that creates it."""
    with pytest.raises(UserError, match="--index-name, or create it with: feeder init"):
        Vectorize(cloud.api, "missing").upsert([vector("a")])


def test_missing_permission_is_named(cloud: Cloud) -> None:
    """Vectorize Edit."""
    cloud.standin.grant("only-d1", "d1")
    with pytest.raises(UserError, match="Vectorize Edit"):
        list(Vectorize(cloud.connect("only-d1"), INDEX).ids())


def test_wait_until_a_write_is_visible(cloud: Cloud) -> None:
    """Vectorize applies it half a minute later, with all earlier ones."""
    cloud.vectorize.upsert([vector("a")])
    assert list(cloud.vectorize.ids()) == []

    assert cloud.vectorize.wait_until_visible(120)

    assert list(cloud.vectorize.ids()) == ["a"]
    assert 30 <= cloud.api.waited_s <= 40


def test_wait_times_out(cloud: Cloud) -> None:
    """The result says that not all writes are visible."""
    cloud.standin.change(vectorize_delay_s=600)
    cloud.vectorize.upsert([vector("a")])

    assert not cloud.vectorize.wait_until_visible(20)
    assert cloud.api.waited_s == 20


def test_wait_continues_if_another_write_is_processed_last(cloud: Cloud) -> None:
    """Vectorize names only the last of the writes processed together."""
    other = Vectorize(cloud.connect(), INDEX)
    count = iter(range(100))
    pause = cloud.clock.wait

    def busy(end: object, seconds: float) -> None:
        if next(count) == 0:
            other.delete(["somebody else's"])
        pause(end, seconds)  # type: ignore[arg-type]  # it does not look at the event

    cloud.clock.wait = busy  # type: ignore[method-assign]  # somebody writes while it sleeps

    assert cloud.vectorize.wait_until_visible(200)
