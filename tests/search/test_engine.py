"""What a question finds, in which order, and how it is shown."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feeder.cli.rendering import render_hits
from feeder.embedding.cache import CachedEmbedder
from feeder.errors import FeederError, ServiceError, UserError
from feeder.search.engine import search_scope
from feeder.search.name_matching import is_named
from feeder.search.query import QueryText
from feeder.search.ranking import WORD, name_ranking, vector_ranking, word_ranking
from feeder.search.results import Pagination, Result
from feeder.search.retrieval import (
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
from index_helpers import MEMORY, REPO, open_database, result_page, run_sync
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


def asked(
    database: SQLite,
    query: str,
    semantics: ModelVectors | None = None,
    *,
    path: str | None = None,
) -> list[Result]:
    return put(
        database,
        [embedding_query_model(semantics)] if semantics else [],
        query,
        Scope.of_repo(REPO, path),
    )


def put(
    database: SQLite, sides: Sequence[QueryModel], query: str, scope: Scope, limit: int = 10
) -> list[Result]:
    return list(search_scope(database, sides, query, scope, Pagination(limit)).results)


def symbols(found: Sequence[Result]) -> list[str | None]:
    return [one.hit.symbol for one in found]


def paths(found: Sequence[Result]) -> list[str]:
    return [one.hit.path for one in found]


def test_a_name_weighs_more_than_a_mention(database: SQLite) -> None:
    """The function that is called so comes before the one whose text speaks of it."""
    assert symbols(asked(database, "refund")) == ["refundOrder", "cancel"]


def test_a_node_comes_first_under_its_own_name(repo: Repo) -> None:
    """The function that is asked for comes before many that speak of it, and before its file."""
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
    assert symbols(asked(database, "mergeMap"))[0] == "mergeMap"
    database.close()


def test_a_test_counts_less_than_what_it_tests(repo: Repo) -> None:
    """A test comes first only when the question is about tests."""
    code = "def levenshtein(a, b):\n" + "    # counts insertions and deletions\n" * 20
    check = "def test_levenshtein():\n    levenshtein()\n"
    repo.commit({"src/distance.py": code + "    return 1\n", "tests/test_distance.py": check})
    database = open_database()
    run_sync(Commit(repo.path), database, None)
    assert symbols(asked(database, "the levenshtein distance"))[0] == "levenshtein"
    assert symbols(asked(database, "test of levenshtein"))[0] == "test_levenshtein"
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
        ("Install > From source", "from source", True),
        ("acme.shop.Cart.add", "dd", False),
        ("acme.shop.Cart.add", "Cart", False),
    ],
)
def test_a_query_can_be_the_end_of_a_name(name: str, query: str, called: bool) -> None:
    """A name is recognised by its last parts, whole ones only."""
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
def test_parts_stems_paths_and_any_case_are_found(database: SQLite, query: str, path: str) -> None:
    """Compound names by their parts, words by their stems, files by their names."""
    assert paths(asked(database, query))[0] == path


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
def test_no_query_is_syntax(database: SQLite, query: str) -> None:
    """Operators and signs of FTS5 are words or nothing; no query is an error."""
    for one in asked(database, query):
        assert MODEL_VECTORS not in one.ranks


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
@example("a\u0300_b")
def test_any_text_is_a_query(database: SQLite, query: str) -> None:
    """Whatever it is, it is answered."""
    assert isinstance(asked(database, query), list)


def test_every_word_is_quoted() -> None:
    """Any of the words may match, each once, and the parts of compound ones too."""
    assert QueryText('foo NOT "foo"').fts_terms == ['"foo"', '"NOT"']
    assert QueryText("x:y*").fts_terms == ['"x"', '"y"']
    assert QueryText("parseFile").fts_terms == ['"parseFile"', '"parse"', '"File"']
    assert QueryText("?!").fts_terms == []


def test_small_words_are_asked_for_where_there_are_no_others() -> None:
    """They stand in most texts, and say nothing of what is sought."""
    assert QueryText("how do I parse a file").fts_terms == ['"parse"', '"file"']
    assert QueryText("How to").fts_terms == ['"How"', '"to"']


def test_ways_of_finding_are_compared_as_shares_of_their_best() -> None:
    """Words by bm25's score; a nearness above three fifths of the least; names by their order."""
    assert word_ranking({"a": 8.0, "b": 2.0}).scores == {"a": 1.0, "b": 0.25}
    near = vector_ranking("m", 1.5, {"a": 0.8, "b": 0.55, "c": 0.5})
    assert near.scores == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.4})
    assert name_ranking("n", ["a", "b"]).scores == pytest.approx({"a": 1.0, "b": 20 / 21})
    assert word_ranking({}).scores == vector_ranking("m", 1.5, {}).scores == {}


