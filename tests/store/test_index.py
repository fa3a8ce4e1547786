"""Writes of the index: what changes, and which run may write."""

import hashlib
import json
from collections.abc import Sequence

import pytest

from feeder.errors import Superseded
from feeder.nodes import Node
from feeder.store import Row, Statement
from feeder.store.index import Index
from feeder.store.index_state import VectorProgress
from feeder.store.ownership import SupersededAtStart
from feeder.store.rows import IndexedFile, file_batches, json_pages, node_keys_json
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, query_rows

D1_PARAMETER_BYTES = 2_000_000


class Recording:
    """A database that records the statements it is given."""

    def __init__(self, database: SQLite) -> None:
        self.place = database.place
        self.batches: list[list[Statement]] = []
        self._database = database

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        self.batches.append(list(statements))
        return self._database.run(statements)

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self._database.close()


@pytest.fixture
def database() -> SQLite:
    return open_database()


def begun(database: SQLite, token: str = "run", *, model: bool = False) -> Index:
    """The index with a run that is about to write."""
    index = Index(database, REPO, "main")
    index.begin(
        token, index.read_state({}), {"model": "m"} if model else {}, recompute_vectors=False
    )
    return index


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def file(path: str, **texts: str) -> IndexedFile:
    """A file with a function for each word argument: its name and its text."""
    nodes = [
        Node("python", "method", name, f"def {name}()", None, line, line, text)
        for line, (name, text) in enumerate(texts.items(), start=1)
    ]
    ids = [hashlib.sha1(f"{path}{name}".encode()).hexdigest() for name in texts]
    shas = [sha(text) for text in texts.values()]
    return IndexedFile(path, sha(repr(texts)), nodes, ids, shas, [""] * len(nodes))


def found(database: SQLite, word: str) -> list[str]:
    """The symbols of the nodes that a word finds."""
    return query_rows(
        database,
        "SELECT d.symbol FROM docs_fts f JOIN docs d ON d.seq = f.rowid WHERE docs_fts MATCH ?",
        word,
    )


def test_a_written_file_is_there_in_rows_and_postings(database: SQLite) -> None:
    """What is written is answered as new, and found by the words of text, name and path."""
    wanted = file("src/shopCart.py", add="apples", drop="pears")
    changes = begun(database).write([wanted], [], "c1", pending=False)
    assert changes == (set(wanted.ids), set())
    assert found(database, "apple") == ["add"]
    assert found(database, "drop") == ["drop"]
    assert found(database, "cart") == ["add", "drop"]
    assert query_rows(database, "SELECT path, blob, sha_head, nodes, state, reason FROM files") == [
        ("src/shopCart.py", wanted.blob, "c1", 2, "clean", None)
    ]


def test_an_unchanged_node_is_not_rewritten(database: SQLite) -> None:
    """Same id and same text: the row keeps its seq and its commit, and is no change."""
    begun(database).write([file("a.py", add="apples", drop="pears")], [], "c1", pending=False)
    before = query_rows(database, "SELECT seq, sha_head FROM docs WHERE symbol = 'add'")
    edited = file("a.py", add="apples", drop="plums")
    changes = begun(database).write([edited], [], "c2", pending=False)
    assert changes == ({edited.ids[1]}, set())
    assert query_rows(database, "SELECT seq, sha_head FROM docs WHERE symbol = 'add'") == before
    assert query_rows(database, "SELECT sha_head FROM docs WHERE symbol = 'drop'") == ["c2"]


def test_an_edited_node_has_its_new_words_only(database: SQLite) -> None:
    """The id stays, the old posting goes."""
    begun(database).write([file("a.py", add="apples")], [], "c1", pending=False)
    begun(database).write([file("a.py", add="plums")], [], "c2", pending=False)
    assert (found(database, "apples"), found(database, "plums")) == ([], ["add"])
    assert query_rows(database, "SELECT count(*) FROM docs_fts") == [1]


def test_what_is_gone_leaves_nothing(database: SQLite) -> None:
    """Nodes that a file lost, and files that are gone: no row, posting or line in the manifest."""
    first, second = file("a.py", add="apples", drop="pears"), file("b.py", sum="plums")
    begun(database).write([first, second], [], "c1", pending=False)
    less = file("a.py", add="apples")
    changes = begun(database).write([less], ["b.py", "never.py"], "c2", pending=False)
    assert changes == (set(), {first.ids[1], second.ids[0]})
    assert query_rows(database, "SELECT symbol FROM docs") == ["add"]
    assert query_rows(database, "SELECT count(*) FROM docs_fts") == [1]
    assert query_rows(database, "SELECT path, nodes FROM files") == [("a.py", 1)]


def test_a_missing_posting_comes_back_with_its_file(database: SQLite) -> None:
    """A node whose row was right but whose posting was lost gets one when its file is written."""
    wanted = file("a.py", add="apples")
    begun(database).write([wanted], [], "c1", pending=False)
    database.run([Statement("DELETE FROM docs_fts")])
    begun(database).write([wanted], [], "c1", pending=False)
    assert found(database, "apples") == ["add"]


