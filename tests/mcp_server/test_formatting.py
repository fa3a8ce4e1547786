"""An answer takes no more room than it may, and little more than the code alone."""

import re
from pathlib import Path
from typing import Any

import pytest

from mcp_server.conftest import index
from mcp_server.test_tools import Ask, answered, asking, ends
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
    """Sixty functions alike, one of nine hundred lines, and one line that no answer holds."""
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
    return asking(bank)


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
    ("similar", {"target": "src/payments.py#payment_7", "limit": 50}),
    ("outline", {"path": "."}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_an_answer_fits_8_kb_unless_more_is_asked_for(
    ask: Ask, tool: str, arguments: dict[str, Any]
) -> None:
    """It ends with what the index equals, in at most three lines."""
    text = answered(ask(tool, **arguments))
    assert len(text.encode()) <= 8_192
    assert len(ends(text)) <= 3
    assert ends(text)[-1].startswith("The index equals HEAD ")


@pytest.mark.parametrize("budget", [100, 500, 2_500, 5_000])
@pytest.mark.parametrize("detail", ["auto", "full"])
def test_a_budget_is_kept_and_what_it_shortens_is_said(ask: Ask, budget: int, detail: str) -> None:
    """3.2 bytes a token."""
    text = answered(ask("search", query="payment", limit=50, budget=budget, detail=detail))
    assert len(text.encode()) <= max(budget * 3.2, 600)
    shown = len(re.findall(r"^\S+:\d+-\d+ ", text, re.MULTILINE))
    count, *output, _ = ends(text)
    assert count.startswith(f"{shown} of ")
    assert any(one.startswith("Shortened to fit: ") for one in output)


def test_the_largest_answer_is_below_what_clients_save_to_a_file(ask: Ask) -> None:
    """50,000 characters, whatever is asked for."""
    targets = ["src/long.py", "src/payments.py", "docs/one_line.txt"] * 10
    assert 40_000 < len(answered(ask("read", target=targets, budget=15_000))) < 50_000
    text = answered(ask("search", query="payment", limit=50, budget=15_000, detail="full"))
    assert len(text) < 50_000


def test_what_is_read_in_part_says_where_the_rest_is(ask: Ask) -> None:
    """Read in turn, the parts are the whole file, line by line."""
    target, lines = "src/long.py", []
    for _ in range(20):
        text = answered(ask("read", target=target))
        head, *body = text.split("\n\n")[0].split("\n")
        lines += body
        rest = re.search(r"^Not shown: (\S+)\. Read ", text, re.MULTILINE)
        if not rest:
            break
        first, last = re.fullmatch(r".+ \[(\d+)-(\d+)\]", head).groups()  # type: ignore[union-attr]
        assert len(body) == int(last) - int(first) + 1
        target = rest[1]
    assert [line.strip() for line in lines] == [line.strip() for line in LONG.splitlines()]


def test_a_line_that_is_too_long_is_cut_and_so_it_is_said(ask: Ask) -> None:
    text = answered(ask("read", target="docs/one_line.txt", budget=200))
    assert len(text.encode()) <= 640
    assert re.search(r"^Line 1 of docs/one_line.txt is cut by 9\d\d\d characters\.$", text, re.M)
