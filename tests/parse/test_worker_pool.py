"""A file that breaks a parser affects only itself."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from feeder.errors import FeederError, UserError
from feeder.parse import ParsedFile
from feeder.parse.file_parser import parse_file
from feeder.parse.grammar_files import load_grammars
from feeder.parse.worker_messages import Limits, ParseFile
from feeder.parse.worker_pool import READ_AHEAD_BYTES, WorkerPool
from feeder.store.rows import NodeRows
from feeder.sync.row_encoder import RowEncoder

pytestmark = pytest.mark.slow

CRASHING_YAML = b"- " * 254 + b"a\n"
CRASHING_KOTLIN = b"val text = " + b'"${' * 1100
HANGING_RUST = b'r#"' * 50_000
SWELLING_JAVA = b"List<" * 20_000

PARSER = '''
import os
import pickle
import stat
import time
from pathlib import Path
from feeder.errors import FeederError, UserError
from feeder.parse import ParsedFile
from feeder.parse.file_parser import parse_file

def own(grammars, path, content):
    """Notes in `skip` which process has parsed; has bugs and a demand."""
    if path == "divides.txt":
        1 / 0
    if path == "fills.txt":
        bytearray(10**15)
    if path == "waits.txt":
        time.sleep(600)
    if path == "leaves.txt":
        os._exit(3)
    if path == "asks.txt":
        raise UserError("Change something.")
    if path.startswith("attacks"):
        send_pickle(content.decode(), is_framed="framed" in path)
    return ParsedFile(path, [], skip=str(os.getpid()))

class Attack:
    """A pickle of it creates a file where it is read."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return Path.touch, (Path(self.target),)

def send_pickle(target, is_framed):
    """Writes a pickle to the program, as native code could that a hostile file has taken over."""
    data = pickle.dumps(Attack(target))
    data = len(data).to_bytes(4, "big") + data if is_framed else data
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, data)
        except OSError:
            pass

def noting(grammars, path, content):
    """Leaves the process's number in a file of the working directory before it parses."""
    Path("pid.new").write_text(str(os.getpid()))
    Path("pid.new").rename("pid")
    return parse_file(grammars, path, content)
