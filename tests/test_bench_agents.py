"""`python -m bench agents` on a repository of a few files."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from agent_tasks import command
from chat_server import ChatReply, ChatRequest, running_chat_server

from source.repos import Repo

pytestmark = pytest.mark.slow

FILES = {
    "shop/money.py": "def convert(amount):\n    return amount * 2\n\n\nclass Rate:\n    pass\n",
    "shop/cart.py": (
        "from shop.money import Rate, convert\n\n\nclass Fixed(Rate):\n    pass\n\n\n"
        'def total(lines):\n    """Adds up."""\n    return sum(convert(line) for line in lines)\n'
    ),
    "tests/test_cart.py": (
        "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 2\n"
    ),
}
TASKS = """
[[repository]]
name = "owner/shop"
commit = "COMMIT"
tests = ["tests"]
[[repository.task]]
kind = "callers"
question = "Who calls convert?"
symbol = "convert"
answer = ["shop/cart.py:8-10"]
[[repository.task]]
kind = "many names"
question = "Where are total and Rate defined?"
symbol = ["total", "Rate"]
answer = ["shop/cart.py:8", "shop/money.py:5"]
[[repository.task]]
kind = "implementations"
question = "What extends Rate?"
symbol = "Rate"
answer = ["shop/cart.py:4"]
[[repository.task]]
kind = "tests"
question = "What tests convert?"
symbol = "convert"
line = "shop/money.py:2"
answer = ["tests/test_cart.py"]
[[repository.task]]
kind = "text"
question = "Where is Adds up?"
text = "Adds up"
answer = ["shop/cart.py:9", "shop/money.py:1"]
"""


@pytest.fixture
def arguments(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options for the tasks of a mirrored repository, in `sys.argv`."""
    repo.commit(FILES)
    bare = tmp_path / "mirror/owner+shop/repo"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    (tmp_path / "tasks.toml").write_text(TASKS.replace("COMMIT", repo.git("rev-parse", "HEAD")))
    options = ["bench", "agents", "--mirror", str(tmp_path / "mirror")]
    options += ["--tasks", str(tmp_path / "tasks.toml"), "--steps"]
    monkeypatch.setattr(sys, "argv", options)
    return options


def rows(printed: str) -> dict[str, list[int]]:
    """The figures of the table: tasks, right answers, calls and tokens, grep before feeder."""
    found = re.findall(r"^\| ([a-z ]+) \| (\d.*) \|$", printed, re.MULTILINE)
    return {
        kind: [int(figure.replace(",", "")) for figure in text.split(" | ")] for kind, text in found
    }


@pytest.mark.usefixtures("arguments")
def test_policies_find_the_places_and_losses_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The text is in one of two places only, which counts as wrong."""
    assert command.main() == 0
    table = rows(capsys.readouterr().out)
    assert [*table] == ["callers", "many names", "implementations", "tests", "text", "all"]
    for kind in ("callers", "many names", "implementations"):
        assert table[kind][:5] == [1, 1, 1, 1, 1]
    # without a test of `convert`, grep looks for those of its caller `total`
    assert table["tests"][:5] == [1, 1, 1, 3, 1]
    assert table["text"][:5] == [1, 0, 0, 1, 1]
    assert table["all"][:5] == [5, 4, 4, 7, 5]
    assert all(tokens > 10 for row in table.values() for tokens in row[5:])


def test_model_solves_the_tasks_with_the_tools_of_each_way(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It sees the question and the tools' outputs, and stops when it answers."""
    arguments += ["--only", "callers,text"]
    offered: set[str] = set()

    def answer(request: ChatRequest) -> ChatReply:
        names = {tool["function"]["name"] for tool in request.body["tools"]}
        offered.update(names)
        *_, last = request.body["messages"]
        message: dict[str, Any] = {"role": "assistant", "content": "In total."}
        if last["role"] == "user":
            is_grep = "git_grep" in names
            function = {
                "name": "git_grep" if is_grep else "references",
                "arguments": json.dumps(
                    {"arguments": ["-n", "convert"]} if is_grep else {"target": "convert"}
                ),
            }
            message["tool_calls"] = [{"id": "1", "type": "function", "function": function}]
        else:
            assert "shop/cart.py" in last["content"]
        return ChatReply(200, {"choices": [{"message": message}]})

    with running_chat_server() as served:
        served.always = answer
        arguments += ["--model", f"{served.url}#model"]
        assert command.main() == 0
    table = rows(capsys.readouterr().out)
    assert table["callers"][:5] == [1, 1, 1, 1, 1]
    assert table["text"][:5] == [1, 0, 0, 1, 1]
    assert {"git_grep", "read", "search", "references", "impact"} <= offered


def test_tools_of_grep_only_read_tracked_files(repo: Repo) -> None:
    repo.commit({"a.py": "one\ntwo\nthree\n"})
    (repo.path / "secret.py").write_text("hidden\n")
    run = command._run_grep
    assert run(repo.path, "read", {"arguments": ["a.py", "2", "3"]}) == "a.py\n2: two\n3: three"
    assert "fatal" in run(repo.path, "read", {"arguments": ["secret.py"]})
    assert run(repo.path, "git grep", {"arguments": ["-n", "two"]}) == "a.py:2:two\n"
    for option in ("-Otouch x", "-nOtouch", "--open-files-in-pager=touch", "--no-index"):
        assert run(repo.path, "git grep", {"arguments": [option, "i"]}).startswith("Only searches")


@pytest.mark.parametrize(
    ("output", "place"),
    [
        ("a.py:12:x = 1", ("a.py", 12, 12)),
        ("a.py=12=def x():", ("a.py", 12, 12)),
        ("a.py:12-40 method x", ("a.py", 12, 40)),
        ("  a.py:12-40 X", ("a.py", 12, 40)),
        ("a.py", ("a.py", 0, 0)),
        ("a.py test_x (reference)", ("a.py", 0, 0)),
        ("a.py\n  12 call in x: y", ("a.py", 12, 12)),
        ("a.py\nin x\n12: y", ("a.py", 12, 12)),
    ],
)
def test_places_are_read_from_each_form_of_output(output: str, place: tuple[str, int, int]) -> None:
    assert place in command._seen_places(output, {"a.py"})


def test_numbers_without_a_file_are_no_places() -> None:
    assert not [*command._seen_places("b.py:12:x\n12: y\n3 hits", {"a.py"})]
