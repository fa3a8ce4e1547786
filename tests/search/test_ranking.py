"""What comes first: names, sources before tests and documents, and nodes of the file that fits."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from feeder.search.engine import search_scope
from feeder.search.file_kinds import kind_weight
from feeder.search.name_matching import name_overlap
from feeder.search.query import QueryText
from feeder.search.ranking import FILE_BOOST, file_boosts, rank_hits, word_ranking
from feeder.search.results import Pagination, ResultList
from feeder.search.retrieval import STATIC_WEIGHT, QueryModel
from feeder.source.git_trees import Commit
from feeder.store import Neighbour
from feeder.store.hits import Hit
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, run_sync
from source.repos import Repo

POOL = """\
class ConnectionPool:
    def acquire(self):
        return self.free.pop()

    def connectionPool(self):
        return self


def parseHTTPDate(text):
    return text


def hasRecord(book):
    return bool(book)


class BaseRequest:
    def finalize(self):
        self.close()
"""
GUIDE = (
    "# How to acquire a connection\n\nAsk the pool to acquire a connection, then give it back.\n"
)
TEST = "def test_acquire():\n    assert pool.acquire() is connection\n"
FILES = {
    "net/pool.py": POOL,
    "docs/guide.md": GUIDE,
    "tests/test_pool.py": TEST,
    "lib/test_functions.bash": "run_it() {\n  echo acquire\n}\n",
    "a/recoverer.py": "def handler(next):\n    try:\n        next()\n    finally:\n        log()\n",
    "b/other.py": "def handler(next):\n    # recoverer, recoverer of panics\n    next()\n",
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SQLite]:
    """An index of the files above."""
    with fed(tmp_path_factory.mktemp("ranking"), FILES) as database:
        yield database


class fed:
    """An index of files, closed at the end."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        repo = Repo(folder)
        repo.commit(dict(files))
        self.database = open_database()
        run_sync(Commit(repo.path), self.database)

    def __enter__(self) -> SQLite:
        return self.database

    def __exit__(self, *error: object) -> None:
        self.database.close()


def answer(database: SQLite, question: str, *sides: QueryModel, limit: int = 10) -> ResultList:
    return search_scope(database, sides, question, Scope.of_repo(REPO), Pagination(limit))


def first(database: SQLite, question: str) -> str | None:
    hit = answer(database, question).results[0].hit
    return hit.symbol or hit.path


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("ConnectionPool", "ConnectionPool"),
        ("connectionPool", "ConnectionPool.connectionPool"),
        ("connectionpool", "ConnectionPool"),  # a type before a member
        ("parse http date", "parseHTTPDate"),
        ("parseHttpDate", "parseHTTPDate"),
        ("has record", "hasRecord"),  # a small word is a part of the name
        ("BaseRequest finalize", "BaseRequest.finalize"),
        ("BaseRequest#finalize", "BaseRequest.finalize"),
        ("parseHTPDate", "parseHTTPDate"),  # misspelt
        ("HTTPDat", "parseHTTPDate"),  # a part of it
        ("finalise", "BaseRequest.finalize"),
    ],
)
def test_a_name_finds_its_node_first(database: SQLite, question: str, symbol: str) -> None:
    """As it is typed, in words, with its owner, misspelt or in part."""
    assert first(database, question) == symbol


@pytest.mark.parametrize("question", ["recoverer.py", "a/recoverer.py", "./a/recoverer", "a/recov"])
def test_a_path_or_a_part_of_it_finds_the_file(database: SQLite, question: str) -> None:
    """Before a file that only speaks of it."""
    assert answer(database, question).results[0].hit.path == "a/recoverer.py"


def test_a_file_called_as_the_question_says_comes_before_one_that_speaks_of_it(
    database: SQLite,
) -> None:
    """Its name says what all of it is for."""
    found = answer(database, "recoverer handlers").results
    assert [one.hit.path for one in found[:2]] == ["a/recoverer.py", "b/other.py"]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("acquire a connection", "net/pool.py"),
        ("test of acquire a connection", "tests/test_pool.py"),
        ("guide to acquire a connection", "docs/guide.md"),
    ],
)
def test_tests_and_documents_come_after_code_unless_asked_for(
    database: SQLite, question: str, path: str
) -> None:
    assert answer(database, question).results[0].hit.path == path


