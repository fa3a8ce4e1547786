"""Relations, overview and impact give the lines of a whole node that is indexed in parts."""

import pytest

from cli.synced_files import environment
from command_runner import RunFeeder
from source.repos import Repo

__all__ = ["environment"]

STEPS = "".join(f"    STEP_{at} = 'a step of the process, number {at}'\n" for at in range(90))
CALLS = "".join(f"        total = add_step(total, {at}, 'of the process')\n" for at in range(200))
LONG: dict[str, str | bytes] = {
    "base.py": "class Base:\n    def run_all(self):\n        return 0\n",
    "steps.py": (
        f"from base import Base\n\n\nclass Steps(Base):\n{STEPS}\n\n"
        "def add_step(total, weight, text):\n    return total + weight\n"
    ),
    "program.py": (
        "from base import Base\nfrom steps import Steps, add_step\n\n\n"
        f"class Program(Base):\n    def run_all(self):\n        total = Steps()\n{CALLS}"
        "        return total\n"
    ),
}
STEPS_LINES, RUN_LINES = (4, 94), (6, 208)
"""One line and 90 steps; three lines, of which two precede 200 calls."""


@pytest.fixture
def long(feeder: RunFeeder, repo: Repo) -> Repo:
    repo.commit(LONG)
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def _lines(one: dict[str, int]) -> tuple[int, int]:
    return one["start_line"], one["end_line"]


def test_definitions_and_implementations_have_the_whole_node(feeder: RunFeeder, long: Repo) -> None:
    assert feeder(long, "definition", "Steps").out == "steps.py:4-94  class  Steps\n"
    for name in ("Program.run_all", "program.py:6:9"):
        found = feeder(long, "definition", name, "--json").json["definitions"]
        assert RUN_LINES in map(_lines, found)
    below = feeder(long, "implementations", "Base", "--json").json["implementations"]
    assert STEPS_LINES in map(_lines, below)
    [overriding] = feeder(long, "implementations", "Base.run_all", "--json").json["implementations"]
    assert _lines(overriding) == RUN_LINES


def test_references_have_the_whole_node_around_them(feeder: RunFeeder, long: Repo) -> None:
    """Also those in a later part, each on its line."""
    answer = feeder(long, "references", "add_step", "--kind", "call", "-n", "300", "--json").json
    assert {_lines(reference["enclosing"]) for reference in answer["references"]} == {RUN_LINES}
    assert {reference["line"] for reference in answer["references"]} == set(range(8, 208))
    [caller, *_] = feeder(long, "references", "Steps", "--depth", "2", "--json").json["callers"]
    assert _lines(caller) == RUN_LINES
    uses = feeder(long, "references", "Program.run_all", "--out", "--json").json["references"]
    assert STEPS_LINES in [_lines(use["definition"]) for use in uses]


def test_overview_has_whole_nodes(feeder: RunFeeder, long: Repo) -> None:
    symbols = feeder(long, "overview", "--json").json["symbols"]
    by_symbol = {symbol["symbol"]: _lines(symbol) for symbol in symbols}
    assert by_symbol["Steps"] == STEPS_LINES
    assert by_symbol["Program.run_all"] == RUN_LINES


@pytest.mark.parametrize("at", [3, 190])
def test_impact_has_whole_changed_nodes(feeder: RunFeeder, long: Repo, at: int) -> None:
    text = str(LONG["program.py"])
    long.write({"program.py": text.replace(f"add_step(total, {at},", f"add_step(total, -{at},")})
    changed = feeder(long, "impact", "--working-tree", "--json").json["changed"]
    assert [(node["name"], _lines(node)) for node in changed] == [("Program.run_all", RUN_LINES)]
