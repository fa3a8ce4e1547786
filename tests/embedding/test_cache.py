"""The embedding cache: hits, eviction, concurrency and unusable files."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import apsw
import numpy as np
import pytest

from feeder.embedding import Vector
from feeder.embedding.cache import MAX_BYTES, CachedEmbedder, CacheFile
from feeder.embedding.static_model import StaticEmbedder
from feeder.errors import ServiceError, UserError
from feeder.nodes import text_sha
from hash_embedder import HashedEmbedder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.db"


@pytest.fixture
def cached(path: Path) -> Iterator[CachedEmbedder]:
    with closing(CachedEmbedder(HashedEmbedder(), path)) as embedder:
        yield embedder


def embed_in_new_process(
    path: Path, *texts: str, model: str = "hashed", dimensions: int = 64
) -> int:
    """Returns how many of the texts a newly started program gives to its model."""
    with closing(CachedEmbedder(HashedEmbedder(dimensions, model=model), path)) as embedder:
        embedder.embed(texts)
        return embedder.misses


class InterruptedEmbedder(HashedEmbedder):
    """Raises KeyboardInterrupt in the second call."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.calls == 1:
            raise KeyboardInterrupt
        return super().embed(texts)


def test_text_is_embedded_once(path: Path) -> None:
    """The next run finds it in the file."""
    assert embed_in_new_process(path, "one", "two") == 2
    assert embed_in_new_process(path, "two", "three", "one") == 1


def test_cached_vector_is_bit_identical(path: Path) -> None:
    """The index is the same with a cold cache, a warm one and none."""
    texts = ["three words here", "", "\ud800 not UTF-8"]
    bare = HashedEmbedder().embed(texts)
    for _ in range(2):
        with closing(CachedEmbedder(HashedEmbedder(), path)) as embedder:
            vectors = embedder.embed(texts)
        assert [vector.tobytes() for vector in vectors] == [vector.tobytes() for vector in bare]
        assert {vector.dtype for vector in vectors} == {np.dtype("float32")}


def test_vectors_are_in_the_order_of_texts(cached: CachedEmbedder) -> None:
    """Cached and new texts may alternate."""
    cached.embed(["b", "d"])
    vectors = cached.embed(["a", "b", "c", "d"])
    np.testing.assert_array_equal(vectors, HashedEmbedder().embed(["a", "b", "c", "d"]))


def test_repeated_text_in_a_call_is_embedded_once(cached: CachedEmbedder) -> None:
    """The second one counts as a hit, so the counts add up."""
    first, other, second = cached.embed(["same", "other", "same"])
    assert (cached.misses, cached.hits) == (2, 1)
    assert first.tobytes() == second.tobytes() != other.tobytes()


def test_hits_and_embedded_texts_are_counted_over_all_calls(cached: CachedEmbedder) -> None:
    """For the report of the run."""
    cached.embed(["a", "b"])
    cached.embed(["b", "c", "d"])
    assert (cached.misses, cached.hits) == (4, 1)


def test_call_with_hits_only_does_not_load_the_model(path: Path) -> None:
    embed_in_new_process(path, "known")
    model = HashedEmbedder()
    with closing(CachedEmbedder(model, path)) as embedder:
        embedder.embed(["known"])
        assert embedder.embed([]) == []
    assert model.calls == 0


def test_models_never_share_a_vector(path: Path) -> None:
    """Another name or number of dimensions is another model."""
    assert embed_in_new_process(path, "text") == 1
    assert embed_in_new_process(path, "text", model="other") == 1
    assert embed_in_new_process(path, "text", dimensions=32) == 1
    assert embed_in_new_process(path, "text") == 0


def test_cache_has_the_identity_of_its_model(path: Path) -> None:
    with closing(CachedEmbedder(HashedEmbedder(16, model="m", batch=200), path)) as embedder:
        assert (embedder.model, embedder.dimensions, embedder.batch) == ("m", 16, 200)


def test_queries_are_not_cached(path: Path) -> None:
    with closing(CachedEmbedder(HashedEmbedder(), path)) as embedder:
        vector = embedder.embed_query("where is it")
        assert (embedder.hits, embedder.misses) == (0, 0)
    np.testing.assert_array_equal(vector, HashedEmbedder().embed_query("where is it"))
    assert embed_in_new_process(path, "where is it") == 1


def test_query_without_a_known_word_has_zeros_by_the_static_model_only(path: Path) -> None:
    """By any other model they are an error."""
    with closing(CachedEmbedder(StaticEmbedder(), path)) as embedder:
        assert not embedder.embed_query("zzqqxx").any()

    class Zeros(HashedEmbedder):
        def embed_query(self, text: str) -> Vector:
            return np.zeros(self.dimensions, np.float32)

    with closing(CachedEmbedder(Zeros(), path)) as zeros, pytest.raises(ServiceError, match="zero"):
        zeros.embed_query("zzqqxx")


