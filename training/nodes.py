"""Extracts the nodes of the sources with the project's parser.

    python nodes.py SOURCES.tsv FOLDER

Writes one FOLDER/owner+name.pkl per repository: a list of rows.
"""

import pickle
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from snapshots import Entry, contents, entries

from feeder.parse.worker_pool import WorkerPool

_ENDINGS = """
py pyi ts tsx js mjs jsx java kt kts go rs c h cc cpp cxx hpp hh cs rb php swift scala dart
pas pp inc sql sh zsh ex exs hs lua groovy
"""
CODE_ENDINGS = frozenset(_ENDINGS.split())
MANUAL_ENDINGS = ("md", "mdx", "markdown", "rst")
EXCLUDED = re.compile(
    r"(^|/)(node_modules|_?vendor(ed)?|third_party|thirdparty|3rdparty|testdata|_?fixtures?_{0,2}"
    r"|generated|dist|locales?|i18n|cldr|\.github|assets|emoji|unicode|mocks?|target|po|extern(al)?"
    r"|benchmarks?|__snapshots__|snapshots?)/|\.min\.|\.pb\.|_pb2|\.g\.dart$|changelog|CHANGES"
    r"|relnotes|release.?notes|whatsnew|history\.|NEWS|\.generated\.|Designer\.cs$|licen[sc]e",
    re.I,
)
TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|unittests?)/|[._-](test|spec)s?\."
    r"|Tests?\.(java|kt|cs|scala|swift|php)$|/test_|Spec\.scala$",
    re.I,
)
_COPYLEFT = re.compile(
    rb"GNU (Lesser |Library |Affero )?General Public|\bL?GPL|Mozilla Public|Eclipse Public"
    rb"|CC[- ]BY|Creative Commons|All rights reserved\.? (?!.*(Redistribution|licen[sc]e))",
    re.I,
)
_KINDS = ("method", "class", "md_section")
_HEADING = re.compile(r"^(\S.*)\n([=\-~^\"'*#+`.])\2{2,}[ \t]*$", re.M)


class Row(NamedTuple):
    """The fields of a node that `pairs.py` reads; `name` is the symbol or the logical path."""

    path: str
    language: str
    kind: str
    name: str
    signature: str
    text: str


def draw_files(
    repo: str, max_code: int = 2200, max_manual: int = 400, test_share: float = 0.15
) -> list[Entry]:
    """Draws files with a seed: at most `code` and `manual` files, and a share of the tests."""
    draw = random.Random(f"mine {repo}")
    by_is_code: dict[bool, list[Entry]] = {True: [], False: []}
    for entry in entries(repo):
        suffix = entry.path.rpartition(".")[2].lower()
        if not 60 < entry.size < 200_000 or EXCLUDED.search(entry.path):
            continue
        if suffix in CODE_ENDINGS and TEST.search(entry.path) and draw.random() > test_share:
            continue
        if suffix in CODE_ENDINGS or suffix in MANUAL_ENDINGS:
            by_is_code[suffix in CODE_ENDINGS].append(entry)
    draw.shuffle(by_is_code[True])
    draw.shuffle(by_is_code[False])
    return sorted(by_is_code[True][:max_code]) + sorted(by_is_code[False][:max_manual])


def without_copyleft(files: Iterator[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Drops files whose first bytes name a copyleft licence, such as copied third-party code."""
    return ((path, content) for path, content in files if not _COPYLEFT.search(content[:3000]))


def sections(path: str, text: str) -> Iterator[Row]:
    """Yields the sections of a reStructuredText file by its underlined headings."""
    marks = list(_HEADING.finditer(text))
    for mark, after in zip(marks, [*marks[1:], None], strict=False):
        body = text[mark.end() : after.start() if after else len(text)].strip()
        if len(body) > 80:
            title = mark[1].strip()
            yield Row(path, "rst", "md_section", title, "", f"{title}\n{body[:3000]}")


def rows(repo: str, workers: WorkerPool) -> list[Row]:
    files = draw_files(repo)
    node_rows = []
    rst_files = [entry for entry in files if entry.path.endswith(".rst")]
    parsed_files = [entry for entry in files if not entry.path.endswith(".rst")]
    for parsed in workers.parse(without_copyleft(contents(repo, parsed_files))):
        node_rows += [
            Row(parsed.path, n.language, n.node_type, n.symbol or n.logical_path or "",
                n.signature or "", n.text)
            for n in parsed.nodes if n.node_type in _KINDS
        ]  # fmt: skip
    for path, content in without_copyleft(contents(repo, rst_files)):
        node_rows += sections(path, content.decode("utf-8", "replace"))
    return node_rows


def main() -> None:
    sources, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    with WorkerPool(mask_secrets=False, count=2) as workers:
        for line in sources.read_text().splitlines():
            repo = line.split("\t")[0]
            out = folder / f"{repo.replace('/', '+')}.pkl"
            if out.exists():
                continue
            started = time.monotonic()
            node_rows = rows(repo, workers)
            out.write_bytes(pickle.dumps([tuple(row) for row in node_rows]))
            print(repo, len(node_rows), round(time.monotonic() - started, 1), "s", flush=True)


if __name__ == "__main__":
    main()