def test_vectors_of_gone_nodes_wait_in_the_outbox(database: SQLite) -> None:
    """Once there is a model, the ids of removed nodes are kept until their vectors are removed."""
    wanted = file("a.py", add="apples", drop="pears")
    begun(database, model=True).write([wanted], [], "c1", pending=True)
    index = begun(database)
    index.write([file("a.py", add="plums")], [], "c2", pending=True)
    assert index.read_state({}).outbox == {wanted.ids[1]: "a.py"}
    index.record_vectors(VectorProgress(deleted_ids=[wanted.ids[1]]))
    assert index.read_state({}).outbox == {}


def test_a_node_that_comes_back_leaves_the_outbox(database: SQLite) -> None:
    """What is in the index again must not lose its vector."""
    wanted = file("a.py", add="apples")
    begun(database, model=True).write([wanted], [], "c1", pending=True)
    begun(database).write([], ["a.py"], "c2", pending=True)
    assert begun(database).read_state({}).outbox == {wanted.ids[0]: "a.py"}
    begun(database).write([wanted], [], "c3", pending=True)
    assert begun(database).read_state({}).outbox == {}


def test_without_a_model_nothing_waits(database: SQLite) -> None:
    """An index of words has no outbox."""
    begun(database).write([file("a.py", add="apples")], [], "c1", pending=False)
    begun(database).write([], ["a.py"], "c2", pending=False)
    assert begun(database).read_state({}).outbox == {}


def test_files_are_pending_until_their_vectors_are_recorded(database: SQLite) -> None:
    """A file with nodes is pending until its vectors are stored; one without is clean at once."""
    index = begun(database)
    kept_out = IndexedFile("c.lock", "b", skipped=True, reason="a lock file")
    index.write([file("a.py", add="x"), file("b.py"), kept_out], [], "c1", pending=True)
    assert {row.path: row.state for row in (index.read_state({}).files or {}).values()} == {
        "a.py": "pending",
        "b.py": "clean",
        "c.lock": "skipped",
    }
    index.record_vectors(VectorProgress(clean_paths=["a.py", "c.lock"]))
    states = {row.path: row.state for row in (index.read_state({}).files or {}).values()}
    assert (states["a.py"], states["c.lock"]) == ("clean", "skipped")


def test_vectors_are_complete_only_when_no_file_waits(database: SQLite) -> None:
    """The last write says so of the files as they are, whatever the run believes."""
    index = begun(database)
    index.write([file("a.py", add="x")], [], "c1", pending=True)
    index.finish(
        VectorProgress(), {index.meta_key("vectors"): "complete", index.meta_key("tree"): "t"}
    )
    meta = index.read_state({}).meta
    assert (meta.get(index.meta_key("vectors")), meta[index.meta_key("tree")]) == (None, "t")
    index = begun(database)
    index.finish(VectorProgress(clean_paths=["a.py"]), {index.meta_key("vectors"): "complete"})
    assert index.read_state({}).meta[index.meta_key("vectors")] == "complete"


def test_a_superseded_run_writes_nothing(database: SQLite) -> None:
    """After another run's first write, every write of the first raises and changes nothing."""
    first = begun(database, "first")
    first.write([file("a.py", add="apples")], [], "c1", pending=False)
    second = begun(database, "second")
    second.write([file("a.py", add="plums")], [], "c2", pending=False)
    before = query_rows(database, "SELECT * FROM meta ORDER BY key")
    for write in (
        lambda: first.write([file("b.py", sum="pears")], ["a.py"], "c1", pending=False),
        lambda: first.record_vectors(VectorProgress(clean_paths=["a.py"])),
        lambda: first.finish(VectorProgress(), {"key": "value"}),
    ):
        with pytest.raises(Superseded, match="started later") as raised:
            write()
        assert not isinstance(raised.value, SupersededAtStart)
    assert found(database, "plums") == ["add"]
    assert query_rows(database, "SELECT path FROM files") == ["a.py"]
    assert query_rows(database, "SELECT * FROM meta ORDER BY key") == before


def test_a_run_that_read_too_early_reads_again(database: SQLite) -> None:
    """Another run has begun between reading and the first write: nothing is written."""
    late = Index(database, REPO, "main")
    seen = late.read_state({})
    begun(database, "other").finish(VectorProgress(), {})
    late.begin("late", seen, {}, recompute_vectors=False)
    with pytest.raises(SupersededAtStart):
        late.write([file("a.py", add="apples")], [], "c1", pending=False)
    assert query_rows(database, "SELECT count(*) FROM docs") == [0]
    late.begin("late", late.read_state({}), {}, recompute_vectors=False)
    late.write([file("a.py", add="apples")], [], "c1", pending=False)
    assert found(database, "apples") == ["add"]


