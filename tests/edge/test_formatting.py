"""The Worker formats results as the same text as the program."""

from collections.abc import Callable, Iterator
from textwrap import dedent
from typing import Any
from unicodedata import ucd_3_2_0

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.worker_process import Worker
from feeder import escaping
from feeder.mcp.formatting import (
    AnswerOptions,
    ReadResult,
    format_code,
    format_hits,
    format_read_results,
)
from feeder.mcp.outline_format import format_outline
from feeder.mcp.service import IndexService
from feeder.mcp.token_budget import HitVariant, fit_to_budget, truncate_lines
from feeder.mcp.tool_schemas import DEFAULT_TOKENS, DETAIL_LEVELS
from feeder.mcp.tools import SNIPPET_LINES
from feeder.query.query_plan import SearchRequest
from feeder.relations.targets import files_below_path, resolve_target
from feeder.search.answers import Page, read_target
from feeder.search.engine import search
from feeder.search.open_index import SearchIndex
from feeder.snippets.outline import build_outline
from mcp_server.conftest import index
from mcp_server.test_formatting import FUNCTION, LONG
from mcp_server.test_tools import open_service
from source.repos import Repo

CLASSES = "".join(
    f"class Wallet{number}:\n"
    f'    """Keeps a payment\u202e."""\n\n'
    f"    def pay(self):\n        return {number}\n\n"
    "    class Coin:\n        def turn(self):\n            return 'payment'\n\n\n"
    for number in range(120)
)
Text = st.text(st.sampled_from(" \t\nab\u202e\u00e9🛒\x85\u200c"), max_size=40)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexService]:
    """Similar functions, one of 900 lines, a line that no result can hold, and nested names."""
    repo = Repo(tmp_path_factory.mktemp("edge") / "bank")
    files = {
        "src/payments.py": "\n\n".join(FUNCTION.format(number) for number in range(60)),
        "src/copy.py": FUNCTION.format(7),
        "src/long.py": LONG,
        "src/wallets.py": CLASSES,
        "docs/one_line.txt": "payment \U0001f6d2" * 1_200,
        "data/rates.csv": "currency, rate\n" + "".join(f"C{n}, {n}.5 dues\n" for n in range(900)),
        "docs/guide.md": "# Payments\n\nHow a payment is made.\n\n## Later\n\nNot now.\n",
    }
    body = "".join(f"\n    def turn_{number}\n    end\n" for number in range(60))
    files |= {
        f"modules/coin{at}.rb": f"module Bank\n  class Coin{at}{body}  end\nend\n"
        for at in range(40)
    }
    files |= {
        f"modules/bag{at}.rb": f"class Bag{at}\n  class Item\n  end\nend\n" for at in range(9)
    }
    files |= {f"many/folder{at}/file{at}.py": FUNCTION.format(at) for at in range(300)}
    repo.commit(files)
    index(repo)
    one = open_service(repo.path)
    yield one
    one.close()


def of(open_service: IndexService, work: Callable[[SearchIndex], Any]) -> Any:
    return open_service.run_on_index(lambda opened, _: work(opened), lambda _: None)


def program_result(open_service: IndexService, query: str, limit: int, offset: int = 0) -> Page:
    """Returns the program's text for the result of a query."""

    def work(opened: SearchIndex) -> Page:
        request = SearchRequest(
            query, limit=limit, offset=offset, snippet_lines=SNIPPET_LINES, is_logged=False
        )
        return search(opened, request)

    result: Page = of(open_service, work)
    return result


@pytest.mark.parametrize("detail", DETAIL_LEVELS)
@pytest.mark.parametrize(
    ("query", "offset"),
    [
        ("payment", 0),
        ("payment_long", 0),
        ("path:docs payment", 0),
        ("payment", 7),
        ("payment", 990),
        ("dues path:data", 0),
    ],
)
def test_hits_have_the_same_text(
    worker: Worker, bank: IndexService, query: str, offset: int, detail: str
) -> None:
    for limit, tokens in ((1, 100), (8, 500), (8, DEFAULT_TOKENS), (50, 15_000)):
        some = program_result(bank, query, limit, offset)
        wanted = format_hits(some, AnswerOptions(detail, tokens), None)
        assert worker.call("formatHits", some.as_json(), detail, tokens) == wanted


