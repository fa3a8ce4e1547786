"""Runs with a budget stop cleanly, and repeated runs complete the index."""

import json

import pytest
from program import Console, console, feeder
from standin import StandIn

from command_runner import RunFeeder
from feeder.cloudflare.free_tier import Usage, format_percent
from feeder.sync.budget import Budget
from source.repos import Repo

__all__ = ["console", "feeder"]

FILES = 12
LEFT = "SELECT count(*) FROM files WHERE state = 'pending'"


def file_of_three_nodes(number: int) -> str:
    """A file of three nodes."""
    return "\n\n".join(
        f"def {name}{number}(value):\n    return value + {number}\n" for name in ("a", "b", "c")
    )


@pytest.fixture
def repo_of_12_files(feeder: RunFeeder, repo: Repo) -> Repo:
    """Twelve files of three nodes, and an empty index at Cloudflare."""
    repo.commit({f"p{number:02}.py": file_of_three_nodes(number) for number in range(FILES)})
    assert feeder(repo, "init").code == 0
    return repo


@pytest.mark.parametrize("has_cache", [True, False])
def test_embedding_budget_stops_at_whole_files(
    feeder: RunFeeder, standin: StandIn, console: Console, repo_of_12_files: Repo, has_cache: bool
) -> None:
    """Ten texts are three files. All words are indexed at once, all vectors after four runs."""
    codes = []
    for run in range(1, 5):
        answer = feeder(repo_of_12_files, "sync", "--max-embeddings", "10", "--json")
        codes.append(answer.code)
        assert answer.json["texts_embedded"] == 9
        assert answer.json["texts_waiting"] == 36 - 9 * run
        assert console.sql(LEFT) == [[FILES - 3 * run]]
        assert len(standin.vectors("acme_shop_code")) == 9 * run
        assert console.sql("SELECT count(*) FROM docs") == [[36]]
        if not has_cache:
            feeder(repo_of_12_files, "cache", "--clear")
    assert codes == [75, 75, 75, 0]
    assert feeder(repo_of_12_files, "validate", "--wait").code == 0


def test_stopped_run_names_the_budget_after_its_report(
    feeder: RunFeeder, repo_of_12_files: Repo
) -> None:
    """The report is on stdout, the message on stderr."""
    answer = feeder(repo_of_12_files, "sync", "--max-embeddings", "10")
    assert answer.code == 75
    assert answer.out.startswith("Files: 12 processed")
    assert answer.err.splitlines()[-1] == (
        "feeder: Stopped by --max-embeddings 10: finished work is saved, and the next run "
        "continues."
    )


def test_file_larger_than_the_budget_is_completed(
    feeder: RunFeeder, console: Console, repo_of_12_files: Repo
) -> None:
    """Otherwise no run would make progress."""
    embedded = []
    for _ in range(3):
        answer = feeder(repo_of_12_files, "sync", "--max-embeddings", "1", "--json")
        embedded.append(answer.json["texts_embedded"])
    assert embedded == [0, 3, 3]
    assert console.sql(LEFT) == [[FILES - 2]]


def test_cached_texts_do_not_count(
    feeder: RunFeeder, console: Console, repo_of_12_files: Repo
) -> None:
    """The files have moved, and no text has changed."""
    assert feeder(repo_of_12_files, "sync").code == 0
    repo_of_12_files.commit(
        {f"p{number:02}.py": f"\n{file_of_three_nodes(number)}" for number in range(FILES)}
    )
    # what is committed along is wrangler.toml, with a few nodes of its own
    answer = feeder(repo_of_12_files, "sync", "--max-embeddings", "10", "--json")
    assert (answer.code, answer.json["texts_cached"]) == (0, 36)
    assert console.sql("SELECT count(*) FROM outbox") == [[0]]


@pytest.mark.parametrize("most", [1, 4, 6, 8, 12])
def test_request_budget_is_kept(
    feeder: RunFeeder, standin: StandIn, console: Console, repo_of_12_files: Repo, most: int
) -> None:
    """From eight on; below that a run makes one step, so that repeated runs end."""
    codes = [75]
    while codes[-1] == 75:
        before = sum(standin.counts().values())
        codes.append(feeder(repo_of_12_files, "sync", "--max-requests", str(most)).code)
        spent = sum(standin.counts().values()) - before
        assert spent <= max(most, 8)
        assert len(codes) < 30
    assert codes[-1] == 0
    assert feeder(repo_of_12_files, "validate", "--wait").code == 0
    if most >= 8:
        assert len(codes) <= 3


