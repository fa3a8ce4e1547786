"""A result stays within its budget and has little overhead over the code."""

import re
from pathlib import Path
from typing import Any

import pytest

from mcp_server.conftest import index
from mcp_server.test_tools import Ask, call_tools_in, footer, result_text
from source.repos import Repo

FUNCTION = '''\
def payment_{0}(amount, currency, customer):
    """Pays an amount of a customer in a currency, the {0}th way."""
    account = find_account(customer, currency, kind="payment_{0}")
    if account.balance < amount:
        raise NotEnough(account, amount, "payment_{0}")
    account.balance -= amount
    record(account, amount, currency, reason="payment {0}")
    return account.balance
'''
LONG = "def payment_long():\n" + "".join(
    f"    step_{number}(payment, 'a step of the long payment')\n" for number in range(900)
)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty similar functions, one of 900 lines, and one line that no result can hold."""
    repo = Repo(tmp_path_factory.mktemp("bank") / "bank")
    functions = "\n\n".join(FUNCTION.format(number) for number in range(60))
    repo.commit(
        {
            "src/payments.py": functions,
            "src/long.py": LONG,
            "docs/one_line.txt": "payment " * 1_200,
        }
    )
    index(repo)
    return repo.path


@pytest.fixture(scope="module")
def ask(bank: Path) -> Ask:
    return call_tools_in(bank)


CALLS: list[tuple[str, dict[str, Any]]] = [
    *(
        ("search", {"query": query, "limit": limit, "detail": detail})
        for query in ("payment", "payment_long", "amount of a customer", "path:docs payment")
        for limit in (1, 8, 50)
        for detail in ("auto", "full", "snippet", "signature", "locations")
    ),
    ("read", {"target": ["src/long.py", "src/payments.py", "docs/one_line.txt"]}),
    ("read", {"target": "docs/one_line.txt"}),
    ("read", {"target": [f"src/payments.py#payment_{number}" for number in range(50)]}),
    ("search", {"like": "src/payments.py#payment_7", "limit": 50}),
    ("outline", {"path": "."}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_result_fits_8_kb_by_default(ask: Ask, tool: str, arguments: dict[str, Any]) -> None:
    """It ends with the freshness of the index, in at most three lines."""
    text = result_text(ask(tool, **arguments))
    assert len(text.encode()) <= 8_192
    assert len(footer(text)) <= 3
    assert footer(text)[-1].startswith("The index matches HEAD ")


@pytest.mark.parametrize("budget", [100, 500, 2_500, 5_000])
@pytest.mark.parametrize("detail", ["auto", "full"])
def test_budget_is_kept_and_truncation_is_reported(ask: Ask, budget: int, detail: str) -> None:
    """A token is 3.2 bytes."""
    text = result_text(ask("search", query="payment", limit=50, budget=budget, detail=detail))
    assert len(text.encode()) <= max(budget * 3.2, 600)
    shown = len(re.findall(r"^\S+:\d+-\d+ ", text, re.MULTILINE))
    count, *output, _ = footer(text)
    assert count.startswith(f"{shown} of ")
    assert any(line.startswith("Shortened to fit: ") for line in output)


def test_largest_result_is_below_the_limit_of_clients(ask: Ask) -> None:
    """Clients save more than 50,000 characters to a file."""
    targets = ["src/long.py", "src/payments.py", "docs/one_line.txt"] * 10
    assert 40_000 < len(result_text(ask("read", target=targets, budget=15_000))) < 50_000
    text = result_text(ask("search", query="payment", limit=50, budget=15_000, detail="full"))
    assert len(text) < 50_000


def test_partial_read_names_the_next_lines(ask: Ask) -> None:
    """The parts together are the whole file."""
    target, lines = "src/long.py", []
    for _ in range(20):
        text = result_text(ask("read", target=target))
        head, *body = text.split("\n\n")[0].split("\n")
        lines += body
        rest = re.search(r"^Not shown: (\S+)\. Read ", text, re.MULTILINE)
        if not rest:
            break
        first, last = re.fullmatch(r".+ \[(\d+)-(\d+)\]", head).groups()  # type: ignore[union-attr]
        assert len(body) == int(last) - int(first) + 1
        target = rest[1]
    assert [line.strip() for line in lines] == [line.strip() for line in LONG.splitlines()]


def test_long_line_is_cut_and_the_cut_is_reported(ask: Ask) -> None:
    text = result_text(ask("read", target="docs/one_line.txt", budget=200))
    assert len(text.encode()) <= 640
    assert re.search(r"^Line 1 of docs/one_line.txt is cut by 9\d\d\d characters\.$", text, re.M)
