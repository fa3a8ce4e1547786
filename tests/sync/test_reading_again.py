"""A run that reads files again, with another parser or for static vectors, resumes where the last
one stopped.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.errors import StoppedEarly
from feeder.parse import ParsedFile
from feeder.source.git_trees import Commit
from feeder.store import Row, Statement
from feeder.store.index_state import static_model_name
from feeder.store.migrations import known_migrations, migrate
from feeder.store.sqlite import SQLite
from feeder.sync.diff import StaleReason
from feeder.sync.parser_identity import ParserIdentity, fingerprint_while_reading
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder, HashedStaticEmbedder
from index_helpers import (
    REPO,
    InProcessParser,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo

pytestmark = pytest.mark.slow

STATIC = HashedStaticEmbedder()
FILES = 6
NAMES = [f"part{number}.py" for number in range(FILES)]
PARSER_IN_META = f"SELECT value FROM meta WHERE key = '{REPO}:parser'"
VERSIONS = "the index was made by this parser, these rules and this model"


@pytest.fixture
def parts(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Commit:
    """Six files of one node each; a transaction writes one of them."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 1)
    repo.commit({name: f"def part{at}():\n    return {at}\n" for at, name in enumerate(NAMES)})
    return Commit(repo.path)


def read_by(database: SQLite, fingerprint: str) -> set[str]:
    """The files whose row names this parser and static model."""
    identity = ParserIdentity.from_fingerprint(fingerprint)
    rows = query_rows(database, "SELECT path, parser FROM files")
    return {path for path, parser in rows if parser == identity.of_file(path, has_nodes=True)}


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_crashed_run_with_another_parser_is_resumed(
    tmp_path: Path, parts: Commit, *, before: bool
) -> None:
    """At any call of the crash, the next run parses only the files that were not written."""
    expected = fresh_snapshot(parts, parser=InProcessParser("2"))
    left_over = set()
    for at in count(1):
        database = open_database(tmp_path / f"{at}.db")
        run_sync(parts, database, parser=InProcessParser("1"))
        fuse = FaultInjector(at, before=before)
        with suppress(Crash):
            failing = FailingDatabase(database, fuse)
            sync(new_sync_context(parts, failing, parser=InProcessParser("2")))
        rest = [name for name in NAMES if name not in read_by(database, "2")]
        parser = InProcessParser("2")
        run_sync(parts, database, parser=parser)
        assert parser.parsed == rest
        assert index_snapshot(database) == expected
        database.close()
        left_over.add(len(rest))
        if not fuse.has_failed:
            break
    assert left_over == set(range(FILES + 1))


def test_runs_that_all_crash_early_make_progress(parts: Commit, database: SQLite) -> None:
    """Each run reads the state, writes one file and crashes at the next one."""
    run_sync(parts, database, parser=InProcessParser("1"))
    for done in range(1, FILES + 1):
        with suppress(Crash):
            failing = FailingDatabase(database, FaultInjector(5))
            sync(new_sync_context(parts, failing, parser=InProcessParser("2")))
        assert len(read_by(database, "2")) >= min(done, FILES)
    run_sync(parts, database, parser=InProcessParser("2"))
    assert index_snapshot(database) == fresh_snapshot(parts, parser=InProcessParser("2"))


def test_budget_stops_a_run_with_another_parser(parts: Commit, database: SQLite) -> None:
    """Each run that follows reads the next file."""
    run_sync(parts, database, parser=InProcessParser("1"))
    for done in range(1, FILES):
        run = new_sync_context(parts, database, parser=InProcessParser("2"))
        run.budget.max_requests = 0
        with pytest.raises(StoppedEarly):
            sync(run)
        assert read_by(database, "2") == set(NAMES[:done])
    run = new_sync_context(parts, database, parser=InProcessParser("2"))
    run.budget.max_requests = 0
    sync(run)
    assert index_snapshot(database) == fresh_snapshot(parts, parser=InProcessParser("2"))


def test_earlier_parser_reads_only_the_files_that_the_stopped_run_read(
    parts: Commit, database: SQLite
) -> None:
    run_sync(parts, database, parser=InProcessParser("1"))
    run = new_sync_context(parts, database, parser=InProcessParser("2"))
    run.budget.max_requests = 0
    with suppress(StoppedEarly):
        sync(run)
    parser = InProcessParser("1")
    run_sync(parts, database, parser=parser)
    assert parser.parsed == NAMES[:1]
    assert index_snapshot(database) == fresh_snapshot(parts, parser=InProcessParser("1"))


class Counting(FailingDatabase):
    """Counts the statements that write nodes or postings."""

    written = 0

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        node_tables = ("INSERT INTO docs", "DELETE FROM docs")
        self.written += sum(
            statement.sql.lstrip().startswith(node_tables) for statement in statements
        )
        return super().run(statements)


