"""The Worker answers as the program does over the same index, in workerd with the real D1.

Two things are the program's alone, since they look at files: a pattern, and whether a phrase or a
word of `case:yes` stands in the lines to the letter.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from standin import StandIn

from edge.indexed_worker import Facts, IndexedWorker, program
from edge.query_generator import QueryParams, generate_queries
from feeder.mcp.service import IndexService
from parse.outlines import shop_files
from source.repos import Repo

STATIC = "static"
QUESTIONS, AT_ONCE = 200, 50
TRIPS, SUBREQUESTS = 2, 6
TWICE = (
    "class Price:\n    CURRENCY = 'EUR'\n\n"
    "    @property\n    def value(self):\n        return 1\n\n"
    "    def other(self):\n        return 2\n\n"
    "    @value.setter\n    def value(self, new):\n        self.new = new\n"
)
TARIFFS = "".join(f"    'A_TARIFF_{at}': 'so much it costs, {at}',\n" for at in range(120))
TARIFFS = f"import os\n\nTARIFFS = {{\n{TARIFFS}}}\n\nOTHER_TARIFF = 1\n"
ALONE = {"index", "note"}
"""What the program says of its working tree, and the Worker of the commit."""


def _samples() -> dict[str, str | bytes]:
    """Returns code and documents in many languages, some of them tests, and one copy."""
    found = shop_files()
    files: dict[str, str | bytes] = {
        f"{'tests' if 'test' in name else 'docs' if name.endswith('.md') else 'src'}/{name}": text
        for name, text in found.items()
    }
    long = "\n".join(f"    total += weigh({at}) * {at}  # so much it weighs" for at in range(150))
    weigh = f"def weigh_all(total):\n{long}\n    return total\n"
    others = {"lib/deep/yarn.lock": "lock\n", "lib/price.py": TWICE, "lib/tariffs.py": TARIFFS}
    others["lib/rate.py"] = "RATE = 3\n\n\ndef rate(cart):\n    return cart * RATE\n"
    others["lib/book.go"] = (
        'package ledger\n\nvar ErrLedgerClosed = errors.New("closed")\n\n'
        "func OpenLedger() error {\n\treturn ErrLedgerClosed\n}\n"
    )
    others["docs/进化.md"] = "# 进化\n\n物竞天择的适者生存法则说明了进化。\n\n使用Vue组件显示。\n"
    others["lib/用户.py"] = "class 用户服务:\n    def 读取用户(self):\n        return 1\n"
    others["docs/ledger.md"] = "# Audit\n\nErrLedgerClosd is misspelt in a chapter on auditing.\n"
    return {**files, "lib/cart.py": found["cart.py"], "lib/weigh.py": weigh, **others}


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    """An indexed Worker with the static model and stored source."""
    repo = Repo(tmp_path_factory.mktemp("static") / "shop")
    repo.commit(_samples())
    one = IndexedWorker(account, repo, STATIC, script)
    one.feed("--texts")
    one.deploy()
    yield one
    one.close()


@pytest.fixture(scope="module")
def desk(fed: IndexedWorker) -> Iterator[IndexService]:
    """The program on the same database."""
    some = fed.desk()
    yield some
    some.close()


ON_DISK = (
    r"\d+ files? on disk differs? from the index"
    r"(?:: feeder sync --working-tree|\. To search them, .*?store local\.)"
)
"""What the program says of files that differ from the index."""


def _plain(facts: Facts) -> Facts:
    """Returns the fields that must be equal; scores are rounded."""
    rest = {name: value for name, value in facts.items() if name not in ALONE}
    hits = [_hit(dict(hit)) for hit in rest.get("hits", ())]
    return {**rest, "hits": hits} if "hits" in rest else rest


def _hit(hit: dict[str, Any]) -> dict[str, Any]:
    """Removes what only a Worker's hit has: its commit, and other parts of its score."""
    for name in ("text_of", "parts"):
        hit.pop(name, None)
    return {**hit, "score": pytest.approx(hit["score"], abs=2e-5)}


