"""No hostile file ends a run, and its text is indexed exactly once or skipped with a reason."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random

import pytest

from feeder.parse import ParsedFile
from feeder.parse.worker_messages import Limits
from feeder.parse.worker_pool import WorkerPool
from parse.hostile_files import KINDS, Case
from parse.invariants import max_seconds, violated_property
from parse.language_samples import LANGUAGES, language_constructs, real_files
from parse.mutations import mutate
from source.repos import Repo

pytestmark = pytest.mark.slow

SEED = 5
SIZE = 5000
FILES_OF_A_KIND = 1
MUTATIONS = 10
LIMITS = Limits(timeout_s=1)

HANGING = {
    "blank lines": ("a.h", b"\n" * 64_000),
    "a long name": ("a.inc", b"procedure " + b"a" * 64_000),
    "a long name in SQL": ("a.sql", b"CREATE FUNCTION " + b"a" * 64_000),
    "a long macro in SQL": ("a.sql", b"CREATE FUNCTION @" + b"a" * 64_000),
    "strings in macros that nothing ends": ("a.c", (b"#define A " + b'\\"' * 990 + b"\n") * 1500),
    "routines that nothing ends": ("b.sql", b"CREATE FUNCTION @extschema@.f(\n" * 8000),
    "short payloads": ("a.ipynb", (b"A" * 459 + b" ") * 9000),
}


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerPool]:
    """Real workers with a limit of a second per file."""
    with WorkerPool(count=2, limits=LIMITS) as workers:
        yield workers


def hostile(language: str, kind: str, size: int = SIZE) -> list[bytes]:
    """Generates files of a kind, the same ones in every run."""
    some = Random(f"{SEED} {language} {kind}")
    files = list(KINDS[kind](Case(language_constructs(language), real_files(language), size, some)))
    return some.sample(files, min(len(files), FILES_OF_A_KIND))


def violated_properties(workers: WorkerPool, path: str, contents: list[bytes]) -> list[str]:
    """Returns the properties that the files with these contents violate."""
    parsed = list(workers.parse((path, content) for content in contents))
    assert len(parsed) == len(contents)
    found = map(violated_property, parsed, contents)
    return [f"{law}: {content!r:.200}" for law, content in zip(found, contents, strict=True) if law]


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_file_has_valid_nodes_or_a_reason(workers: WorkerPool, language: str) -> None:
    """For every kind."""
    contents = [content for kind in KINDS for content in hostile(language, kind)]
    assert violated_properties(workers, language_constructs(language).path, contents) == []


@pytest.mark.timeout(MUTATIONS * max_seconds(LIMITS))
@pytest.mark.parametrize("language", LANGUAGES)
def test_mutated_file_has_valid_nodes_or_a_reason(workers: WorkerPool, language: str) -> None:
    """Flipped bytes, lost lines, spliced files."""
    some, real = Random(f"{SEED} {language}"), real_files(language)
    contents = [mutate(some.choice(real), some.choice(real), some) for _ in range(MUTATIONS)]
    assert violated_properties(workers, language_constructs(language).path, contents) == []


@pytest.mark.parametrize(("path", "content"), HANGING.values(), ids=HANGING)
def test_reading_time_is_linear(path: str, content: bytes) -> None:
    """No pattern for languages or images takes a second for a character."""
    with WorkerPool(count=1, mask_secrets=False) as workers:
        [parsed] = workers.parse([(path, content)])
    assert (parsed.stopped, parsed.skip) == (False, None)


def test_file_that_hangs_before_parsing_is_skipped(tmp_path: Path) -> None:
    """With a reason."""
    own = tmp_path / "own.json"
    pattern = {"pattern": "(a|a)*b", "language": "python"}
    own.write_text(json.dumps({"content_patterns": {"slow": [pattern]}}))
    files = [("a.slow", b"a" * 40), ("b.py", b"def b(): pass\n")]
    with WorkerPool(own, count=1, limits=Limits(timeout_s=1)) as workers:
        slow, after = workers.parse(files)
    assert slow == ParsedFile(
        "a.slow", [], skip="the parser took longer than 4 s to make plain text", stopped=True
    )
    assert [node.symbol for node in after.nodes] == ["b"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_file_larger_than_the_workers_memory_is_skipped() -> None:
    """It ends the worker once and is not sent again."""
    files = [("a.txt", bytes(450_000_000)), ("b.py", b"def b(): pass\n")]
    with WorkerPool(count=1, limits=Limits(max_bytes=300_000_000)) as workers:
        large, after = workers.parse(files)
    assert large == ParsedFile("a.txt", [], skip="the parser needed more than 0.3 GB", stopped=True)
    assert [node.symbol for node in after.nodes] == ["b"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_crash_under_a_large_parent_is_not_reported_as_out_of_memory() -> None:
    """A worker's peak memory includes that of its parent."""
    large = b"x" * 300_000_000
    with WorkerPool(count=1, limits=Limits(max_bytes=len(large) * 2)) as workers:
        [parsed] = workers.parse([("deep.yaml", b"- " * 254 + b"a\n")])
    assert parsed.reason == "the parser crashed (SIGSEGV)"


def test_index_of_hostile_files_passes_validation(repo: Repo) -> None:
    """After `feeder sync` of one kind in each language, another one in the next language."""
    repo.commit(
        {
            f"{kind}/{language_constructs(language).path}": hostile(language, kind, 1000)[0]
            for language, kind in zip(LANGUAGES, cycle(KINDS), strict=False)
        }
    )
    assert "The index is correct." in feeder(repo, "validate")


def feeder(repo: Repo, command: str) -> str:
    """Runs the program; raises CalledProcessError if it fails."""
    for name in ("sync", command):
        arguments = [name, "--no-vectors", "--quiet", "-C", str(repo.path)]
        done = subprocess.run(
            [sys.executable, "-m", "feeder", *arguments], check=True, capture_output=True, text=True
        )
    return done.stdout