def test_static_vectors_are_added_without_writing_nodes(parts: Commit, database: SQLite) -> None:
    run_sync(parts, database)
    counting = Counting(database, FaultInjector(0))
    report = run_sync(parts, counting, static_model=STATIC)
    assert counting.written == 0
    assert report.notes == [StaleReason.STATIC_VECTORS]
    assert (report.files_processed, report.files_unchanged) == (0, FILES)
    assert report.files_vectors_only == FILES
    assert index_snapshot(database) == fresh_snapshot(parts, static_model=STATIC)


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_crashed_run_that_adds_static_vectors_is_resumed(
    tmp_path: Path, parts: Commit, *, before: bool
) -> None:
    """`meta` names no static model until all nodes have vectors, so that no search uses them."""
    expected = fresh_snapshot(parts, static_model=STATIC)
    own = InProcessParser(static_model=STATIC).fingerprint
    left_over = set()
    for at in count(1):
        database = open_database(tmp_path / f"{at}.db")
        run_sync(parts, database)
        fuse = FaultInjector(at, before=before)
        with suppress(Crash):
            sync(new_sync_context(parts, FailingDatabase(database, fuse), static_model=STATIC))
        rest = [name for name in NAMES if name not in read_by(database, own)]
        [fingerprint] = query_rows(database, PARSER_IN_META)
        if rest:
            assert static_model_name(fingerprint) == ""
        parser = InProcessParser(static_model=STATIC)
        run_sync(parts, database, static_model=STATIC, parser=parser)
        assert parser.parsed == rest
        assert index_snapshot(database) == expected
        database.close()
        left_over.add(len(rest))
        if not fuse.has_failed:
            break
    assert left_over == set(range(FILES + 1))


def test_run_without_vectors_removes_those_of_a_stopped_run(
    parts: Commit, database: SQLite
) -> None:
    run_sync(parts, database)
    run = new_sync_context(parts, database, static_model=STATIC)
    run.budget.max_requests = 0
    with pytest.raises(StoppedEarly):
        sync(run)
    assert query_rows(database, "SELECT count(*) FROM meanings") == [1]
    run_sync(parts, database)
    assert index_snapshot(database) == fresh_snapshot(parts)
    parser = InProcessParser(static_model=STATIC)
    run_sync(parts, database, static_model=STATIC, parser=parser)
    assert parser.parsed == NAMES


def test_run_without_vectors_removes_static_vectors_and_reads_no_file(
    parts: Commit, database: SQLite
) -> None:
    run_sync(parts, database, static_model=STATIC)
    parser = InProcessParser()
    report = run_sync(parts, database, parser=parser)
    assert parser.parsed == []
    assert report.notes == [StaleReason.NO_STATIC_VECTORS]
    assert index_snapshot(database) == fresh_snapshot(parts)


def test_static_vectors_stay_in_use_while_files_are_parsed_again(
    parts: Commit, database: SQLite
) -> None:
    """Every node has its vector at any moment."""
    run_sync(parts, database, static_model=STATIC, parser=InProcessParser("1", STATIC))
    parser = InProcessParser("2", STATIC)
    run = new_sync_context(parts, database, static_model=STATIC, parser=parser)
    run.budget.max_requests = 0
    with pytest.raises(StoppedEarly):
        sync(run)
    [fingerprint] = query_rows(database, PARSER_IN_META)
    assert fingerprint == f"mixed {STATIC.model}"


@pytest.mark.parametrize(
    ("index", "own", "meanwhile"),
    [
        ("1 a b", "2 a b", "mixed"),
        ("1 documents:1", "1 documents:2", "1 documents:mixed"),
        ("1 documents:1", "2 documents:1", "mixed documents:1"),
        ("1", "2 documents:1", "mixed documents:mixed"),
        ("1", "1 feeder-static-a", "1"),
        ("1 feeder-static-a", "1", "1"),
        ("1 feeder-static-a", "1 feeder-static-b", "1"),
        (
            "1 feeder-static-a",
            "2 documents:1 feeder-static-a",
            "mixed documents:mixed feeder-static-a",
        ),
        ("mixed feeder-static-a", "2 feeder-static-a", "mixed feeder-static-a"),
        ("mixed", "2 feeder-static-a", "mixed"),
    ],
)
def test_fingerprint_in_meta_while_files_are_read_again(
    index: str, own: str, meanwhile: str
) -> None:
    assert fingerprint_while_reading(index, own) == meanwhile


def test_model_vectors_are_kept_when_static_vectors_are_added(
    parts: Commit, database: SQLite
) -> None:
    run_sync(parts, database, HashedEmbedder())
    embedder = HashedEmbedder()
    run_sync(parts, database, embedder, static_model=STATIC)
    assert embedder.texts == 0
    assert index_snapshot(database) == fresh_snapshot(parts, HashedEmbedder(), static_model=STATIC)


