"""A published index is untrusted: what was changed on its way is refused, or does no harm."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feeder.errors import FeederError, ServiceError
from feeder.session.folder_index import recorded_options
from feeder.share.manifest import LATEST, Listing, decode, encode, sha256
from feeder.share.packs import encode_pack
from feeder.share.publish import delete_own_records, publish, read_manifest
from feeder.share.untrusted import check_index
from feeder.store import Statement
from feeder.store.index_copy import copy_index
from feeder.store.sqlite import SQLite
from index_helpers import CART, GUIDE, REPO
from share.memory_store import MemoryStore, pull_to, sync_file
from source.repos import Repo


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("origin"))
    repo.commit({"src/cart.py": CART, "docs/guide.md": GUIDE})
    return repo


@pytest.fixture(scope="module")
def index(origin: Repo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a publish copies it."""
    folder = tmp_path_factory.mktemp("index")
    sync_file(origin, folder / "own.db")
    copy_index(folder / "own.db", folder / "index.db", REPO)
    delete_own_records(folder / "index.db", REPO)
    return folder / "index.db"


@pytest.fixture(scope="module")
def published(origin: Repo, index: Path) -> dict[str, bytes]:
    store = MemoryStore()
    publish(index, origin.path, store, keep=20)
    return store.files


SCHEMA_CHANGES = [
    "CREATE TRIGGER evil AFTER INSERT ON docs BEGIN DELETE FROM files; END",
    "CREATE VIEW evil AS SELECT * FROM docs",
    "CREATE TABLE evil (x)",
    "CREATE INDEX evil ON docs(length(path))",
    "ALTER TABLE docs ADD COLUMN evil TEXT DEFAULT 'x'",
    "DROP TRIGGER names_add",
    "DROP TABLE texts",
    "DROP TRIGGER names_add; CREATE TRIGGER names_add AFTER INSERT ON docs BEGIN SELECT 1; END",
]


@pytest.mark.parametrize("change", SCHEMA_CHANGES)
def test_other_schema_is_refused(index: Path, tmp_path: Path, change: str) -> None:
    file = Path(shutil.copy(index, tmp_path / "copy.db"))
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute(change)
    with pytest.raises(ServiceError, match=r"Its schema (has|lacks)"):
        check_index(file, REPO)


CONTENT_CHANGES = {
    "UPDATE files SET path = '/etc/passwd' WHERE path = 'src/cart.py'": "path",
    "UPDATE docs SET path = '../secret.py' WHERE path = 'src/cart.py'": "path",
    "UPDATE files SET repo = 'acme/other'": "acme/other",
    "INSERT INTO docs_fts (docs_fts, rank) VALUES ('rank', 'bm25(9.0)')": "settings",
    "UPDATE docs SET start_line = 'x'": "damaged",
    "UPDATE docs SET end_line = 0 WHERE path = 'src/cart.py'": "impossible lines",
    "UPDATE docs SET members = 'hash RED:x' WHERE path = 'src/cart.py'": "not an index",
    "UPDATE docs SET part_run = '[1]' WHERE path = 'src/cart.py'": "not an index",
    "UPDATE files SET unparsed = '1-2,N' WHERE path = 'src/cart.py'": "not an index",
    "UPDATE docs_fts_config SET v = -1": "settings",
    "DELETE FROM docs_fts_docsize WHERE id = 1": "word index",
    "INSERT INTO names_fts_docsize VALUES (1000, x'01', 1)": "word index",
    "UPDATE docs_fts_data SET block = x'01001e44810b' WHERE id = 1": "totals",
    "UPDATE docs_fts_data SET block = x'0600000000' WHERE id = 1": "totals",
    "UPDATE d1_migrations SET name = '0099_later.sql' WHERE id = 1": "migrations",
    "UPDATE meta SET value = '[' WHERE key LIKE '%:counts'": "not an index",
    "UPDATE meta SET value = 'src' WHERE key LIKE '%:below'": "meta has a value",
    """INSERT INTO meta VALUES ('acme/shop:options', '{"model": "https://example.org#m"}')""": (
        "meta has a value that no publish writes: acme/shop:options"
    ),
    "INSERT INTO meta VALUES ('acme/other:run', 'x')": "meta has a value",
}


@pytest.mark.parametrize("change", CONTENT_CHANGES)
def test_contents_that_no_sync_writes_are_refused(index: Path, tmp_path: Path, change: str) -> None:
    file = Path(shutil.copy(index, tmp_path / "copy.db"))
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute(change)
    with pytest.raises(ServiceError, match=CONTENT_CHANGES[change]):
        check_index(file, REPO)


