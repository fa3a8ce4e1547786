"""Measures how much of what answers a query is within a coding agent's token budget.

    python -m bench budget [--only repositories-small,contextual] [--by words,static] [--json FILE]

Each query of `bench answers`' sets is answered as the MCP tool `search` does, with the budgets of
`TOKENS`. The table has the recall of right files (their path is in the answer) and of right lines
(they are shown), means over queries; the queries are in two halves, drawn by a hash, so that
constants can be chosen on one and checked on the other. Tokens are counted as in
`feeder.mcp.token_budget`: 3.2 bytes each.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from answers.corpora import Absent
from answers.measure import synced_index
from answers.sets import SETS, Corpus, QueryLine, Sources

from feeder.config import Settings
from feeder.mcp.formatting import AnswerOptions, format_hits
from feeder.mcp.tool_schemas import default_limit
from feeder.mcp.tools import SNIPPET_LINES
from feeder.query.query_plan import SearchRequest
from feeder.search.answers import Page
from feeder.search.engine import search
from feeder.search.open_index import SearchIndex, open_index

ROOT = Path(__file__).resolve().parents[1]
TOKENS = (500, 1_000, 2_000, 2_500)
"""Budgets; the last one is the default."""
LIMITS = {tokens: default_limit(tokens) for tokens in TOKENS}
"""Hits of an answer by budget."""
HALVES = ("tuning", "check")
MIN_LINE_CHARS = 3
"""Shorter lines, such as `}`, are not looked for in an answer."""


class Recall(NamedTuple):
    """Shares of a query's files and of its lines that an answer has; None without lines."""

    files: float
    lines: float | None


class Row(NamedTuple):
    """A query with its half and its recall by budget."""

    corpus: str
    query: str
    half: str
    recalls: Mapping[int, Recall]


def main() -> int:
    """Returns the exit code: 1 if no query could be run."""
    args = _parse_args()
    sources = Sources(Path(args.questions), Path(args.mirror), Path(args.work).resolve(), _report)
    print("| set | mode | half | queries | recall | " + " | ".join(map(str, TOKENS)) + " |")
    print("|---|---|---|---|---|" + "---|" * len(TOKENS))
    written: dict[str, Any] = {}
    for name in args.only.split(","):
        for mode in args.by.split(","):
            try:
                rows = [
                    row for corpus in SETS[name](sources) for row in _rows(corpus, mode, sources)
                ]
            except Absent as exc:
                _report(f"left out: {exc}")
                continue
            written[f"{name}, {mode}"] = [row._asdict() for row in rows]
            for line in _table(name, mode, rows):
                print(line, flush=True)
    if args.json:
        args.json.write_text(json.dumps(written, indent=1))
    return 0 if any(written.values()) else 1


def _rows(corpus: Corpus, mode: str, sources: Sources) -> Iterator[Row]:
    settings = Settings(
        directory=corpus.root,
        repo=corpus.name,
        db=synced_index(corpus, "static", sources),
        model=mode,
        store="local",
        quiet=True,
        query_log=False,
    )
    with open_index(settings) as opened:
        index = opened.with_models(_report)
        for line in corpus.queries:
            pages = {limit: _page(index, line["query"], limit) for limit in LIMITS.values()}
            recalls = {
                tokens: _recall(pages[limit], tokens, line, corpus.root)
                for tokens, limit in LIMITS.items()
            }
            yield Row(corpus.name, line["query"], _half(line["query"]), recalls)


def _page(index: SearchIndex, query: str, limit: int) -> Page:
    return search(
        index, SearchRequest(query, limit=limit, snippet_lines=SNIPPET_LINES, is_logged=False)
    )


def _recall(page: Page, tokens: int, query: QueryLine, root: Path) -> Recall:
    text = format_hits(page, AnswerOptions("auto", tokens), None)
    paths = {hit.result.hit.path for hit in page.hits if f"\n{hit.result.hit.path}:" in f"\n{text}"}
    answers = query["answers"]
    shown = {line.strip() for line in text.split("\n")}
    shares = [
        fmean(line in shown for line in lines)
        for answer in answers
        if "start_line" in answer and (lines := _lines(root, answer))
    ]
    return Recall(
        fmean(answer["path"] in paths for answer in answers), fmean(shares) if shares else None
    )


def _lines(root: Path, answer: QueryLine) -> list[str]:
    lines = (root / answer["path"]).read_text("utf-8").split("\n")
    own = lines[answer["start_line"] - 1 : answer["end_line"]]
    return [line for line in map(str.strip, own) if len(line) >= MIN_LINE_CHARS]


def _half(query: str) -> str:
    return HALVES[hashlib.sha256(query.encode()).digest()[0] % 2]


def _table(name: str, mode: str, rows: Sequence[Row]) -> Iterator[str]:
    for half in ("", *HALVES):
        selected = [row for row in rows if not half or row.half == half]
        for kind in Recall._fields:
            cells = []
            for tokens in TOKENS:
                values = [getattr(row.recalls[tokens], kind) for row in selected]
                present = [value for value in values if value is not None]
                cells.append(f"{fmean(present):.3f}".removeprefix("0") if present else "")
            if any(cells):
                start = f"| {name} | {mode} | {half or 'all'} | {len(selected)} | {kind} |"
                yield f"{start} {' | '.join(cells)} |"


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench budget", description=__doc__)
    for name in ("questions", "mirror"):
        variable = f"EVAL_{name.upper()}"
        parser.add_argument(
            f"--{name}",
            default=os.environ.get(variable, ""),
            metavar="FOLDER",
            help=f"As for `bench answers` (default: {variable}).",
        )
    parser.add_argument("--work", default=str(ROOT / ".bench" / "answers"), metavar="FOLDER")
    parser.add_argument("--only", default="repositories-small,contextual", metavar="SET,…")
    parser.add_argument("--by", default="words,static", metavar="MODE,…")
    parser.add_argument("--json", type=Path, metavar="FILE", help="Write each query's recall.")
    return parser.parse_args(sys.argv[2:])
