"""Publishers that are killed, or two at once, never leave a store that a reader cannot use."""

from pathlib import Path

import pytest

from feeder.errors import ServiceError
from feeder.share import publish as publishing
from feeder.share.manifest import LATEST, Listing, decode
from feeder.share.packs import encode_pack
from index_helpers import CART, GUIDE
from share.memory_store import Killed, MemoryStore, publish_head, pull_to
from source.repos import Repo

FILES = {"src/cart.py": CART, "docs/guide.md": GUIDE}


def commits(store: MemoryStore) -> list[str]:
    return [entry.commit for entry in decode(store.files[LATEST], Listing).entries]


def commit_at(repo: Repo, monkeypatch: pytest.MonkeyPatch, time_s: int, name: str) -> str:
    """Commits a file at a time, in seconds since 1970."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{time_s} +0000")
    return repo.commit({f"src/{name}.py": f"def {name}():\n    return 1\n"})


def test_killed_publish_leaves_the_old_state_or_the_new_one(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "GRACE_S", -1.0)  # unused files go at once
    repo.commit(FILES)
    store = MemoryStore()
    publish_head(repo, tmp_path / "index.db", store, keep=1)
    first = repo.git("rev-parse", "HEAD")
    second = repo.commit({"src/tax.py": "def vat():\n    return 19\n"})
    states = set()
    for dies_at in range(1, 20):
        copy = MemoryStore(dict(store.files))
        copy.dies_at = dies_at
        try:
            publish_head(repo, tmp_path / "index.db", copy, keep=1)
            is_done = True
        except Killed:
            is_done = False
        found = pull_to(tmp_path / "pulled", repo, copy).commit
        assert [found] == commits(copy)
        states.add(found)
        copy.dies_at = None
        publish_head(repo, tmp_path / "index.db", copy, keep=1)
        assert pull_to(tmp_path / "pulled", repo, copy).commit == second
        if is_done:
            break
    assert is_done
    assert states == {first, second}


@pytest.mark.parametrize("is_newer", [True, False])
def test_both_of_two_publishers_are_listed_the_newer_commit_first(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_newer: bool
) -> None:
    repo.commit(FILES)
    old = commit_at(repo, monkeypatch, 4_000_000_000, "old")
    new = commit_at(repo, monkeypatch, 4_000_000_100, "new")
    own, other = (new, old) if is_newer else (old, new)
    store = MemoryStore()

    def publish_other() -> None:
        repo.git("checkout", "-q", other)
        publish_head(repo, tmp_path / "other.db", store)

    repo.git("checkout", "-q", own)
    store.before_replace = publish_other
    publish_head(repo, tmp_path / "own.db", store)
    assert commits(store) == [new, old]
    for commit in (old, new):
        repo.git("checkout", "-q", commit)
        assert pull_to(tmp_path / "pulled", repo, store).commit == commit


def test_older_commit_is_published_after_a_force_push(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(FILES)
    old = commit_at(repo, monkeypatch, 4_000_000_000, "old")
    store = MemoryStore()
    for number in range(3):
        commit_at(repo, monkeypatch, 4_000_000_100 + number, f"n{number}")
        publish_head(repo, tmp_path / "index.db", store, keep=2)
    newest = commits(store)[0]
    repo.git("reset", "-q", "--hard", old)
    publish_head(repo, tmp_path / "index.db", store, keep=2)
    assert commits(store) == [newest, old]
    assert pull_to(tmp_path / "pulled", repo, store).commit == old


def test_lost_pack_is_uploaded_again(repo: Repo, tmp_path: Path) -> None:
    repo.commit(FILES)
    store = MemoryStore()
    publish_head(repo, tmp_path / "index.db", store)
    for name in [name for name in store.files if name.startswith("p-")]:
        store.delete([name])
    with pytest.raises(ServiceError, match="is missing"):
        pull_to(tmp_path / "pulled", repo, store)
    assert publish_head(repo, tmp_path / "index.db", store).is_new
    assert pull_to(tmp_path / "pulled", repo, store).differing_files == 0


def test_pull_begins_again_if_a_publish_deletes_what_it_reads(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "GRACE_S", -1.0)  # unused files go at once
    repo.commit(FILES)
    store = MemoryStore()
    publish_head(repo, tmp_path / "index.db", store, keep=1)
    second = repo.commit({"src/tax.py": "def vat():\n    return 19\n"})

    def publish_before(name: str) -> None:
        if name != LATEST:
            store.before_read = lambda _: None
            publish_head(repo, tmp_path / "index.db", store, keep=1)

    store.before_read = publish_before
    assert pull_to(tmp_path / "pulled", repo, store).commit == second


def test_pull_ends_if_others_publish_all_the_time(repo: Repo, tmp_path: Path) -> None:
    repo.commit(FILES)
    store = MemoryStore()
    publish_head(repo, tmp_path / "index.db", store)
    for name in [name for name in store.files if name.startswith("p-")]:
        del store.files[name]

    def change_listing(_: str) -> None:
        store.files[LATEST] += b" "

    store.before_read = change_listing
    with pytest.raises(ServiceError, match="is missing"):
        pull_to(tmp_path / "pulled", repo, store)


def test_packs_of_the_same_pages_have_different_names() -> None:
    """One publish cannot delete what another has just uploaded."""
    pages = memoryview(bytes(4096))
    one, other = encode_pack(pages, 4096, [0])[0], encode_pack(pages, 4096, [0])[0]
    assert one.name != other.name


def test_another_parser_s_index_is_not_used(repo: Repo, tmp_path: Path) -> None:
    repo.commit(FILES)
    store = MemoryStore()
    publish_head(repo, tmp_path / "index.db", store)
    text = store.files[LATEST].decode()
    parser = decode(store.files[LATEST], Listing).entries[0].parser
    store.files[LATEST] = text.replace(parser, "0 another").encode()
    with pytest.raises(ServiceError, match="another version of feeder"):
        pull_to(tmp_path / "pulled", repo, store)
