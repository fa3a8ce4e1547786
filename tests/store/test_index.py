"""Writes of the index: what they change, and which run may write."""

import hashlib
import json
from collections.abc import Sequence

import pytest

from feeder.errors import Superseded
from feeder.nodes import Node
from feeder.store import REMOTE, Row, Statement
from feeder.store.index import Index
from feeder.store.index_state import VectorProgress
from feeder.store.ownership import SupersededAtStart
from feeder.store.rows import IndexedFile, encode_nodes, file_batches, json_pages, node_keys_json
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, query_rows

D1_PARAMETER_BYTES = 2_000_000


class RecordingDatabase:
    """A database that records its statements."""

    def __init__(self, database: SQLite) -> None:
        self.place, self.access = database.place, REMOTE
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


def started_index(database: SQLite, token: str = "run", *, model: bool = False) -> Index:
    """Returns an index whose run is about to write."""
    index = Index(database, REPO, "main")
    index.begin(
        token, index.read_state({}), {"model": "m"} if model else {}, recompute_vectors=False
    )
    return index


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def file_with_functions(path: str, repo: str = REPO, /, **texts: str) -> IndexedFile:
    """A file with a function for each argument, whose name and text it is."""
    nodes = [
        Node("python", "method", name, f"def {name}()", None, line, line, text)
        for line, (name, text) in enumerate(texts.items(), start=1)
    ]
    return IndexedFile(path, sha(repr(texts)), encode_nodes(repo, path, nodes))


def symbols_of_word(database: SQLite, word: str) -> list[str]:
    """Returns the symbols of the nodes that contain a word."""
    return query_rows(
        database,
        "SELECT d.symbol FROM docs_fts f JOIN docs d ON d.seq = f.rowid WHERE docs_fts MATCH ?",
        word,
    )


def test_written_file_has_rows_and_postings(database: SQLite) -> None:
    """It is found by the words of text, name and path."""
    wanted = file_with_functions("src/shopCart.py", add="apples", drop="pears")
    changes = started_index(database).write([wanted], [], "c1", pending=False)
    assert changes == (set(wanted.ids), set())
    assert symbols_of_word(database, "apple") == ["add"]
    assert symbols_of_word(database, "drop") == ["drop"]
    assert symbols_of_word(database, "cart") == ["add", "drop"]
    assert query_rows(database, "SELECT path, blob, sha_head, nodes, state, reason FROM files") == [
        ("src/shopCart.py", wanted.blob, "c1", 2, "clean", None)
    ]


def test_unchanged_node_is_not_rewritten(database: SQLite) -> None:
    """With the same id and text, the row keeps its number and its commit."""
    started_index(database).write(
        [file_with_functions("a.py", add="apples", drop="pears")], [], "c1", pending=False
    )
    before = query_rows(database, "SELECT seq, sha_head FROM docs WHERE symbol = 'add'")
    edited = file_with_functions("a.py", add="apples", drop="plums")
    changes = started_index(database).write([edited], [], "c2", pending=False)
    assert changes == ({edited.ids[1]}, set())
    assert query_rows(database, "SELECT seq, sha_head FROM docs WHERE symbol = 'add'") == before
    assert query_rows(database, "SELECT sha_head FROM docs WHERE symbol = 'drop'") == ["c2"]


def test_edited_node_has_only_its_new_words(database: SQLite) -> None:
    """The id stays, and the old posting is deleted."""
    started_index(database).write(
        [file_with_functions("a.py", add="apples")], [], "c1", pending=False
    )
    started_index(database).write(
        [file_with_functions("a.py", add="plums")], [], "c2", pending=False
    )
    assert (symbols_of_word(database, "apples"), symbols_of_word(database, "plums")) == (
        [],
        ["add"],
    )
    assert query_rows(database, "SELECT count(*) FROM docs_fts") == [1]


def test_deleted_nodes_and_files_leave_no_rows(database: SQLite) -> None:
    """No row, posting or manifest entry."""
    first, second = (
        file_with_functions("a.py", add="apples", drop="pears"),
        file_with_functions("b.py", sum="plums"),
    )
    started_index(database).write([first, second], [], "c1", pending=False)
    less = file_with_functions("a.py", add="apples")
    changes = started_index(database).write([less], ["b.py", "never.py"], "c2", pending=False)
    assert changes == (set(), {first.ids[1], second.ids[0]})
    assert query_rows(database, "SELECT symbol FROM docs") == ["add"]
    assert query_rows(database, "SELECT count(*) FROM docs_fts") == [1]
    assert query_rows(database, "SELECT path, nodes FROM files") == [("a.py", 1)]


