"""The hits of a query, their order and their snippets."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feeder.cli.rendering import render_hits
from feeder.embedding.cache import CachedEmbedder
from feeder.errors import FeederError, ServiceError, UserError
from feeder.notes import Note
from feeder.query.query_text import QueryText
from feeder.query.request_filters import Pagination
from feeder.ranking.member_names import is_named
from feeder.ranking.ranking import WORD, name_ranking, vector_ranking, word_ranking
from feeder.ranking.results import Result
from feeder.ranking.retrieval import (
    MODEL_VECTORS,
    MODEL_WEIGHT,
    QueryModel,
    embedding_query_model,
    static_query_model,
)
from feeder.source.git_trees import Commit
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from feeder.store.sqlite_vectors import SQLiteVectors
from feeder.sync.context import ModelVectors
from hash_embedder import HashedEmbedder
from index_helpers import MEMORY, REPO, open_database, result_page, run_sync, search_scope
from source.repos import Repo

FILES = {
    "src/refund.py": "def refundOrder(order):\n    return order.total\n",
    "src/order.py": (
        "def place(order):\n    return ship(order)\n\n\n"
        "def cancel(order):\n    # a refund is due\n    return None\n"
    ),
    "docs/payments.md": "# Payments\n\nCustomers pay by card, running late costs nothing.\n",
    "lib/parser.js": "function parseDeltaFile(path) {\n  return read(path);\n}\n",
    "lib/HTTPServer.java": "class HTTPServer {\n  void listen() {}\n}\n",
    "größe.txt": "Größe und Straße, naïve café\n",
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SQLite]:
    """An index of the files above, with vectors."""
    repo = Repo(tmp_path_factory.mktemp("search"))
    repo.commit(FILES)
    database = open_database()
    run_sync(Commit(repo.path), database, HashedEmbedder())
    yield database
    database.close()


def run_search(
    database: SQLite,
    query: str,
    model_vectors: ModelVectors | None = None,
    *,
    path: str | None = None,
) -> list[Result]:
    return search_scope_with(
        database,
        [embedding_query_model(model_vectors)] if model_vectors else [],
        query,
        Scope.of_repo(REPO, path),
    )


def search_scope_with(
    database: SQLite, sides: Sequence[QueryModel], query: str, scope: Scope, limit: int = 10
) -> list[Result]:
    return list(search_scope(database, sides, query, scope, Pagination(limit)).results)


def symbols(found: Sequence[Result]) -> list[str | None]:
    return [result.hit.symbol for result in found]


def paths(found: Sequence[Result]) -> list[str]:
    return [result.hit.path for result in found]


def test_name_ranks_before_a_mention(database: SQLite) -> None:
    assert symbols(run_search(database, "refund")) == ["refundOrder", "cancel"]


def test_exact_name_ranks_first(repo: Repo) -> None:
    """Before many mentions and before the node's file."""
    callers = "".join(f"def user_{i}():\n    mergeMap(mergeMap)\n\n\n" for i in range(20))
    long_body = "    # what it does\n" * 40
    repo.commit(
        {
            "mergeMap_users.py": callers,
            "mergeMap.py": f"import mergeMap\n\n\ndef mergeMap():\n{long_body}    return 1\n",
        }
    )
    database = open_database()
    run_sync(Commit(repo.path), database, None)
    assert symbols(run_search(database, "mergeMap"))[0] == "mergeMap"
    database.close()


def test_class_ranks_before_hundreds_of_members_with_its_name(repo: Repo) -> None:
    """However many there are, and also if its file comes last; a name may have two letters."""
    members = "".join(f"class K{i}:\n    def io(self):\n        return {i}\n\n" for i in range(400))
    repo.commit({"a.py": members, "z.py": "class Io:\n    size = 1\n"})
    database = open_database()
    run_sync(Commit(repo.path), database, None)
    assert symbols(run_search(database, "Io"))[0] == "Io"
    database.close()


def test_tests_rank_after_the_tested_code(repo: Repo) -> None:
    """Unless the query is about tests."""
    code = "def levenshtein(a, b):\n" + "    # counts insertions and deletions\n" * 20
    check = "def test_levenshtein():\n    levenshtein()\n"
    repo.commit({"src/distance.py": code + "    return 1\n", "tests/test_distance.py": check})
    database = open_database()
    run_sync(Commit(repo.path), database, None)
    assert symbols(run_search(database, "the levenshtein distance"))[0] == "levenshtein"
    assert symbols(run_search(database, "test of levenshtein"))[0] == "test_levenshtein"
    database.close()