class Stopping(InProcessParser):
    """A parser that is stopped in one file, which then has another node."""

    def parse_one(self, path: str, content: bytes, *, keep_source: bool) -> ParsedFile:
        parsed = super().parse_one(path, content, keep_source=keep_source)
        if path != NAMES[2]:
            return parsed
        [node] = parsed.nodes
        chunk = node._replace(node_type="chunk", symbol=None, signature=None)
        return parsed._replace(nodes=[chunk], reason="the parser timed out", stopped=True)


@pytest.mark.parametrize("first", [InProcessParser(), Stopping()], ids=["parsed", "stopped"])
@pytest.mark.parametrize(
    "second",
    [InProcessParser(static_model=STATIC), Stopping(static_model=STATIC)],
    ids=["then parsed", "then stopped"],
)
def test_file_whose_parser_was_stopped_is_written_whole(
    parts: Commit, database: SQLite, first: InProcessParser, second: InProcessParser
) -> None:
    """Its nodes may differ from the last time although the parser is the same."""
    run_sync(parts, database, HashedEmbedder(), parser=first)
    run_sync(parts, database, HashedEmbedder(), static_model=STATIC, parser=second)
    assert index_snapshot(database) == fresh_snapshot(
        parts, HashedEmbedder(), static_model=STATIC, parser=second
    )


def _without_parser_column(database: SQLite) -> None:
    """Turns the index into one of the version before."""
    execute = database.connection.execute
    execute("ALTER TABLE files DROP COLUMN parser")
    [migration] = (
        known_migration
        for known_migration in known_migrations()
        if "parser" in known_migration.name
    )
    execute("DELETE FROM d1_migrations WHERE name = ?", (migration.name,))


def test_older_index_is_not_read_again(parts: Commit, database: SQLite) -> None:
    """A row without a parser was read by the parser in `meta`."""
    run_sync(parts, database, static_model=STATIC)
    _without_parser_column(database)
    migrate(database)
    assert query_rows(database, "SELECT DISTINCT parser FROM files") == [""]
    parser = InProcessParser(static_model=STATIC)
    run_sync(parts, database, static_model=STATIC, parser=parser)
    assert parser.parsed == []
    assert validate(new_sync_context(parts, database, static_model=STATIC)).passed


@pytest.mark.parametrize(
    "fingerprint", ["in process", "older", "mixed"], ids=["the same", "another", "several"]
)
def test_older_index_of_another_parser_is_read_again(
    parts: Commit, database: SQLite, fingerprint: str
) -> None:
    """Also after a stopped run of the older program, which does not say what it has read."""
    run_sync(parts, database, parser=InProcessParser("in process"))
    query_rows(database, "UPDATE meta SET value = ? WHERE key = ?", fingerprint, f"{REPO}:parser")
    _without_parser_column(database)
    migrate(database)
    run = new_sync_context(parts, database, static_model=STATIC)
    run.budget.max_requests = 0
    with pytest.raises(StoppedEarly):
        sync(run)
    parser = InProcessParser(static_model=STATIC)
    report = run_sync(parts, database, static_model=STATIC, parser=parser)
    assert parser.parsed == NAMES[1:]
    assert report.files_vectors_only == (FILES - 1 if fingerprint == "in process" else 0)
    assert index_snapshot(database) == fresh_snapshot(parts, static_model=STATIC)


def test_file_of_another_parser_is_found_and_repaired(parts: Commit, database: SQLite) -> None:
    """Although `meta` names the right parser."""
    run_sync(parts, database)
    query_rows(database, "UPDATE files SET parser = 'other' WHERE path = ?", NAMES[3])
    result = validate(new_sync_context(parts, database))
    [check] = [check for check in result.checks if not check.passed]
    assert (check.name, check.differences) == (VERSIONS, [str(StaleReason.PARSER)])
    parser = InProcessParser()
    repair(new_sync_context(parts, database, parser=parser), result)
    assert parser.parsed == [NAMES[3]]
    assert validate(new_sync_context(parts, database)).passed


def test_first_transactions_of_a_local_run_are_small(
    repo: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is twice as large as the one before. At D1, where each is a request, all are full."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 32)
    repo.commit({f"part{at:02}.py": f"def part{at}():\n    pass\n" for at in range(60)})
    sizes = {}
    for requests_per_write in (0, 1):
        counting = BatchSizes(database, FaultInjector(0))
        run = new_sync_context(
            Commit(repo.path), counting, parser=InProcessParser(str(requests_per_write))
        )
        run.budget.requests_per_write = requests_per_write
        sync(run)
        sizes[requests_per_write] = counting.files
    # a file counts as one more node
    assert sizes == {0: [1, 2, 4, 8, 16, 16, 13], 1: [16, 16, 16, 12]}


class BatchSizes(FailingDatabase):
    """Counts the files that each transaction writes."""

    def __init__(self, database: SQLite, faults: FaultInjector) -> None:
        super().__init__(database, faults)
        self.files: list[int] = []

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        pages = [
            statement.params[2] for statement in statements if "INSERT INTO files" in statement.sql
        ]
        self.files += [len(json.loads(str(page))) for page in pages]
        return super().run(statements)