def test_close_closes_the_model(path: Path) -> None:
    """It may be called twice."""
    model = HashedEmbedder()
    embedder = CachedEmbedder(model, path)
    embedder.close()
    embedder.close()
    assert model.closed


def test_interrupted_run_loses_only_the_current_call(path: Path) -> None:
    with closing(CachedEmbedder(InterruptedEmbedder(), path)) as embedder:
        embedder.embed(["a", "b"])
        with pytest.raises(KeyboardInterrupt):
            embedder.embed(["c", "d"])
    assert embed_in_new_process(path, "a", "b", "c", "d") == 2


def test_least_recently_used_texts_are_evicted(path: Path) -> None:
    """The oldest ten are used again and stay."""
    first = [f"first {number}" for number in range(10)]
    for texts in (first, [f"next {number}" for number in range(10)], first):
        with closing(CachedEmbedder(HashedEmbedder(1024), path)) as embedder:
            embedder.embed(texts)
    # thirty vectors of 4,096 bytes: the last ten and the first fit, with what tells of them
    with closing(CachedEmbedder(HashedEmbedder(1024), path, max_bytes=130_000)) as embedder:
        embedder.embed([f"last {number}" for number in range(10)])
    assert (
        embed_in_new_process(
            path, *first, *(f"last {number}" for number in range(10)), dimensions=1024
        )
        == 0
    )
    assert (
        embed_in_new_process(path, *(f"next {number}" for number in range(10)), dimensions=1024) > 0
    )


def test_file_stays_within_its_size_limit(path: Path) -> None:
    with closing(CachedEmbedder(HashedEmbedder(1024), path, max_bytes=1_000_000)) as embedder:
        for number in range(20):
            embedder.embed([f"{number} {text}" for text in range(50)])
    # 1,000 vectors of 4,096 bytes would be four megabytes; one call brings 0.25
    assert 800_000 < path.stat().st_size < 1_300_000


def test_call_larger_than_the_limit_returns_all_vectors(path: Path) -> None:
    """The limit applies to the file only."""
    with closing(CachedEmbedder(HashedEmbedder(), path, max_bytes=1)) as embedder:
        vectors = embedder.embed(["a", "b", "c"])
    np.testing.assert_array_equal(vectors, HashedEmbedder().embed(["a", "b", "c"]))


RUN = """
import sys
from pathlib import Path
from feeder.embedding.cache import CachedEmbedder
from hash_embedder import HashedEmbedder
cache = CachedEmbedder(HashedEmbedder(), Path(sys.argv[1]), max_bytes=int(sys.argv[3]))
for number in range(40):
    cache.embed([f"shared {number}", f"own {sys.argv[2]} {number}"])
cache.close()
"""