def test_missing_posting_is_restored_with_its_file(database: SQLite) -> None:
    wanted = file_with_functions("a.py", add="apples")
    started_index(database).write([wanted], [], "c1", pending=False)
    database.run([Statement("DELETE FROM docs_fts")])
    started_index(database).write([wanted], [], "c1", pending=False)
    assert symbols_of_word(database, "apples") == ["add"]


def test_ids_of_deleted_nodes_are_in_the_outbox(database: SQLite) -> None:
    """If the index has a model."""
    wanted = file_with_functions("a.py", add="apples", drop="pears")
    started_index(database, model=True).write([wanted], [], "c1", pending=True)
    index = started_index(database)
    index.write([file_with_functions("a.py", add="plums")], [], "c2", pending=True)
    assert index.read_state({}).outbox == {wanted.ids[1]: "a.py"}
    index.record_vectors(VectorProgress(deleted_ids=[wanted.ids[1]]))
    assert index.read_state({}).outbox == {}


def test_node_written_again_leaves_the_outbox(database: SQLite) -> None:
    """Its vector must not be deleted."""
    wanted = file_with_functions("a.py", add="apples")
    started_index(database, model=True).write([wanted], [], "c1", pending=True)
    started_index(database).write([], ["a.py"], "c2", pending=True)
    assert started_index(database).read_state({}).outbox == {wanted.ids[0]: "a.py"}
    started_index(database).write([wanted], [], "c3", pending=True)
    assert started_index(database).read_state({}).outbox == {}


def test_index_of_words_has_an_empty_outbox(database: SQLite) -> None:
    started_index(database).write(
        [file_with_functions("a.py", add="apples")], [], "c1", pending=False
    )
    started_index(database).write([], ["a.py"], "c2", pending=False)
    assert started_index(database).read_state({}).outbox == {}


def test_files_are_pending_until_their_vectors_are_recorded(database: SQLite) -> None:
    """A file without nodes is clean at once."""
    index = started_index(database)
    kept_out = IndexedFile("c.lock", "b", skipped=True, reason="a lock file")
    index.write(
        [file_with_functions("a.py", add="x"), file_with_functions("b.py"), kept_out],
        [],
        "c1",
        pending=True,
    )
    assert {row.path: row.state for row in (index.read_state({}).files or {}).values()} == {
        "a.py": "pending",
        "b.py": "clean",
        "c.lock": "skipped",
    }
    index.record_vectors(VectorProgress(clean_paths=["a.py", "c.lock"]))
    states = {row.path: row.state for row in (index.read_state({}).files or {}).values()}
    assert (states["a.py"], states["c.lock"]) == ("clean", "skipped")


def test_vectors_are_complete_only_without_pending_files(database: SQLite) -> None:
    """The last write checks the files in the database."""
    index = started_index(database)
    index.write([file_with_functions("a.py", add="x")], [], "c1", pending=True)
    index.finish(
        VectorProgress(), {index.meta_key("vectors"): "complete", index.meta_key("tree"): "t"}
    )
    meta = index.read_state({}).meta
    assert (meta.get(index.meta_key("vectors")), meta[index.meta_key("tree")]) == (None, "t")
    index = started_index(database)
    index.finish(VectorProgress(clean_paths=["a.py"]), {index.meta_key("vectors"): "complete"})
    assert index.read_state({}).meta[index.meta_key("vectors")] == "complete"


def test_postings_of_a_first_run_are_in_one_segment(database: SQLite) -> None:
    """Later runs add segments, which FTS5 merges by itself."""
    segments = "SELECT count(DISTINCT segid) FROM docs_fts_idx"
    for run, names, expected in (("first", ("a.py", "b.py"), 1), ("second", ("c.py",), 2)):
        index = started_index(database, run)
        for name in names:
            index.write([file_with_functions(name, add="pears")], [], "c1", pending=False)
        index.finish(VectorProgress(), {})
        assert query_rows(database, segments) == [expected]
    assert symbols_of_word(database, "pears") == ["add"] * 3


