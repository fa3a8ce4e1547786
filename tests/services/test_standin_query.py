"""Reads of the stand-in's Vectorize: ids, vectors and matches."""

import math

import httpx
import pytest
from standin import StandIn
from standin_calls import Index, error_of, result, vector


@pytest.fixture
def index(api: httpx.Client) -> Index:
    """An empty index of two dimensions."""
    return Index(api)


def test_ids_are_listed_by_1_000_from_one_snapshot(index: Index, standin: StandIn) -> None:
    """A listing is cut into pages with a cursor, and shows what was there when it began."""
    index.upsert(*(vector(f"v{at}") for at in range(1500)))
    standin.settle()
    first = result(index.get("list", count=1000))
    index.post("delete_by_ids", {"ids": ["v1499"]})
    standin.settle()

    second = result(index.get("list", count=1000, cursor=first["nextCursor"]))

    assert (first["count"], first["totalCount"], first["isTruncated"]) == (1000, 1500, True)
    assert (second["count"], second["isTruncated"], second["nextCursor"]) == (500, False, None)
    listed = {found["id"] for found in first["vectors"] + second["vectors"]}
    assert listed == {f"v{at}" for at in range(1500)}
    assert error_of(index.get("list", count=1001)) == (400, 40026)
    assert error_of(index.get("list", cursor="none")) == (400, 40026)


def test_vectors_are_read_by_their_ids(index: Index, standin: StandIn) -> None:
    """A vector comes back with values, metadata and namespace; an unknown id is left out."""
    whole = vector("a", [0.5, 0.25], metadata={"path": "a.py"}, namespace="acme")
    index.upsert(whole, vector("b"))
    standin.settle()

    assert result(index.post("get_by_ids", {"ids": ["a", "absent"]})) == [whole]


@pytest.mark.parametrize(
    ("metric", "scores"),
    [
        ("cosine", {"near": 1.0, "far": math.sqrt(0.5)}),
        ("dot-product", {"near": 2.0, "far": 3.0}),
        ("euclidean", {"near": 1.0, "far": math.sqrt(13)}),
    ],
)
def test_a_query_scores_by_the_indexs_metric(
    api: httpx.Client, standin: StandIn, metric: str, scores: dict[str, float]
) -> None:
    """Cosine and dot product are best when large, euclidean distance when small."""
    index = Index(api, metric=metric)
    index.upsert(vector("near", [2, 0]), vector("far", [3, 3]))
    standin.settle()

    matches = result(index.post("query", {"vector": [1, 0]}))["matches"]

    assert {match["id"]: match["score"] for match in matches} == pytest.approx(scores)
    best = "far" if metric == "dot-product" else "near"
    assert matches[0]["id"] == best


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"topK": 100}, None),
        ({"topK": 100, "returnMetadata": "indexed"}, None),
        ({"topK": 101}, 40025),
        ({"topK": 50, "returnValues": True, "returnMetadata": "all"}, None),
        ({"topK": 51, "returnValues": True}, 40025),
        ({"topK": 51, "returnMetadata": "all"}, 40025),
        ({"returnMetadata": True}, 40026),
        ({"vector": [1, 0, 0]}, 40006),
        ({"filter": {"path": {"$prefix": "src"}}}, 40026),
        ({"filter": {"path": {"$in": "src"}}}, 40026),
    ],
)
def test_a_query_has_its_limits(index: Index, query: dict[str, object], code: int | None) -> None:
    """100 matches, 50 with values or all metadata; no prefix filter; the index's dimensions."""
    answer = index.post("query", {"vector": [1, 0], **query})

    assert answer.is_success if code is None else error_of(answer) == (400, code)


def test_query_returns_the_requested_fields(index: Index, standin: StandIn) -> None:
    """No metadata, the indexed properties or all of it, and values on request."""
    index.index_metadata("path")
    index.upsert(vector("a", metadata={"path": "p" * 70, "line": 3}))
    standin.settle()

    def match(**query: object) -> dict[str, object]:
        answer = result(index.post("query", {"vector": [1, 0], **query}))
        found: dict[str, object] = answer["matches"][0]
        return found

    assert match() == {"id": "a", "score": 1}
    assert match(returnMetadata="indexed")["metadata"] == {"path": "p" * 64}
    assert match(returnMetadata="all")["metadata"] == {"path": "p" * 70, "line": 3}
    assert match(returnValues=True)["values"] == [1, 0]


def test_a_query_stays_in_its_namespace(index: Index, standin: StandIn) -> None:
    """A namespace cuts a query to its vectors."""
    index.upsert(vector("a", namespace="acme"), vector("b"))
    standin.settle()

    assert index.found(namespace="acme") == ["a"]
    assert sorted(index.found()) == ["a", "b"]