@pytest.fixture(scope="module")
def local(fed: IndexedWorker) -> Iterator[IndexService]:
    """The program on an index of the same repository on this machine."""
    fed.sync_locally()
    some = fed.desk("local")
    yield some
    some.close()


@pytest.fixture(scope="module", params=range(0, QUESTIONS, AT_ONCE))
def questions(fed: IndexedWorker, request: pytest.FixtureRequest) -> list[QueryParams]:
    """Some of the generated queries."""
    fed.query_worker("status")  # what an isolate asks once
    return list(generate_queries(fed.nodes(), QUESTIONS))[request.param : request.param + AT_ONCE]


def test_worker_and_program_return_the_same_results(
    fed: IndexedWorker, desk: IndexService, questions: list[QueryParams]
) -> None:
    """The first ten with lines, highlights, ranks, copies, totals, facets and notes.

    Within six requests: two to D1, one more for a name that no node has exactly, one more for
    lines that were not prefetched, and one for what an answer could not see that has no hits, or
    only similar ones.
    """
    for said, (ours, request_counts) in zip(
        questions, fed.answers("search", questions), strict=True
    ):
        assert _plain(ours) == _plain(program(desk, "search", **said)), said
        has_match = ours.get("total") and not any(
            note.startswith(("No exact matches", "No symbol is named")) for note in ours["notes"]
        )
        most = TRIPS + 2 + (not has_match)
        assert request_counts.get("d1", 0) <= most, said
        assert sum(request_counts.values()) <= SUBREQUESTS, said


def test_worker_and_local_index_return_the_same_results(
    fed: IndexedWorker, local: IndexService, questions: list[QueryParams]
) -> None:
    """By words, since the local vectors are stored differently."""
    alone = [{**said, "meaning": "no"} for said in questions]
    for said, (ours, _) in zip(alone, fed.answers("search", alone), strict=True):
        theirs = program(local, "search", **said)
        assert (_ids(ours), ours.get("total")) == (_ids(theirs), theirs.get("total")), said


def test_issues_find_the_same(fed: IndexedWorker, desk: IndexService) -> None:
    """Texts of several lines with two names, one of which only one file may define."""
    names = [node.symbol for node in fed.nodes()]
    anchored = 0
    for one, other in zip(names[::30], names[7::30], strict=False):
        text = f"Wrong result\n\nCalling `{one}` fails with --dry-run and MAX_SIZE:\n{other}()"
        ours = fed.query_worker("search", q=text, explain="1")
        anchored += any("anchor" in hit["parts"] for hit in ours["hits"])
        assert _plain(ours) == _plain(program(desk, "search", q=text)), text
    assert anchored > 2


def _ids(facts: Facts) -> list[str]:
    return [hit["id"] for hit in facts.get("hits", ())]


LONG_PATH = "module/src/main/java/com/example/shop/checkout/CartRepository.java"
"""Longer than the patterns that D1 accepts."""

UNSPACED = (
    *(
        "适者生存",
        '"者生"',
        "法*",
        "法",
        "说明了进化的",
        "使用Vue组件",
        "-适者 进化",
        "组件 case:yes",
    ),
    *(
        "symbol:用户服务",
        "symbol:读*",
        "path:docs/进化.md 生存",
        "用户",
        "读取用户",
        "适者生存 lang:markdown",
    ),
    "物竞天择的适者生存法则说明了进化" * 6,
)
"""Queries for text without spaces between its words."""

