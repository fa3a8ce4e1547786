"""The Worker answers as the program does over the same index, in workerd with the real D1.

Two things are the program's alone, since they look at files: a pattern, and whether a phrase or a
word of `case:yes` stands in the lines to the letter.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from standin import StandIn

from edge.indexed_worker import Facts, Fed, program
from edge.questions import Asked, made
from feeder.mcp.service import IndexService
from source.repos import Repo

SAMPLES = Path(__file__).parents[1] / "parse" / "samples"
STATIC = "static"
QUESTIONS, AT_ONCE = 200, 50
TRIPS, SUBREQUESTS = 2, 6
TWICE = (
    "class Price:\n    @property\n    def value(self):\n        return 1\n\n"
    "    def other(self):\n        return 2\n\n"
    "    @value.setter\n    def value(self, new):\n        self.new = new\n"
)
ALONE = {"index", "note"}
"""What the program says of its working tree, and the Worker of the commit."""


def _samples() -> dict[str, str | bytes]:
    """Code and documents in many languages, of which some are tests, and one is there twice."""
    found = {one.name: one.read_bytes() for one in SAMPLES.iterdir() if one.suffix != ".nodes"}
    files: dict[str, str | bytes] = {
        f"{'tests' if 'test' in name else 'docs' if name.endswith('.md') else 'src'}/{name}": text
        for name, text in found.items()
    }
    long = "\n".join(f"    total += weigh({at}) * {at}  # so much it weighs" for at in range(150))
    weigh = f"def weigh_all(total):\n{long}\n    return total\n"
    others = {"lib/deep/yarn.lock": "lock\n", "lib/price.py": TWICE}
    return {**files, "lib/cart.py": found["cart.py"], "lib/weigh.py": weigh, **others}


@pytest.fixture(scope="module")
def fed(account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fed]:
    """Fed with the static model, and with the files' lines."""
    repo = Repo(tmp_path_factory.mktemp("static") / "shop")
    repo.commit(_samples())
    one = Fed(account, repo, STATIC, script)
    one.feed("--texts")
    one.deploy()
    yield one
    one.close()


@pytest.fixture(scope="module")
def desk(fed: Fed) -> Iterator[IndexService]:
    """The program over the same database."""
    some = fed.desk()
    yield some
    some.close()


def _plain(facts: Facts) -> Facts:
    """What has to be the same of both; a score as far as two sums of floats are."""
    rest = {name: value for name, value in facts.items() if name not in ALONE}
    hits = [_hit(dict(hit)) for hit in rest.get("hits", ())]
    return {**rest, "hits": hits} if "hits" in rest else rest


def _hit(hit: dict[str, Any]) -> dict[str, Any]:
    """A Worker's lines are those of a commit, which it names, and it has a link to them."""
    for name in ("permalink", "text_of", "parts"):
        hit.pop(name, None)
    return {**hit, "score": pytest.approx(hit["score"], abs=2e-5)}


@pytest.fixture(scope="module")
def local(fed: Fed) -> Iterator[IndexService]:
    """The program over an index of the same repository on this machine."""
    fed.feed_here()
    some = fed.desk("local")
    yield some
    some.close()


@pytest.fixture(scope="module", params=range(0, QUESTIONS, AT_ONCE))
def questions(fed: Fed, request: pytest.FixtureRequest) -> list[Asked]:
    """Some of them."""
    fed.at_edge("status")  # what an isolate asks once
    return list(made(fed.nodes(), QUESTIONS))[request.param : request.param + AT_ONCE]


def test_the_worker_answers_as_the_program_does(
    fed: Fed, desk: IndexService, questions: list[Asked]
) -> None:
    """The first ten, with their lines, marks, ranks, copies, totals, facets and notes; with at most
    six requests, of which two are to D1, and one more for lines that nobody foresaw."""
    for said, (ours, took) in zip(questions, fed.answers("search", questions), strict=True):
        assert _plain(ours) == _plain(program(desk, "search", **said)), said
        assert took.get("d1", 0) <= TRIPS + 1 and sum(took.values()) <= SUBREQUESTS, said


def test_the_worker_answers_as_the_local_store_does(
    fed: Fed, local: IndexService, questions: list[Asked]
) -> None:
    """By words; the tool that keeps vectors is another one."""
    alone = [{**said, "meaning": "no"} for said in questions]
    for said, (ours, _) in zip(alone, fed.answers("search", alone), strict=True):
        theirs = program(local, "search", **said)
        assert (_ids(ours), ours.get("total")) == (_ids(theirs), theirs.get("total")), said


def _ids(facts: Facts) -> list[str]:
    return [hit["id"] for hit in facts.get("hits", ())]


