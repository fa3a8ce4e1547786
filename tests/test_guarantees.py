"""The trials of bench/guarantees at a few points each: the real program in its own processes."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, error_reply, running_chat_server
from guarantees import concurrent_runs, crashes, error_responses, table
from guarantees.contents import LEFT_OVER, MISSING, OF_OTHER_TEXT, IndexContents
from guarantees.history import Commits, commits
from guarantees.reference import Reference
from guarantees.stores import Cloud, Embedded, Store
from standin import StandIn

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).resolve().parents[1] / "bench/guarantees"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Commits:
    return commits(tmp_path_factory.mktemp("history"))


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    """A server that describes methods and classes."""
    with running_chat_server() as model:
        yield model


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory, model: ChatServer) -> Store:
    store = Embedded(tmp_path_factory.mktemp("embedded") / "store")
    store.describer = model
    return store


@pytest.fixture(scope="module")
def cloud(
    standin_process: StandIn, tmp_path_factory: pytest.TempPathFactory, model: ChatServer
) -> Iterator[Cloud]:
    cloud = Cloud(tmp_path_factory.mktemp("cloud") / "store", standin_process)
    cloud.describer = model
    yield cloud
    cloud.close()


@pytest.mark.needs("local")
def test_next_run_completes_a_run_killed_within_a_transaction(
    embedded: Store, history: Commits
) -> None:
    """SIGKILL before SQLite commits; the next run is on a later commit."""
    scenario = crashes.scenarios(history)[1]
    row = crashes.Row(scenario, "before the commit", "a later one", scenario.later)
    tally = crashes.kill_at_steps(embedded, row, Reference(embedded), [6, 10])
    assert tally.failures == []
    assert tally.tested == 2


@pytest.mark.needs("local")
def test_killed_run_that_reads_all_files_again_is_completed_by_the_next(
    embedded: Store, history: Commits
) -> None:
    """SIGKILL after a transaction, on an index of another parser; then a run on a later commit."""
    scenario = crashes.scenarios(history)[2]
    row = crashes.Row(scenario, "after", "a later one", scenario.later)
    tally = crashes.kill_at_steps(embedded, row, Reference(embedded), [6, 8])
    assert tally.failures == []
    assert tally.tested == 2


def test_next_run_completes_a_run_killed_during_a_request(cloud: Cloud, history: Commits) -> None:
    """The request is executed and its response lost; the next run is on the same commit."""
    scenario = crashes.scenarios(history)[1]
    row = crashes.Row(scenario, cloud.moments[1], "the same", scenario.target)
    tally = crashes.kill_at_steps(cloud, row, Reference(cloud), [8, 12])
    assert tally.failures == []
    assert tally.tested == 2


def test_run_with_repeated_error_responses_loses_nothing(cloud: Cloud, history: Commits) -> None:
    """It completes the index, or stops with a reason and the next one continues."""
    mixed = error_responses.FaultScenario("a mix", error_responses.draw_faults(0.3, seed=1))
    down = error_responses.outage(error_responses.VECTORIZE, "unavailable")
    silent = error_responses.FaultScenario(
        "silent", answer=error_reply(401, "no such key"), at=2, keeps_postings=True
    )
    tally = error_responses.Trials(cloud, history).tally([mixed, down, silent])
    assert tally.failures == []
    assert tally.refused > 5
    assert tally.completed_by_next >= 1


def test_write_with_a_lost_response_counts_as_done(cloud: Cloud, history: Commits) -> None:
    """Even if D1 is too busy to confirm it."""
    lost = {"kind": "half_body", "route": "d1.raw", "requests": [3]}
    busy = {"kind": "d1_cpu", "route": "d1.raw", "requests": [5]}
    tally = error_responses.Trials(cloud, history).tally(
        [error_responses.FaultScenario("lost", [lost, busy])]
    )
    assert tally.failures == []
    assert tally.completed_by_next == 1


def test_paused_run_superseded_by_a_newer_event_changes_nothing(
    cloud: Cloud, history: Commits
) -> None:
    """The index is the newer commit's; after the next run so are the vectors."""
    [pair] = [
        candidate for candidate in concurrent_runs.run_pairs(history) if candidate.other.number == 9
    ][:1]
    trial = concurrent_runs.Trial(cloud, history, interval=13)
    tally = trial.tally(concurrent_runs.Row("one sleeps", trial.with_pauses(pair)))
    assert tally.failures == []
    assert tally.tested >= 2


def test_older_event_changes_nothing_after_a_newer_one_has_started(
    embedded: Store, history: Commits
) -> None:
    """Also if the newer run crashed after its first write."""
    trial = concurrent_runs.Trial(embedded, history, interval=9)
    newer, older = (
        concurrent_runs.RunSpec(history.third, 9),
        concurrent_runs.RunSpec(history.second, 8),
    )
    tally = trial.tally(concurrent_runs.Row("again", trial.rerun_older(newer, older), min_points=2))
    assert tally.failures == []
    assert 0 < tally.superseded < tally.tested


def test_late_vector_is_deleted_by_the_next_run(cloud: Cloud, history: Commits) -> None:
    """The write is delayed until a later run has deleted the node."""
    trial = concurrent_runs.Trial(cloud, history, interval=8)
    cloud.reset(history.first)
    before = len(cloud.standin.log())
    cloud.sync(history.second).expect_done()
    routes = [entry["route"] for entry in cloud.standin.log(before)]
    first = routes.index("vectorize.upsert") + 1
    points = trial.with_delayed_request(concurrent_runs.run_pairs(history)[1], first)
    tally = trial.tally(concurrent_runs.Row("held up", points, concurrent_runs.LATE_WRITE_EFFECTS))
    assert tally.failures == []
    assert tally.vectors < tally.tested


def test_trial_without_an_event_fails(embedded: Store, history: Commits) -> None:
    """No run was killed, paused or superseded: that proves nothing."""
    scenario = crashes.scenarios(history)[1]
    row = crashes.Row(scenario, "before", "the same", scenario.target)
    assert crashes.kill_at_steps(embedded, row, Reference(embedded), [99]).failures
    trial = concurrent_runs.Trial(embedded, history, interval=1)
    assert len(trial.tally(concurrent_runs.Row("nothing", iter([]))).failures) == 2


def test_differences_are_named() -> None:
    """For an index with another row or other vectors."""
    clean = IndexContents({"files": [("a.py", "clean")]}, {"1": [0.6, 0.8]})
    assert clean.differences(clean) == []
    assert clean.differences(clean._replace(tables={"files": []})) == ["files"]
    assert clean._replace(vectors={}).differences(clean) == [MISSING]
    assert clean.differences(clean._replace(vectors={})) == [LEFT_OVER]
    assert clean.differences(clean._replace(vectors={"1": [0.8, 0.6]})) == [OF_OTHER_TEXT]


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [(["together"], "install it."), (["refused", "--store", "embedded"], "omit --store.")],
)
def test_impossible_trial_is_an_error_with_a_remedy(
    arguments: list[str], remedy: str, tmp_path: Path
) -> None:
    """Exit code 2: without Node, and for a store without error responses."""
    command = [sys.executable, str(PROGRAM), *arguments]
    done = subprocess.run(
        command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.endswith(remedy)


def test_progress_is_shown_on_a_terminal_only(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Elsewhere only the tables are printed."""
    assert list(table.with_progress("a row", "abc")) == ["a", "b", "c"]
    assert capfd.readouterr() == ("", "")