OTHERS: list[tuple[str, dict[str, str]]] = [
    ("similar", {"target": "src/cart.py:4"}),
    ("similar", {"target": "src/cart.go#Cart.Add", "limit": "3", "language": "go"}),
    ("similar", {"target": "nothing_like_it"}),
    ("similar", {"target": "add"}),
    ("similar", {"target": "lib/price.py#value"}),
    ("similar", {"target": "RATE"}),
    ("similar", {"target": "rate"}),
    ("similar", {"target": "ledger.ErrLedgerClosed"}),
    ("similar", {"target": "other.ErrLedgerClosed"}),
    ("similar", {"target": "lib/price.py"}),
    ("similar", {"target": "yarn.lock"}),
    ("file", {"path": "lib/deep/yarn.lock"}),
    ("outline", {"path": "deep/yarn.lock"}),
    ("outline", {"path": "deep"}),
    ("outline", {"path": "lib/yarn.lock"}),
    ("node", {"id": "00000000"}),
    ("node", {"id": "no id"}),
    ("file", {"path": "src/cart.py"}),
    ("file", {"path": "src/carr.py"}),
    ("outline", {"path": "src/cart.rb"}),
    ("outline", {"path": "tests"}),
    ("outline", {"path": "nowhere"}),
    ("outline", {"path": "nowhere", "after": "a"}),
    ("outline", {"path": "src", "limit": "2"}),
    ("outline", {"path": "src", "limit": "2", "after": "src/cart.py"}),
    ("outline", {"path": "src", "after": "zzz"}),
    ("outline", {"path": "src/cart.*", "limit": "2", "after": "src/cart.c"}),
    ("outline", {"path": "src/cart.*", "after": "zzz"}),
    ("outline", {"path": "src", "limit": "301"}),
    ("map", {"path": "nowhere"}),
    ("map", {"path": "a. b"}),
    ("file", {"path": "a. b"}),
    ("outline", {"path": "a. b"}),
    ("similar", {"target": "a. b"}),
    ("search", {"q": 'lang:"a. b" cart'}),
    ("map", {"path": "nowhere", "after": "a"}),
    ("map", {"path": "src/cart.py"}),
    ("map", {"limit": "1001"}),
    *(("search", {"q": query}) for query in UNSPACED),
    ("search", {"q": "cart", "limit": "0"}),
    ("search", {"q": " "}),
    ("search", {"q": "cart", "tests": "some"}),
    ("search", {"q": "cart tests:maybe case:no"}),
    ("search", {"q": "cart typ:method -pth:src -symbol:add -tests:no user:x"}),
    ("search", {"q": "cart " + " ".join(f"typ:x{at}" for at in range(8))}),
    ("search", {"q": "repo:acme/nothing cart"}),
    ("search", {"q": f"path:{LONG_PATH} cart"}),
    ("search", {"q": "cart", "path": LONG_PATH}),
    ("similar", {"target": f"{LONG_PATH}:3"}),
    ("file", {"path": LONG_PATH}),
    ("outline", {"path": LONG_PATH}),
    ("search", {"q": "category:nothing cart"}),
    ("search", {"q": "lang:go -lang:go cart"}),
    ("search", {"q": "cart add -Cart -add"}),
    ("search", {"q": "cart path:../x"}),
    ("outline", {"path": "../x.py"}),
    ("similar", {"target": "../x.py:3"}),
    ("similar", {"target": "src"}),
    ("similar", {"target": "src/"}),
    ("similar", {"target": "."}),
    ("search", {"q": 'cart symbol:add"'}),
    ("search", {"q": 'cart symbol:"a\\"b*"'}),
    ("search", {"q": 'calls:"a\\"b"'}),
    ("search", {"q": "cart path:a\0b -b\0c"}),
    ("similar", {"target": 'no"thing'}),
    ("similar", {"target": 'a" OR "b'}),
    ("similar", {"target": "a\0b"}),
    ("search", {"q": f"cart symbol:{'[' * 19}*"}),
    ("search", {"q": "cart " + " ".join(f"-path:nowhere{at}" for at in range(40))}),
    ("similar", {"target": "a#" * 1000}),
    ("search", {"q": "tariffs.OTHER_TARIFF"}),
    ("search", {"q": "exchnage articel"}),
    ("search", {"q": "ErrLedgerClosd -auditing"}),
    ("search", {"q": "cart -total"}),
    ("search", {"q": "type:class -total"}),
    ("search", {"q": "cart blorptangle"}),
    ("search", {"q": "add the total price of articles in a cart path:*.py"}),
    ("search", {"q": "add the total price of articles in a cart path:*.py -path:*price* -weigh"}),
    ("search", {"q": "add the total price of articles in a cart path:*cart* lang:go"}),
    ("search", {"q": "add the total price of articles in a cart path:*cart* tests:only"}),
    ("search", {"q": "cart blorptangle zyxomma articel"}),
    ("search", {"q": "total depr* -nothing symbol:add adress"}),
    ("search", {"q": "lib.tariffs.TARIFFS"}),
    ("search", {"q": "(cart OR price) lang:go"}),
    ("search", {"q": "tot* OR disc* cart"}),
    ("search", {"q": "calls:add OR calls:total"}),
    ("search", {"q": "(path:src/cart.go OR path:lib) total"}),
    ("search", {"q": "(cart OR total"}),
    ("search", {"q": "lang:go OR path:src"}),
    ("outline", {"path": "lib/tariffs.py"}),
    ("outline", {"path": "lib/price.py"}),
    ("search", {"q": "A cart is too heavy\n\nI think that `weigh_all` or Price.other is wrong"}),
    ("search", {"q": "calls:append"}),
    ("search", {"q": "lang:python calls:append add"}),
    ("search", {"q": "calls:append calls:nothing_like_it"}),
    ("search", {"q": "imports:os tariffs"}),
    ("search", {"q": "param:total weigh"}),
    ("search", {"q": "calls:."}),
    ("search", {"q": "path:yarn.lock lock"}),
    ("search", {"q": "tests:only path:lib/deep/yarn.lock"}),
]