def test_unchanged_index_is_accepted(index: Path, tmp_path: Path) -> None:
    check_index(Path(shutil.copy(index, tmp_path / "copy.db")), REPO)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('{"max_file_bytes": 5, "grammar": "own"}', {"max_file_bytes": 5, "grammar": Path("own")}),
        (
            '{"model": "https://example.org#m", "db": "/x", "mask_secrets": false}',
            {"mask_secrets": False},
        ),
        ('{"max_file_bytes": "5", "mask_secrets": 0, "grammar": null}', {}),
        ("[]", {}),
        ("[", {}),
    ],
)
def test_only_options_that_a_sync_records_are_taken_from_an_index(
    text: str, options: dict[str, object]
) -> None:
    assert recorded_options({f"{REPO}:options": text}, REPO) == options


def change_manifest(files: dict[str, bytes], **changes: object) -> MemoryStore:
    """Returns a store whose manifest is changed, with the digest that `latest.json` then needs."""
    [entry] = decode(files[LATEST], Listing).entries
    manifest = json.loads(encode(read_manifest(MemoryStore(files), entry))) | changes
    data = json.dumps(manifest).encode()
    listed = json.loads(files[LATEST])
    listed["entries"][0]["manifest"] = sha256(data)
    changed = {LATEST: json.dumps(listed).encode(), f"m-{sha256(data)}.json": data}
    return MemoryStore(files | changed)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"pages": 10**9}, "impossible sizes"),
        ({"page_size": 4095}, "impossible sizes"),
        ({"pages": 1}, "impossible sizes"),
        ({"pages": 16_000}, "impossible sizes"),  # 65.5 MB that are compressed to some kB
        ({"digest": "0" * 64}, "do not belong to the index"),
        ({"packs": []}, "lack pages"),
        ({"packs": [{"digest": "0" * 64, "size": 1, "pages": 1}]}, "is missing"),
        ({"packs": [{"digest": "../../x", "size": 1, "pages": 1}]}, "cannot be read"),
        ({"format": 2}, "cannot be read"),
    ],
)
def test_impossible_manifest_is_refused(
    origin: Repo,
    published: dict[str, bytes],
    tmp_path: Path,
    changes: dict[str, object],
    reason: str,
) -> None:
    store = change_manifest(published, **changes)
    with pytest.raises(ServiceError, match=reason):
        pull_to(tmp_path / "pulled", origin, store)
    assert not list((tmp_path / "pulled").iterdir())


def test_pack_that_unpacks_to_more_than_it_says_is_refused(
    origin: Repo, published: dict[str, bytes], tmp_path: Path
) -> None:
    pack, data = encode_pack(memoryview(bytes(4096 * 1000)), 4096, list(range(1000)))
    changes = {"packs": [{"digest": pack.digest, "size": pack.size, "pages": 2}], "pages": 2}
    store = change_manifest(published, **changes)
    store.files[pack.name] = data
    with pytest.raises(ServiceError, match="not the size"):
        pull_to(tmp_path / "pulled", origin, store)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_file_is_refused_or_makes_no_difference(
    origin: Repo, published: dict[str, bytes], tmp_path: Path, data: st.DataObject
) -> None:
    """Digests start at `latest.json`: only a change there can go unnoticed, and changes no page."""
    name = data.draw(st.sampled_from(sorted(published)))
    content = bytearray(published[name])
    at = data.draw(st.integers(0, len(content) - 1))
    kind = data.draw(st.sampled_from(["flip", "cut", "insert"]))
    if kind == "flip":
        content[at] ^= 1 << data.draw(st.integers(0, 7))
    elif kind == "cut":
        del content[at:]
    else:
        content[at:at] = data.draw(st.binary(min_size=1, max_size=4))
    store = MemoryStore(published | {name: bytes(content)})
    try:
        pull_to(tmp_path / "pulled", origin, store)
    except FeederError as exc:
        assert str(exc)
        assert not list((tmp_path / "pulled").iterdir())
        return
    pull_to(tmp_path / "whole", origin, MemoryStore(published))
    assert (tmp_path / "pulled/index.db").read_bytes() == (tmp_path / "whole/index.db").read_bytes()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_page_with_right_digests_is_refused_or_read_without_harm(
    origin: Repo, index: Path, tmp_path: Path, data: st.DataObject
) -> None:
    contents = bytearray(index.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(contents) - 1))
        contents[at] = data.draw(st.integers(0, 255))
    file = tmp_path / "damaged.db"
    for path in tmp_path.glob("damaged.db*"):
        path.unlink()
    file.write_bytes(contents)
    try:
        check_index(file, REPO)
        sync_file(origin, file)
        with closing(SQLite(file)) as database:
            # as a search reads: text that is not UTF-8 is a damaged index
            database.run([Statement("SELECT path, symbol FROM docs")])
            database.run([Statement("SELECT rowid FROM docs_fts('cart OR refunds')")])
    except FeederError as exc:
        assert str(exc)
