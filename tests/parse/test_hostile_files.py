"""Fed anything: no file ends a run, and whatever becomes of one, its text is in the index once."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from feeder.parse import ParsedFile
from feeder.parse.worker import Limits
from feeder.parse.worker_pool import WorkerPool
from parse.hostile_files import KINDS, Case
from parse.invariants import max_seconds, violated_property
from parse.language_samples import LANGUAGES, language_constructs, real_files
from parse.mutations import mutate
from source.repos import Repo

SEED = 5
SIZE = 5000
FILES_OF_A_KIND = 2
MUTATIONS = 30
LIMITS = Limits(timeout_s=2)

HANGING = {
    "blank lines": ("a.h", b"\n" * 64_000),
    "a long name": ("a.inc", b"procedure " + b"a" * 64_000),
    "a long name in SQL": ("a.sql", b"CREATE FUNCTION " + b"a" * 64_000),
    "a long macro in SQL": ("a.sql", b"CREATE FUNCTION @" + b"a" * 64_000),
    "routines that nothing ends": ("b.sql", b"CREATE FUNCTION @extschema@.f(\n" * 8000),
    "short payloads": ("a.ipynb", (b"A" * 459 + b" ") * 9000),
}


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerPool]:
    """Real workers that give a file two seconds."""
    with WorkerPool(count=2, limits=LIMITS) as workers:
        yield workers


def hostile(language: str, kind: str, size: int = SIZE) -> list[bytes]:
    """Some files of a kind, the same ones in every run."""
    some = Random(f"{SEED} {language} {kind}")
    files = list(KINDS[kind](Case(language_constructs(language), real_files(language), size, some)))
    return some.sample(files, min(len(files), FILES_OF_A_KIND))


def broken(workers: WorkerPool, path: str, contents: list[bytes]) -> list[str]:
    """What does not hold of the files that these contents make."""
    parsed = list(workers.parse((path, content) for content in contents))
    assert len(parsed) == len(contents)
    found = map(violated_property, parsed, contents)
    return [f"{law}: {content!r:.200}" for law, content in zip(found, contents, strict=True) if law]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_hostile_file_is_lost_or_ends_the_run(workers: WorkerPool, language: str) -> None:
    """Every kind of hostile file comes as nodes that keep the laws, or with a reason."""
    contents = [content for kind in KINDS for content in hostile(language, kind)]
    assert broken(workers, language_constructs(language).path, contents) == []


@pytest.mark.timeout(MUTATIONS * max_seconds(LIMITS))
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_mutation_of_a_real_file_is_lost_or_ends_the_run(
    workers: WorkerPool, language: str
) -> None:
    """Nor does a real file after accidents: flipped bytes, lost lines, another file's end."""
    some, real = Random(f"{SEED} {language}"), real_files(language)
    contents = [mutate(some.choice(real), some.choice(real), some) for _ in range(MUTATIONS)]
    assert broken(workers, language_constructs(language).path, contents) == []


@pytest.mark.parametrize(("path", "content"), HANGING.values(), ids=HANGING)
def test_text_is_read_in_time_that_grows_with_its_size(path: str, content: bytes) -> None:
    """No pattern that looks for a language or an image takes a second for a character."""
    with WorkerPool(count=1, mask_secrets=False) as workers:
        [parsed] = workers.parse([(path, content)])
    assert (parsed.stopped, parsed.skip) == (False, None)


def test_plain_text_too_is_made_within_the_limit(tmp_path: Path) -> None:
    """A file that hangs before it is known what it is in is left out, with the reason."""
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
def test_a_file_larger_than_a_workers_memory_is_left_out() -> None:
    """It ends the worker that it is sent to before that has read it, and is not sent for ever."""
    files = [("a.txt", bytes(450_000_000)), ("b.py", b"def b(): pass\n")]
    with WorkerPool(count=1, limits=Limits(max_bytes=300_000_000)) as workers:
        large, after = workers.parse(files)
    assert large == ParsedFile("a.txt", [], skip="the parser needed more than 0.3 GB", stopped=True)
    assert [node.symbol for node in after.nodes] == ["b"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_a_crash_is_no_hunger_where_only_the_parent_is_large() -> None:
    """A worker's peak of memory counts its parent's, from which it was started."""
    large = b"x" * 300_000_000
    with WorkerPool(count=1, limits=Limits(max_bytes=len(large) * 2)) as workers:
        [parsed] = workers.parse([("deep.yaml", b"- " * 254 + b"a\n")])
    assert parsed.reason == "the parser crashed (SIGSEGV)"


def test_an_index_of_hostile_files_is_right(repo: Repo) -> None:
    """`feeder sync` goes through all of them, and `feeder validate` finds nothing wrong."""
    repo.commit(
        {
            f"{number}/{language}/{language_constructs(language).path}": hostile(
                language, kind, 1000
            )[0]
            for language in LANGUAGES
            for number, kind in enumerate(KINDS)
        }
    )
    assert "The index is right." in feeder(repo, "validate")


def feeder(repo: Repo, command: str) -> str:
    """Runs the program after a sync; raises CalledProcessError when either fails."""
    for name in ("sync", command):
        arguments = [name, "--no-vectors", "--quiet", "-C", str(repo.path)]
        done = subprocess.run(
            [sys.executable, "-m", "feeder", *arguments], check=True, capture_output=True, text=True
        )
    return done.stdout
