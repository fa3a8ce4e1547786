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
from feeder.errors import UserError
from hash_embedder import HashedEmbedder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.db"


@pytest.fixture
def cached(path: Path) -> Iterator[CachedEmbedder]:
    with closing(CachedEmbedder(HashedEmbedder(), path)) as embedder:
        yield embedder


def request(path: Path, *texts: str, model: str = "hashed", dimensions: int = 64) -> int:
    """How many of the texts a program that starts now has to give to its model."""
    with closing(CachedEmbedder(HashedEmbedder(dimensions, model=model), path)) as embedder:
        embedder.embed(texts)
        return embedder.misses


class Interrupted(HashedEmbedder):
    """Someone presses Ctrl-C while the second call runs."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.calls == 1:
            raise KeyboardInterrupt
        return super().embed(texts)


def test_a_text_goes_to_the_model_once(path: Path) -> None:
    """What one run embedded, the next run finds in the file."""
    assert request(path, "one", "two") == 2
    assert request(path, "two", "three", "one") == 1


def test_a_cached_vector_is_the_models_bit_by_bit(path: Path) -> None:
    """An index comes out the same with a cold cache, a warm one, and none."""
    texts = ["three words here", "", "\ud800 not UTF-8"]
    bare = HashedEmbedder().embed(texts)
    for _ in range(2):
        with closing(CachedEmbedder(HashedEmbedder(), path)) as embedder:
            vectors = embedder.embed(texts)
        assert [vector.tobytes() for vector in vectors] == [vector.tobytes() for vector in bare]
        assert {vector.dtype for vector in vectors} == {np.dtype("float32")}


def test_vectors_come_in_the_callers_order(cached: CachedEmbedder) -> None:
    """Known and new texts may alternate."""
    cached.embed(["b", "d"])
    vectors = cached.embed(["a", "b", "c", "d"])
    np.testing.assert_array_equal(vectors, HashedEmbedder().embed(["a", "b", "c", "d"]))


def test_a_text_that_comes_twice_in_a_call_is_embedded_once(cached: CachedEmbedder) -> None:
    """The second one counts as a hit: hits and embedded texts add up to what was asked for."""
    first, other, second = cached.embed(["same", "other", "same"])
    assert (cached.misses, cached.hits) == (2, 1)
    assert first.tobytes() == second.tobytes() != other.tobytes()


def test_hits_and_embedded_texts_are_counted_over_all_calls(cached: CachedEmbedder) -> None:
    """The report can say what a run did not have to compute."""
    cached.embed(["a", "b"])
    cached.embed(["b", "c", "d"])
    assert (cached.misses, cached.hits) == (4, 1)


def test_a_call_that_needs_no_model_does_not_wake_it(path: Path) -> None:
    """A model that is loaded at its first text stays unloaded while the cache has all."""
    request(path, "known")
    model = HashedEmbedder()
    with closing(CachedEmbedder(model, path)) as embedder:
        embedder.embed(["known"])
        assert embedder.embed([]) == []
    assert model.calls == 0


def test_models_never_share_a_vector(path: Path) -> None:
    """Another name or another number of dimensions is another model."""
    assert request(path, "text") == 1
    assert request(path, "text", model="other") == 1
    assert request(path, "text", dimensions=32) == 1
    assert request(path, "text") == 0


def test_it_has_its_models_name_size_and_batch(path: Path) -> None:
    """A cache stands in for its model, also in the index's meta."""
    with closing(CachedEmbedder(HashedEmbedder(16, model="m", batch=200), path)) as embedder:
        assert (embedder.model, embedder.dimensions, embedder.batch) == ("m", 16, 200)


def test_queries_are_not_kept(path: Path) -> None:
    """A query's vector is the model's own, and leaves nothing in the file."""
    with closing(CachedEmbedder(HashedEmbedder(), path)) as embedder:
        vector = embedder.embed_query("where is it")
        assert (embedder.hits, embedder.misses) == (0, 0)
    np.testing.assert_array_equal(vector, HashedEmbedder().embed_query("where is it"))
    assert request(path, "where is it") == 1


def test_closing_it_closes_its_model(path: Path) -> None:
    """Twice is as good as once."""
    model = HashedEmbedder()
    embedder = CachedEmbedder(model, path)
    embedder.close()
    embedder.close()
    assert model.closed


def test_an_interrupted_run_loses_only_the_call_under_way(path: Path) -> None:
    """What earlier calls brought is there when the next run starts."""
    with closing(CachedEmbedder(Interrupted(), path)) as embedder:
        embedder.embed(["a", "b"])
        with pytest.raises(KeyboardInterrupt):
            embedder.embed(["c", "d"])
    assert request(path, "a", "b", "c", "d") == 2