def hit(path: str, node_type: str = "method", id_: str = "id") -> Hit:
    return Hit(id_, path, None, node_type, "a", None, None, 1, 2, "", REPO)


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        (hit("src/a.py"), ""),
        (hit("lib/test_functions.bash"), ""),
        (hit("src/latest.py"), ""),
        (hit("src/docstrings.py"), ""),
        (hit("tests/a.py"), "test"),
        (hit("src/a.spec.ts"), "test"),
        (hit("README.md"), "document"),
        (hit("docs/conf.py"), "document"),
        (hit("CHANGES/12.feature.rst"), "document"),
        (hit("man/man1/shop.1"), "document"),
        (hit("src/shop.10"), ""),
        (hit("site/index.html", "md_section"), "document"),
        (hit("notes/study.ipynb", "method"), ""),
        (hit("rates.csv", "sheet"), "document"),
        (hit("package.json", "json_object"), "data"),
        (hit("examples/app.py"), "example"),
    ],
)
def test_a_file_is_of_a_kind_by_its_path(node: Hit, kind: str) -> None:
    assert kind_weight(node, QueryText("nothing of them"))[0] == kind


def test_a_name_agrees_with_a_question_by_the_words_of_both() -> None:
    """Twice the common ones among all of both; endings do not count."""
    asked = QueryText("parsing dates").stems
    assert name_overlap("a.parseDate", asked) == 1
    assert name_overlap("a.parseHTTPDate", asked) == pytest.approx(4 / 5)
    assert name_overlap("a.listen", asked) == 0


def test_letters_beyond_ascii_part_no_word() -> None:
    """As in the index; in any script a name's own words are its question."""
    assert QueryText("größenOrdnung prüfen").word_parts == ["größen", "ordnung", "prüfen"]
    assert name_overlap("Lager.prüfeGröße", QueryText("prüfe größe").stems) == 1
    assert name_overlap("имяФайла", QueryText("имяФайла").stems) == 1
    assert name_overlap("Lager.prüfeGröße", QueryText("prall").stems) == 0


def test_nonsense_is_told_and_gets_few_hits(database: SQLite) -> None:
    """What a model finds nearest may be far: three at most, and the answer says so."""
    [ids] = [[one.hit.id for one in answer(database, "acquire connection").results]]
    near = QueryModel("meaning", STATIC_WEIGHT, lambda *_: [Neighbour(id_, 0.2) for id_ in ids])
    assert len(ids) > 3
    said = answer(database, "qwertz zuiop", near)
    assert len(said.results) == said.total == 3
    assert said.notes == [
        "No searched node has a word of the query; the hits are similar in meaning only."
    ]
    assert answer(database, "qwertz zuiop") == ResultList(
        [], 0, ["No searched node has a word of the query."]
    )


def test_names_like_one_that_is_nowhere_are_told(database: SQLite) -> None:
    said = answer(database, "finalise")
    assert said.notes == ["No symbol is named finalise. Similar names: BaseRequest.finalize"]
    said = answer(database, "parseHTPDate")  # parts of it are words of nodes
    assert said.notes == ["No symbol is named parseHTPDate. Similar names: parseHTTPDate"]


def test_a_rare_word_comes_before_what_a_model_finds_near(database: SQLite) -> None:
    """Who types one word that few nodes have wants those, wherever they are."""
    others = [one.hit.id for one in answer(database, "acquire connection").results]
    near = QueryModel("meaning", STATIC_WEIGHT, lambda *_: [Neighbour(id_, 0.5) for id_ in others])
    assert answer(database, "panics", near).results[0].hit.path == "b/other.py"


CALLS = """\
class RealCall:
    def tag(self):
        return self.tags

    class AsyncCall:
        def call(self):
            return RealCall
"""


def test_the_beginning_of_a_name_finds_its_node(tmp_path: Path) -> None:
    """Though the index's stems make it a word of all its members: porter takes off an l."""
    with fed(tmp_path, {"net/calls.py": CALLS}) as database:
        assert first(database, "RealCal") == "RealCall"
        said = answer(database, "RealCal").notes
    assert said == ["No symbol is named RealCal. Similar names: RealCall"]


RUNNERS = """\
class %s:
    def execute(self):
        return self.step()
"""


@pytest.mark.parametrize("misspelt", ["RealCal.execute", "RealCall.excute", "a.RealCal.exec"])
def test_the_owner_of_a_misspelt_name_decides(tmp_path: Path, misspelt: str) -> None:
    """Where many are called so, though others have more lines or stand before it."""
    owners = ["Action", "Dns", "RealBackend", "RealCall", "Runner"]
    files = {f"net/{owner.lower()}.py": RUNNERS % owner for owner in owners}
    with fed(tmp_path, files) as database:
        said = answer(database, misspelt)
    assert said.results[0].hit.symbol == "RealCall.execute"
    assert said.notes[0].startswith(
        f"No symbol is named {misspelt}. Similar names: RealCall.execute"
    )