@pytest.mark.parametrize(
    ("name", "query", "called"),
    [
        ("acme.shop.Cart.add", "add", True),
        ("acme.shop.Cart.add", "cart.ADD()", True),
        ("acme.shop.Cart.add", "Cart::add", True),
        ("acme.shop.Cart.add", "Cart#add", True),
        ("acme.shop.Cart.add", "Cart->add()", True),
        ("scala.List.::", "List.::", True),
        ("scala.List.::", "::", True),
        ("scala.List.::", "List", False),
        ("scala.List.:::", ":::", True),
        ("Ptr.operator->", "operator->", True),
        ("Badge.setRates:upload", "setRates:upload:", True),
        ("Badge.setRates:upload", "Badge.setRates:upload:", True),
        ("scala.List.+:", "+:", True),
        ("Install > From source", "from source", True),
        ("acme.shop.Cart.add", "dd", False),
        ("acme.shop.Cart.add", "Cart", False),
    ],
)
def test_query_matches_the_last_parts_of_a_name(name: str, query: str, called: bool) -> None:
    """Whole parts only."""
    assert is_named(name, query) is called


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("parse delta file", "lib/parser.js"),
        ("parseDeltaFile", "lib/parser.js"),
        ("delta", "lib/parser.js"),
        ("server", "lib/HTTPServer.java"),
        ("HTTPServer", "lib/HTTPServer.java"),
        ("customer paying", "docs/payments.md"),
        ("runs", "docs/payments.md"),
        ("payments.md", "docs/payments.md"),
        ("cancel()", "src/order.py"),
        ("groesse größe", "größe.txt"),
        ("GRÖSSE strasse cafe", "größe.txt"),
    ],
)
def test_name_parts_stems_paths_and_any_case_match(database: SQLite, query: str, path: str) -> None:
    assert paths(run_search(database, query))[0] == path


@pytest.mark.parametrize(
    "query",
    [
        '"',
        'a "b',
        "AND",
        "order AND",
        "NOT order",
        "NEAR(order, 2)",
        "ord*",
        "path:order",
        "- order",
        "^order",
        "{order}",
        "order;--",
        "'order'",
        "\\",
        "%",
        "",
        "   ",
        "?!…",
        "\0",
        "🛒",
        "½ ² ٣",
        "हिन्दी",
        "e\u0301",
        "\ud800",
        "word " * 2000,
    ],
)
def test_fts5_operators_are_plain_words(database: SQLite, query: str) -> None:
    """No query is an error."""
    for result in run_search(database, query):
        assert MODEL_VECTORS not in result.ranks


@settings(max_examples=300)
@given(st.text(max_size=40))
@example("a\u0300_b")
def test_any_text_is_searched_without_error(database: SQLite, query: str) -> None:
    assert isinstance(run_search(database, query), list)


def test_every_word_is_quoted_for_fts5() -> None:
    """Any word may match; compound words add their parts."""
    assert QueryText('foo NOT "foo"').fts_terms == ['"foo"', '"NOT"']
    assert QueryText("x:y*").fts_terms == ['"x"', '"y"']
    assert QueryText("parseFile").fts_terms == ['"parseFile"', '"parse"', '"File"']
    assert QueryText("?!").fts_terms == []
    assert QueryText("a pars", prefixes=["pars"]).fts_terms == ['"pars"', '"pars" *']


def test_stop_words_are_searched_only_when_alone() -> None:
    assert QueryText("how do I parse a file").fts_terms == ['"parse"', '"file"']
    assert QueryText("How to").fts_terms == ['"How"', '"to"']


def test_scores_are_normalized_by_the_best_of_each_ranking() -> None:
    """Words by bm25, vectors by their similarity above three fifths of the least, names by rank."""
    assert word_ranking({"a": 8.0, "b": 2.0}).scores == {"a": 1.0, "b": 0.25}
    near = vector_ranking("m", 1.5, {"a": 0.8, "b": 0.55, "c": 0.5})
    assert near.scores == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.4})
    assert name_ranking("n", ["a", "b"]).scores == pytest.approx({"a": 1.0, "b": 20 / 21})
    assert word_ranking({}).scores == vector_ranking("m", 1.5, {}).scores == {}


class PointingEmbedder(HashedEmbedder):
    """An embedder that returns the vector of one function for every query."""

    def embed_query(self, text: str) -> Any:
        [vector] = self.embed(
            ["src/order.py python method place\ndef place(order):\n" + FILES["src/order.py"][:45]]
        )
        return vector


def model_vectors_of(database: SQLite, embedder: HashedEmbedder) -> ModelVectors:
    return ModelVectors(CachedEmbedder(embedder, MEMORY), SQLiteVectors(database))