def test_superseded_run_writes_nothing(database: SQLite) -> None:
    """After another run's first write, every write fails and changes nothing."""
    first = started_index(database, "first")
    first.write([file_with_functions("a.py", add="apples")], [], "c1", pending=False)
    second = started_index(database, "second")
    second.write([file_with_functions("a.py", add="plums")], [], "c2", pending=False)
    before = query_rows(database, "SELECT * FROM meta ORDER BY key")
    for write in (
        lambda: first.write(
            [file_with_functions("b.py", sum="pears")], ["a.py"], "c1", pending=False
        ),
        lambda: first.record_vectors(VectorProgress(clean_paths=["a.py"])),
        lambda: first.finish(VectorProgress(), {"key": "value"}),
    ):
        with pytest.raises(Superseded, match="started later") as raised:
            write()
        assert not isinstance(raised.value, SupersededAtStart)
    assert symbols_of_word(database, "plums") == ["add"]
    assert query_rows(database, "SELECT path FROM files") == ["a.py"]
    assert query_rows(database, "SELECT * FROM meta ORDER BY key") == before


def test_run_that_read_before_another_started_reads_again(database: SQLite) -> None:
    late = Index(database, REPO, "main")
    seen = late.read_state({})
    started_index(database, "other").finish(VectorProgress(), {})
    late.begin("late", seen, {}, recompute_vectors=False)
    with pytest.raises(SupersededAtStart):
        late.write([file_with_functions("a.py", add="apples")], [], "c1", pending=False)
    assert query_rows(database, "SELECT count(*) FROM docs") == [0]
    late.begin("late", late.read_state({}), {}, recompute_vectors=False)
    late.write([file_with_functions("a.py", add="apples")], [], "c1", pending=False)
    assert symbols_of_word(database, "apples") == ["add"]


def test_run_superseded_before_its_first_write_writes_nothing(database: SQLite) -> None:
    """Taking ownership is a write of its own."""
    first = started_index(database, "first")
    first.write([file_with_functions("a.py", add="apples")], [], "c1", pending=False)
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


def test_first_write_removes_the_tree_from_meta(database: SQLite) -> None:
    """So that a crashed run is noticed."""
    index = started_index(database)
    equal = {index.meta_key("tree"): "t", index.meta_key("vectors"): "complete"}
    index.finish(VectorProgress(), equal)
    assert index.read_state(equal).files is None
    started_index(database, "next").write([], [], "c2", pending=False)
    assert index.read_state(equal).files == {}


def test_manifest_is_skipped_only_if_all_values_match(database: SQLite) -> None:
    index = started_index(database)
    index.write([file_with_functions("a.py", add="x")], [], "c1", pending=False)
    index.finish(VectorProgress(), {"header": "1", "index": "2"})
    assert index.read_state({"header": "1", "index": "2"}).files is None
    for expected in ({"header": "1", "index": "3"}, {"header": "1", "model": "3"}, {}):
        assert list(index.read_state(expected).files or {}) == ["a.py"]
    assert list(index.read_state_of(["a.py", "b.py"]).files or {}) == ["a.py"]


