"""Static vectors are computed for all files of a batch, and each node gets its own."""

import importlib
import sys
from collections.abc import Iterator

import pytest

from feeder.nodes import embedding_input
from feeder.parse import ParsedFile, StaticEmbedder
from feeder.parse.worker_pool import WorkerPool
from feeder.sync.row_encoder import RowEncoder

pytestmark = pytest.mark.slow

MODEL = '''
import os
from typing import NamedTuple

class Echo(NamedTuple):
    """A text's code is its words; of some texts it cannot make one."""

    model: str = "echo"

    def __call__(self, texts):
        if any("leaves" in text for text in texts):
            os._exit(3)
        if any("divides" in text for text in texts):
            1 / 0
        return [text.encode() for text in texts]
'''
CRASHING_YAML = b"- " * 254 + b"a\n"


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StaticEmbedder]:
    folder = tmp_path_factory.mktemp("models")
    (folder / "an_echo.py").write_text(MODEL)
    sys.path.insert(0, str(folder))
    model: StaticEmbedder = importlib.import_module("an_echo").Echo()
    yield model
    sys.path.remove(str(folder))


def parse_with_model(echo: StaticEmbedder, files: dict[str, bytes]) -> dict[str, ParsedFile]:
    with WorkerPool(count=1, static_embedder=echo) as workers:
        return {file.path: file for file in workers.parse(files.items())}


def has_own_vectors(parsed: ParsedFile) -> bool:
    texts = [embedding_input(parsed.path, node).encode() for node in parsed.nodes]
    return list(parsed.static_vectors) == texts and bool(texts)


def test_each_node_has_the_vector_of_its_own_text(echo: StaticEmbedder) -> None:
    files = {f"f{n}.py": b"".join(b"def f%d(): pass\n" % m for m in range(n)) for n in (3, 1, 2)}
    found = parse_with_model(
        echo, {**files, "blank.py": b"", "binary": b"\0\1", "end.txt": b"the end\n"}
    )
    assert [path for path, one in found.items() if has_own_vectors(one)] == [*files, "end.txt"]
    assert found["blank.py"].static_vectors == found["binary"].static_vectors == ()


def test_encoded_nodes_have_vectors_too(echo: StaticEmbedder) -> None:
    with WorkerPool(count=1, static_embedder=echo) as workers:
        files = [("a.py", b"def a(): pass\n"), ("b.py", b"def b(): pass\n")]
        parsed = list(workers.parse(files, encode=RowEncoder("acme/shop", describes=False)))
    assert [file.nodes for file in parsed] == [[], []]
    assert [file.static_vectors for file in parsed] == [
        (b"a.py python method a\ndef a():\ndef a(): pass",),
        (b"b.py python method b\ndef b():\ndef b(): pass",),
    ]


def test_file_that_crashes_its_parser_affects_no_other_vectors(echo: StaticEmbedder) -> None:
    files = {"a.py": b"def a(): pass\n", "b.yaml": CRASHING_YAML, "c.py": b"def c(): pass\n"}
    found = parse_with_model(echo, files)
    assert all(map(has_own_vectors, found.values()))
    assert [path for path, one in found.items() if one.stopped] == ["b.yaml"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("leaves", "the parser crashed (exit code 3)"),
        ("divides", "the parser failed (ZeroDivision"),
    ],
)
@pytest.mark.parametrize("at", [0, 2, 4])
def test_text_that_the_model_rejects_affects_only_its_file(
    echo: StaticEmbedder, bad: str, reason: str, at: int
) -> None:
    """As plain text it is the same text, so the file is skipped."""
    names = [f"f{number}.py" for number in range(5)]
    files = dict.fromkeys(names, b"def f(): pass\n") | {names[at]: b"# %b\n" % bad.encode()}
    found = parse_with_model(echo, files)
    lost = found.pop(names[at])
    assert lost.skip and lost.skip.startswith(reason) and lost.stopped and not lost.nodes
    assert all(map(has_own_vectors, found.values()))
    assert not any(file.reason or file.skip for file in found.values())