def test_word_and_vector_scores_are_fused(database: SQLite) -> None:
    """A node's score is the sum of its parts."""
    found = run_search(database, "refund", model_vectors_of(database, PointingEmbedder()))
    by_symbol = {result.hit.symbol: result for result in found}
    place = by_symbol["place"]
    assert dict(place.ranks) == {MODEL_VECTORS: 1}
    assert place.score_parts[MODEL_VECTORS] == MODEL_WEIGHT
    refund = by_symbol["refundOrder"]
    assert (refund.ranks[WORD], refund.score_parts[WORD]) == (1, 1.0)
    assert 0 < refund.score_parts[MODEL_VECTORS] < MODEL_WEIGHT
    for answer in found:
        assert answer.score == pytest.approx(sum(answer.score_parts.values()))


def test_without_a_model_hits_have_no_vector_rank(database: SQLite) -> None:
    found = run_search(database, "due refund")
    assert {result.hit.symbol: result.ranks[WORD] for result in found} == {
        "cancel": 1,
        "refundOrder": 2,
    }
    assert not any(MODEL_VECTORS in result.ranks for result in found)


class FailingQueryEmbedder(HashedEmbedder):
    """An embedder that fails on every query."""

    def __init__(self, error: FeederError) -> None:
        super().__init__()
        self._error = error

    def embed_query(self, text: str) -> Any:
        raise self._error


@pytest.mark.parametrize("kind", [ServiceError, UserError])
def test_words_are_searched_when_the_model_fails(database: SQLite, kind: type[FeederError]) -> None:
    """The warning is given once."""
    warnings: list[Note] = []
    dying = [
        embedding_query_model(
            model_vectors_of(database, FailingQueryEmbedder(kind("The model has ended.")))
        )
    ]
    found = search_scope(
        database, dying, "refund", Scope.of_repo(REPO), Pagination(10), on_warning=warnings.append
    )
    assert found == search_scope(database, [], "refund", Scope.of_repo(REPO), Pagination(10))
    assert list(map(str, warnings)) == ["Searched by words only: The model has ended."]
    with pytest.raises(kind):  # with nobody to tell
        search_scope_with(database, dying, "refund", Scope.of_repo(REPO))


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope.of_repo(REPO, path="src/*"), {"src/order.py", "src/refund.py"}),
        (Scope.of_repo(REPO, path="*.md"), {"docs/payments.md"}),
        (Scope.of_repo(REPO, language="java"), {"lib/HTTPServer.java"}),
        (Scope.of_repo(REPO, node_type="class"), {"lib/HTTPServer.java"}),
        (Scope.of_repo(REPO, path="src/*", language="java"), set()),
    ],
)
def test_scope_applies_to_words_and_vectors(
    database: SQLite, scope: Scope, expected: set[str]
) -> None:
    """By a glob whose star matches slashes, by language, by type and by all of them."""
    query = "order refund customers HTTPServer parser"
    for sides in ([], [embedding_query_model(model_vectors_of(database, HashedEmbedder()))]):
        assert set(paths(search_scope_with(database, sides, query, scope))) == expected


def test_another_repository_is_not_searched(database: SQLite) -> None:
    """Its nodes are in the same file."""
    sides = [embedding_query_model(model_vectors_of(database, HashedEmbedder()))]
    assert search_scope_with(database, sides, "refund", Scope.of_repo("acme/other")) == []


@pytest.mark.parametrize(
    "scope",
    [Scope.of_repo("acme/small"), Scope.of_repo(REPO, "lib"), Scope.of_repo(REPO, "l*/cart.py")],
    ids=str,
)
def test_nearer_vectors_outside_the_scope_hide_nothing(tmp_path: Path, scope: Scope) -> None:
    """The index has 120 nearer nodes outside the scope."""
    far = {"lib/cart.py": "def add(cart, article):\n    cart.append(article)\n"}
    near = {f"src/order_{n}.py": f"def order_{n}():\n    cancel(order)\n" for n in range(120)}
    small, large = Repo(tmp_path / "small"), Repo(tmp_path / "large")
    small.commit(far)
    large.commit(near | far)
    database = open_database()
    run_sync(Commit(small.path), database, HashedEmbedder(), name="acme/small")
    run_sync(Commit(large.path), database, HashedEmbedder())

    # no word of the question is in the one node that there is
    sides = [embedding_query_model(model_vectors_of(database, HashedEmbedder()))]
    found = search_scope_with(database, sides, "cancel order", scope)

    assert [(result.hit.path, dict(result.ranks)) for result in found] == [
        ("lib/cart.py", {MODEL_VECTORS: 1})
    ]
    database.close()