def test_manifest_is_read_in_pages(database: SQLite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page is one request, and no file is lost."""
    monkeypatch.setattr("feeder.store.index.PAGE_FILES", 10)
    paths = [f"{number:03}.py" for number in range(30)]
    started_index(database).write(
        [file_with_functions(path) for path in paths], [], "c1", pending=False
    )
    recording = RecordingDatabase(database)
    assert list(Index(recording, REPO, "main").read_state({}).files or {}) == paths
    assert len(recording.batches) == 4


def test_large_manifest_is_read_completely(database: SQLite) -> None:
    """20,001 files are two pages."""
    files = [IndexedFile(f"{number}.txt", "b") for number in range(20_001)]
    started_index(database).write(files, [], "c1", pending=False)
    recording = RecordingDatabase(database)
    assert len(Index(recording, REPO, "main").read_state({}).files or {}) == 20_001
    assert len(recording.batches) == 2


def test_parameters_are_below_d1_limits(database: SQLite) -> None:
    """No parameter comes near the limit for a string, whatever is written."""
    text = "größer 🛒 " * 300
    files = [
        file_with_functions(
            f"{'folder/' * 30}{number}.py", **{f"f{line}": f"{line} {text}" for line in range(20)}
        )
        for number in range(60)
    ]
    recording = RecordingDatabase(database)
    index = Index(recording, REPO, "main")
    index.begin("run", index.read_state({}), {"model": "m"}, recompute_vectors=False)
    changes = index.write(files, [], "c1", pending=False)
    assert len(changes.added) == 1200
    assert len(index.write([], [file.path for file in files], "c2", pending=False).removed) == 1200
    sizes = [
        len(str(param).encode())
        for batch in recording.batches
        for statement in batch
        for param in statement.params
    ]
    assert D1_PARAMETER_BYTES / 2 < max(sizes) < D1_PARAMETER_BYTES


def test_pages_and_groups_contain_each_item_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, for any page size; a large item is alone in its group."""
    monkeypatch.setattr("feeder.store.rows.PARAM_BYTES", 50)
    items = ["a" * length for length in (1, 10, 100, 30, 5, 5, 5)]
    found = [json.loads(page) for page in json_pages(items)]
    assert [item for page in found for item in page] == items
    assert all(len(json.dumps(page)) <= 60 or len(page) == 1 for page in found)
    files = [file_with_functions(f"{number}.py", add="x", drop="y") for number in range(3)]
    assert [file for group in file_batches(files) for file in group] == files
    assert all(len(group) == 1 for group in file_batches(files))
    assert list(json_pages([])) == []
    assert list(file_batches([])) == []


def test_keys_are_node_ids_with_hashes_of_embedding_inputs() -> None:
    one = file_with_functions("a.py", add="apples")
    key = sha("a.py python method add\ndef add()\napples")
    assert json.loads(node_keys_json([one])) == {one.ids[0]: key}


def test_repositories_are_separate(database: SQLite) -> None:
    """The same path can be written and deleted in one of them."""
    mine, other = started_index(database), Index(database, "acme/other", "main")
    mine.write([file_with_functions("a.py", add="apples")], [], "c1", pending=False)
    other.begin("other", other.read_state({}), {}, recompute_vectors=False)
    other.write([file_with_functions("a.py", "acme/other", add="plums")], [], "c1", pending=False)
    mine.write([], ["a.py"], "c2", pending=False)
    assert (symbols_of_word(database, "apples"), symbols_of_word(database, "plums")) == (
        [],
        ["add"],
    )
    assert list(other.read_state({}).files or {}) == ["a.py"]


def test_write_number_of_a_run_that_has_ended_is_removed(database: SQLite) -> None:
    """It requests descriptions after its end, so that its number may be newer than the state."""
    ended = started_index(database, "one")
    ended.write([file_with_functions("a.py", f="def f(): pass")], [], "c1", pending=False)
    ended.finish(VectorProgress(), {})
    following = started_index(database, "two")
    ended.write([file_with_functions("b.py", g="def g(): pass")], [], "c1", pending=False)
    following.write([file_with_functions("c.py", h="def h(): pass")], [], "c2", pending=False)
    following.finish(VectorProgress(), {})
    assert query_rows(database, "SELECT key FROM meta WHERE key LIKE '%:write:%'") == []


def test_run_that_goes_on_to_its_side_tables_is_unfinished(database: SQLite) -> None:
    """Its vectors may still arrive, so that the run that takes over deletes vectors twice."""
    describing = started_index(database, "one")
    describing.write([file_with_functions("a.py", f="def f(): pass")], [], "c1", pending=False)
    describing.finish(VectorProgress(), {}, is_last=False)
    other = Index(database, REPO, "main")
    state = other.read_state({})
    assert other.has_unfinished_run(state, "two")
    other.take_over("two", state, {})
    state = other.read_state({})
    assert (other.has_unfinished_run(state, "two"), other.has_superseded(state, "two")) == (
        False,
        True,
    )
    with pytest.raises(Superseded):
        describing.write_statements([])


def test_run_is_finished_after_the_last_write_of_its_side_tables(database: SQLite) -> None:
    describing = started_index(database, "one")
    describing.finish(VectorProgress(), {}, is_last=False)
    describing.write_statements([], is_last=True)
    other = Index(database, REPO, "main")
    assert not other.has_unfinished_run(other.read_state({}), "two")
