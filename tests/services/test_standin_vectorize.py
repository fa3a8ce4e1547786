"""Vectorize of the stand-in: every limit of the live service, and delayed writes."""

import httpx
import pytest
from standin import StandIn
from standin_calls import Index, error_of, message, result, vector

BASE = "/vectorize/v2/indexes"


@pytest.fixture
def index(api: httpx.Client) -> Index:
    """An empty index of two dimensions."""
    return Index(api)


def _count(index: Index) -> int:
    return int(result(index.get("info"))["vectorCount"])


def _line(name: str) -> str:
    return f'{{"id":"{name}","values":[1,0]}}'


def test_an_index_is_made_listed_read_and_deleted(api: httpx.Client) -> None:
    """An index answers its shape; one that was deleted is 3005 until it is made again."""
    Index(api, 1024, "cosine")

    assert [found["name"] for found in result(api.get(BASE))] == ["code"]
    assert result(api.get(f"{BASE}/code"))["config"] == {"dimensions": 1024, "metric": "cosine"}
    result(api.delete(f"{BASE}/code"))
    assert error_of(api.get(f"{BASE}/code/info")) == (410, 3005)
    assert _count(Index(api)) == 0


def test_unknown_index_is_not_found(api: httpx.Client) -> None:
    """With 3000."""
    assert error_of(api.get(f"{BASE}/absent/info")) == (400, 3000)


def test_second_index_of_a_name_is_refused(api: httpx.Client, index: Index) -> None:
    """With 3002."""
    body = {"name": "code", "config": {"dimensions": 2, "metric": "cosine"}}

    assert error_of(api.post(BASE, json=body)) == (400, 3002)


@pytest.mark.parametrize(
    ("name", "is_legal"),
    [
        ("acme_shop-2_code", True),
        ("a" * 64, True),
        ("a" * 65, False),
        ("2acme", False),
        ("acme_", False),
        ("Acme", False),
        ("a", False),
    ],
)
def test_a_name_has_64_bytes_of_small_letters(api: httpx.Client, name: str, is_legal: bool) -> None:
    """A name begins with a letter, ends with a letter or digit, and is at most 64 bytes long."""
    body = {"name": name, "config": {"dimensions": 2, "metric": "cosine"}}

    assert api.post(BASE, json=body).is_success is is_legal


@pytest.mark.parametrize(("dimensions", "is_legal"), [(1536, True), (1537, False), (0, False)])
def test_an_index_has_up_to_1536_dimensions(
    api: httpx.Client, dimensions: int, is_legal: bool
) -> None:
    """1536 dimensions are the most."""
    body = {"name": "code", "config": {"dimensions": dimensions, "metric": "cosine"}}

    assert api.post(BASE, json=body).is_success is is_legal


def test_5_000_vectors_fit_and_5_001_do_not(index: Index, standin: StandIn) -> None:
    """An upsert takes 5,000 vectors; one more and nothing of it is written."""
    lines = [_line(f"v{at}") for at in range(5001)]

    assert error_of(index.send("\n".join(lines))) == (400, 40006)
    assert index.send("\n".join(lines[:5000])).is_success
    standin.settle()
    assert _count(index) == 5000


@pytest.mark.parametrize(
    ("last", "code"),
    [
        ('{"id":"b","values":[1,0]', 40023),
        ('["b"]', 40023),
        ('{"id":"b"}', 40023),
        ('{"values":[1,0]}', 40023),
        ('{"id":"b","values":[1,"0"]}', 40023),
        ('{"id":"b","values":[1,0],"metadata":{"text":"half \\ud835"}}', 40023),
        ('{"id":"b","values":[1]}', 40010),
        ('{"id":"b","values":[1,0],"namespace":"' + "n" * 65 + '"}', 40009),
        ('{"id":"' + "ä" * 32 + 'b","values":[1,0]}', 40008),
    ],
    ids=[
        "cut off",
        "no object",
        "no values",
        "no id",
        "a string among the values",
        "half a surrogate pair",
        "dimensions",
        "namespace of 65 bytes",
        "id of 65 bytes",
    ],
)
def test_one_invalid_vector_refuses_the_whole_body(
    index: Index, standin: StandIn, last: str, code: int
) -> None:
    """With a code; earlier lines are not written."""
    assert error_of(index.send(f"{_line('a')}\n{last}\n")) == (400, code)

    standin.settle()
    assert _count(index) == 0


def test_an_id_has_64_bytes(index: Index, standin: StandIn) -> None:
    """An id of 64 bytes of UTF-8 is the longest."""
    result(index.upsert(vector("ä" * 32)))

    standin.settle()
    assert list(standin.vectors("code")) == ["ä" * 32]


