"""Model vectors in the SQLite file."""

from fnmatch import fnmatchcase
from itertools import pairwise
from math import inf
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
    """Three nodes, a to c, each with a text equal to its name."""
    database = open_database()
    database.run([Statement(DOC, (name, name)) for name in "abc"])
    return database


def vector(id_: str, *values: float, text: str | None = None) -> NodeVector:
    return NodeVector(id_, text or id_, np.array(values, dtype=np.float32), {})


def unit(*values: float) -> Any:
    array = np.array(values, dtype=np.float32)
    return array / np.linalg.norm(array)


def test_nearest_vector_comes_first(database: SQLite) -> None:
    """The score is the cosine similarity."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 0, 1), vector("c", 0.6, 0.8)])
    near = vectors.query(unit(1, 0), 10, ALL)
    assert [neighbour.id for neighbour in near] == ["a", "c", "b"]
    assert [neighbour.score for neighbour in near] == pytest.approx([1, 0.6, 0], abs=0.01)
    assert [neighbour.id for neighbour in vectors.query(unit(0, 1), 1, ALL)] == ["b"]


def test_vector_of_a_changed_node_is_not_stored(database: SQLite) -> None:
    """Neither is one without a node."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 1, 0, text="an older text"), vector("z", 1, 0)])
    assert list(vectors.ids()) == ["a"]


def test_new_vector_replaces_the_old_one(database: SQLite) -> None:
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0)])
    vectors.upsert([vector("a", 0, 1)])
    [near] = vectors.query(unit(0, 1), 10, ALL)
    assert near.score == pytest.approx(1, abs=0.01)


def test_delete_removes_only_vectors_without_a_node(database: SQLite) -> None:
    """Unknown ids are ignored; a node written by another run keeps its vector."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector(name, 1, 0) for name in "abc"])
    database.run([Statement("DELETE FROM docs WHERE id <> 'c'")])
    vectors.delete(["a", "c", "never"])
    assert list(vectors.ids()) == ["b", "c"]


def test_clear_removes_all_vectors(database: SQLite) -> None:
    """Before another model is used."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 0, 1)])
    vectors.clear(Statement("SELECT 1"))
    assert list(vectors.ids()) == []
    assert vectors.query(unit(1, 0), 10, ALL) == []


def test_index_of_words_gets_no_vector_table(database: SQLite) -> None:
    """Searching, deleting and clearing write nothing."""
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
    """While a model is being replaced, a query sees only its own vectors."""
    SQLiteVectors(database).upsert([vector("a", 1, 0)])
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("b", 1, 0, 0)])
    for query, near in ((unit(1, 0, 0), "b"), (unit(1, 0), "a"), (unit(1, 0, 0), "b")):
        assert [neighbour.id for neighbour in vectors.query(query, 10, ALL)] == [near]


def test_query_sees_vectors_written_since_the_last_one(database: SQLite) -> None:
    """The memory cache is read again after a write."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0)])
    assert len(vectors.query(unit(1, 0), 10, ALL)) == 1
    vectors.upsert([vector("b", 1, 0)])
    assert len(vectors.query(unit(1, 0), 10, ALL)) == 2


def test_zero_vector_has_no_similarity(database: SQLite) -> None:
    """No division by zero."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 0, 0)])
    assert vectors.query(unit(1, 0), 10, ALL) == [("a", 0.0)]


@settings(max_examples=30)
@given(
    matrix=arrays(np.float32, (12, 8), elements=st.floats(-1, 1, width=32)),
    query=arrays(np.float32, 8, elements=st.floats(-1, 1, width=32)),
)
def test_quantization_keeps_the_order(matrix: Any, query: Any) -> None:
    """Scores differ from the exact ones by at most the rounding error."""
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
    assert sorted(neighbour.id for neighbour in found) == ids
    assert all(abs(neighbour.score - truth[neighbour.id]) <= tolerance for neighbour in found)
    scores = [truth[neighbour.id] for neighbour in found]
    assert all(left >= right - 2 * tolerance for left, right in pairwise(scores))
    database.close()