class Pointing(HashedEmbedder):
    """Sees whatever is asked as the text of one function."""

    def embed_query(self, text: str) -> Any:
        [vector] = self.embed(
            ["src/order.py python method place\ndef place(order):\n" + FILES["src/order.py"][:45]]
        )
        return vector


def semantic(database: SQLite, embedder: HashedEmbedder) -> ModelVectors:
    return ModelVectors(CachedEmbedder(embedder, MEMORY), SQLiteVectors(database))


def test_words_and_meaning_are_merged(database: SQLite) -> None:
    """A node's score is the sum of its parts, of which words and meaning are two."""
    found = asked(database, "refund", semantic(database, Pointing()))
    by_symbol = {one.hit.symbol: one for one in found}
    place = by_symbol["place"]
    assert dict(place.ranks) == {MODEL_VECTORS: 1}
    assert place.score_parts[MODEL_VECTORS] == MODEL_WEIGHT
    refund = by_symbol["refundOrder"]
    assert (refund.ranks[WORD], refund.score_parts[WORD]) == (1, 1.0)
    assert 0 < refund.score_parts[MODEL_VECTORS] < MODEL_WEIGHT
    for one in found:
        assert one.score == pytest.approx(sum(one.score_parts.values()))


def test_words_alone_tell_no_rank_by_meaning(database: SQLite) -> None:
    """Without a model nodes are found by their words."""
    found = asked(database, "due refund")
    assert {one.hit.symbol: one.ranks[WORD] for one in found} == {"cancel": 1, "refundOrder": 2}
    assert not any(MODEL_VECTORS in one.ranks for one in found)


class Dying(HashedEmbedder):
    """A model that ends when it is asked a question."""

    def __init__(self, error: FeederError) -> None:
        super().__init__()
        self._error = error

    def embed_query(self, text: str) -> Any:
        raise self._error


@pytest.mark.parametrize("kind", [ServiceError, UserError])
def test_words_answer_where_the_model_does_not(database: SQLite, kind: type[FeederError]) -> None:
    """As without one, and that it is so is told once."""
    told: list[str] = []
    dying = [embedding_query_model(semantic(database, Dying(kind("The model has ended."))))]
    found = search_scope(
        database, dying, "refund", Scope.of_repo(REPO), Pagination(10), on_warning=told.append
    )
    assert found == search_scope(database, [], "refund", Scope.of_repo(REPO), Pagination(10))
    assert told == ["Searched by words only: The model has ended."]
    with pytest.raises(kind):  # with nobody to tell
        put(database, dying, "refund", Scope.of_repo(REPO))


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
def test_a_scope_narrows_words_and_meaning(
    database: SQLite, scope: Scope, expected: set[str]
) -> None:
    """By a glob whose star crosses folders, by language, by type, and by all of them together."""
    query = "order refund customers HTTPServer parser"
    for sides in ([], [embedding_query_model(semantic(database, HashedEmbedder()))]):
        assert set(paths(put(database, sides, query, scope))) == expected


def test_another_repository_is_not_searched(database: SQLite) -> None:
    """Its nodes are in the file, and in no answer."""
    sides = [embedding_query_model(semantic(database, HashedEmbedder()))]
    assert put(database, sides, "refund", Scope.of_repo("acme/other")) == []


@pytest.mark.parametrize(
    "scope",
    [Scope.of_repo("acme/small"), Scope.of_repo(REPO, "lib"), Scope.of_repo(REPO, "l*/cart.py")],
    ids=str,
)
def test_what_is_nearer_elsewhere_hides_nothing(tmp_path: Path, scope: Scope) -> None:
    """The nearest of the scope are found, though 120 nodes of the same index lie nearer."""
    far = {"lib/cart.py": "def add(cart, article):\n    cart.append(article)\n"}
    near = {f"src/order_{n}.py": f"def order_{n}():\n    cancel(order)\n" for n in range(120)}
    small, large = Repo(tmp_path / "small"), Repo(tmp_path / "large")
    small.commit(far)
    large.commit(near | far)
    database = open_database()
    run_sync(Commit(small.path), database, HashedEmbedder(), name="acme/small")
    run_sync(Commit(large.path), database, HashedEmbedder())

    # no word of the question is in the one node that there is
    sides = [embedding_query_model(semantic(database, HashedEmbedder()))]
    found = put(database, sides, "cancel order", scope)

    assert [(one.hit.path, dict(one.ranks)) for one in found] == [
        ("lib/cart.py", {MODEL_VECTORS: 1})
    ]
    database.close()