def test_above_the_limit_the_texts_not_asked_for_longest_are_dropped(path: Path) -> None:
    """Being asked for again counts, not being made: the first ten are the oldest, and stay."""
    first = [f"first {number}" for number in range(10)]
    for texts in (first, [f"next {number}" for number in range(10)], first):
        with closing(CachedEmbedder(HashedEmbedder(1024), path)) as embedder:
            embedder.embed(texts)
    # thirty vectors of 4,096 bytes: the last ten and the first fit, with what tells of them
    with closing(CachedEmbedder(HashedEmbedder(1024), path, max_bytes=130_000)) as embedder:
        embedder.embed([f"last {number}" for number in range(10)])
    assert request(path, *first, *(f"last {number}" for number in range(10)), dimensions=1024) == 0
    assert request(path, *(f"next {number}" for number in range(10)), dimensions=1024) > 0


def test_the_limit_is_of_bytes(path: Path) -> None:
    """However many texts pass through it, the file does not grow beyond."""
    with closing(CachedEmbedder(HashedEmbedder(1024), path, max_bytes=1_000_000)) as embedder:
        for number in range(20):
            embedder.embed([f"{number} {text}" for text in range(50)])
    # 1,000 vectors of 4,096 bytes would be four megabytes; one call brings 0.25
    assert 800_000 < path.stat().st_size < 1_300_000


def test_a_call_larger_than_the_limit_is_answered_whole(path: Path) -> None:
    """The limit is the file's, not the caller's."""
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


def at_once(path: Path, max_bytes: int) -> None:
    """Four processes that start together, each writing 40 times; none has anything to say."""
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


def test_processes_may_use_a_new_file_at_once(path: Path) -> None:
    """They lose nothing and wait for one another."""
    at_once(path, MAX_BYTES)
    shared = [f"shared {number}" for number in range(40)]
    own = [f"own {owner} {number}" for owner in range(4) for number in range(40)]
    assert request(path, *shared, *own) == 0


def test_processes_may_make_room_at_once(path: Path) -> None:
    """What one drops the other embeds anew, and the file is sound."""
    at_once(path, 30_000)
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.pragma("integrity_check") == "ok"
    assert request(path, "another") == 1


def test_the_folder_of_the_file_is_made(tmp_path: Path) -> None:
    """A first run needs no preparation."""
    assert request(tmp_path / "new" / "folder" / "cache.db", "text") == 1


def foreign_database(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE mails(subject); INSERT INTO mails VALUES ('hello')")


def later_version(path: Path) -> None:
    request(path, "text")
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("user_version", 2)


def corrupt_pages(path: Path) -> None:
    request(path, "text")
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


def text_file(path: Path) -> None:
    path.write_text("This is no database at all. " * 100, encoding="utf-8")


@pytest.mark.parametrize("make", [foreign_database, later_version, corrupt_pages, text_file])
def test_a_file_that_is_no_cache_is_refused_and_left_alone(
    make: Callable[[Path], None], path: Path
) -> None:
    """The sentence names the file and the remedy."""
    make(path)
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"cache\.db.*or choose another file with --cache\.$"):
        CachedEmbedder(HashedEmbedder(), path).embed(["a"])
    assert path.read_bytes() == before


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    """What the file system says is in the sentence."""
    with pytest.raises(UserError, match=r"cannot be used \(.+\)\. Delete it, or choose another"):
        CachedEmbedder(HashedEmbedder(), tmp_path).embed(["a"])


def test_a_parent_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """No folder can be made there."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be used"):
        CachedEmbedder(HashedEmbedder(), tmp_path / "file" / "cache.db").embed(["a"])


def test_a_query_does_not_open_the_file(path: Path) -> None:
    """What cannot be used, or must not be written, stops no search."""
    path.write_text("junk", encoding="utf-8")
    with closing(CachedEmbedder(HashedEmbedder(), path)) as embedder:
        embedder.embed_query("a")
    assert path.read_text(encoding="utf-8") == "junk"


def test_an_empty_file_is_a_new_cache(path: Path) -> None:
    """A run that died before its first write has left one."""
    path.touch()
    assert request(path, "text") == 1
    assert request(path, "text") == 0


@pytest.mark.parametrize("make", [foreign_database, later_version, corrupt_pages, text_file])
def test_a_run_goes_on_without_a_file_that_cannot_be_used(
    make: Callable[[Path], None], path: Path
) -> None:
    """It says so once, with the remedy, and remembers nothing."""
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


def test_a_run_goes_on_when_the_disk_is_full(path: Path) -> None:
    """What it has embedded is not lost to it: 300 KB hold one call of the three, not two."""
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", FULL, path], env=env, check=True, capture_output=True, text=True
    )
    [line] = done.stdout.splitlines()
    assert "cannot be used" in line
    assert line.endswith("This run continues without a cache.")
    assert request(path, *(f"0 {text}" for text in range(50)), dimensions=1024) == 0


def test_a_run_without_a_file_remembers_nothing() -> None:
    """Neither in memory, which a large run would fill."""
    with closing(CachedEmbedder(HashedEmbedder(), None)) as embedder:
        embedder.embed(["a"])
        embedder.embed(["a"])
    assert (embedder.misses, embedder.hits) == (2, 0)


def test_forgetting_leaves_others_their_file(path: Path) -> None:
    """A process that has it open goes on, and the disk has its room back."""
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