def test_metadata_has_10_240_bytes_of_compact_json(index: Index) -> None:
    """Metadata is measured as compact JSON in UTF-8; one byte over refuses the whole batch."""
    # {"k":"…"} takes 8 bytes besides the value.
    fits = vector("b", metadata={"k": "ä" * 5116})
    too_large = vector("b", metadata={"k": "ä" * 5116 + "a"})

    assert index.upsert(vector("a"), fits).is_success
    refused = index.upsert(vector("a"), too_large)
    assert error_of(refused) == (400, 40016)
    assert 'id="b"' in message(refused)
    assert message(refused).endswith("must not exceed 10240 bytes, got 10241 bytes")


@pytest.mark.parametrize("kind", ["json", "octet-stream"])
def test_vectors_are_ndjson_and_say_so(index: Index, kind: str) -> None:
    """Another content type than application/x-ndjson is refused."""
    assert error_of(index.send(_line("a"), kind=kind)) == (400, 40026)


def test_an_empty_body_is_refused(index: Index) -> None:
    """A body without a vector is no NDJSON of vectors."""
    assert error_of(index.send("\n")) == (400, 40023)


def test_an_upsert_replaces_and_an_insert_keeps(index: Index, standin: StandIn) -> None:
    """Upsert writes over a vector, its metadata included; insert keeps the old one silently."""
    index.upsert(vector("a", [1, 0], metadata={"v": 1}), vector("b", [1, 0]))
    index.upsert(vector("a", [0, 1]))
    assert index.upsert(vector("b", [0, 1]), vector("c", [0, 1]), path="insert").is_success

    standin.settle()

    stored = standin.vectors("code")
    assert {name: found["values"] for name, found in stored.items()} == {
        "a": [0, 1],
        "b": [1, 0],
        "c": [0, 1],
    }
    assert "metadata" not in stored["a"]


def test_the_last_of_two_vectors_with_one_id_stays(index: Index, standin: StandIn) -> None:
    """An id twice in one upsert is one vector."""
    index.upsert(vector("a", [1, 0]), vector("a", [0, 1]))

    standin.settle()

    assert standin.vectors("code")["a"]["values"] == [0, 1]


@pytest.mark.parametrize(("path", "most"), [("delete_by_ids", 100), ("get_by_ids", 20)])
def test_ids_are_taken_by_100_and_by_20(index: Index, path: str, most: int) -> None:
    """More ids than a call takes are refused whole with 40007, too long an id with 40008."""
    ids = [f"v{at}" for at in range(most + 1)]

    assert index.post(path, {"ids": ids[:most]}).is_success
    refused = index.post(path, {"ids": ids})
    assert error_of(refused) == (400, 40007)
    assert message(refused) == (f"too many ids in payload; max id count is {most}, got {most + 1}")
    assert error_of(index.post(path, {"ids": ["i" * 65]})) == (400, 40008)


def test_a_delete_takes_ids_that_are_not_there(index: Index, standin: StandIn) -> None:
    """Deleting is by id, and an unknown id is no error."""
    index.upsert(vector("a"), vector("b"))
    result(index.post("delete_by_ids", {"ids": ["b", "absent"]}))

    standin.settle()

    assert list(standin.vectors("code")) == ["a"]


def test_write_is_visible_after_a_delay(index: Index, standin: StandIn) -> None:
    """`processedUpToMutation` names the last visible one."""
    standin.freeze()
    mutation = result(index.upsert(vector("a")))["mutationId"]

    standin.advance(29)
    assert _count(index) == 0
    assert result(index.get("info"))["processedUpToMutation"] is None
    assert standin.pending("code") == 1
    standin.advance(1)
    assert _count(index) == 1
    assert result(index.get("info"))["processedUpToMutation"] == mutation


def test_writes_become_visible_in_order(index: Index, standin: StandIn) -> None:
    """Whatever their delays."""
    standin.freeze()
    index.upsert(vector("a"))
    standin.change(vectorize_delay_s=0)
    index.post("delete_by_ids", {"ids": ["a"]})

    assert standin.pending("code") == 2
    standin.advance(30)
    assert (standin.pending("code"), _count(index)) == (0, 0)


def test_processed_mutation_may_skip_ids(index: Index, standin: StandIn) -> None:
    """Writes processed together show only the last id, and ids have no order."""
    mutations = [result(index.upsert(vector(f"v{at}")))["mutationId"] for at in range(20)]

    assert standin.settle("code") == 20

    assert result(index.get("info"))["processedUpToMutation"] == mutations[-1]
    assert mutations != sorted(mutations)
