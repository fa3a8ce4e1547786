"""The Worker says what an answer without hits could not see, in the program's words; an answer with
hits needs no query for it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from standin import StandIn

from cli.test_unread_files import FILES, KEPT_OUT, PLAIN, UNPARSED
from edge.indexed_worker import Facts, IndexedWorker
from feeder.mcp.service import IndexService
from source.repos import Repo

SAID = UNPARSED.replace("feeder outline .", 'the outline tool with path "."')


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    repo = Repo(tmp_path_factory.mktemp("unread") / "shop")
    repo.commit(FILES)
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.deploy()
    yield one
    one.close()


@pytest.fixture(scope="module")
def desk(fed: IndexedWorker) -> Iterator[IndexService]:
    service = fed.desk()
    yield service
    service.close()


def tool_text(fed: IndexedWorker, name: str, **arguments: Any) -> str:
    [result] = fed.call_tools((name, arguments))
    text: str = result["content"][0]["text"]
    return text


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": "unwritten path:src type:class calls:known"}),
        ("references", {"target": "known"}),
        ("references", {"target": "known", "depth": 2}),
        ("references", {"target": "single", "direction": "out"}),
        ("references", {"target": "Base", "kind": "implementation"}),
        ("references", {"target": "unwritten", "kind": "definition"}),
        ("references", {"target": "unwritten"}),
        ("references", {"target": "src/broken.py#unwritten"}),
        ("read", {"target": ["unwritten", "unwritten_too"]}),
        ("read", {"target": ["src/broken.py:1-3"]}),
        ("read", {"target": ["src/broken.py#known"]}),
        ("outline", {"path": "src"}),
    ],
    ids=str,
)
def test_tools_say_what_the_program_says(
    fed: IndexedWorker, desk: IndexService, name: str, arguments: Facts
) -> None:
    """All sentences about what was not read, in this order."""
    texts = (
        tool_text(fed, name, **arguments),
        desk.call(name, arguments, lambda _: None).text,
    )
    worker, program = (re.findall(SENTENCES, text) for text in texts)
    assert worker == program
    assert bool(worker) is (arguments.get("target") != ["src/broken.py#known"])


COUNTED = r"\d+ files?[\w /]*"
SENTENCES = "|".join(
    [
        rf"{COUNTED} that could not be parsed(?:; symbols there may be missing)?",
        rf"{COUNTED} read as plain text[^.]*\.",
        rf"{COUNTED} not in the index[^.]*\.",
        r"Lines? [\d, -]+ of \S+ (?:was|were) not parsed",
        r"\(lines not parsed: [^)]*\)",
        r"the outline tool with path \"[^\"]*\"",
    ]
)


def test_search_names_them(fed: IndexedWorker) -> None:
    notes = fed.query_worker("search", q="unwritten", meaning="no")["notes"]
    assert notes[-3:] == [UNPARSED, PLAIN, KEPT_OUT]
    assert SAID in tool_text(fed, "search", query="unwritten type:class calls:known")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {"query": "known"}),
        ("references", {"target": "Base", "kind": "definition"}),
        ("read", {"target": ["lib/right.py#Base"]}),
        ("read", {"target": ["lib/right.py:1-2"]}),
        ("outline", {"path": "lib"}),
    ],
    ids=str,
)
def test_an_answer_with_hits_has_no_query_for_them(
    fed: IndexedWorker, name: str, arguments: Facts
) -> None:
    assert "could not be parsed" not in tool_text(fed, name, **arguments)


def test_status_counts_them(fed: IndexedWorker) -> None:
    assert fed.query_worker("status")["holds"]["unparsed"] == {"files": 2, "lines": 2}
    fed.run_sql("DELETE FROM meta WHERE key LIKE '%:counts'")
    fed.deploy()
    assert fed.query_worker("status")["holds"]["unparsed"] == {"files": 2, "lines": 2}
    outline = fed.query_worker("outline", path="src")
    assert {file["path"]: file["unparsed"] for file in outline["files"]} == {
        "src/broken.py": "2",
        "src/missing.c": "2",
    }