def run_concurrently(path: Path, max_bytes: int) -> None:
    """Starts four processes at once, each writing 40 times; none may print anything."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, path, str(number), str(max_bytes)],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    assert [process.communicate(timeout=120)[1] for process in running] == [""] * 4


def test_processes_may_create_the_file_at_once(path: Path) -> None:
    """They wait for each other and lose nothing."""
    run_concurrently(path, MAX_BYTES)
    shared = [f"shared {number}" for number in range(40)]
    own = [f"own {owner} {number}" for owner in range(4) for number in range(40)]
    assert embed_in_new_process(path, *shared, *own) == 0


def test_processes_may_evict_at_once(path: Path) -> None:
    """One embeds again what the other evicted, and the file stays valid."""
    run_concurrently(path, 30_000)
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.pragma("integrity_check") == "ok"
    assert embed_in_new_process(path, "another") == 1


def test_folder_is_created(tmp_path: Path) -> None:
    assert embed_in_new_process(tmp_path / "new" / "folder" / "cache.db", "text") == 1


def foreign_database(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE mails(subject); INSERT INTO mails VALUES ('hello')")


def later_version(path: Path) -> None:
    embed_in_new_process(path, "text")
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("user_version", 2)


def corrupt_pages(path: Path) -> None:
    embed_in_new_process(path, "text")
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


def truncated_file(path: Path) -> None:
    embed_in_new_process(path, *map(str, range(100)))
    path.write_bytes(path.read_bytes()[:10_000])


def other_schema(path: Path) -> None:
    embed_in_new_process(path, "text")
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("ALTER TABLE vectors RENAME COLUMN vector TO codes")


def text_file(path: Path) -> None:
    path.write_text("This is no database at all. " * 100, encoding="utf-8")


@pytest.mark.parametrize("make", [foreign_database, later_version, text_file])
def test_file_that_is_no_cache_is_refused_and_not_changed(
    make: Callable[[Path], None], path: Path
) -> None:
    """The error names the file and the remedy."""
    make(path)
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"cache\.db.*or choose another file with --cache\.$"):
        CachedEmbedder(HashedEmbedder(), path).embed(["a"])
    assert path.read_bytes() == before


def test_folder_instead_of_the_file_is_refused(tmp_path: Path) -> None:
    """The error has the message of the file system."""
    with pytest.raises(UserError, match=r"cannot be used \(.+\)\. Delete it, or choose another"):
        CachedEmbedder(HashedEmbedder(), tmp_path).embed(["a"])


def test_file_instead_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be used"):
        CachedEmbedder(HashedEmbedder(), tmp_path / "file" / "cache.db").embed(["a"])


def test_query_does_not_open_the_file(path: Path) -> None:
    """An unusable or read-only file stops no search."""
    path.write_text("junk", encoding="utf-8")
    with closing(CachedEmbedder(HashedEmbedder(), path)) as embedder:
        embedder.embed_query("a")
    assert path.read_text(encoding="utf-8") == "junk"


def test_empty_file_is_a_new_cache(path: Path) -> None:
    """As left by a run that crashed before its first write."""
    path.touch()
    assert embed_in_new_process(path, "text") == 1
    assert embed_in_new_process(path, "text") == 0


@pytest.mark.parametrize("make", [foreign_database, later_version, text_file])
def test_unusable_file_is_reported_and_the_run_continues(
    make: Callable[[Path], None], path: Path
) -> None:
    """Once, with the remedy; nothing is cached."""
    make(path)
    told: list[str] = []
    with closing(CachedEmbedder(HashedEmbedder(), path, on_warning=told.append)) as embedder:
        for _ in range(2):
            vectors = embedder.embed(["a", "b"])
            assert embedder.count_missing(["a"]) == 1
    np.testing.assert_array_equal(vectors, HashedEmbedder().embed(["a", "b"]))
    [line] = told
    assert line.endswith("another file with --cache. This run continues without a cache.")
    assert embedder.misses == 4


FULL = """
import resource, sys
from pathlib import Path
from feeder.embedding.cache import CachedEmbedder
from hash_embedder import HashedEmbedder
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
cache = CachedEmbedder(HashedEmbedder(1024), Path(sys.argv[1]), on_warning=print)
for number in range(3):
    assert len(cache.embed([f"{number} {text}" for text in range(50)])) == 50
cache.close()
"""


def test_full_disk_does_not_stop_the_run(path: Path) -> None:
    """The vectors are still returned: 300 KB hold one call of three."""
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", FULL, path], env=env, check=True, capture_output=True, text=True
    )
    [line] = done.stdout.splitlines()
    assert "cannot be used" in line
    assert line.endswith("This run continues without a cache.")
    assert embed_in_new_process(path, *(f"0 {text}" for text in range(50)), dimensions=1024) == 0


def test_without_a_file_nothing_is_cached() -> None:
    """Not in memory either, which a large run would fill."""
    with closing(CachedEmbedder(HashedEmbedder(), None)) as embedder:
        embedder.embed(["a"])
        embedder.embed(["a"])
    assert (embedder.misses, embedder.hits) == (2, 0)


def test_clear_does_not_break_other_processes(path: Path) -> None:
    """They continue, and the disk space is freed."""
    with (
        closing(CachedEmbedder(HashedEmbedder(1024), path)) as embedder,
        closing(CacheFile(path)) as file,
    ):
        embedder.embed([str(number) for number in range(100)])
        assert file.models() == [("hashed", 1024, 100)]
        file.clear()
        assert path.stat().st_size < 50_000
        embedder.embed(["0"])
        assert file.models() == [("hashed", 1024, 1)]


@pytest.mark.parametrize("make", [corrupt_pages, truncated_file, other_schema])
def test_damaged_cache_is_created_anew(make: Callable[[Path], None], path: Path) -> None:
    """It says so once, and the next run finds what this one stored."""
    make(path)
    told: list[str] = []
    with closing(CachedEmbedder(HashedEmbedder(), path, on_warning=told.append)) as embedder:
        vectors = embedder.embed(["a", "b"])
    np.testing.assert_array_equal(vectors, HashedEmbedder().embed(["a", "b"]))
    [line] = told
    assert line.startswith(f"The embedding cache {path} is damaged (")
    assert embed_in_new_process(path, "a", "b") == 0


@pytest.mark.parametrize("folder", ["feeder", "feeder-embeddings"])
@pytest.mark.parametrize("make", [foreign_database, text_file])
def test_anything_at_the_place_of_the_programs_own_cache_is_replaced(
    make: Callable[[Path], None], folder: str, tmp_path: Path
) -> None:
    """The default cache, and the one that the Action restores."""
    path = tmp_path / folder / "embeddings.db"
    path.parent.mkdir()
    make(path)
    assert embed_in_new_process(path, "a") == 1
    assert embed_in_new_process(path, "a") == 0


def change_row(path: Path, sql: str, *values: object) -> None:
    """Changes the row of "b" as a damaged disk, a crash or another program could."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("ignore_check_constraints", True)
        connection.execute(f"{sql} WHERE text_sha = ?", (*values, text_sha("b")))
        assert connection.changes() >= 1