def test_limit_is_the_number_of_hits(database: SQLite) -> None:
    """The best hits come first."""
    assert symbols(search_scope_with(database, [], "refund", Scope.of_repo(REPO), 1)) == [
        "refundOrder"
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The working tree."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_snippet_has_the_lines_of_the_working_tree(database: SQLite, folder: Path) -> None:
    (folder / "src/refund.py").write_text("def refundOrder(order):\n    return 'now'\n")
    answer = result_page(database, folder, run_search(database, "refundOrder"))
    assert list(render_hits(answer))[:3] == [
        "src/refund.py:1-2  method  refundOrder  (the file was edited: these may be other lines)",
        "     1  def refundOrder(order):",
        "     2      return 'now'",
    ]


def test_long_node_is_truncated_and_a_shortened_file_is_no_error(
    database: SQLite, folder: Path
) -> None:
    """The number of omitted lines is shown."""
    found = run_search(database, "cancel", path="src/order.py")[:1]
    assert list(render_hits(result_page(database, folder, found, 1)))[:3] == [
        "src/order.py:5-7  method  cancel",
        "     5  def cancel(order):",
        "        … 2 lines more",
    ]
    assert list(render_hits(result_page(database, folder, found, 0)))[:1] == [
        "src/order.py:5-7  method  cancel"
    ]
    (folder / "src/order.py").write_text("pass\n")
    *lines, state = render_hits(result_page(database, folder, found))
    assert lines == [
        "src/order.py:5-7  method  cancel",
        "        (gone: the file has changed and no longer has these lines)",
    ]
    assert state.startswith("1 of the files shown has changed since it was indexed.")


@pytest.mark.parametrize("how", ["gone", "folder", "binary"])
def test_file_missing_from_the_working_tree_is_reported(
    database: SQLite, folder: Path, how: str
) -> None:
    """The hit is shown without lines. A file that is binary now has no lines either."""
    found = run_search(database, "refundOrder", path="src/refund.py")
    (folder / "src/refund.py").unlink()
    if how == "folder":
        (folder / "src/refund.py").mkdir()
    elif how == "binary":
        (folder / "src/refund.py").write_bytes(b"\0\0")
    answer = result_page(database, folder, found)
    assert list(render_hits(answer))[:2] == [
        "src/refund.py:1-2  method  refundOrder",
        "        (gone: the file has changed and no longer has these lines)"
        if how == "binary"
        else "        (not in the working tree any more)",
    ]
    assert answer.as_json()["hits"][0]["text"] is None


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_snippet_decodes_the_files_encoding(folder: Path, encoding: str) -> None:
    """With any line ends."""
    repo = Repo(folder / "other")
    text = "Straße eins\r\nGröße zwei\r\n"
    repo.commit({"a.txt": text.encode(encoding)})
    database = open_database()
    run_sync(Commit(repo.path), database)
    [found] = result_page(database, repo.path, run_search(database, "eins")).as_json()["hits"]
    assert found["text"] == "Straße eins\nGröße zwei"


def test_json_result_has_all_fields(database: SQLite, folder: Path) -> None:
    """Id, place, names, ranks and text; `tests/search/test_ranking.py` has the scores."""
    hits = run_search(database, "refundOrder", path="src/refund.py")
    [found] = result_page(database, folder, hits, 1, ["refundOrder"]).as_json()["hits"]
    id_ = found.pop("id")
    assert len(id_) == 40
    assert found.pop("score") > found.pop("parts")["name"] > 0
    assert (found.pop("description"), found.pop("line_rank")) == (None, None)
    assert found == {
        "repo": REPO,
        "path": "src/refund.py",
        "language": "python",
        "node_type": "method",
        "symbol": "refundOrder",
        "signature": "def refundOrder(order):",
        "logical_path": None,
        "start_line": 1,
        "end_line": 2,
        "state": "same",
        "indexed_lines": None,
        "member": None,
        "name_rank": 1,
        "word_rank": 1,
        "meaning_rank": None,
        "vector_rank": None,
        "piece": None,
        "copies": [],
        "text": "def refundOrder(order):\n    return order.total",
        "text_of": None,
        "before": None,
        "after": None,
        "window": {
            "start_line": 1,
            "lines": ["def refundOrder(order):"],
            "marks": [[1, 4, 15], [1, 16, 21]],
            "head": None,
            "below": 1,
            "more": [],
        },
    }


def test_blank_query_has_no_hits(database: SQLite) -> None:
    for query in ("", " \n"):
        assert run_search(database, query, model_vectors_of(database, HashedEmbedder())) == []


def test_no_hits_are_reported_in_one_line(folder: Path) -> None:
    assert list(render_hits(result_page(open_database(), folder, []))) == ["Nothing found."]


def test_words_are_searched_when_the_static_model_is_damaged(
    monkeypatch: pytest.MonkeyPatch, database: SQLite
) -> None:
    def damaged() -> None:
        raise UserError("The static model is damaged.")

    monkeypatch.setattr("feeder.embedding.static_query.load_query_model", damaged)
    warnings: list[Note] = []
    search_scope(
        database,
        [static_query_model(database)],
        "cart",
        Scope.of_repo(REPO),
        Pagination(5),
        on_warning=warnings.append,
    )
    assert list(map(str, warnings)) == ["Searched by words only: The static model is damaged."]
