"""Long documents report the page or sheet that is being read; other files report nothing."""

import importlib
import sys
from collections.abc import Iterator

import pytest

from feeder.parse import ParsedFile
from feeder.parse.worker_messages import ParseFile
from feeder.parse.worker_pool import WorkerPool
from parse.documents import Line, pdf, xlsx

PARSERS = """
import os
from feeder.parse import extract
from feeder.parse.file_parser import parse_file

def often(grammars, path, content):
    extract.PROGRESS_INTERVAL_S = 0
    return parse_file(grammars, path, content)

def seldom(grammars, path, content):
    extract.PROGRESS_INTERVAL_S = 3600
    return parse_file(grammars, path, content)

def dying(grammars, path, content):
    extract.PROGRESS_INTERVAL_S = 0
    for _ in extract.report_progress("page", "abc"):
        if path == "manual.pdf":
            os._exit(3)
    return parse_file(grammars, path, content)
"""
PAGES = pdf([[Line(f"Page {number}")] for number in range(1, 1201)])
SHEETS = xlsx({name: [("Name", "Value"), ("a", 1)] for name in ("One", "Two")})


@pytest.fixture(scope="module")
def parsers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The test parsers, importable by a worker."""
    folder = tmp_path_factory.mktemp("parsers")
    (folder / "progress_parsers.py").write_text(PARSERS)
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))


def parse_with_progress(parser: str, path: str, content: bytes) -> tuple[list[str], ParsedFile]:
    """Returns the reported progress of a file and its parse result."""
    parse: ParseFile = getattr(importlib.import_module("progress_parsers"), parser)
    said: list[str] = []
    with WorkerPool(count=1, parse_file=parse) as workers:
        workers.on_progress = said.append
        before, parsed = workers.parse([("a.py", b"x = 1\n"), (path, content)])
    assert before.nodes
    return said, parsed


@pytest.mark.needs("documents")
@pytest.mark.parametrize(
    ("path", "content", "kind", "total"),
    [("a/manual.pdf", PAGES, "page", 1200), ("prices.xlsx", SHEETS, "sheet", 2)],
)
def test_each_page_or_sheet_and_the_end_are_reported(
    parsers: None, path: str, content: bytes, kind: str, total: int
) -> None:
    name = path.rpartition("/")[2]
    said, parsed = parse_with_progress("often", path, content)
    places = [f"{name}: {kind} {number:,} of {total:,}" for number in range(1, total + 1)]
    assert said == [*places, ""]
    assert len({node.logical_path for node in parsed.nodes}) == total


@pytest.mark.needs("documents")
def test_short_files_report_no_progress(parsers: None) -> None:
    said, parsed = parse_with_progress("seldom", "manual.pdf", PAGES)
    assert said == []
    assert parsed.nodes


def test_progress_ends_when_a_document_ends_its_worker(parsers: None) -> None:
    said, parsed = parse_with_progress("dying", "manual.pdf", PAGES)
    assert said[-2:] == ["manual.pdf: page 1 of 3", ""]
    assert parsed.skip == "the parser crashed (exit code 3)"