def test_a_name_with_underscores_is_one_word(tmp_path: Path) -> None:
    """However many nodes have it: those come before what has its parts, in name and folder."""
    users = {f"src/use_{n}.py": f"def use_{n}():\n    SHOP_DEFAULT_RATE\n" for n in range(25)}
    apart = {"shop/default.py": "def rate():\n    # the default rate of the shop\n    pass\n"}
    with fed(tmp_path, users | apart) as database:
        found = answer(database, "SHOP_DEFAULT_RATE", limit=26).results
    assert {one.hit.path for one in found[:25]} == set(users)
    assert found[25].hit.path == "shop/default.py"


def test_of_a_question_in_words_too_a_name_with_underscores_is_one(tmp_path: Path) -> None:
    """Its words in a row are worth more than the same ones apart."""
    row = "def a():\n    where(max_cart_items, other, thing)\n"
    apart = "def b():\n    where(items, other, max, thing, cart)\n"
    with fed(tmp_path, {"one.py": apart, "two.py": row}) as database:
        assert first(database, "where is max_cart_items other") == "a"


def test_of_nodes_that_have_a_rare_word_sources_come_first(tmp_path: Path) -> None:
    """Before tests and documents that say it more often."""
    files = {
        "src/flow.py": "def push(items):\n    # backpressure stops it\n    return wait(items)\n",
        "tests/test_flow.py": "def test_push():\n    # backpressure, backpressure\n    push()\n",
        "docs/flow.md": "# Flow\n\nBackpressure is backpressure.\n",
    }
    with fed(tmp_path, files) as database:
        assert answer(database, "backpressure").results[0].hit.path == "src/flow.py"


def test_a_file_counts_what_its_nodes_have_but_for_the_least_of_them() -> None:
    """Ten nodes that hardly answer say less of a file than two that do."""
    many = {f"m{n}": 0.1 for n in range(10)}
    hits = [hit("a.py", id_=id_) for id_ in ("a", *many)] + [hit("b.py", id_=i) for i in "bc"]
    assert file_boosts(hits, many | {"a": 1.0, "b": 0.9, "c": 0.6}) == pytest.approx(
        {"a": FILE_BOOST * 1.0 / 1.5, "b": FILE_BOOST}
    )


def test_tests_do_not_lower_the_files_of_sources() -> None:
    """A file's sum counts its nodes as their kind does: three tenths of a test's."""
    asked = QueryText("acquire")
    hits = [hit("tests/test_a.py", id_="t"), hit("src/a.py", id_="s")]
    found = rank_hits(asked, [word_ranking({"t": 1.0, "s": 0.6})], hits)
    # the source has the most of its file, as the test is worth 0.3
    assert {one.hit.id: one.score_parts["file"] for one in found} == pytest.approx(
        {"s": FILE_BOOST, "t": FILE_BOOST * 0.3 / 0.6}
    )


def test_a_page_follows_another(database: SQLite) -> None:
    """Together they are what one page of both sizes is; the number of all is the same."""
    scope = Scope.of_repo(REPO)
    whole = search_scope(database, [], "acquire connection", scope, Pagination(4))
    pages = [
        search_scope(database, [], "acquire connection", scope, Pagination(2, at)) for at in (0, 2)
    ]
    assert [*pages[0].results, *pages[1].results] == list(whole.results)
    assert {page.total for page in pages} == {whole.total}


def test_what_is_preferred_rises_and_excludes_nothing(database: SQLite) -> None:
    docs = Scope.of_repo(REPO, "docs")
    plain = search_scope(
        database, [], "acquire a connection pool", Scope.of_repo(REPO), Pagination(10)
    )
    found = search_scope(
        database,
        [],
        "acquire a connection pool",
        Scope.of_repo(REPO),
        Pagination(10),
        preferred_scopes=[docs],
    )
    scores = [
        {one.hit.id: one.score for one in said.results if one.hit.path == "docs/guide.md"}
        for said in (plain, found)
    ]
    assert {id_: pytest.approx(1.5 * one) for id_, one in scores[0].items()} == scores[1]
    assert {one.hit.id for one in plain.results} == {one.hit.id for one in found.results}
