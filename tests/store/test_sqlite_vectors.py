"""Model vectors in the SQLite file."""

from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from feeder.store import NodeVector, Statement
from feeder.store.scope import Scope, is_test_path
from feeder.store.sqlite import SQLite
from feeder.store.sqlite_vectors import SQLiteVectors
from index_helpers import open_database, query_rows

DOC = """INSERT INTO docs (id, repo, branch, sha_head, path, node_type, start_line, end_line,
    text_sha) VALUES (?, 'r', 'b', 'c', 'p', 'chunk', 1, 1, ?)"""
ALL = Scope.of_repo("r")


@pytest.fixture
def database() -> SQLite:
    """Three nodes, a to c, each with the text of its own name."""
    database = open_database()
    database.run([Statement(DOC, (name, name)) for name in "abc"])
    return database


def vector(id_: str, *values: float, text: str | None = None) -> NodeVector:
    return NodeVector(id_, text or id_, np.array(values, dtype=np.float32), {})


def unit(*values: float) -> Any:
    array = np.array(values, dtype=np.float32)
    return array / np.linalg.norm(array)


def test_a_vector_is_found_by_its_direction(database: SQLite) -> None:
    """The best comes first, and its score is the cosine."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 0, 1), vector("c", 0.6, 0.8)])
    near = vectors.query(unit(1, 0), 10, ALL)
    assert [one.id for one in near] == ["a", "c", "b"]
    assert [one.score for one in near] == pytest.approx([1, 0.6, 0], abs=0.01)
    assert [one.id for one in vectors.query(unit(0, 1), 1, ALL)] == ["b"]


def test_only_a_node_that_is_still_the_same_gets_its_vector(database: SQLite) -> None:
    """A vector of a text that the node has no more, or of no node, is not kept."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 1, 0, text="an older text"), vector("z", 1, 0)])
    assert list(vectors.ids()) == ["a"]


def test_a_new_vector_replaces_the_old_one(database: SQLite) -> None:
    """An id has one vector."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0)])
    vectors.upsert([vector("a", 0, 1)])
    [near] = vectors.query(unit(0, 1), 10, ALL)
    assert near.score == pytest.approx(1, abs=0.01)


def test_deleting_takes_out_what_has_no_node(database: SQLite) -> None:
    """Ids without a vector are fine; one whose node is there, by another run, keeps its vector."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector(name, 1, 0) for name in "abc"])
    database.run([Statement("DELETE FROM docs WHERE id <> 'c'")])
    vectors.delete(["a", "c", "never"])
    assert list(vectors.ids()) == ["b", "c"]


def test_clearing_takes_out_all(database: SQLite) -> None:
    """Another model takes the place."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 0, 1)])
    vectors.clear(Statement("SELECT 1"))
    assert list(vectors.ids()) == []
    assert vectors.query(unit(1, 0), 10, ALL) == []


def test_an_index_of_words_has_no_vectors_and_gets_no_table(database: SQLite) -> None:
    """Asking, deleting and clearing where there are none writes nothing."""
    before = (
        database.connection.total_changes(),
        query_rows(database, "SELECT name FROM sqlite_schema"),
    )
    vectors = SQLiteVectors(database)
    assert vectors.query(unit(1, 0), 10, ALL) == []
    assert list(vectors.ids()) == []
    vectors.delete(["a"])
    vectors.clear(Statement("SELECT 1"))
    after = (
        database.connection.total_changes(),
        query_rows(database, "SELECT name FROM sqlite_schema"),
    )
    assert after == before


def test_vectors_of_other_dimensions_are_not_compared(database: SQLite) -> None:
    """While another model's vectors are still being replaced, a query sees its own alone."""
    SQLiteVectors(database).upsert([vector("a", 1, 0)])
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("b", 1, 0, 0)])
    assert [one.id for one in vectors.query(unit(1, 0, 0), 10, ALL)] == ["b"]


def test_a_query_sees_what_was_written_since_the_last_one(database: SQLite) -> None:
    """What is kept in memory for queries is read again after a write."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0)])
    assert len(vectors.query(unit(1, 0), 10, ALL)) == 1
    vectors.upsert([vector("b", 1, 0)])
    assert len(vectors.query(unit(1, 0), 10, ALL)) == 2


def test_a_vector_of_zeros_is_far_from_everything(database: SQLite) -> None:
    """It divides nothing by zero."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 0, 0)])
    assert vectors.query(unit(1, 0), 10, ALL) == [("a", 0.0)]


@settings(max_examples=30, deadline=None)
@given(
    matrix=arrays(np.float32, (12, 8), elements=st.floats(-1, 1, width=32)),
    query=arrays(np.float32, 8, elements=st.floats(-1, 1, width=32)),
)
def test_eight_bits_keep_the_order(matrix: Any, query: Any) -> None:
    """Scores differ from those of the exact vectors by no more than the rounding allows."""
    matrix[:, 0] += 2
    query[0] += 2
    exact = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    asked = query / np.linalg.norm(query)
    database = open_database()
    ids = [f"{number:02}" for number in range(len(exact))]
    database.run([Statement(DOC, (id_, id_)) for id_ in ids])
    vectors = SQLiteVectors(database)
    vectors.upsert([NodeVector(id_, id_, row, {}) for id_, row in zip(ids, exact, strict=True)])
    found = vectors.query(asked, 100, ALL)
    truth = dict(zip(ids, (exact @ asked).tolist(), strict=True))
    # half a step of 1/127 in each of eight numbers, times a vector of length 1
    tolerance = 0.5 / 127 * np.sqrt(8) + 1e-5
    assert sorted(one.id for one in found) == ids
    assert all(abs(one.score - truth[one.id]) <= tolerance for one in found)
    scores = [truth[one.id] for one in found]
    assert all(left >= right - 2 * tolerance for left, right in pairwise(scores))
    database.close()