def test_a_run_that_is_taken_over_before_its_work_writes_nothing(database: SQLite) -> None:
    """Taking over is a write by itself: the unfinished run is stopped before anything is read."""
    first = begun(database, "first")
    first.write([file("a.py", add="apples")], [], "c1", pending=False)
    second = Index(database, REPO, "main")
    seen = second.read_state({})
    assert second.has_unfinished_run(seen, "second")
    second.take_over("second", seen, {})
    with pytest.raises(Superseded):
        first.finish(VectorProgress(), {})
    assert second.has_superseded(second.read_state({}), "second")
    second.begin("second", second.read_state({}), {}, recompute_vectors=False)
    second.finish(VectorProgress(), {})
    assert not second.has_unfinished_run(second.read_state({}), "third")


def test_a_run_makes_the_index_unequal_to_any_tree_first(database: SQLite) -> None:
    """From the first write on `meta` claims nothing, so that a run that dies is noticed."""
    index = begun(database)
    equal = {index.meta_key("tree"): "t", index.meta_key("vectors"): "complete"}
    index.finish(VectorProgress(), equal)
    assert index.read_state(equal).files is None
    begun(database, "next").write([], [], "c2", pending=False)
    assert index.read_state(equal).files == {}


def test_state_leaves_files_out_only_when_all_is_met(database: SQLite) -> None:
    """One value that differs, or is missing, and the manifest comes."""
    index = begun(database)
    index.write([file("a.py", add="x")], [], "c1", pending=False)
    index.finish(VectorProgress(), {"a": "1", "b": "2"})
    assert index.read_state({"a": "1", "b": "2"}).files is None
    for expected in ({"a": "1", "b": "3"}, {"a": "1", "c": "3"}, {}):
        assert list(index.read_state(expected).files or {}) == ["a.py"]
    assert list(index.read_state_of(["a.py", "b.py"]).files or {}) == ["a.py"]


def test_the_manifest_comes_in_pages(database: SQLite, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files there are, each page is one request and none is lost."""
    monkeypatch.setattr("feeder.store.index.PAGE_FILES", 10)
    paths = [f"{number:03}.py" for number in range(30)]
    begun(database).write([file(path) for path in paths], [], "c1", pending=False)
    recording = Recording(database)
    assert list(Index(recording, REPO, "main").read_state({}).files or {}) == paths
    assert len(recording.batches) == 4


def test_a_large_manifest_is_read_whole(database: SQLite) -> None:
    """20,001 files are two pages."""
    files = [IndexedFile(f"{number}.txt", "b") for number in range(20_001)]
    begun(database).write(files, [], "c1", pending=False)
    recording = Recording(database)
    assert len(Index(recording, REPO, "main").read_state({}).files or {}) == 20_001
    assert len(recording.batches) == 2


def test_parameters_fit_into_d1(database: SQLite) -> None:
    """However much a write carries, no parameter comes near D1's limit for a string."""
    text = "größer 🛒 " * 300
    files = [
        file(f"{'folder/' * 30}{number}.py", **{f"f{line}": f"{line} {text}" for line in range(20)})
        for number in range(60)
    ]
    recording = Recording(database)
    index = Index(recording, REPO, "main")
    index.begin("run", index.read_state({}), {"model": "m"}, recompute_vectors=False)
    changes = index.write(files, [], "c1", pending=False)
    assert len(changes.added) == 1200
    assert len(index.write([], [one.path for one in files], "c2", pending=False).removed) == 1200
    sizes = [
        len(str(param).encode())
        for batch in recording.batches
        for statement in batch
        for param in statement.params
    ]
    assert D1_PARAMETER_BYTES / 2 < max(sizes) < D1_PARAMETER_BYTES


def test_pages_and_groups_hold_everything_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items and files come in their order, however small a page is; a large one goes alone."""
    monkeypatch.setattr("feeder.store.rows.PARAM_BYTES", 50)
    items = ["a" * length for length in (1, 10, 100, 30, 5, 5, 5)]
    found = [json.loads(page) for page in json_pages(items)]
    assert [item for page in found for item in page] == items
    assert all(len(json.dumps(page)) <= 60 or len(page) == 1 for page in found)
    files = [file(f"{number}.py", add="x", drop="y") for number in range(3)]
    assert [one for group in file_batches(files) for one in group] == files
    assert all(len(group) == 1 for group in file_batches(files))
    assert list(json_pages([])) == []
    assert list(file_batches([])) == []


def test_keys_say_what_the_nodes_of_files_are() -> None:
    """Each node's id with the hash of its text."""
    one = file("a.py", add="apples")
    assert json.loads(node_keys_json([one])) == {one.ids[0]: sha("apples")}


def test_repositories_do_not_see_each_other(database: SQLite) -> None:
    """A path of one repository can be written and removed without touching the other's."""
    mine, other = begun(database), Index(database, "acme/other", "main")
    mine.write([file("a.py", add="apples")], [], "c1", pending=False)
    other.begin("other", other.read_state({}), {}, recompute_vectors=False)
    another = file("a.py", add="plums")._replace(ids=["0" * 40])
    other.write([another], [], "c1", pending=False)
    mine.write([], ["a.py"], "c2", pending=False)
    assert (found(database, "apples"), found(database, "plums")) == ([], ["add"])
    assert list(other.read_state({}).files or {}) == ["a.py"]