def test_number_of_requests_is_stored(
    feeder: RunFeeder, standin: StandIn, console: Console, repo_of_12_files: Repo
) -> None:
    """Including the last one, which stores it. A run without changes stores nothing."""
    before = sum(standin.counts().values())
    assert feeder(repo_of_12_files, "sync").code == 0
    spent = sum(standin.counts().values()) - before
    assert feeder(repo_of_12_files, "sync").code == 0
    [[text]] = console.sql("SELECT value FROM meta WHERE key LIKE '%:cost:sync'")
    stored = json.loads(text)
    assert (stored["requests"], stored["files_processed"]) == (spent, FILES)


def test_large_outbox_is_emptied_in_batches(
    feeder: RunFeeder, standin: StandIn, console: Console, repo: Repo
) -> None:
    """100 ids per request."""
    repo.commit({f"p{number:03}.py": file_of_three_nodes(number) for number in range(150)})
    feeder(repo, "init")
    assert feeder(repo, "sync").code == 0
    repo.commit({f"p{number:03}.py": None for number in range(150)})
    left = []
    code = 75
    while code == 75:
        code = feeder(repo, "sync", "--max-requests", "6").code
        left += console.sql("SELECT count(*) FROM outbox")[0]
        assert len(left) < 9
    assert left[0] > 0
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0
    assert feeder(repo, "validate", "--wait").code == 0


def test_budget_stops_between_transactions_of_words(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """A transaction has up to 2,000 nodes."""
    many = "\n".join(f"# H{number}\n\n{'words ' * 130}\n" for number in range(1100))
    repo.commit({f"d{number}.md": many for number in range(3)})
    feeder(repo, "init")
    stopped = feeder(repo, "sync", "--no-vectors", "--max-requests", "3")
    assert stopped.code == 75
    assert console.sql("SELECT count(*) FROM files") == [[2]]
    assert feeder(repo, "sync", "--no-vectors", "--max-requests", "3").code == 0
    assert console.sql("SELECT count(*) FROM docs") == [[3 * 1100]]


@pytest.mark.needs("local")
def test_embedding_budget_applies_to_a_local_index(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, repo_of_12_files: Repo
) -> None:
    """Its model takes time instead of requests."""
    monkeypatch.setenv("FEEDER_MODEL", "minilm")
    answer = feeder(repo_of_12_files, "sync", "--store", "local", "--max-embeddings", "6", "--json")
    assert (answer.code, answer.json["texts_embedded"]) == (75, 6)
    assert answer.json["usage"] is None


def test_first_step_is_always_allowed_and_a_stopped_run_stays_stopped() -> None:
    """A stopped run does not start smaller steps."""
    budget = Budget(max_requests=5, requests_sent=lambda: 3)
    assert budget.allows(100)
    assert not budget.allows(1)
    assert not budget.allows(0)
    assert "--max-requests 5" in budget.stop_reason
    assert Budget().allows(10**9)
    assert not Budget().is_set


def test_shares_of_the_free_tier() -> None:
    """From Cloudflare's limits: rows and neurons per day, dimensions and bytes in total."""
    usage = Usage(
        {"d1": 3, "ai": 2},
        {"ai": 1},
        12.4,
        rows_read=50_000,
        rows_written=25_000,
        dimensions=1_000_000,
        tokens=900_000,
        neurons=1_000,
        database_bytes=125_000_000,
    )
    assert usage.shares() == {
        "rows_read": 0.01,
        "rows_written": 0.25,
        "neurons": 0.1,
        "dimensions": 0.2,
        "database_bytes": 0.25,
    }
    assert list(usage.lines()) == [
        "Requests: 3 D1, 2 Workers AI; retried: 1 Workers AI; 12 s waited.",
        "D1: 25,000 rows written (25.0 % of a free day), 50,000 read (1.0 %).",
        "Vectorize: 1,000,000 dimensions in vectors (20.0 % of the free tier).",
        "Workers AI: about 900,000 tokens, 1,000.0 neurons (10.0 % of a free day).",
        "Database: 125.0 MB (25.0 % of the free tier).",
    ]
    assert (format_percent(0), format_percent(0.0004), format_percent(1.5)) == (
        "0.0 %",
        "below 0.1 %",
        "150.0 %",
    )


def test_report_counts_retries(feeder: RunFeeder, standin: StandIn, repo_of_12_files: Repo) -> None:
    """And the time waited."""
    standin.fault("throttled", route="vectorize.upsert", retry_after=1)
    usage = feeder(repo_of_12_files, "sync", "--json").json["usage"]
    assert usage["retries"] == {"vectorize": 1}
    assert usage["requests"]["vectorize"] == 3
    assert usage["waited_s"] >= 1
    assert usage["rows_written"] / 36 <= 8
