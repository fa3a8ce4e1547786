"""Metadata indexes and filters of the stand-in's Vectorize."""

import httpx
import pytest
from standin import StandIn
from standin_calls import Index, error_of, result, vector


@pytest.fixture
def index(api: httpx.Client) -> Index:
    """An empty index of two dimensions."""
    return Index(api)


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ({"path": "src/b.py"}, "b"),
        ({"path": {"$eq": "src/b.py"}}, "b"),
        ({"path": {"$ne": "src/b.py"}}, "ac"),
        ({"path": {"$in": ["src/a.py", "src/c.py", "x"]}}, "ac"),
        ({"path": {"$nin": ["src/a.py"]}}, "bc"),
        ({"line": {"$lt": 20}}, "a"),
        ({"line": {"$lte": 20}}, "ab"),
        ({"line": {"$gt": 20}}, "c"),
        ({"line": {"$gte": 20, "$lt": 30}}, "b"),
        ({"path": {"$gte": "src/b"}, "line": {"$lt": 30}}, "b"),
        ({"test": True}, "c"),
        ({"line": "20"}, ""),
        ({"line": {"$gt": "1"}}, ""),
        ({"text": "same"}, ""),
    ],
)
def test_a_filter_compares_indexed_properties(
    index: Index, standin: StandIn, condition: dict[str, object], ids: str
) -> None:
    """Filters compare values of the index's type; a property without an index finds nothing."""
    for name, kind in (("path", "string"), ("line", "number"), ("test", "boolean")):
        result(index.index_metadata(name, kind))
    index.upsert(
        *(
            vector(
                name,
                metadata={
                    "path": f"src/{name}.py",
                    "line": line,
                    "test": name == "c",
                    "text": "same",
                },
            )
            for name, line in (("a", 10), ("b", 20), ("c", 30))
        )
    )
    standin.settle()

    assert sorted(index.found(filter=condition)) == list(ids)


@pytest.mark.parametrize(
    "condition",
    [
        {},
        {"path": {}},
        {"path": {"$gte": "a", "$gt": "b"}},
        {"path": {"$gte": "a", "$eq": "b"}},
        {"path": {"$gte": "a", "$lt": "c", "$ne": "b"}},
        {"path": {"$lt": True}},
        {"path": {"$lt": None}},
        {"path": {"$eq": {"a": 1}}},
        {"$or": "a"},
        {"": "a"},
        {'a"': "a"},
        {"a..b": "a"},
        {"a" * 513: "a"},
        {"path": "a" * 2037},
    ],
    ids=str,
)
def test_a_filter_has_a_form(index: Index, condition: dict[str, object]) -> None:
    """What Cloudflare's page on filtering does not allow is refused."""
    assert error_of(index.post("query", {"vector": [1, 0], "filter": condition})) == (400, 40026)


def test_a_filter_has_less_than_2048_bytes(index: Index) -> None:
    """{"path":"…"} is 11 bytes and what stands between."""
    assert index.found(filter={"path": "a" * 2036}) == []


def test_texts_are_ordered_by_their_bytes(index: Index, standin: StandIn) -> None:
    """UTF-8 puts a sign beyond the first 65,536 behind all those; UTF-16 would not."""
    index.index_metadata("path")
    index.upsert(vector("a", metadata={"path": "\uffee"}), vector("b", metadata={"path": "🛒"}))
    standin.settle()

    assert index.found(filter={"path": {"$gt": "\uffee"}}) == ["b"]


def test_only_vectors_written_after_a_metadata_index_are_in_it(
    index: Index, standin: StandIn
) -> None:
    """A vector from before the index is found by no filter, until it is written again."""
    old, new = (vector(name, metadata={"path": "a.py"}) for name in ("old", "new"))
    index.upsert(old)
    index.index_metadata("path")
    index.upsert(new)
    standin.settle()

    assert index.found(filter={"path": "a.py"}) == ["new"]
    assert index.found(filter={"path": {"$ne": "b.py"}}) == ["new"]
    index.upsert(old)
    standin.settle()
    assert sorted(index.found(filter={"path": "a.py"})) == ["new", "old"]


def test_strings_are_indexed_on_their_first_64_bytes(index: Index, standin: StandIn) -> None:
    """Strings that differ after 64 bytes are one to a filter, and no character is cut."""
    index.index_metadata("path")
    same = "d/" * 32
    index.upsert(
        vector("a", metadata={"path": same + "a.py"}),
        vector("b", metadata={"path": same + "b.py"}),
        vector("c", metadata={"path": "x" * 63 + "ä"}),
        vector("d", metadata={"path": "y" * 64 + "z"}),
    )
    standin.settle()

    assert sorted(index.found(filter={"path": same + "a.py"})) == ["a", "b"]
    assert index.found(filter={"path": "x" * 63}) == ["c"]
    assert index.found(filter={"path": "y" * 64}) == ["d"]


def test_an_index_has_10_metadata_indexes(index: Index, standin: StandIn) -> None:
    """An eleventh metadata index is refused; making one again is no error."""
    for at in range(10):
        assert index.index_metadata(f"p{at}").is_success

    assert index.index_metadata("p3").is_success
    assert error_of(index.index_metadata("p10")) == (400, 40004)


def test_metadata_indexes_are_listed_and_deleted(index: Index, standin: StandIn) -> None:
    """They are listed once they are there; deleting one that is none is 40005."""
    result(index.index_metadata("path"))
    result(index.index_metadata("line", "number"))
    assert result(index.get("metadata_index/list")) == {"metadataIndexes": []}
    standin.settle()
    path = {"propertyName": "path", "indexType": "string"}
    line = {"propertyName": "line", "indexType": "number"}
    assert result(index.get("metadata_index/list")) == {"metadataIndexes": [path, line]}

    result(index.post("metadata_index/delete", {"propertyName": "path"}))
    standin.settle()

    assert result(index.get("metadata_index/list")) == {"metadataIndexes": [line]}
    again = index.post("metadata_index/delete", {"propertyName": "path"})
    assert error_of(again) == (400, 40005)


def test_a_metadata_index_has_a_type(index: Index) -> None:
    """A type other than string, number and boolean is refused."""
    assert error_of(index.index_metadata("path", "text")) == (400, 40026)