def test_a_limit_counts_nodes(database: SQLite) -> None:
    """The best come first and no more than asked for."""
    assert symbols(put(database, [], "refund", Scope.of_repo(REPO), 1)) == ["refundOrder"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The working tree."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_lines_shown_are_those_of_the_working_tree(database: SQLite, folder: Path) -> None:
    """They are read where they stand, as they are now."""
    (folder / "src/refund.py").write_text("def refundOrder(order):\n    return 'now'\n")
    answer = result_page(database, folder, asked(database, "refundOrder"))
    assert list(render_hits(answer))[:3] == [
        "src/refund.py:1-2  method  refundOrder  "
        "(the file is edited since: these may be other lines)",
        "     1  def refundOrder(order):",
        "     2      return 'now'",
    ]


def test_long_nodes_are_cut_and_short_files_are_no_error(database: SQLite, folder: Path) -> None:
    """What is left out is counted; lines that are not there any more are not shown."""
    found = asked(database, "cancel", path="src/order.py")[:1]
    assert list(render_hits(result_page(database, folder, found, 1))) == [
        "src/order.py:5-7  method  cancel",
        "     5  def cancel(order):",
        "        … 2 lines more",
    ]
    assert list(render_hits(result_page(database, folder, found, 0))) == [
        "src/order.py:5-7  method  cancel"
    ]
    (folder / "src/order.py").write_text("pass\n")
    assert list(render_hits(result_page(database, folder, found))) == [
        "src/order.py:5-7  method  cancel",
        "        (gone: the file has changed and no longer has these lines)",
        "1 of the files shown has changed since.",
    ]


@pytest.mark.parametrize("how", ["gone", "folder", "binary"])
def test_a_file_that_is_gone_from_the_working_tree_is_said_to_be(
    database: SQLite, folder: Path, how: str
) -> None:
    """The answer stands, the lines cannot be shown; one that is no text now has lost them."""
    found = asked(database, "refundOrder", path="src/refund.py")
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
def test_lines_are_shown_in_the_files_own_encoding(folder: Path, encoding: str) -> None:
    """As they were read when they were indexed, whatever ends a line."""
    repo = Repo(folder / "other")
    text = "Straße eins\r\nGröße zwei\r\n"
    repo.commit({"a.txt": text.encode(encoding)})
    database = open_database()
    run_sync(Commit(repo.path), database)
    [found] = result_page(database, repo.path, asked(database, "eins")).as_json()["hits"]
    assert found["text"] == "Straße eins\nGröße zwei"


def test_an_answer_for_a_machine_has_all_that_is_known(database: SQLite, folder: Path) -> None:
    """Id, place, names, ranks and text."""
    hits = asked(database, "refundOrder", path="src/refund.py")
    [found] = result_page(database, folder, hits, 1, ["refundOrder"]).as_json()["hits"]
    id_ = found.pop("id")
    assert len(id_) == 40
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
        # by name; its words and text, all nodes of its file, and the file's name
        "score": pytest.approx(4 + (1 + 1) * (1 + 0.6 + 0.6)),
        "name_rank": 1,
        "word_rank": 1,
        "meaning_rank": None,
        "vector_rank": None,
        "parts": pytest.approx({"name": 4, "spelled": 1, "word": 1, "file": 1.2, "folder": 1.2}),
        "piece": None,
        "copies": [],
        "text": "def refundOrder(order):\n    return order.total",
        "text_of": None,
        "window": {
            "start_line": 1,
            "lines": ["def refundOrder(order):"],
            "marks": [[1, 4, 15], [1, 16, 21]],
            "head": None,
            "below": 1,
        },
    }


def test_a_blank_query_means_nothing(database: SQLite) -> None:
    """Neither by word nor by meaning."""
    for query in ("", " \n"):
        assert asked(database, query, semantic(database, HashedEmbedder())) == []


def test_nothing_found_is_an_answer(folder: Path) -> None:
    """It is said in two words."""
    assert list(render_hits(result_page(open_database(), folder, []))) == ["Nothing found."]


def test_words_answer_where_the_static_model_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, database: SQLite
) -> None:
    """A damaged file of the program costs the meaning, not the answer."""

    def damaged() -> None:
        raise UserError("The static model is damaged.")

    monkeypatch.setattr("feeder.embedding.quantization.load_static_model", damaged)
    told: list[str] = []
    search_scope(
        database,
        [static_query_model(database)],
        "cart",
        Scope.of_repo(REPO),
        Pagination(5),
        on_warning=told.append,
    )
    assert told == ["Searched by words only: The static model is damaged."]