UNIT = np.eye(1, 64, dtype="<f4")[0]
NOT_A_NUMBER = np.full(64, np.nan, "<f4")
"""Vectors of 64 dimensions: the first unit vector, and only NaN."""


@pytest.mark.parametrize("has_checksum", [True, False])
@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(NOT_A_NUMBER.tobytes(), id="nan"),
        pytest.param(np.full(64, np.inf, "<f4").tobytes(), id="infinite"),
        pytest.param((UNIT * 0).tobytes(), id="zero"),
        pytest.param((UNIT * 2).tobytes(), id="length 2"),
        pytest.param(UNIT.tobytes()[:-4], id="dimension lost"),
        pytest.param(UNIT.tobytes() + bytes(4), id="dimension added"),
        pytest.param(b"", id="empty"),
        pytest.param("text" * 64, id="text"),
        pytest.param(None, id="null"),
    ],
)
def test_damaged_vector_is_computed_again(
    path: Path, vector: bytes | str | None, has_checksum: bool
) -> None:
    """It is never returned, replaced in the file, and the file is named; once for each vector."""
    embed_in_new_process(path, "a", "b", "c")
    if vector is None:
        change_row(path, "UPDATE vectors SET text_sha = text_sha, vector = 0")
    else:
        change_row(path, "UPDATE vectors SET vector = ?", vector)
    if not has_checksum:  # as of an earlier version
        change_row(path, "UPDATE vectors SET checksum = NULL")
    told: list[str] = []
    with closing(CachedEmbedder(HashedEmbedder(), path, on_warning=told.append)) as embedder:
        assert embedder.count_missing([text_sha("a"), text_sha("b")]) == 1
        vectors = embedder.embed(["a", "b", "c"])
        assert (embedder.misses, embedder.hits) == (1, 2)
    np.testing.assert_array_equal(vectors, HashedEmbedder().embed(["a", "b", "c"]))
    assert told == [
        f"A vector in the embedding cache {path} failed the check and will be computed again."
    ]
    assert embed_in_new_process(path, "a", "b", "c") == 0


def test_vector_of_another_row_is_computed_again(path: Path) -> None:
    """Sound numbers, but of another text, or of the same text by another model."""
    embed_in_new_process(path, "a", "b")
    embed_in_new_process(path, "b", model="other")
    row = "SELECT vector, checksum FROM vectors WHERE text_sha = ? AND model = 'hashed'"
    with closing(apsw.Connection(str(path))) as connection:
        [(vector, checksum)] = connection.execute(row, (text_sha("a"),))
    change_row(path, "UPDATE vectors SET (vector, checksum) = (?, ?)", vector, checksum)
    assert embed_in_new_process(path, "a", "b") == 1
    assert embed_in_new_process(path, "b", model="other") == 1


def test_cache_of_an_earlier_version_keeps_its_vectors(path: Path) -> None:
    """It has no checksums: they are added with the next use, and earlier versions can go on."""
    embed_in_new_process(path, "a")
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("ALTER TABLE vectors DROP COLUMN checksum")
    assert embed_in_new_process(path, "a") == 0
    with closing(apsw.Connection(str(path))) as connection:
        checksums = connection.execute("SELECT length(checksum) FROM vectors").fetchall()
        connection.execute(
            "INSERT INTO vectors(model, dimensions, text_sha, vector, used) VALUES (?, ?, ?, ?, ?)",
            ("hashed", 64, text_sha("b"), UNIT.tobytes(), 1),
        )
    assert checksums == [(8,)]
    assert embed_in_new_process(path, "a", "b") == 0


class BrokenEmbedder(HashedEmbedder):
    """Returns the same vector for all texts."""

    def __init__(self, vector: Vector) -> None:
        super().__init__()
        self._broken = vector

    def _vector(self, text: str) -> Vector:
        return self._broken


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(NOT_A_NUMBER, id="nan"),
        pytest.param(UNIT * 0, id="zero"),
        pytest.param(UNIT[:63], id="63 dimensions"),
    ],
)
def test_broken_answer_of_a_model_is_not_cached(path: Path, vector: Vector) -> None:
    """The error names the model."""
    with closing(CachedEmbedder(BrokenEmbedder(vector), path)) as embedder:
        with pytest.raises(ServiceError, match=r"^hashed returned vectors "):
            embedder.embed(["a"])
        with pytest.raises(ServiceError, match=r"^hashed returned vectors "):
            embedder.embed_query("a")
    assert embed_in_new_process(path, "a") == 1
