"""Real processes are killed or interrupted; the next run makes the index equal to a fresh one."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import apsw
import pytest

from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.diff import StaleReason
from index_helpers import IndexSnapshot, index_snapshot
from source.repos import Repo

pytestmark = pytest.mark.slow

FILES = 40
needs_model = pytest.mark.needs("local")


def source(number: int, word: str) -> str:
    functions = (f"def f{number}_{n}():\n    return '{word} {n}'\n\n\n" for n in range(4))
    return "".join(functions)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository of a few hundred nodes whose last commit changes, moves and deletes some."""
    repo = Repo(tmp_path_factory.mktemp("killed") / "shop")
    repo.commit({f"src/m{number}.py": source(number, "first") for number in range(FILES)})
    return repo


@pytest.fixture(scope="module")
def environment() -> Mapping[str, str]:
    mine = {"FEEDER_JOBS": "2", "FEEDER_MODEL": "minilm", "FEEDER_REPO": "acme/shop"}
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("GITHUB_")}
    return inherited | mine


def command(repo: Repo, index: Path) -> list[str]:
    """The command line of a sync that takes its vectors from a shared cache."""
    program = [sys.executable, "-m", "feeder", "sync", "-C", str(repo.path), "--db", str(index)]
    return [*program, "--cache", str(index.with_name("cache.db"))]


def run(repo: Repo, index: Path, environment: Mapping[str, str]) -> None:
    subprocess.run(command(repo, index), env=environment, check=True, capture_output=True)


