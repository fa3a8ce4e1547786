"""The index records the lines of each file that could not be parsed, and a sync and a
validation name them.
"""

from feeder.source.git_trees import Commit
from feeder.store.inventory import statistics
from feeder.store.sqlite import SQLite
from feeder.sync.report import Report
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from index_helpers import (
    REPO,
    InProcessParser,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    query_rows,
    run_sync,
)
from source.repos import Repo

BROKEN = "first = 1\nsecond = 2 $$ 3\nthird = 3\n"
MISSING_BRACKET = "int total(void) {\n  return 1\n}\n\nint size(void) {\n  return 2\n}\n"
FILES = {
    "app/broken.py": BROKEN,
    "app/right.py": "def total():\n    return 1\n",
    "lib/missing.c": MISSING_BRACKET,
    "logo.png": "$$",
}
UNPARSED = "SELECT path, unparsed FROM files ORDER BY path"
ROWS = "every node matches its parsed file"
SENTENCE = "2 files have 3 lines that could not be parsed"


def expected_report(report: Report) -> None:
    assert report.unparsed == {"app/broken.py": "2", "lib/missing.c": "2,6"}
    assert f"  {SENTENCE}" in report.lines()
    answer = report.as_json()
    assert (answer["unparsed_files"], answer["unparsed_lines"]) == (2, 3)


def test_sync_records_and_names_lines_that_no_grammar_knows(repo: Repo, database: SQLite) -> None:
    """Also a run that has nothing to do; files that are not read, and right ones, have none."""
    repo.commit(FILES)
    expected_report(run_sync(Commit(repo.path), database))
    assert query_rows(database, UNPARSED) == [
        ("app/broken.py", "2"),
        ("app/right.py", None),
        ("lib/missing.c", "2,6"),
        ("logo.png", None),
    ]
    expected_report(run_sync(Commit(repo.path), database))
    repo.commit({"app/other.py": "def other():\n    return 1\n"})
    expected_report(run_sync(Commit(repo.path), database))


def test_lines_that_are_right_again_are_no_longer_named(repo: Repo, database: SQLite) -> None:
    repo.commit(FILES)
    run_sync(Commit(repo.path), database)
    repo.commit({"app/broken.py": BROKEN.replace("$$", "+"), "lib/missing.c": None})
    report = run_sync(Commit(repo.path), database)
    assert report.unparsed == {}
    assert not any("could not be parsed" in line for line in report.lines())
    assert query_rows(database, "SELECT 1 FROM files WHERE unparsed IS NOT NULL") == []


def test_statistics_count_them(repo: Repo, database: SQLite) -> None:
    """Whether the last run has left its counts or all rows are counted."""
    repo.commit(FILES)
    run_sync(Commit(repo.path), database)
    for _ in range(2):
        content = statistics(database, REPO)
        assert content.as_json()["unparsed"] == {"files": 2, "lines": 3}
        assert SENTENCE in content.lines()
        query_rows(database, "DELETE FROM meta WHERE key = ?", f"{REPO}:counts")


def test_index_of_an_earlier_version_is_counted_as_unknown(repo: Repo, database: SQLite) -> None:
    """Its counts have no such lines; the run of this version parses everything again."""
    repo.commit(FILES)
    run_sync(Commit(repo.path), database, parser=InProcessParser("older"))
    query_rows(database, "UPDATE files SET unparsed = NULL")
    without = "UPDATE meta SET value = json_remove(value, '$.unparsed') WHERE key = ?"
    query_rows(database, without, f"{REPO}:counts")
    assert statistics(database, REPO).as_json()["unparsed"] == {"files": 0, "lines": 0}
    expected_report(run_sync(Commit(repo.path), database))
    assert index_snapshot(database) == fresh_snapshot(Commit(repo.path))


def test_validation_names_them_and_compares_them(repo: Repo, database: SQLite) -> None:
    repo.commit(FILES)
    run_sync(Commit(repo.path), database)
    verdict = validate(new_sync_context(Commit(repo.path), database))
    assert verdict.passed
    assert f"{SENTENCE}: app/broken.py:2 lib/missing.c:2,6" in verdict.notes
    query_rows(database, "UPDATE files SET unparsed = '3' WHERE path = 'app/broken.py'")
    query_rows(database, "UPDATE files SET unparsed = NULL WHERE path = 'lib/missing.c'")
    verdict = validate(new_sync_context(Commit(repo.path), database))
    [check] = [check for check in verdict.checks if check.name == ROWS]
    assert check.differences == [
        "app/broken.py: different unparsed lines",
        "lib/missing.c: different unparsed lines",
    ]
    repair(new_sync_context(Commit(repo.path), database), verdict)
    assert index_snapshot(database) == fresh_snapshot(Commit(repo.path))


def test_dry_run_names_them_too(repo: Repo, database: SQLite) -> None:
    repo.commit(FILES)
    context = new_sync_context(Commit(repo.path), database)
    sync(context, dry_run=True)
    expected_report(context.report)
    assert query_rows(database, "SELECT 1 FROM files") == []