OTHERS: list[tuple[str, dict[str, str]]] = [
    ("similar", {"target": "src/cart.py:4"}),
    ("similar", {"target": "src/cart.go#Cart.Add", "limit": "3", "language": "go"}),
    ("similar", {"target": "nothing_like_it"}),
    ("similar", {"target": "add"}),
    ("similar", {"target": "lib/price.py#value"}),
    ("similar", {"target": "lib/price.py"}),
    ("similar", {"target": "yarn.lock"}),
    ("file", {"path": "lib/deep/yarn.lock"}),
    ("outline", {"path": "deep/yarn.lock"}),
    ("outline", {"path": "lib/yarn.lock"}),
    ("node", {"id": "00000000"}),
    ("node", {"id": "no id"}),
    ("file", {"path": "src/cart.py"}),
    ("file", {"path": "src/carr.py"}),
    ("outline", {"path": "src/cart.rb"}),
    ("outline", {"path": "tests"}),
    ("outline", {"path": "nowhere"}),
    ("search", {"q": "cart", "limit": "0"}),
    ("search", {"q": " "}),
    ("search", {"q": "cart", "tests": "some"}),
    ("search", {"q": "repo:acme/nothing cart"}),
    ("search", {"q": "category:nothing cart"}),
    ("search", {"q": "lang:go -lang:go cart"}),
    ("search", {"q": 'cart symbol:add"'}),
    ("search", {"q": f"cart symbol:{'[' * 19}*"}),
    ("search", {"q": "cart " + " ".join(f"-path:nowhere{at}" for at in range(40))}),
    ("similar", {"target": "a#" * 1000}),
]


@pytest.mark.parametrize(("name", "said"), OTHERS)
def test_other_questions_too(fed: Fed, desk: IndexService, name: str, said: dict[str, str]) -> None:
    """Refusals with the program's own sentences."""
    ours, theirs = _plain(fed.at_edge(name, **said)), _plain(program(desk, name, **said))
    ours.pop("text_of", None), theirs.pop("text_of", None)
    assert ours == theirs


def test_more_filters_than_anybody_asks_for_are_refused(fed: Fed) -> None:
    """D1 would have to look up each of them."""
    facts = fed.at_edge("search", q=" ".join(f"path:a{at}" for at in range(200)))
    assert facts["error"] == "The query has too many filters for one D1 request."
    assert fed.last and fed.last.status_code == 400


def test_a_node_is_shown_whole(fed: Fed, desk: IndexService) -> None:
    """Also by the id of one of the pieces in which a long one is kept."""
    [found] = fed.at_edge("search", q="weigh_all", limit="1")["hits"]
    assert found["piece"]["of"] > 1
    id_ = found["id"]
    assert _plain(fed.at_edge("node", id=id_)) == _plain(program(desk, "node", id=id_))


def test_the_map_and_the_counts_are_the_programs(fed: Fed, desk: IndexService) -> None:
    assert fed.at_edge("map")["files"] == program(desk, "map")["files"]
    status, same = fed.at_edge("status"), program(desk, "status")
    assert status["holds"] == same["holds"]
    assert status["costs"] == same["costs"] and "sync" in same["costs"]
    assert status["places"] == {"folder": None, "web": None}
    assert status["has"] == {"texts": True, "patterns": False, "proof": False, "history": False}
    assert status["note"] == f"The index equals {fed.repo.git('rev-parse', 'HEAD')[:7]}."


def test_a_pattern_is_not_looked_for_and_that_is_said(fed: Fed) -> None:
    found = fed.at_edge("search", q="/add/")
    assert found["notes"] == ["/add/ was not searched for: patterns need the repository's files."]
    assert found["hits"] == []


def test_words_answer_alone_where_vectorize_fails(fed: Fed, desk: IndexService) -> None:
    """What is said begins as the program says it."""
    fed.standin.fault("server_error", route="vectorize.query", times=1)
    found = fed.at_edge("search", q="what is bought")
    [note] = found["notes"]
    assert note.startswith("Searched by words only: Vectorize: ")
    alone = program(desk, "search", q="what is bought", meaning="no")
    assert [hit["id"] for hit in found["hits"]] == [hit["id"] for hit in alone["hits"]]


def test_a_questions_vector_is_kept(fed: Fed) -> None:
    """So its codes are not looked up again, and the second trip is the same."""
    first = fed.at_edge("search", q="a question that is asked twice")
    assert fed.at_edge("search", q="a question that is asked twice") == first


def test_another_model_than_the_index_has_is_not_asked(fed: Fed) -> None:
    fed.deploy(MODEL="@cf/baai/bge-m3")
    [note] = fed.at_edge("search", q="cart")["notes"]
    assert note.startswith(
        "Searched by words only: The index has no vectors by @cf/baai/bge-m3, but by "
    )
    assert "vectorize" not in fed.took
    fed.deploy()


def test_a_database_without_an_index_is_told(fed: Fed) -> None:
    """With what to do, and 503: it is not the one who asks who is wrong."""
    empty = fed.made_database("empty")
    fed.deploy(database=empty)
    facts = fed.at_edge("search", q="cart")
    assert facts["remedy"] == "Run `feeder init`, then `feeder sync`."
    assert fed.last is not None and fed.last.status_code == 503
    fed.deploy()