@pytest.mark.parametrize(
    "targets",
    [
        ["src/long.py", "src/payments.py", "docs/one_line.txt"],
        ["docs/one_line.txt"],
        ["src/wallets.py#Wallet3.pay", "src/nothing.py", "src/payments.py:3-9"],
        [f"src/payments.py#payment_{number}" for number in range(50)],
    ],
)
def test_read_nodes_have_the_same_text(
    worker: Worker, bank: IndexService, targets: list[str]
) -> None:
    """Including errors for unknown targets."""

    def work(opened: SearchIndex) -> list[ReadResult]:
        return [
            ReadResult(target, None, "feeder outline src shows more.")
            if target == "src/nothing.py"
            else ReadResult(
                target, read_target(opened.corpus, resolve_target(opened.corpus, target, ""))
            )
            for target in targets
        ]

    some: list[ReadResult] = of(bank, work)
    facts = {
        "targets": [
            {
                "target": one.target,
                "hits": one.page.as_json()["hits"] if one.page else [],
                "error": one.error,
            }
            for one in some
        ],
        "note": next(one.page.note for one in some if one.page),
    }
    # the program words an error before it comes here
    told = [
        one._replace(error='the outline tool with path "src" shows more.') if one.error else one
        for one in some
    ]
    for tokens in (100, 200, 1_000, DEFAULT_TOKENS, 15_000):
        wanted = format_read_results(told, tokens, None)
        assert worker.call("formatReadResults", facts, tokens) == wanted


@pytest.mark.parametrize("depth", [None, 1, 2])
@pytest.mark.parametrize("path", [".", "src", "src/wallets.py", "many", "modules", "docs"])
def test_outlines_have_the_same_text(
    worker: Worker, bank: IndexService, path: str, depth: int | None
) -> None:
    some = of(
        bank, lambda opened: build_outline(opened.corpus, files_below_path(opened.corpus, path, ""))
    )
    for offset in (0, 3, 90, 10_000):
        wanted = format_outline(some, depth, None, offset)
        got = worker.call("formatOutline", some.as_json(), depth, DEFAULT_TOKENS, offset)
        assert got == wanted


@given(lines=st.lists(Text.map(lambda text: text.replace("\n", "")), max_size=6))
def test_code_is_dedented_alike(worker: Worker, lines: list[str]) -> None:
    assert worker.call("formatCode", lines) == format_code(lines), dedent("\n".join(lines))


# of characters that came later, one of the two may not know yet
KNOWN = [sign for sign in map(chr, range(0x3000)) if ucd_3_2_0.category(sign) != "Cn"]


@given(text=st.text(st.sampled_from([*KNOWN, "\ud800", "🛒", "\U000e0041"]), max_size=30))
def test_text_is_escaped_alike(worker: Worker, text: str) -> None:
    assert worker.call("escapeLine", text) == escaping.escape_line(text)


@given(
    hits=st.lists(st.lists(Text, min_size=1, max_size=4), max_size=6),
    budget=st.integers(-50, 200),
)
def test_budget_is_spent_alike(worker: Worker, hits: list[list[str]], budget: int) -> None:
    forms = [[HitVariant(str(at), text) for at, text in enumerate(texts)] for texts in hits]
    wanted = [form._asdict() for form in fit_to_budget(forms, budget)]
    given_ = [[form._asdict() for form in some] for some in forms]
    assert worker.call("fitToBudget", given_, budget) == wanted


@given(lines=st.lists(Text, max_size=6), budget=st.integers(-5, 60))
def test_lines_are_cut_alike(worker: Worker, lines: list[str], budget: int) -> None:
    assert worker.call("truncateLines", lines, budget) == truncate_lines(lines, budget)
