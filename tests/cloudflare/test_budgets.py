"""A run that may take only so much stops cleanly, and repeated runs come to the end."""

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


def part(number: int) -> str:
    """A file of three nodes."""
    return "\n\n".join(
        f"def {name}{number}(value):\n    return value + {number}\n" for name in ("a", "b", "c")
    )


@pytest.fixture
def parts(feeder: RunFeeder, repo: Repo) -> Repo:
    """Twelve files of three nodes, and a place at Cloudflare."""
    repo.commit({f"p{number:02}.py": part(number) for number in range(FILES)})
    assert feeder(repo, "init").code == 0
    return repo


@pytest.mark.parametrize("has_cache", [True, False])
def test_embeddings_are_limited_to_whole_files(
    feeder: RunFeeder, standin: StandIn, console: Console, parts: Repo, has_cache: bool
) -> None:
    """Ten texts are three files; all is found by word at once, by meaning after four runs."""
    codes = []
    for run in range(1, 5):
        answer = feeder(parts, "sync", "--max-embeddings", "10", "--json")
        codes.append(answer.code)
        assert answer.json["texts_embedded"] == 9
        assert answer.json["texts_waiting"] == 36 - 9 * run
        assert console.sql(LEFT) == [[FILES - 3 * run]]
        assert len(standin.vectors("acme_shop_code")) == 9 * run
        assert console.sql("SELECT count(*) FROM docs") == [[36]]
        if not has_cache:
            feeder(parts, "cache", "--clear")
    assert codes == [75, 75, 75, 0]
    assert feeder(parts, "validate", "--wait").code == 0


def test_a_stopped_run_says_what_stopped_it_after_its_report(
    feeder: RunFeeder, parts: Repo
) -> None:
    """The report is on stdout, the sentence on stderr."""
    answer = feeder(parts, "sync", "--max-embeddings", "10")
    assert answer.code == 75
    assert answer.out.startswith("Files: 12 processed")
    assert answer.err.splitlines()[-1] == (
        "feeder: Stopped by --max-embeddings 10: finished work is saved, and the next run "
        "continues."
    )


def test_a_file_with_more_texts_than_the_limit_is_done_whole(
    feeder: RunFeeder, console: Console, parts: Repo
) -> None:
    """A run that did nothing would be followed by others like it; the first writes words."""
    embedded = []
    for _ in range(3):
        answer = feeder(parts, "sync", "--max-embeddings", "1", "--json")
        embedded.append(answer.json["texts_embedded"])
    assert embedded == [0, 3, 3]
    assert console.sql(LEFT) == [[FILES - 2]]


def test_texts_of_the_cache_are_not_counted(
    feeder: RunFeeder, console: Console, parts: Repo
) -> None:
    """They cost nothing: the files have moved, and no text has changed."""
    assert feeder(parts, "sync").code == 0
    parts.commit({f"p{number:02}.py": f"\n{part(number)}" for number in range(FILES)})
    # what is committed along is wrangler.toml, with a few nodes of its own
    answer = feeder(parts, "sync", "--max-embeddings", "10", "--json")
    assert (answer.code, answer.json["texts_cached"]) == (0, 36)
    assert console.sql("SELECT count(*) FROM outbox") == [[0]]


@pytest.mark.parametrize("most", [1, 4, 6, 8, 12])
def test_requests_are_limited(
    feeder: RunFeeder, standin: StandIn, console: Console, parts: Repo, most: int
) -> None:
    """From eight on never more than said; below, a run does one piece, so that runs end."""
    codes = [75]
    while codes[-1] == 75:
        before = sum(standin.counts().values())
        codes.append(feeder(parts, "sync", "--max-requests", str(most)).code)
        spent = sum(standin.counts().values()) - before
        assert spent <= max(most, 8)
        assert len(codes) < 30
    assert codes[-1] == 0
    assert feeder(parts, "validate", "--wait").code == 0
    if most >= 8:
        assert len(codes) <= 3


def test_the_index_keeps_how_many_requests_a_run_took(
    feeder: RunFeeder, standin: StandIn, console: Console, parts: Repo
) -> None:
    """All of them, the last one too, which writes it; a run with nothing to do is not kept."""
    before = sum(standin.counts().values())
    assert feeder(parts, "sync").code == 0
    spent = sum(standin.counts().values()) - before
    assert feeder(parts, "sync").code == 0
    [[text]] = console.sql("SELECT value FROM meta WHERE key LIKE '%:cost:sync'")
    kept = json.loads(text)
    assert (kept["requests"], kept["files_processed"]) == (spent, FILES)


def test_a_large_outbox_is_emptied_piece_by_piece(
    feeder: RunFeeder, standin: StandIn, console: Console, repo: Repo
) -> None:
    """Vectors of nodes that are gone, a hundred a request."""
    repo.commit({f"p{number:03}.py": part(number) for number in range(150)})
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


def test_words_of_many_files_can_be_stopped_too(
    feeder: RunFeeder, console: Console, repo: Repo
) -> None:
    """At the border of a transaction, which takes 2,000 nodes."""
    many = "\n".join(f"# H{number}\n\n{'words ' * 130}\n" for number in range(1100))
    repo.commit({f"d{number}.md": many for number in range(3)})
    feeder(repo, "init")
    stopped = feeder(repo, "sync", "--no-vectors", "--max-requests", "3")
    assert stopped.code == 75
    assert console.sql("SELECT count(*) FROM files") == [[2]]
    assert feeder(repo, "sync", "--no-vectors", "--max-requests", "3").code == 0
    assert console.sql("SELECT count(*) FROM docs") == [[3 * 1100]]


@pytest.mark.needs("local")
def test_the_local_index_knows_the_limit_of_embeddings_too(
    feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch, parts: Repo
) -> None:
    """Its model costs no requests, but time."""
    monkeypatch.delenv("FEEDER_MODEL")
    answer = feeder(parts, "sync", "--store", "local", "--max-embeddings", "6", "--json")
    assert (answer.code, answer.json["texts_embedded"]) == (75, 6)
    assert answer.json["usage"] is None


def test_the_first_piece_is_always_allowed_and_a_no_stays_a_no() -> None:
    """So repeated runs end, and a stopped one does not begin smaller pieces."""
    budget = Budget(max_requests=5, requests_sent=lambda: 3)
    assert budget.allows(100)
    assert not budget.allows(1)
    assert not budget.allows(0)
    assert "--max-requests 5" in budget.stop_reason
    assert Budget().allows(10**9)
    assert not Budget().is_set


def test_shares_of_the_free_tier() -> None:
    """Worked out from Cloudflare's numbers: rows and neurons a day, dimensions and bytes in all."""
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


def test_the_report_says_what_was_retried(feeder: RunFeeder, standin: StandIn, parts: Repo) -> None:
    """And how long the run has waited."""
    standin.fault("throttled", route="vectorize.upsert", retry_after=1)
    usage = feeder(parts, "sync", "--json").json["usage"]
    assert usage["retries"] == {"vectorize": 1}
    assert usage["requests"]["vectorize"] == 3
    assert usage["waited_s"] >= 1
    assert usage["rows_written"] / 36 <= 8
