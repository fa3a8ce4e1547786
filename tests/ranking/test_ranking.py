"""The order of hits: names, source before tests and documents, and nodes of a matching file."""

from collections.abc import Iterator, Mapping
from math import fsum, sqrt
from pathlib import Path

import pytest

from feeder.query.file_kinds import is_document, kind_weight
from feeder.query.query_text import QueryText
from feeder.query.request_filters import Pagination
from feeder.ranking.name_matching import name_overlap
from feeder.ranking.ranking import (
    COMPOSED_NAME,
    FILE_BOOST,
    LEADING_FILES,
    NAME_BOOST,
    file_boosts,
    name_boosts,
    rank_hits,
    word_ranking,
)
from feeder.ranking.results import ResultList
from feeder.ranking.retrieval import STATIC_WEIGHT, QueryModel
from feeder.source.git_trees import Commit
from feeder.store import Neighbour, Statement
from feeder.store.hits import Hit
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, run_sync, search_scope
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
    with temporary_index(tmp_path_factory.mktemp("ranking"), FILES) as database:
        yield database


class temporary_index:
    """An index of files that is closed at the end of the block."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        repo = Repo(folder)
        repo.commit(dict(files))
        self.database = open_database()
        run_sync(Commit(repo.path), self.database)

    def __enter__(self) -> SQLite:
        return self.database

    def __exit__(self, *error: object) -> None:
        self.database.close()


def run_search(database: SQLite, question: str, *sides: QueryModel, limit: int = 10) -> ResultList:
    return search_scope(database, sides, question, Scope.of_repo(REPO), Pagination(limit))


def first_hit(database: SQLite, question: str) -> str | None:
    hit = run_search(database, question).results[0].hit
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
def test_name_query_ranks_its_node_first(database: SQLite, question: str, symbol: str) -> None:
    """The name may be exact, in words, with its class, misspelt or partial."""
    assert first_hit(database, question) == symbol


OPTIONS = 'DEFAULT_OPTIONS = {\n    "cols": 80,\n}\nMAX_BUFFER = 4096\n'
USER = "def default(options):\n    # the default options\n    return options\n"


@pytest.mark.parametrize(
    ("question", "is_composed"),
    [
        ("default options", True),
        ("max buffer", True),
        ("the default options", True),  # stop words do not count
        ("DefaultOptions", False),  # a token is looked for as it is
    ],
)
def test_constant_with_exactly_the_words_comes_first(
    tmp_path: Path, question: str, is_composed: bool
) -> None:
    with temporary_index(tmp_path, {"a/terminal.py": OPTIONS, "b/options.py": USER}) as database:
        results = run_search(database, question).results
    composed = [result.hit.path for result in results if COMPOSED_NAME in result.ranks]
    assert composed == (["a/terminal.py"] if is_composed else [])
    assert results[0].hit.path == "a/terminal.py" or not is_composed


@pytest.mark.parametrize("question", ["recoverer.py", "a/recoverer.py", "./a/recoverer", "a/recov"])
def test_path_query_ranks_its_file_first(database: SQLite, question: str) -> None:
    """Before a file that only mentions it."""
    assert run_search(database, question).results[0].hit.path == "a/recoverer.py"


def test_file_named_like_the_query_ranks_before_a_mention(
    database: SQLite,
) -> None:
    found = run_search(database, "recoverer handlers").results
    assert [result.hit.path for result in found[:2]] == ["a/recoverer.py", "b/other.py"]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("acquire a connection", "net/pool.py"),
        ("test of acquire a connection", "tests/test_pool.py"),
        ("guide to acquire a connection", "docs/guide.md"),
    ],
)
def test_tests_and_documents_rank_after_code_unless_the_query_names_them(
    database: SQLite, question: str, path: str
) -> None:
    assert run_search(database, question).results[0].hit.path == path


def hit(path: str, node_type: str = "method", id_: str = "id", symbol: str = "a") -> Hit:
    return Hit(id_, path, None, node_type, symbol, None, None, 1, 2, "", REPO)


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
def test_file_kind_depends_on_the_path(node: Hit, kind: str) -> None:
    assert kind_weight(node, QueryText("nothing of them"))[0] == kind


@pytest.mark.parametrize(
    ("query", "weight"),
    [
        ("how are carts tested", 1.0),
        ("unit tests of carts", 1.0),
        ("my_test_client", 1.0),
        ("the unittests of carts", 1.0),
        ("crash under pytest", 0.3),
        ("the latest and fastest cart", 0.3),
    ],
)
def test_tests_are_wanted_by_a_word_that_begins_so(query: str, weight: float) -> None:
    assert kind_weight(hit("tests/cart.py"), QueryText(query))[1] == weight


def test_name_overlap_is_the_dice_coefficient_of_stems() -> None:
    """Twice the common words divided by the words of both."""
    asked = QueryText("parsing dates").stems
    assert name_overlap("a.parseDate", asked) == 1
    assert name_overlap("a.parseHTTPDate", asked) == pytest.approx(4 / 5)
    assert name_overlap("a.listen", asked) == 0


def test_non_ascii_letters_do_not_split_words() -> None:
    """As in the index, in any script."""
    assert QueryText("größenOrdnung prüfen").word_parts == ["größen", "ordnung", "prüfen"]
    assert name_overlap("Lager.prüfeGröße", QueryText("prüfe größe").stems) == 1
    assert name_overlap("имяФайла", QueryText("имяФайла").stems) == 1
    assert name_overlap("Lager.prüfeGröße", QueryText("prall").stems) == 0


def test_query_with_vector_hits_only_gets_three_hits_and_a_note(database: SQLite) -> None:
    """The nearest vectors may be far away."""
    [ids] = [[result.hit.id for result in run_search(database, "acquire connection").results]]
    near = QueryModel("meaning", STATIC_WEIGHT, lambda *_: [Neighbour(id_, 0.2) for id_ in ids])
    assert len(ids) > 3
    page = run_search(database, "qwertz zuiop", near)
    assert len(page.results) == page.total == 3
    assert list(map(str, page.notes)) == ["No exact matches; showing related results."]
    assert run_search(database, "qwertz zuiop") == ResultList([], 0, [], has_match=False)


def test_similar_names_are_suggested_for_an_unknown_name(database: SQLite) -> None:
    page = run_search(database, "finalise")
    assert list(map(str, page.notes)) == [
        "No symbol is named finalise. Similar names: BaseRequest.finalize"
    ]
    page = run_search(database, "parseHTPDate")  # parts of it are words of nodes
    assert list(map(str, page.notes)) == [
        "No symbol is named parseHTPDate. Similar names: parseHTTPDate"
    ]


TYPOS = """\
class StripPrefix:
    pass