def test_many_vectors_are_compared_in_parts(
    database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few rows are turned to floats at once, all are compared."""
    monkeypatch.setattr("feeder.store.vector_search.BLOCK_ROWS", 2)
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 0, 1), vector("c", 0.6, 0.8)])
    assert [one.id for one in vectors.query(unit(1, 0), 10, ALL)] == ["a", "c", "b"]


def test_of_equal_vectors_the_first_by_id_are_found(database: SQLite) -> None:
    """Also where the limit cuts through them."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("c", 1, 0), vector("b", 1, 0), vector("a", 1, 0)])
    assert [one.id for one in vectors.query(unit(1, 0), 2, ALL)] == ["a", "b"]


class PlacedNode(NamedTuple):
    """A node with the vector (nearness, 127): its score for (1, 0) is just that."""

    repo: str
    path: str
    language: str | None
    node_type: str
    nearness: int

    def lies_in(self, scope: Scope) -> bool:
        """As the program's user understands it, by Python's own globs."""
        return (
            self.repo in (scope.repos or [self.repo])
            and self.language in (scope.languages or [self.language])
            and self.language not in scope.not_languages
            and self.node_type in (scope.node_types or [self.node_type])
            and self.node_type not in scope.not_node_types
            and (not scope.paths or any(map(self.lies_at, scope.paths)))
            and not any(map(self.lies_at, scope.not_paths))
            and scope.tests in {None, "yes", "only" if is_test_path(self.path) else "no"}
        )

    def lies_at(self, path: str) -> bool:
        place = path.rstrip("/")
        return (
            not place
            or f"{self.path}/".startswith(f"{place}/")
            or fnmatchcase(self.path, place)
            or fnmatchcase(self.path, f"{place}/*")
        )


names = st.sampled_from(["a", "a-b", "a.b", "ä", "a\U0010ffff", "b", "[a]", "test", "a_test.go"])
repos, languages = st.sampled_from(["r", "r2"]), st.sampled_from([None, "go", "java"])
node_types = st.sampled_from(["chunk", "class"])
placed_nodes = st.builds(
    PlacedNode,
    repos,
    st.lists(names, min_size=1, max_size=3).map("/".join),
    languages,
    node_types,
    st.integers(-127, 127),
)
globs = st.sampled_from(["*", "?", "a*", "*b", "[ab]", "a/", "/"])
paths = st.lists(names | globs, min_size=1, max_size=3).map("/".join)


def some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.just(()) | st.lists(values, min_size=1, max_size=2).map(tuple)


scopes = st.builds(
    Scope,
    st.none() | st.lists(repos, min_size=1, max_size=2).map(tuple),
    some(paths),
    some(paths),
    some(st.sampled_from(["go", "java"])),
    some(st.sampled_from(["go", "java"])),
    some(node_types),
    some(node_types),
    symbols=st.just(()),
    tests=st.sampled_from([None, "yes", "no", "only"]),
    with_words=st.none(),
    without_words=st.none(),
    ids=st.none(),
)
NODE = """INSERT INTO docs (repo, path, language, node_type, id, branch, sha_head, start_line,
    end_line, text_sha) VALUES (?1, ?2, ?3, ?4, ?5, 'b', 'c', 1, 1, ?5)"""
FILES = """INSERT INTO files (repo, path, blob, sha_head, nodes, state)
    SELECT DISTINCT repo, path, 'b', 'c', 1, 'clean' FROM docs"""


@settings(max_examples=150, deadline=None)
@given(nodes=st.lists(placed_nodes, max_size=40), asked=st.lists(scopes, min_size=1, max_size=5))
def test_the_nearest_of_a_scope_are_those_of_its_nodes_alone(
    nodes: list[PlacedNode], asked: list[Scope]
) -> None:
    """Whatever lies nearer elsewhere: the same as by looking at every node."""
    database = open_database()
    ids = [f"{number:02}" for number in range(len(nodes))]
    database.run([Statement(NODE, (*n[:4], id_)) for id_, n in zip(ids, nodes, strict=True)])
    database.run([Statement(FILES)])
    vectors = SQLiteVectors(database)
    vectors.upsert([vector(id_, n.nearness, 127) for id_, n in zip(ids, nodes, strict=True)])
    for scope in asked:
        inside = [(-n.nearness, id_) for id_, n in zip(ids, nodes, strict=True) if n.lies_in(scope)]
        found = vectors.query(unit(1, 0), 10, scope)
        assert [(-one.score, one.id) for one in found] == sorted(inside)[:10]
    database.close()


@pytest.mark.parametrize("count", [1, 127, 128, 129, 1_000, 5_000])
@pytest.mark.parametrize("limit", [1, 7, 100])
def test_the_highest_are_those_of_a_sort_of_all(database: SQLite, count: int, limit: int) -> None:
    """Of numbers of which many are equal, in parts of whatever size."""
    ids = [f"n{number:05}" for number in range(count)]
    database.run([Statement(DOC, (id_, id_)) for id_ in ids])
    some = np.random.default_rng(count)
    directions = some.integers(-3, 4, (count, 2)).astype(np.float32)
    vectors = SQLiteVectors(database)
    vectors.upsert([vector(id_, *one) for id_, one in zip(ids, directions, strict=True)])
    cosines = {one.id: one.score for one in vectors.query(unit(1, 2), count, ALL)}
    wanted = sorted(ids, key=lambda id_: (-cosines[id_], id_))[:limit]
    assert [one.id for one in vectors.query(unit(1, 2), limit, ALL)] == wanted