@pytest.mark.parametrize(("name", "said"), OTHERS)
def test_other_endpoints_return_the_same(
    fed: IndexedWorker, desk: IndexService, name: str, said: dict[str, str]
) -> None:
    """Including error messages."""
    ours, theirs = _plain(fed.query_worker(name, **said)), _plain(program(desk, name, **said))
    if "remedy" in theirs:  # only the program knows the files on disk
        theirs["remedy"] = re.sub(rf"\n?{ON_DISK}", "", theirs["remedy"])
    ours.pop("text_of", None), theirs.pop("text_of", None)
    assert ours == theirs


def test_misspelt_member_is_found_if_excluded_nodes_have_the_misspelt_word(
    fed: IndexedWorker,
) -> None:
    notes = fed.query_worker("search", q="ErrLedgerClosd -auditing", meaning="no")["notes"]
    assert "No symbol is named ErrLedgerClosd. Similar names: ErrLedgerClosed" in str(notes)


def test_too_many_filters_are_refused(fed: IndexedWorker) -> None:
    """D1 would look up each of them."""
    facts = fed.query_worker("search", q=" ".join(f"path:a{at}" for at in range(200)))
    assert facts["error"] == "The query has too many filters for one D1 request."
    assert fed.last and fed.last.status_code == 400


def test_whole_node_is_shown(fed: IndexedWorker, desk: IndexService) -> None:
    """Also by the id of one of its parts."""
    [found] = fed.query_worker("search", q="weigh_all", limit="1")["hits"]
    assert found["piece"]["of"] > 1
    id_ = found["id"]
    assert _plain(fed.query_worker("node", id=id_)) == _plain(program(desk, "node", id=id_))