class Dispatch:
    pass

def strip_prefix():
    pass

def dispatch():
    pass

def _feed_data():
    pass

class Parser:
    def feed_data(self):
        return 1

"""


@pytest.mark.parametrize(
    ("misspelt", "first"),
    [
        ("strip_rpefix", "strip_prefix"),
        ("StripPrefx", "StripPrefix"),
        ("disppatch", "dispatch"),  # as for `dispatch`, a function comes before a type
        ("_feedwdata", "_feed_data"),
    ],
)
def test_misspelt_name_finds_the_name_that_is_one_edit_away(
    tmp_path: Path, misspelt: str, first: str
) -> None:
    """Before the names that are similar by their trigrams, which ignore case and `_`."""
    with temporary_index(tmp_path, {"typos.py": TYPOS}) as database:
        assert first_hit(database, misspelt) == first


ISSUE = """\
The total of an emptied cart is wrong

After the cart is emptied, it has the total of before. I think `drop_lines` leaves it.
"""
SHOPS = {
    "a/cart.py": "def emptied_cart_total(cart):\n    return cart.total  # of the emptied cart\n",
    "b/lines.py": "def drop_lines(order):\n    order.clear()\n",
    "tests/test_lines.py": "def drop_lines(fake):\n    return fake\n",
}


def anchored_paths(tmp_path: Path, files: Mapping[str, str], text: str = ISSUE) -> dict[str, float]:
    """The share of the best score by words that each path gets for a name in the text."""
    with temporary_index(tmp_path, files) as database:
        results = run_search(database, text).results
    best = max(
        fsum(result.score_parts.get(name, 0) for name in ("word", "title")) for result in results
    )
    parts = {result.hit.path: result.score_parts.get("anchor", 0) / best for result in results}
    return {path: part for path, part in parts.items() if part}


def test_only_definition_of_a_name_in_a_text_of_several_lines_is_boosted(tmp_path: Path) -> None:
    """A test with a function of the name is no definition of it."""
    assert anchored_paths(tmp_path, SHOPS) == {"b/lines.py": 0.5}


def test_name_that_two_files_define_boosts_neither(tmp_path: Path) -> None:
    two = {"c/lines.py": "def drop_lines(page):\n    page.wipe()\n"}
    assert anchored_paths(tmp_path, {**SHOPS, **two}) == {}


@pytest.mark.parametrize(
    ("named", "paths"),
    [
        ('File "/usr/lib/b/lines.py", line 2', {"b/lines.py": 0.5}),
        ("raised in shop.b.lines.clear", {"b/lines.py": 0.5}),
        ("see lines.py of c/lines.py", {}),
    ],
)
def test_file_that_a_text_of_several_lines_names_is_boosted(
    tmp_path: Path, named: str, paths: dict[str, float]
) -> None:
    """By its folder and name, or as a module."""
    text = f"The total of an emptied cart is wrong\n\nAn order clears it: {named}\n"
    assert anchored_paths(tmp_path, SHOPS, text) == paths


NOISE = {
    "a/cart.py": "def wrong_total(cart):\n    return cart.total\n",
    "b/versions.py": "def show(python, system, numpy):\n    print(python, system, numpy)\n",
}


def test_first_line_outweighs_what_an_issue_pastes(tmp_path: Path) -> None:
    """The words of the rest alone would find the other file."""
    pasted = "python 3.12\nsystem linux\nnumpy 2.1\nshow versions: python system numpy"
    with temporary_index(tmp_path, NOISE) as database:
        results = run_search(database, f"The total of a cart is wrong\n\n{pasted}").results
    assert [result.hit.path for result in results] == ["a/cart.py", "b/versions.py"]
    assert "title" in results[0].score_parts
    assert "title" not in results[1].score_parts


def test_model_counts_less_in_a_text_of_several_lines(tmp_path: Path) -> None:
    files = {"a.py": "def apple():\n    return 1\n", "b.py": "def berry():\n    return 1\n"}
    with temporary_index(tmp_path, files) as database:
        [[[id_]]] = database.run([Statement("SELECT id FROM docs WHERE symbol = 'berry'")])
        near = QueryModel("meaning", STATIC_WEIGHT, lambda *_: [Neighbour(str(id_), 0.9)])
        parts = [
            next(
                result
                for result in run_search(database, text, near).results
                if result.hit.symbol == "berry"
            ).score_parts["meaning"]
            for text in ("an apple", "an apple\nfalls")
        ]
    assert parts == [1.5, 0.375]


def test_minified_code_comes_after_the_code_that_uses_it(tmp_path: Path) -> None:
    """A library in one line has five functions with the words of the query."""
    names = ("cartTotal", "totalCart", "sumCartTotal", "cartTotals", "addCartTotal")
    files = {
        "lib/cart.js": "".join(f"function {name}(cart){{return cart.total}}" for name in names),
        "src/shop.js": "export function pay(cart) {\n  return cart.total - 1;\n}\n",
    }
    with temporary_index(tmp_path, files) as database:
        results = run_search(database, "pay for the cart total").results
    assert results[0].hit.path == "src/shop.js"
    minified = [result for result in results if result.hit.path == "lib/cart.js"]
    assert len(minified) == 5
    assert all("minified" in result.score_parts for result in minified)


@pytest.mark.parametrize(
    ("query", "weight"),
    [("cart total", 1.0), ("cart total\nis wrong", 0.6), ("docs of the cart\nare wrong", 1.0)],
)
def test_node_without_a_symbol_counts_less_in_a_text_of_several_lines(
    query: str, weight: float
) -> None:
    """Unless the first line asks for its kind."""
    path = "README.md" if query.startswith("docs") else "src/cart.py"
    node = hit(path)
    assert kind_weight(node._replace(symbol=None), QueryText(query))[1] == weight
    assert kind_weight(node._replace(symbol="Cart"), QueryText(query))[1] == 1.0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Fix drop_lines", []),
        (
            "Title\n\nSee `Cart::add`, RealCall and drop_lines(); drop_lines again",
            ["Cart.add", "RealCall", "drop_lines"],
        ),
        ("Title\n\n`two words` and plain ones", []),
        ("Title\n\n```\nplain\n```\nand `add` of drop_lines", ["add", "drop_lines"]),
    ],
)
def test_anchor_names_are_written_like_code(text: str, names: list[str]) -> None:
    assert QueryText(text).anchor_names == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("why does `cart.empty?` fail", {"empty"}),
        ("`add()` and `[]=` of `Cart::Line`", {"add", "line"}),
        ("```\nplain\n``` then dropLines", {"droplines"}),
    ],
)
def test_identifiers_are_the_last_words_of_names(text: str, names: set[str]) -> None:
    """A node without a symbol has none of them, whatever characters a token has."""
    assert QueryText(text).identifiers == names


def test_rare_word_ranks_before_vector_hits(database: SQLite) -> None:
    """A query of one rare word is for the nodes that contain it."""
    others = [result.hit.id for result in run_search(database, "acquire connection").results]
    near = QueryModel("meaning", STATIC_WEIGHT, lambda *_: [Neighbour(id_, 0.5) for id_ in others])
    assert run_search(database, "panics", near).results[0].hit.path == "b/other.py"


CALLS = """\
class RealCall:
    def tag(self):
        return self.tags

    class AsyncCall:
        def call(self):
            return RealCall