def test_vectors_are_compared_in_batches(database: SQLite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch size does not change the result."""
    monkeypatch.setattr("feeder.store.vector_search.BLOCK_ROWS", 2)
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 0, 1), vector("c", 0.6, 0.8)])
    assert [neighbour.id for neighbour in vectors.query(unit(1, 0), 10, ALL)] == ["a", "c", "b"]


def test_equal_vectors_are_ordered_by_id(database: SQLite) -> None:
    """Also at the limit."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("c", 1, 0), vector("b", 1, 0), vector("a", 1, 0)])
    assert [neighbour.id for neighbour in vectors.query(unit(1, 0), 2, ALL)] == ["a", "b"]


class PlacedNode(NamedTuple):
    """A node with the vector (nearness, 127): its score for (1, 0) is the nearness."""

    repo: str
    path: str
    language: str | None
    node_type: str
    nearness: int

    def matches_glob(self, scope: Scope) -> bool:
        """True by the rules of Python's globs."""
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


@settings(max_examples=150)
@given(nodes=st.lists(placed_nodes, max_size=40), asked=st.lists(scopes, min_size=1, max_size=5))
@pytest.mark.slow
def test_nearest_vectors_in_a_scope_ignore_other_nodes(
    nodes: list[PlacedNode], asked: list[Scope]
) -> None:
    """The result equals that of a full scan of the scope."""
    database = open_database()
    ids = [f"{number:02}" for number in range(len(nodes))]
    database.run([Statement(NODE, (*n[:4], id_)) for id_, n in zip(ids, nodes, strict=True)])
    database.run([Statement(FILES)])
    vectors = SQLiteVectors(database)
    vectors.upsert([vector(id_, n.nearness, 127) for id_, n in zip(ids, nodes, strict=True)])
    for scope in asked:
        inside = [
            (-n.nearness, id_) for id_, n in zip(ids, nodes, strict=True) if n.matches_glob(scope)
        ]
        found = vectors.query(unit(1, 0), 10, scope)
        assert [(-neighbour.score, neighbour.id) for neighbour in found] == sorted(inside)[:10]
    database.close()


@pytest.mark.parametrize("count", [1, 127, 128, 129, 1_000, 5_000])
@pytest.mark.parametrize("limit", [1, 7, 100])
def test_top_scores_equal_those_of_a_full_sort(database: SQLite, count: int, limit: int) -> None:
    """With many equal scores and any batch size."""
    ids = [f"n{number:05}" for number in range(count)]
    database.run([Statement(DOC, (id_, id_)) for id_ in ids])
    some = np.random.default_rng(count)
    directions = some.integers(-3, 4, (count, 2)).astype(np.float32)
    vectors = SQLiteVectors(database)
    vectors.upsert([vector(id_, *one) for id_, one in zip(ids, directions, strict=True)])
    cosines = {neighbour.id: neighbour.score for neighbour in vectors.query(unit(1, 2), count, ALL)}
    wanted = sorted(ids, key=lambda id_: (-cosines[id_], id_))[:limit]
    assert [neighbour.id for neighbour in vectors.query(unit(1, 2), limit, ALL)] == wanted


@pytest.mark.parametrize(
    ("scope", "share"), [(ALL, 1), (Scope(("r",), ("p1/",)), 2), (Scope(("r",), ("p7/",)), 25)]
)
def test_nearest_of_many_are_those_of_a_computation_in_float64(scope: Scope, share: int) -> None:
    """In a scope of all nodes, of half, and of few; of equal scores the first id comes first."""
    database = open_database()
    random = np.random.default_rng(5)
    values = random.normal(size=(5_000, 40))
    values[4_000:] = values[:1_000]
    values /= np.linalg.norm(values, axis=1)[:, None]
    ids = [f"{number:04}" for number in range(len(values))]
    folders = ["p7" if number % 25 == 0 else f"p{number % 2}" for number in range(len(values))]
    if share == 2:
        folders = [folder.replace("p7", "p0") for folder in folders]
    rows = [Statement(DOC, (id_, id_)) for id_ in ids]
    paths = [
        Statement("UPDATE docs SET path = ? WHERE id = ?", (f"{folder}/a.py", id_))
        for folder, id_ in zip(folders, ids, strict=True)
    ]
    database.run([*rows, *paths])
    vectors = SQLiteVectors(database)
    vectors.upsert([vector(id_, *row) for id_, row in zip(ids, values.tolist(), strict=True)])
    query = unit(*random.normal(size=40))
    stored = {
        str(id_): np.frombuffer(code, np.int8).astype(float) * scale
        for id_, scale, code in query_rows(database, "SELECT id, scale, code FROM vectors")
    }
    folder = scope.paths[0] if scope.paths else ""
    inside = [id_ for id_, one in zip(ids, folders, strict=True) if f"{one}/".startswith(folder)]
    scores = {id_: float(stored[id_] @ query.astype(float)) for id_ in inside}
    expected = sorted(inside, key=lambda id_: (-round(scores[id_], 9), id_))[:20]
    for _ in range(2):  # as the vectors are read, and once they are in memory
        found = vectors.query(query, 20, scope)
        assert [neighbour.id for neighbour in found] == expected
        assert [neighbour.score for neighbour in found] == pytest.approx(
            [scores[id_] for id_ in expected], abs=1e-6
        )
    assert len(inside) == pytest.approx(len(ids) / share, rel=0.1)


@pytest.mark.parametrize("scale", [3.0, 1e3, 1e30, 1e300, -1e3, -1e300, inf, -inf])
def test_damaged_scale_hides_no_other_vector(database: SQLite, scale: float) -> None:
    """Whatever the damaged row's own score is."""
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0), vector("b", 0.28, 0.96), vector("c", 0.6, 0.8)])
    database.run([Statement("UPDATE vectors SET scale = ? WHERE id = 'b'", (scale,))])
    found = SQLiteVectors(database).query(unit(1, 0), 3, ALL)
    assert [neighbour.id for neighbour in found if neighbour.id != "b"] == ["a", "c"]


def test_query_that_is_no_number_finds_nothing(database: SQLite) -> None:
    vectors = SQLiteVectors(database)
    vectors.upsert([vector("a", 1, 0)])
    assert vectors.query(np.array([np.nan, 0], dtype=np.float32), 5, ALL) == []