def test_map_and_stats_equal_the_programs(fed: IndexedWorker, desk: IndexService) -> None:
    files = program(desk, "map")["files"]
    for file in files:
        file.pop("bytes", None)  # of a skipped file, which the Worker does not have
    assert fed.query_worker("map")["files"] == files
    for params in ({"path": "lib/", "limit": "2"}, {"path": "lib", "after": "lib/deep/yarn.lock"}):
        page = program(desk, "map", **params)
        own = fed.query_worker("map", **params)
        assert [file["path"] for file in own["files"]] == [file["path"] for file in page["files"]]
        assert own["files"] and own["next"] == page["next"]
    status, same = fed.query_worker("status"), program(desk, "status")
    assert status["holds"] == same["holds"]
    assert status["costs"] == same["costs"] and "sync" in same["costs"]
    assert status["places"] == {"folder": None, "web": None}
    assert status["has"] == {
        "texts": True,
        "patterns": False,
        "proof": False,
        "history": False,
        "overview": False,
    }
    assert status["note"] == f"The index matches {fed.repo.git('rev-parse', 'HEAD')[:7]}."


def test_pattern_is_ignored_and_reported(fed: IndexedWorker) -> None:
    found = fed.query_worker("search", q="/add/")
    note, *unread = found["notes"]
    assert note == "/add/ was not searched for: patterns need the repository's files."
    assert all("could not be parsed" in text or "not in the index" in text for text in unread)
    assert found["hits"] == []


def test_words_are_searched_when_vectorize_fails(fed: IndexedWorker, desk: IndexService) -> None:
    """The note begins like the program's."""
    fed.standin.fault("server_error", route="vectorize.query", times=1)
    found = fed.query_worker("search", q="what is bought")
    [note] = found["notes"]
    assert note.startswith("Searched by words only: Vectorize: ")
    alone = program(desk, "search", q="what is bought", meaning="no")
    assert [hit["id"] for hit in found["hits"]] == [hit["id"] for hit in alone["hits"]]


def test_query_vector_is_cached(fed: IndexedWorker) -> None:
    """Its codes are not read again."""
    first = fed.query_worker("search", q="a question that is asked twice")
    assert fed.query_worker("search", q="a question that is asked twice") == first


def test_other_model_than_the_indexs_is_not_called(fed: IndexedWorker) -> None:
    fed.deploy(MODEL="@cf/baai/bge-m3")
    [note] = fed.query_worker("search", q="cart")["notes"]
    assert note.startswith("Searched by words only: The index has vectors by ")
    assert "not by @cf/baai/bge-m3." in note
    assert "vectorize" not in fed.request_counts
    fed.deploy()


def test_database_without_an_index_is_an_error(fed: IndexedWorker) -> None:
    """HTTP 503 with a remedy."""
    empty = fed.made_database("empty")
    fed.deploy(database=empty)
    facts = fed.query_worker("search", q="cart")
    assert facts["remedy"] == "Run `feeder init`, then `feeder sync`."
    assert fed.last is not None and fed.last.status_code == 503
    fed.deploy()


def test_reading_fifty_targets_takes_few_requests(fed: IndexedWorker) -> None:
    """Missing names, missing paths and found nodes are resolved together, in their order."""
    known = [f"{node.path}:{node.line}" for node in fed.nodes()[:10]]
    targets = [
        *(f"absent{at}name" for at in range(20)),
        *(f"no/such/file{at}.py" for at in range(20)),
        *known,
    ]
    [result] = fed.call_tools(("read", {"target": targets}))
    assert sum(fed.request_counts.values()) <= 15
    [content] = result["content"]
    places = [content["text"].index(target) for target in targets[:40]]
    assert places == sorted(places)
    one_by_one = [fed.call_tools(("read", {"target": [name]})) for name in known]
    assert [answer[0]["isError"] for answer in one_by_one] == [False] * len(known)


def test_calls_in_one_request_stay_within_the_free_plans_subrequests(fed: IndexedWorker) -> None:
    """Those that would need more are refused, and say so."""
    results = fed.call_tools(*[("search", {"query": f"order total {at}"}) for at in range(20)])
    assert sum(fed.request_counts.values()) <= 45
    assert not results[0]["isError"]
    assert results[-1]["isError"]
    assert "Send the remaining calls in another request." in results[-1]["content"][0]["text"]
