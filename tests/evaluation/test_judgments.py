"""The judgments file: its format and its error messages."""

import json
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.evaluation.judgments import JudgedQuery, RelevantTarget, parse_judgments


def read(*lines: object) -> list[JudgedQuery]:
    """Reads the judgments of a file with these lines; objects are written as JSON."""
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return parse_judgments("\n".join(texts).encode(), "q.jsonl")


def line(*answers: object, **more: Any) -> dict[str, Any]:
    return {"query": "how", "answers": list(answers), **more}


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("src/a.py", RelevantTarget("src/a.py")),
        ("./src/a.py", RelevantTarget("src/a.py")),
        ("src/a.py:12", RelevantTarget("src/a.py", 12, 12)),
        ("src/a.py:12-40", RelevantTarget("src/a.py", 12, 40)),
        ("src/a.py#Cart.add", RelevantTarget("src/a.py", symbol="Cart.add")),
        ("C#/a.cs", RelevantTarget("C#/a.cs")),
        ("docs/größe und mehr.md", RelevantTarget("docs/größe und mehr.md")),
        ({"path": "a.py:1"}, RelevantTarget("a.py:1")),
        ({"path": "a.py", "start_line": 3}, RelevantTarget("a.py", 3, 3)),
        ({"path": "a.py", "start_line": 3, "end_line": 5}, RelevantTarget("a.py", 3, 5)),
        ({"symbol": "acme.Cart.add"}, RelevantTarget(symbol="acme.Cart.add")),
        ({"path": "a.py", "symbol": "add"}, RelevantTarget("a.py", symbol="add")),
        ({"path": "a.py", "start_line": None, "symbol": None}, RelevantTarget("a.py")),
    ],
    ids=str,
)
def test_answer_is_a_string_or_an_object(message: object, meant: RelevantTarget) -> None:
    """A string is a path with optional lines or name; a path with special characters needs an
    object.
    """
    [query] = read(line(message))
    assert query.targets == (meant,)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (RelevantTarget("a.py"), "a.py"),
        (RelevantTarget("a.py", 2, 3), "a.py:2-3"),
        (RelevantTarget("a.py", symbol="add"), "a.py#add"),
        (RelevantTarget(symbol="Cart.add"), "Cart.add"),
    ],
)
def test_answer_is_formatted_as_a_string(answer: RelevantTarget, text: str) -> None:
    assert str(answer) == text


def test_each_line_is_one_query() -> None:
    """Blank lines, a byte order mark, unknown keys and repeated answers are accepted."""
    text = '\ufeff{"query": "a", "answers": ["a.py"], "id": 7}\r\n\n  \n'
    text += '{"query": "b\u2028c", "group": "g", "answers": ["a.py", {"path": "a.py"}, "b.py"]}\n'
    assert parse_judgments(text.encode(), "q") == [
        JudgedQuery(1, "a", (RelevantTarget("a.py"),)),
        JudgedQuery(4, "b\u2028c", (RelevantTarget("a.py"), RelevantTarget("b.py")), "g"),
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('{"query": "a" "answers"', "not JSON (Expecting ',' delimiter at column 15). Write"),
        ("[" * 100_000, "not JSON ("),
        ("[1]", "not an object. Write"),
        ("null", "not an object. Write"),
        ({"answers": ["a.py"]}, "no query. Add"),
        ({"query": "  ", "answers": ["a.py"]}, "no query. Add"),
        ({"query": 3, "answers": ["a.py"]}, "no query. Add"),
        ({"query": "a"}, "no answers. List"),
        ({"query": "a", "answers": []}, "no answers. List"),
        ({"query": "a", "answers": "a.py"}, "no answers. List"),
        (line("a.py", group=3), "the group 3 is not text. Put"),
        (line(""), '"" is not a valid answer. Write'),
        (line(3), "3 is not a valid answer. Write"),
        (line("a.py:9-3"), "lines 9 to 3 do not exist"),
        (line({}), "an answer names neither a path nor a symbol. Write"),
        (line({"path": ""}), "must be text. Correct them"),
        (line({"path": ["a.py"]}), "must be text. Correct them"),
        (
            line({"path": "a.py", "start": 3}),
            "an answer has an unknown key 'start'. Its keys are path, start_line",
        ),
        (line({"path": "a.py", "start_line": "3"}), "are not whole numbers. Correct them"),
        (line({"path": "a.py", "start_line": True}), "are not whole numbers. Correct them"),
        (line({"path": "a.py", "start_line": 0}), "lines 0 to 0 do not exist"),
        (line({"path": "a.py", "end_line": 4}), "lines None to 4 do not exist"),
        (line({"symbol": "add", "start_line": 4}), "lines need a path and no symbol"),
        (
            line({"path": "a.py", "symbol": "add", "start_line": 4}),
            "lines need a path and no symbol",
        ),
    ],
    ids=lambda value: str(value)[:50],
)
def test_error_names_the_line_and_the_remedy(wrong: object, message: str) -> None:
    with pytest.raises(UserError) as error:
        read(line("a.py"), "", wrong)
    assert str(error.value).startswith("q.jsonl, line 3: ")
    assert message in str(error.value)


@pytest.mark.parametrize("empty", [b"", b"\n \n", "\ufeff".encode()])
def test_file_without_queries_is_an_error(empty: bytes) -> None:
    with pytest.raises(
        UserError, match=r"q\.jsonl has no queries\. Write one JSON object per line"
    ):
        parse_judgments(empty, "q.jsonl")


def test_file_that_is_not_utf8_is_an_error() -> None:
    with pytest.raises(UserError, match=r"q\.jsonl is not UTF-8 .* Save it as UTF-8\."):
        parse_judgments("größe".encode("latin-1"), "q.jsonl")
