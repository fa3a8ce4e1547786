"""Measures the lower bounds of a first sync: tree-sitter alone, and SQLite's FTS5 alone.

Each runs in its own process on one core.
"""

import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from speed.program import run_command

ROWS = 2000
"""Rows per transaction, as in feeder."""


class DecodedFile(NamedTuple):
    """A decoded file, and its parser; None if the language has no grammar."""

    path: str
    content: bytes
    parser: Any


def measure_parsing(repository: Path) -> dict[str, float]:
    """Parses the files that have a grammar; returns `floor_s` and the number and size of files."""
    return _in_own_process("parse", str(repository))


def measure_indexing(postings: Path) -> dict[str, float]:
    """Inserts the rows that `save_postings` saved into FTS5; returns `fts_s`."""
    return _in_own_process("index", str(postings))


def save_postings(repository: Path, file: Path) -> None:
    """Saves the rows that feeder inserts into FTS5."""
    _in_own_process("keep", str(repository), str(file))


def _in_own_process(*arguments: str) -> dict[str, float]:
    variables = {"PYTHONPATH": str(Path(__file__).parents[1])}
    answer: dict[str, float] = run_command(
        [sys.executable, "-m", "speed.lower_bounds", *arguments], variables
    ).report
    return answer


def _parse(repository: str) -> dict[str, float]:
    """Times the calls of `parse` only; grammars are loaded and files read before."""
    files = list(_decoded_files(Path(repository)))
    with_grammar = [text for text in files if text.parser]
    for text in with_grammar:
        text.parser.parse(b"")

    def parse() -> None:
        for text in with_grammar:
            text.parser.parse(text.content)

    seconds, cpu_s = _time(parse)
    return {
        "floor_s": seconds,
        "floor_cpu_s": cpu_s,
        "texts": len(files),
        "texts_mb": _megabytes(files),
        "parsed": len(with_grammar),
        "parsed_mb": _megabytes(with_grammar),
    }


def _index(postings: str) -> dict[str, float]:
    """Times a new database with feeder's table of postings and nothing else, until it is closed."""
    from feeder.store.sqlite import SQLite

    postings_file = Path(postings)
    rows: list[list[str]] = pickle.loads(postings_file.read_bytes())
    database = SQLite(postings_file.with_suffix(".fts"))
    connection = database.connection
    connection.execute(_create_table_sql())

    def index() -> None:
        for first in range(0, len(rows), ROWS):
            batch = enumerate(rows[first : first + ROWS], start=first + 1)
            with connection:
                connection.executemany(_INSERT, ((seq, *row) for seq, row in batch))
        database.close()

    seconds, cpu_s = _time(index)
    for file in postings_file.parent.glob(f"{postings_file.stem}.fts*"):
        file.unlink()
    return {"fts_s": seconds, "fts_cpu_s": cpu_s, "rows": len(rows)}


_INSERT = "INSERT INTO docs_fts (rowid, id, symbol, path, body) VALUES (?, ?, ?, ?, ?)"


def _create_table_sql() -> str:
    """Returns the SQL statement that creates feeder's table of postings."""
    from feeder.store.migrations import migrate
    from feeder.store.sqlite import SQLite

    database = SQLite(Path(":memory:"))
    migrate(database)
    statement: str = database.connection.execute(
        "SELECT sql FROM sqlite_schema WHERE name = 'docs_fts'"
    ).get
    return statement


def _save(repository: str, file: str) -> dict[str, float]:
    from feeder.parse.worker_pool import WorkerPool
    from feeder.source.git_trees import Commit
    from feeder.store.rows import NodeRows
    from feeder.sync.row_encoder import RowEncoder

    tree = Commit(Path(repository))
    entries = [entry for entry in tree.entries() if not entry.skip]
    encode = RowEncoder(Path(repository).name, describes=False)
    with WorkerPool() as parser:
        contents = ((entry.path, raw) for entry, raw in tree.read(entries))
        files = [parsed.encoded for parsed in parser.parse(contents, encode=encode)]
    pages = [page for file in files if isinstance(file, NodeRows) for page in file.postings]
    rows = [row for page in pages for row in json.loads(f"[{page}]")]
    Path(file).write_bytes(pickle.dumps(rows))
    return {"rows": len(rows)}


def _decoded_files(repository: Path) -> Iterator[DecodedFile]:
    from feeder.parse.decoding import NotTextError, decode_text
    from feeder.parse.grammar_files import load_grammars
    from feeder.source.git_trees import Commit

    tree, grammars = Commit(repository), load_grammars()
    for entry, raw in tree.read([entry for entry in tree.entries() if not entry.skip]):
        try:
            content = decode_text(raw)
        except NotTextError:
            continue
        language, kind = grammars.detect_language(entry.path, content)
        parser = None if kind == "text" else grammars.grammar(language).parser
        yield DecodedFile(entry.path, content, parser)


def _megabytes(files: list[DecodedFile]) -> float:
    return sum(len(text.content) for text in files) / 1e6


def _time(action: Callable[[], None]) -> tuple[float, float]:
    """Returns the wall and CPU seconds of a call, on one core."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    started, cpu_started = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - started, time.process_time() - cpu_started


if __name__ == "__main__":
    action, *arguments = sys.argv[1:]
    actions: dict[str, Callable[..., dict[str, float]]]
    actions = {"parse": _parse, "index": _index, "keep": _save}
    print(json.dumps(actions[action](*arguments)))