@pytest.fixture(scope="module")
def whole(
    shop: Repo, environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The snapshot of an undisturbed run, which also fills the cache."""
    index = tmp_path_factory.mktemp("whole") / "index.db"
    run(shop, index, environment)
    return index


def read_snapshot(index: Path) -> IndexSnapshot:
    database = SQLite(index)
    found = index_snapshot(database)
    database.close()
    return found


def children(pid: int) -> set[int]:
    """Returns the process ids of all descendants."""
    out = subprocess.run(["ps", "-eo", "pid=,ppid="], check=True, capture_output=True, text=True)
    pairs = [tuple(map(int, line.split())) for line in out.stdout.splitlines()]
    found = {pid}
    while more := {child for child, parent in pairs if parent in found} - found:
        found |= more
    return found - {pid}


def is_alive(pid: int) -> bool:
    """True if the process runs and is no zombie."""
    return process_field(pid, "stat")[:1] not in {"", "Z"}


def process_field(pid: int, what: str) -> str:
    """Returns a field of `ps` for a process; empty if the process is gone."""
    ask = ["ps", "-ww", "-o", f"{what}=", "-p", str(pid)]
    return subprocess.run(ask, check=False, capture_output=True, text=True).stdout.strip()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def count(index: Path, sql: str) -> int:
    """Counts the rows that a running program has written; 0 before the table exists."""
    if not index.exists():
        return 0
    connection = apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.set_busy_timeout(1000)
        return int(connection.execute(sql).get)
    except apsw.Error:
        return 0
    finally:
        connection.close()


MOMENTS = {
    "as soon as the file is there": lambda index: index.exists(),
    "with the schema": lambda index: count(index, "SELECT count(*) FROM d1_migrations") > 0,
    "with the first words": lambda index: count(index, "SELECT count(*) FROM docs") > 0,
    "with the first vectors": lambda index: count(index, "SELECT count(*) FROM vectors") > 0,
}


@needs_model
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_next_run_completes_a_killed_run(
    shop: Repo,
    whole: Path,
    environment: Mapping[str, str],
    tmp_path: Path,
    moment: Callable[[Path], bool],
) -> None:
    """SIGKILL at a state that is visible in the file."""
    index = tmp_path / "index.db"
    shutil.copy(whole.with_name("cache.db"), tmp_path)
    with subprocess.Popen(
        command(shop, index), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as program:
        wait_until(lambda: moment(index) or program.poll() is not None)
        program.kill()
    run(shop, index, environment)
    assert read_snapshot(index) == read_snapshot(whole)


@needs_model
def test_next_run_completes_runs_killed_at_increasing_times(
    shop: Repo, whole: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    clone = shop.clone(tmp_path / "clone")
    index = tmp_path / "index.db"
    for name in ("index.db", "cache.db"):
        shutil.copy(whole.with_name(name), tmp_path)
    changed: dict[str, str | None] = {f"src/m{n}.py": source(n, "second") for n in range(0, 20, 2)}
    changed |= {f"src/m{n}.py": None for n in range(1, 9, 2)}
    changed |= {f"src/m{n}.py": "\n" + source(n, "first") for n in range(20, 40, 3)}
    clone.commit(changed)
    for delay_ms in range(150, 1000, 120):
        with subprocess.Popen(
            command(clone, index),
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as program:
            time.sleep(delay_ms / 1000)
            program.kill()
    run(clone, index, environment)
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(index.with_name("cache.db"), other)
    run(clone, other / "index.db", environment)
    assert read_snapshot(index) == read_snapshot(other / "index.db")
    proof = [sys.executable, "-m", "feeder", "validate", "-C", str(clone.path), "--db", str(index)]
    subprocess.run(proof, env=environment, check=True, capture_output=True)


@pytest.fixture
def busy(tmp_path: Path, environment: Mapping[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A run by words alone that takes very long; its parsers have started."""
    repo = Repo(tmp_path / "busy")
    hanging = b'r#"' * 50_000
    repo.commit({f"{number}.rs": hanging for number in range(8)})
    program = subprocess.Popen(
        [*command(repo, tmp_path / "index.db"), "--no-vectors"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: len(children(program.pid)) >= 2)
    yield program
    if program.poll() is None:
        program.kill()
    program.communicate()


def test_interrupted_run_prints_one_sentence_and_leaves_no_process(
    busy: "subprocess.Popen[str]",
) -> None:
    """Ctrl-C: exit code 130, no traceback and no parser left."""
    parsers = children(busy.pid)
    busy.send_signal(signal.SIGINT)
    out, err = busy.communicate(timeout=20)
    assert busy.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == (
        "feeder: Interrupted. Finished work is saved; run the command again to continue."
    )
    assert "Traceback" not in err
    wait_until(lambda: not any(map(is_alive, parsers)))


def test_repeated_ctrl_c_ends_the_run_like_one(busy: "subprocess.Popen[str]") -> None:
    """The second one ends it at once, with the same sentence and no traceback."""
    while busy.poll() is None:
        busy.send_signal(signal.SIGINT)
        time.sleep(0.002)
    _, err = busy.communicate()
    assert busy.returncode == 130
    assert err.count("feeder: Interrupted.") == 1
    assert "Traceback" not in err


def test_ctrl_c_during_startup_prints_nothing(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    """Exit code 130 and no traceback."""
    # short sleeps: a signal that arrives just before a long one would be handled at its end
    (tmp_path / "click.py").write_text(
        "import time\nfrom pathlib import Path\nPath('begun').touch()\n"
        "while True:\n    time.sleep(0.01)\n"
    )
    program = subprocess.Popen(
        [sys.executable, "-m", "feeder"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until((tmp_path / "begun").exists)
    program.send_signal(signal.SIGINT)
    assert program.communicate(timeout=20) == (b"", b"")
    assert program.returncode == 130


def test_ctrl_c_of_the_process_group_does_not_reach_the_parsers(
    busy: "subprocess.Popen[str]",
) -> None:
    """A terminal signals the whole group; a starting parser would print a traceback."""
    own = os.getpgid(busy.pid)
    assert [os.getpgid(parser) == own for parser in parsers(busy.pid)] == [False] * 2


def test_killed_run_leaves_no_process(busy: "subprocess.Popen[str]") -> None:
    """Even hanging parsers end when their parent is gone."""
    parsers = children(busy.pid)
    busy.kill()
    wait_until(lambda: not any(map(is_alive, parsers)))


@needs_model
def test_interrupt_between_vectors_keeps_the_words(
    shop: Repo, environment: Mapping[str, str], tmp_path: Path
) -> None:
    """The words can be searched, and the next run makes only the missing vectors."""
    index = tmp_path / "index.db"
    cache = tmp_path / "cache.db"
    with subprocess.Popen(
        command(shop, index), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as program:
        assert program.stderr
        wait_until(lambda: count(cache, "SELECT count(*) FROM vectors") > 0)
        program.send_signal(signal.SIGINT)
        errors = program.stderr.read().decode()
    assert program.returncode == 130, errors
    assert "Traceback" not in errors
    nodes = count(index, "SELECT count(*) FROM docs")
    made = count(cache, "SELECT count(*) FROM vectors")
    assert nodes == 4 * FILES
    assert 0 < made < nodes
    done = subprocess.run(
        [*command(shop, index), "--json"], env=environment, check=True, capture_output=True
    )
    facts = json.loads(done.stdout)
    assert (facts["texts_embedded"], facts["texts_cached"]) == (nodes - made, made)


@needs_model
def test_two_concurrent_runs_leave_a_correct_index(
    shop: Repo, whole: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    """Each run completes or ends with exit code 75."""
    index = tmp_path / "index.db"
    shutil.copy(whole.with_name("cache.db"), tmp_path)
    programs = [
        subprocess.Popen(
            command(shop, index), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    errors = [program.communicate()[1].decode() for program in programs]
    codes = sorted(program.returncode for program in programs)
    assert codes in ([0, 0], [0, 75]), errors
    assert read_snapshot(index) == read_snapshot(whole)


def test_superseded_run_ends_with_75(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """It stops before its next write; the other run's index stays."""
    repo = Repo(tmp_path / "overtaken")
    repo.commit({"hanging.rs": 'r#"' * 50_000, "a.py": "def apple():\n    pass\n"})
    index = tmp_path / "index.db"
    words = [*command(repo, index), "--no-vectors"]
    small = [*words, "--max-file-bytes", "1000"]
    subprocess.run(small, env=environment, check=True, capture_output=True)
    database = SQLite(index)
    database.run(  # as a run leaves it that has died: the next one takes over before it parses
        [
            Statement("UPDATE meta SET value = 'dead' WHERE key = 'acme/shop:run'"),
            Statement("DELETE FROM meta WHERE key = 'acme/shop:tree'"),
        ]
    )
    database.close()
    run_of = "SELECT count(*) FROM meta WHERE key = 'acme/shop:run' AND value <> 'dead'"
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        wait_until(lambda: count(index, run_of) > 0 and any(parsers(program.pid)))
        subprocess.run(small, env=environment, check=True, capture_output=True)
        others = read_snapshot(index)
        for parser in parsers(program.pid):
            os.kill(parser, signal.SIGKILL)
        out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (75, "")
    assert err.splitlines()[1:] == [
        StaleReason.RULES,
        "Files to parse: 1; to embed without parsing: 0.",
        "feeder: A run that started later has taken over this index. "
        "This run has stopped; the later one continues.",
    ]
    assert read_snapshot(index) == others


def parsers(pid: int) -> list[int]:
    """Returns the ids of a program's parser processes."""
    return [child for child in children(pid) if "parse.worker" in process_field(child, "command")]