"""


def test_prefix_of_a_name_finds_its_node(tmp_path: Path) -> None:
    """Although the Porter stemmer reduces it to the stem of all its members."""
    with temporary_index(tmp_path, {"net/calls.py": CALLS}) as database:
        assert first_hit(database, "RealCal") == "RealCall"
        [note] = run_search(database, "RealCal").notes
    assert str(note) == "No symbol is named RealCal. Similar names: RealCall"


RUNNERS = """\
class %s:
    def execute(self):
        return self.step()
"""


@pytest.mark.parametrize("misspelt", ["RealCal.execute", "RealCall.excute", "a.RealCal.exec"])
def test_class_decides_between_nodes_of_a_misspelt_name(tmp_path: Path, misspelt: str) -> None:
    """Other nodes of that name have more lines or come first in the file."""
    owners = ["Action", "Dns", "RealBackend", "RealCall", "Runner"]
    files = {f"net/{owner.lower()}.py": RUNNERS % owner for owner in owners}
    with temporary_index(tmp_path, files) as database:
        page = run_search(database, misspelt)
    assert page.results[0].hit.symbol == "RealCall.execute"
    assert str(page.notes[0]).startswith(
        f"No symbol is named {misspelt}. Similar names: RealCall.execute"
    )


def test_snake_case_name_is_one_word(tmp_path: Path) -> None:
    """Nodes that contain it rank before nodes that contain its parts in name and folder."""
    users = {f"src/use_{n}.py": f"def use_{n}():\n    SHOP_DEFAULT_RATE\n" for n in range(25)}
    apart = {"shop/default.py": "def rate():\n    # the default rate of the shop\n    pass\n"}
    with temporary_index(tmp_path, users | apart) as database:
        found = run_search(database, "SHOP_DEFAULT_RATE", limit=26).results
    assert {result.hit.path for result in found[:25]} == set(users)
    assert found[25].hit.path == "shop/default.py"


def test_snake_case_name_within_a_longer_query_is_one_word(tmp_path: Path) -> None:
    """Its words in sequence score higher than the same words apart."""
    row = "def a():\n    where(max_cart_items, other, thing)\n"
    apart = "def b():\n    where(items, other, max, thing, cart)\n"
    with temporary_index(tmp_path, {"one.py": apart, "two.py": row}) as database:
        assert first_hit(database, "where is max_cart_items other") == "a"


def test_source_with_a_rare_word_ranks_before_tests_and_documents(tmp_path: Path) -> None:
    """Although those contain it more often."""
    files = {
        "src/flow.py": "def push(items):\n    # backpressure stops it\n    return wait(items)\n",
        "tests/test_flow.py": "def test_push():\n    # backpressure, backpressure\n    push()\n",
        "docs/flow.md": "# Flow\n\nBackpressure is backpressure.\n",
    }
    with temporary_index(tmp_path, files) as database:
        assert run_search(database, "backpressure").results[0].hit.path == "src/flow.py"


def test_file_score_sums_its_best_nodes() -> None:
    """Ten weak nodes count less than two strong ones."""
    many = {f"m{n}": 0.1 for n in range(10)}
    hits = [hit("a.py", id_=id_) for id_ in ("a", *many)] + [hit("b.py", id_=i) for i in "bc"]
    assert file_boosts(hits, many | {"a": 1.0, "b": 0.9, "c": 0.6}) == pytest.approx(
        {"a": FILE_BOOST * sqrt(1.0 / 1.5), "b": FILE_BOOST}
    )


def test_files_that_do_not_lead_are_not_raised_by_the_root() -> None:
    """A file with two nodes leads; of many files with one node, the last in score does not."""
    rest = {f"r{n}": 0.9 - n / 100 for n in range(LEADING_FILES)}
    hits = [hit("a.py", id_="a"), hit("a.py", id_="b"), *(hit(f"{i}.py", id_=i) for i in rest)]
    boosts = file_boosts(hits, rest | {"a": 1.0, "b": 1.0})
    *leading, last = rest
    assert boosts == pytest.approx(
        {"a": FILE_BOOST, last: FILE_BOOST * rest[last] / 2}
        | {id_: FILE_BOOST * sqrt(rest[id_] / 2) for id_ in leading}
    )


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("what is the Hash class for", 1.0),
        ("hash cost", 2 / 3),  # one common word of the one in the name and the two here
        ("how a Digest is updated", 0.0),
    ],
)
def test_capitalized_word_names_a_type(text: str, share: float) -> None:
    """In its case only; a word in another case is one of the words that agree."""
    boosts = name_boosts([hit("a.py", id_="a", symbol="crypto.Hash")], QueryText(text))
    assert boosts.get("a", 0.0) == pytest.approx(NAME_BOOST * share)


def test_members_of_a_named_type_get_half_of_the_boost() -> None:
    hits = [hit("a.py", id_="a", symbol="Hash.reset"), hit("a.py", id_="b", symbol="Key.reset")]
    assert name_boosts(hits, QueryText("constructor of Hash")) == {"a": NAME_BOOST * 0.5}


@pytest.mark.parametrize(
    ("text", "share"),
    [("default options", 1.0), ("where is MAX_BUFFER set", 1.0), ("options of a terminal", 0.5)],
)
def test_constants_of_a_chunk_are_its_names(text: str, share: float) -> None:
    """Of `options` and `terminal`, and of `default` and `options`, one agrees: 2 · 1 / (2 + 2). A
    class has a name of its own.
    """
    members = "71f5 DEFAULT_OPTIONS:4 MAX_BUFFER:12"
    chunk = hit("a.py", id_="a")._replace(symbol=None, members=members)
    own = hit("a.py", id_="b", symbol="Terminals")._replace(members=members)
    boosts = name_boosts([chunk, own], QueryText(text))
    assert boosts["a"] == NAME_BOOST * share
    assert boosts.get("b", 0) == (NAME_BOOST * 2 / 3 if "terminal" in text else 0)


def test_tests_do_not_lower_the_score_of_source_files() -> None:
    """Nodes of tests count three tenths in the sum of their file."""
    asked = QueryText("acquire")
    hits = [hit("tests/test_a.py", id_="t"), hit("src/a.py", id_="s")]
    found = rank_hits(asked, [word_ranking({"t": 1.0, "s": 0.6})], hits)
    # the source has the most of its file, as the test is worth 0.3
    assert {result.hit.id: result.score_parts["file"] for result in found} == pytest.approx(
        {"s": FILE_BOOST, "t": FILE_BOOST * sqrt(0.3 / 0.6)}
    )


def test_second_page_continues_the_first(database: SQLite) -> None:
    """Together they equal one page of both sizes, with the same total."""
    scope = Scope.of_repo(REPO)
    whole = search_scope(database, [], "acquire connection", scope, Pagination(4))
    pages = [
        search_scope(database, [], "acquire connection", scope, Pagination(2, at)) for at in (0, 2)
    ]
    assert [*pages[0].results, *pages[1].results] == list(whole.results)
    assert {page.total for page in pages} == {whole.total}


def test_boost_raises_hits_and_excludes_none(database: SQLite) -> None:
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
        {
            result.hit.id: result.score
            for result in page.results
            if result.hit.path == "docs/guide.md"
        }
        for page in (plain, found)
    ]
    assert {id_: pytest.approx(1.5 * one) for id_, one in scores[0].items()} == scores[1]
    assert {result.hit.id for result in plain.results} == {
        result.hit.id for result in found.results
    }


def symbols_of(database: SQLite, question: str) -> list[str | None]:
    return [result.hit.symbol for result in run_search(database, question).results]


def test_type_ranks_before_members_of_its_name_for_a_lowercase_query(tmp_path: Path) -> None:
    """Not before a type that is called so itself, nor for a query with capitals."""
    repo = Repo(tmp_path / "types")
    client = "class Client:\n    def cache(self):\n        return 1\n\n    size = 3\n"
    store = "class Cache:\n    def size(self):\n        return 2\n"
    repo.commit(
        {"client.py": client, "store.py": store, "tests/test_a.py": "class Size:\n    x = 1\n"}
    )
    database = open_database()
    run_sync(Commit(repo.path), database)
    assert symbols_of(database, "cache")[:2] == ["Cache", "Client.cache"]
    assert symbols_of(database, "Client.cache")[0] == "Client.cache"
    assert symbols_of(database, "Cache")[0] == "Cache"
    assert symbols_of(database, "size")[0] == "Cache.size"


def test_function_of_the_same_letters_ranks_before_a_type(tmp_path: Path) -> None:
    """And the type before its member."""
    repo = Repo(tmp_path / "functions")
    code = "class Total:\n    def total(self):\n        self.a = 1\n        return 1\n"
    repo.commit({"a.py": code, "b.py": "def total():\n    return 2\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    assert symbols_of(database, "total")[:3] == ["total", "Total", "Total.total"]


def test_type_ranks_before_blocks_that_add_to_it(tmp_path: Path) -> None:
    """However long they are."""
    repo = Repo(tmp_path / "rust")
    body = "".join(f"    pub fn step{n}(&self) -> u8 {{\n        {n}\n    }}\n" for n in range(9))
    walk = f"pub struct WalkParallel {{\n    depth: u8,\n}}\n\nimpl WalkParallel {{\n{body}}}\n"
    other = f"impl<'a> Iterator for WalkParallel {{\n{body}}}\n"
    repo.commit({"src/walk.rs": walk, "src/iter.rs": other})
    database = open_database()
    run_sync(Commit(repo.path), database)
    for query in ("WalkParallel", "WalkParalel"):
        [first, *_] = run_search(database, query).results
        assert (first.hit.path, first.hit.start_line) == ("src/walk.rs", 1), query


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("how is the cart tested", {"document", "data"}),
        ("cart specs", {"document", "data"}),
        # no test, and no word of its own
        ("introspection of a specific cart", {"test", "document", "data"}),
        # an issue whose title asks for code
        ("Cart loses items\n\n* add tests\n* update docs, config", {"test", "document", "data"}),
        ("\n  Config of the cart\n\nadd tests", {"test", "document"}),
    ],
)
def test_first_line_decides_which_kinds_are_asked_for(query: str, kinds: set[str]) -> None:
    paths = {"tests/test_cart.py": "chunk", "docs/cart.md": "md_section", "cart.py": "chunk"}
    paths["cart.json"] = "json_object"
    hits = [
        Hit("a", path, None, node_type, "a", None, None, 1, 9, "", REPO)
        for path, node_type in paths.items()
    ]
    query_text = QueryText(query)
    assert {kind for hit in hits if (kind := kind_weight(hit, query_text)[0])} == kinds


def test_licence_is_a_document() -> None:
    for path in ("LICENSE", "UNLICENSE", "crates/ignore/UNLICENSE", "LICENCE.txt"):
        assert is_document(path)
    assert not is_document("licenses.py")