'''


COUNTING = """
import os
from typing import NamedTuple

class Threads(NamedTuple):
    model: str = "threads"

    def __call__(self, texts):
        import numpy
        return [str(len(os.listdir("/proc/self/task"))).encode() for _ in texts]
"""


@pytest.fixture(scope="module")
def parser_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on the module path with the parsers of `a_parser.py`."""
    folder = tmp_path_factory.mktemp("parsers")
    (folder / "a_parser.py").write_text(PARSER)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def own_parser(parser_folder: Path) -> ParseFile:
    parser: ParseFile = importlib.import_module("a_parser").own
    return parser


def python_file(number: int) -> tuple[str, bytes]:
    return f"f{number}.py", f"def f{number}(): pass\n".encode()


def text_files(count: int, size: int) -> Iterator[tuple[str, bytes]]:
    for number in range(count):
        yield f"t{number}.txt", b"word\n" * (size // 5)


def is_running(pid: int) -> bool:
    """True if the process exists and is no zombie."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc").exists()
    return state != "Z"


def children() -> set[int]:
    """Returns the child processes of this one, without the `ps` that lists them."""
    with subprocess.Popen(["ps", "-eo", "pid=,ppid="], stdout=subprocess.PIPE, text=True) as ps:
        assert ps.stdout
        pairs = [line.split() for line in ps.stdout]
    return {int(pid) for pid, parent in pairs if int(parent) == os.getpid()} - {ps.pid}


def wait_for_end(pid: int) -> bool:
    """Waits for the end of a process that is no child of this one."""
    for _ in range(600):
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False


def is_plain_text(parsed: ParsedFile, content: bytes) -> bool:
    """True if the text of a file came as chunks and is complete."""
    text = "".join(node.text for node in parsed.nodes)
    kinds = {node.node_type for node in parsed.nodes}
    return kinds == {"chunk"} and "".join(text.split()) == "".join(content.decode().split())


def others_are_parsed(parsed: list[ParsedFile], but: set[str]) -> bool:
    """True if all other files have the function that their name tells."""
    others = [file for file in parsed if file.path not in but]
    return all(
        ([node.symbol for node in other.nodes], other.reason, other.skip)
        == ([other.path.removesuffix(".py")], None, None)
        for other in others
    )


def test_results_are_in_the_order_of_the_files() -> None:
    """Whichever worker is faster."""
    files = [python_file(number) for number in range(1000)]
    with WorkerPool(count=2) as workers:
        parsed = list(workers.parse(files))
    assert [file.path for file in parsed] == [f"f{number}.py" for number in range(1000)]
    assert others_are_parsed(parsed, but=set())


def test_nodes_are_encoded_in_the_worker() -> None:
    """The answer has what the encoder makes of the nodes in their place, also of plain text."""
    path, content = python_file(1)
    encode = RowEncoder("acme/shop", describes=True)
    with WorkerPool(count=1) as workers:
        files = [(path, content), ("deep.yaml", CRASHING_YAML), ("a.py", b"\0\1")]
        parsed, plain, binary = workers.parse(files, encode=encode)
    in_process = parse_file(load_grammars(), path, content)
    assert parsed == ParsedFile(path, [], encoded=encode(in_process))
    assert isinstance(plain.encoded, NodeRows) and plain.stopped
    assert set(plain.encoded.types) == {"chunk"}
    assert binary.skip == "binary"
    assert isinstance(binary.encoded, NodeRows) and not binary.encoded.ids


def test_no_files_give_no_results() -> None:
    """No process is started."""
    with WorkerPool() as workers:
        assert list(workers.parse([])) == []


def test_binary_file_is_skipped_with_its_reason() -> None:
    """As in `parse_file`."""
    with WorkerPool(count=1) as workers:
        assert list(workers.parse([("a.py", b"\0\1")])) == [ParsedFile("a.py", [], skip="binary")]


@pytest.mark.parametrize(
    ("path", "content", "signal_name"),
    [("deep.yaml", CRASHING_YAML, "SIGSEGV"), ("deep.kt", CRASHING_KOTLIN, "SIGABRT")],
)
def test_crash_affects_one_file(path: str, content: bytes, signal_name: str) -> None:
    """That file becomes plain text; others in the batch are parsed."""
    files = [python_file(1), (path, content), python_file(2), python_file(3)]
    with WorkerPool(count=1) as workers:
        parsed = list(workers.parse(files))
    assert [file.path for file in parsed] == ["f1.py", path, "f2.py", "f3.py"]
    assert parsed[1].reason == f"the parser crashed ({signal_name})"
    assert is_plain_text(parsed[1], content)
    assert others_are_parsed(parsed, but={path})


def test_each_crash_is_attributed_to_its_file() -> None:
    """Consecutive crashes, at both ends of a batch and in several batches."""
    deep = {f"deep{number}.yaml" for number in (0, 1, 2, 31, 32, 99)}
    files = [
        (f"deep{number}.yaml", CRASHING_YAML)
        if f"deep{number}.yaml" in deep
        else python_file(number)
        for number in range(100)
    ]
    with WorkerPool(count=2) as workers:
        parsed = list(workers.parse(files))
    assert [file.path for file in parsed] == [path for path, _ in files]
    assert {file.path for file in parsed if file.reason} == deep
    assert others_are_parsed(parsed, but=deep)


def test_hang_affects_one_file() -> None:
    """The parser is killed after the time limit, which the reason names."""
    files = [python_file(1), ("raw.rs", HANGING_RUST), python_file(2)]
    with WorkerPool(count=1, limits=Limits(timeout_s=1)) as workers:
        parsed = list(workers.parse(files))
    assert parsed[1].reason == "the parser took longer than 1 s"
    assert is_plain_text(parsed[1], HANGING_RUST)
    assert others_are_parsed(parsed, but={"raw.rs"})


def test_waiting_parser_is_killed_by_wall_clock(own_parser: ParseFile) -> None:
    """It uses no processor time."""
    with WorkerPool(count=1, limits=Limits(timeout_s=0.2), parse_file=own_parser) as workers:
        [parsed] = workers.parse([("waits.txt", b"text\n")])
    assert parsed.reason == "the parser took longer than 0.2 s"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_out_of_memory_affects_one_file() -> None:
    """The parser is killed, and the file becomes plain text."""
    files = [python_file(1), ("Deep.java", SWELLING_JAVA), python_file(2)]
    with WorkerPool(count=1, limits=Limits(timeout_s=60, max_bytes=500_000_000)) as workers:
        parsed = list(workers.parse(files))
    assert is_plain_text(parsed[1], SWELLING_JAVA)
    assert others_are_parsed(parsed, but={"Deep.java"})


_HUNGER = """
import sys
from feeder.parse.worker_messages import Limits
from feeder.parse.worker_pool import WorkerPool
with WorkerPool(count=1, limits=Limits(timeout_s=60, max_bytes=500_000_000)) as workers:
    [parsed] = workers.parse([("Deep.java", sys.stdin.buffer.read())])
print(parsed.reason)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_reason_names_the_memory_limit() -> None:
    """Even if the parent process is large: a child's peak memory starts with its parent's."""
    large = bytearray(600_000_000)
    large[::4096] = b"x" * len(large[::4096])
    command = [sys.executable, "-c", _HUNGER]
    done = subprocess.run(command, input=SWELLING_JAVA, capture_output=True, check=True)
    assert done.stdout == b"the parser needed more than 0.5 GB\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("divides.txt", "the parser failed (ZeroDivisionError)"),
        ("fills.txt", "the parser needed more than 1.5 GB"),
        ("leaves.txt", "the parser crashed (exit code 3)"),
    ],
)
def test_exception_affects_one_file(own_parser: ParseFile, path: str, reason: str) -> None:
    """The report names its type."""
    files = [("a.txt", b"a"), (path, b"one text"), ("b.txt", b"b")]
    with WorkerPool(count=1, parse_file=own_parser) as workers:
        before, broken, after = workers.parse(files)
    assert broken.reason == reason
    assert [node.text for node in broken.nodes] == ["one text"]
    assert (before.path, before.reason) == ("a.txt", None)
    assert (after.path, after.reason) == ("b.txt", None)


@pytest.mark.parametrize("path", ["attacks.txt", "attacks_framed.txt"])
def test_answer_of_a_parser_cannot_execute_code(
    own_parser: ParseFile, tmp_path: Path, path: str
) -> None:
    """The program holds the token: a pickle sent to it is refused, and costs only that file."""
    target = tmp_path / "executed"
    files = [("a.txt", b"a"), (path, str(target).encode()), ("b.txt", b"b")]
    with WorkerPool(count=1, parse_file=own_parser) as workers:
        before, attack, after = workers.parse(files)
    assert not target.exists()
    assert attack.reason == "the parser sent a malformed answer"
    assert [node.text for node in attack.nodes] == [str(target)]
    assert (before.path, before.reason) == ("a.txt", None)
    assert (after.path, after.reason) == ("b.txt", None)
    assert before.skip != after.skip


def test_exception_keeps_the_process(own_parser: ParseFile) -> None:
    with WorkerPool(count=1, parse_file=own_parser) as workers:
        before, _, after = workers.parse([("a.txt", b""), ("divides.txt", b""), ("b.txt", b"")])
    assert before.skip == after.skip


def test_few_files_use_one_process(own_parser: ParseFile) -> None:
    """Later files use the same one."""
    with WorkerPool(count=4, parse_file=own_parser) as workers:
        parsed = [*workers.parse(text_files(5, 10)), *workers.parse(text_files(5, 10))]
    assert len({file.skip for file in parsed}) == 1


def test_first_files_are_parsed_by_the_process_started_ahead(own_parser: ParseFile) -> None:
    """A second call starts no other process."""
    before = children()
    with WorkerPool(count=4, parse_file=own_parser) as workers:
        workers.start(1)
        workers.start()
        started = children() - before
        [parsed] = workers.parse([("a.txt", b"")])
    assert {str(pid) for pid in started} == {parsed.skip}


def test_all_processes_are_started_ahead() -> None:
    before = children()
    with WorkerPool(count=2) as workers:
        workers.start()
        assert len(children() - before) == 2
    assert children() == before


def test_many_files_use_all_processes(own_parser: ParseFile) -> None:
    """As many as configured."""
    with WorkerPool(count=2, parse_file=own_parser) as workers:
        parsed = list(workers.parse(text_files(500, 10)))
    assert len({file.skip for file in parsed}) == 2


def test_process_killed_while_idle_is_replaced(own_parser: ParseFile) -> None:
    """No file is blamed."""
    with WorkerPool(count=1, parse_file=own_parser) as workers:
        [first] = workers.parse([("a.txt", b"")])
        assert first.skip
        os.kill(int(first.skip), signal.SIGKILL)
        assert wait_for_end(int(first.skip))
        [second] = workers.parse([("b.txt", b"")])
    assert second.reason is None
    assert second.skip not in {None, first.skip}


def test_files_are_read_a_bounded_number_of_bytes_ahead() -> None:
    """While one file blocks the results."""
    size, read = 200_000, 0

    def files() -> Iterator[tuple[str, bytes]]:
        nonlocal read
        yield "raw.rs", HANGING_RUST
        for file in text_files(200, size):
            read += size
            yield file

    with WorkerPool(count=1, limits=Limits(timeout_s=1)) as workers:
        first = next(workers.parse(files()))
    assert first.path == "raw.rs"
    assert read <= READ_AHEAD_BYTES + size


def test_error_while_reading_files_is_raised() -> None:
    def files() -> Iterator[tuple[str, bytes]]:
        yield python_file(1)
        raise FileNotFoundError("gone")

    with WorkerPool(count=1) as workers, pytest.raises(FileNotFoundError, match="gone"):
        list(workers.parse(files()))


def test_invalid_query_is_an_error_before_files_are_read(tmp_path: Path) -> None:
    """As in a user's grammar file."""
    own = tmp_path / "own.json"
    own.write_text(json.dumps({"grammar_queries": {"Method": {"go": ["(nonsense) @method"]}}}))
    with pytest.raises(UserError, match="'go'"):
        WorkerPool(own)


def test_language_without_a_grammar_is_an_error_before_files_are_read(tmp_path: Path) -> None:
    """Its files do not become plain text."""
    own = tmp_path / "own.json"
    own.write_text(json.dumps({"code_extensions": {"xyz": "klingon"}}))
    with pytest.raises(UserError, match="'klingon'"):
        WorkerPool(own)


def test_user_error_in_a_worker_is_raised(own_parser: ParseFile) -> None:
    """The worker keeps running."""
    with WorkerPool(count=1, parse_file=own_parser) as workers:
        with pytest.raises(UserError, match=r"Change something\."):
            list(workers.parse([("a.txt", b""), ("asks.txt", b""), ("b.txt", b"")]))
        (after,) = workers.parse([("c.txt", b"")])
    assert after.path == "c.txt" and after.skip


def test_grammar_file_deleted_before_a_worker_starts_is_an_error(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text("{}")
    with WorkerPool(own, count=1) as workers:
        own.unlink()
        with pytest.raises(UserError, match=r"own\.json cannot be read"):
            list(workers.parse([python_file(1)]))


def test_close_leaves_no_process_and_no_open_file(own_parser: ParseFile) -> None:
    """It may be called twice."""
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208 - Path.iterdir opens another one
    workers = WorkerPool(count=2, parse_file=own_parser)
    pids = {int(file.skip) for file in workers.parse(text_files(500, 10)) if file.skip}
    list(workers.parse([("leaves.txt", b"")]))
    workers.close()
    workers.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208


def test_close_kills_a_hanging_parser() -> None:
    """And cancels the files that wait for it."""
    workers = WorkerPool(count=1, limits=Limits(timeout_s=3600))
    others = children()
    results = workers.parse([*(python_file(n) for n in range(64)), ("raw.rs", HANGING_RUST)])
    assert next(results).path == "f0.py"
    parsers = children() - others
    assert len(parsers) == 1
    workers.close()
    assert not any(map(is_running, parsers))
    with pytest.raises((CancelledError, RuntimeError)):
        list(results)


def test_close_kills_a_starting_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C does not wait for the grammars to load."""
    started = tmp_path / "begun"
    (tmp_path / "slow_to_begin.py").write_text(
        "import os, time\n"
        "from pathlib import Path\n"
        "from feeder.parse.file_parser import parse_file as own\n"
        "def parse(grammars, path, content):\n"
        "    return own(grammars, path, content)\n"
        "if name := os.environ.get('BEGUN'):\n"
        "    Path(f'{name}.new').write_text(str(os.getpid()))\n"
        "    Path(f'{name}.new').rename(name)\n"
        "    time.sleep(3600)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    parse: ParseFile = importlib.import_module("slow_to_begin").parse
    monkeypatch.setenv("BEGUN", str(started))
    workers = WorkerPool(count=1, parse_file=parse)

    def parse_all() -> None:
        with suppress(FeederError):
            list(workers.parse([("a.txt", b"words")]))

    thread = Thread(target=parse_all, daemon=True)
    thread.start()
    while not started.exists():
        time.sleep(0.01)
    pid = int(started.read_text())
    assert is_running(pid)
    workers.close()
    assert not is_running(pid)
    thread.join(60)
    assert not thread.is_alive()


SCRIPT = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background has none
from a_parser import noting
from feeder.parse.worker_messages import Limits
from feeder.parse.worker_pool import WorkerPool

with WorkerPool(parse_file=noting, limits=Limits(timeout_s={timeout_s})) as workers:
    list(workers.parse([("a.rs", b'r#"' * {repeats})]))
    time.sleep(600)
"""


@pytest.mark.parametrize("has_reader", [True, False])
def test_worker_that_is_never_used_ends_without_a_message(has_reader: bool) -> None:
    """As when the program is interrupted while its parsers start."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from feeder.parse import worker; worker.serve()"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin and process.stdout and process.stderr
    if not has_reader:
        process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0


def start_program(script: str, folder: Path) -> "subprocess.Popen[str]":
    """Starts a program that uses the package, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def read_worker_pid(folder: Path) -> int:
    """Waits until a worker has written its process id."""
    for _ in range(600):
        if (folder / "pid").exists():
            return int((folder / "pid").read_text())
        time.sleep(0.05)
    raise AssertionError("no worker has started")


def test_script_needs_no_main_guard(tmp_path: Path) -> None:
    """A program may use the package at its top level."""
    (tmp_path / "script.py").write_text(
        "from feeder.parse.worker_pool import WorkerPool\n"
        "with WorkerPool() as workers:\n"
        "    for one in workers.parse([('a.py', b'def f(): pass')]):\n"
        "        print(one.path, one.nodes[0].symbol)\n"
    )
    script = start_program(
        "import runpy; runpy.run_path('script.py', run_name='__main__')", tmp_path
    )
    assert script.communicate() == ("a.py f\n", "")


@pytest.mark.usefixtures("parser_folder")
@pytest.mark.parametrize(
    "repeats", [pytest.param(1, id="idle"), pytest.param(50_000, id="hanging")]
)
def test_workers_end_with_a_killed_parent(tmp_path: Path, repeats: int) -> None:
    """Silently; a hanging one at its time limit."""
    script = start_program(SCRIPT.format(timeout_s=2, repeats=repeats), tmp_path)
    pid = read_worker_pid(tmp_path)
    script.kill()
    assert script.communicate() == ("", "")
    assert wait_for_end(pid)


@pytest.mark.usefixtures("parser_folder")
def test_interrupt_ends_all_processes(tmp_path: Path) -> None:
    """A terminal sends Ctrl-C to all of them; only the parent handles it."""
    script = start_program(SCRIPT.format(timeout_s=3600, repeats=50_000), tmp_path)
    pid = read_worker_pid(tmp_path)
    os.killpg(script.pid, signal.SIGINT)
    _, said = script.communicate()
    assert script.returncode == -signal.SIGINT
    assert said.count("Traceback") == 1
    assert not is_running(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted by /proc")
def test_model_starts_no_thread_in_a_worker(
    parser_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each thread takes 41 MB of the address space limit; with 64 cores no file would fit."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    (parser_folder / "counting.py").write_text(COUNTING)
    counting = importlib.import_module("counting")
    with WorkerPool(count=1, static_embedder=counting.Threads()) as workers:
        [parsed] = workers.parse([("a.txt", b"some words\n")])
    assert parsed.static_vectors == (b"1",)
