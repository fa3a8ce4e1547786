"""Vectors of described nodes are computed from the node's text and its description."""

from contextlib import suppress
from typing import Any

import pytest

from expected_vectors import descriptions_by_id, wrong_model_vectors, wrong_static_vectors
from fake_describer import FakeDescriber, OtherFakeDescriber
from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.descriptions import ModelAnswer
from feeder.errors import StoppedEarly
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.budget import Budget
from feeder.sync.context import DescriptionOptions, SyncContext
from feeder.sync.node_descriptions import DESCRIPTIONS_KEY
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder, HashedStaticEmbedder
from index_helpers import CART, REPO, new_sync_context, open_database, query_rows
from source.known_commit import known_head
from source.repos import Repo

pytestmark = pytest.mark.slow

CODES = HashedStaticEmbedder()
OTHER = "every vector includes its node's description, if meta says so"
PARTS = {f"p{at}.py": f"def part_{at}(value):\n    return value + {at}\n" for at in range(4)}


def run(shop: Repo, database: Any, lines: FakeDescriber | None = None, **more: Any) -> SyncContext:
    """Returns the context of a run with both kinds of vectors."""
    how = DescriptionOptions(lines, **more) if lines or more else None
    return new_sync_context(
        known_head(shop), database, HashedEmbedder(), static_model=CODES, description_options=how
    )


def sync_shop(
    shop: Repo, database: Any, lines: FakeDescriber | None = None, **more: Any
) -> SyncContext:
    made = run(shop, database, lines, **more)
    sync(made)
    return made


def remove_descriptions(shop: Repo, database: Any) -> None:
    how = DescriptionOptions(None)
    sync(
        new_sync_context(
            known_head(shop),
            database,
            HashedEmbedder(),
            static_model=CODES,
            description_options=how,
        )
    )


def wrong_vectors(shop: Repo, database: SQLite) -> list[str]:
    """Returns the nodes with a static or model vector that is not that of text and description."""
    tree = known_head(shop)
    return wrong_static_vectors(tree, database) + wrong_model_vectors(tree, database)


def is_right(shop: Repo, database: SQLite) -> bool:
    """True if all vectors are correct and the next run has nothing to do."""
    waits = query_rows(database, "SELECT 1 FROM files WHERE state = 'pending'")
    return not waits and wrong_vectors(shop, database) == [] and has_no_work(shop, database)


def has_no_work(shop: Repo, database: SQLite) -> bool:
    fuse = FaultInjector(0)
    sync(run(shop, FailingDatabase(database, fuse)))
    return fuse.calls == 1


def test_vector_is_of_text_and_description(shop: Repo, database: SQLite) -> None:
    """Without a description, of the text alone. A run without changes still takes one request."""
    sync_shop(shop, database)
    assert (descriptions_by_id(database), wrong_vectors(shop, database)) == ({}, [])
    sync_shop(shop, database, FakeDescriber())
    assert len(descriptions_by_id(database)) == 4
    assert is_right(shop, database)
    assert validate(run(shop, database)).passed


def test_only_vectors_of_new_descriptions_are_recomputed(shop: Repo, database: SQLite) -> None:
    """Each text and description is embedded once per run, and no others."""
    sync_shop(shop, database)
    made = run(shop, database, FakeDescriber())
    sync(made)
    assert made.report.texts_embedded == 4 + 4
    shop.commit({"src/cart.py": CART.replace("def emptyCart", "def newCart")})
    made = sync_shop(shop, database, FakeDescriber())
    assert (made.report.texts_embedded, made.report.texts_cached) == (1 + 1, 1)
    assert is_right(shop, database)


def test_moved_node_keeps_its_description(shop: Repo, database: SQLite) -> None:
    """Also in a run without a describer."""
    sync_shop(shop, database, FakeDescriber())
    shop.commit({"src/cart.py": None, "lib/basket.py": f"# moved\n\n{CART}", "copy.py": CART})
    sync_shop(shop, database)
    assert len(descriptions_by_id(database)) == 8
    assert is_right(shop, database)


def test_new_description_replaces_the_old_one(shop: Repo, database: SQLite) -> None:
    sync_shop(shop, database, FakeDescriber())
    sync_shop(shop, database, OtherFakeDescriber("others"), redescribe=True)
    assert all(
        line.startswith("Another sentence") for line in descriptions_by_id(database).values()
    )
    assert is_right(shop, database)


def test_removing_descriptions_restores_the_vectors_of_the_texts(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feeder.store.stored_descriptions.UNLINK_BATCH", 1)
    sync_shop(shop, database, FakeDescriber())
    remove_descriptions(shop, database)
    assert descriptions_by_id(database) == {}
    assert is_right(shop, database)
    assert query_rows(database, "SELECT count(*) FROM plain_meanings") == [0]
    assert query_rows(database, "SELECT 1 FROM meta WHERE key = ?", f"{REPO}:lined") == []


def test_class_with_changed_members_loses_its_description(shop: Repo, database: SQLite) -> None:
    """Its own text is unchanged, so its row is not rewritten for another reason."""
    sync_shop(shop, database, FakeDescriber())
    shop.commit({"src/cart.py": CART.replace("def total(self)", "def total(self, tax=0)")})
    sync_shop(shop, database)
    assert len(descriptions_by_id(database)) == 2
    assert is_right(shop, database)
    sync_shop(shop, database, FakeDescriber())
    assert is_right(shop, database)


def test_vectors_of_descriptions_wait_for_a_run_with_a_model(shop: Repo, database: SQLite) -> None:
    """Validation reports them and does not fail."""
    sync_shop(shop, database)
    how = DescriptionOptions(FakeDescriber())
    sync(new_sync_context(known_head(shop), database, static_model=CODES, description_options=how))
    assert wrong_static_vectors(known_head(shop), database) == []
    assert len(wrong_model_vectors(known_head(shop), database)) == 4
    verdict = validate(run(shop, database))
    assert verdict.passed
    assert "4 vectors do not include their node's description yet." in verdict.notes
    dry = run(shop, database)
    sync(dry, dry_run=True)
    assert dry.report.texts_embedded == 4 + 4
    sync_shop(shop, database)
    assert is_right(shop, database)


def test_other_embedding_model_includes_the_descriptions(shop: Repo, database: SQLite) -> None:
    sync_shop(shop, database, FakeDescriber())
    other = new_sync_context(known_head(shop), database, HashedEmbedder(32, model="other"))
    sync(other)
    sync_shop(shop, database)
    assert is_right(shop, database)


def test_equal_text_in_another_repository_shares_the_description(
    shop: Repo, database: SQLite
) -> None:
    lines = FakeDescriber()
    lines.answers["emptyCart"] = ModelAnswer("?!?!")  # none, at first
    sync_shop(shop, database, lines)
    tree = known_head(shop)
    how = DescriptionOptions(FakeDescriber(), redescribe=True)
    sync(
        new_sync_context(
            tree, database, HashedEmbedder(), name="b", static_model=CODES, description_options=how
        )
    )
    assert len(wrong_vectors(shop, database)) == 2
    assert (
        wrong_model_vectors(tree, database, "b") == wrong_static_vectors(tree, database, "b") == []
    )
    sync_shop(shop, database)
    assert is_right(shop, database)


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("then", [[], ["off"], ["others"], ["others", "lines"]])
def test_crashed_run_leaves_no_vector_of_another_description(
    repo: Repo, then: list[str], monkeypatch: pytest.MonkeyPatch, *, before: bool
) -> None:
    """At any call, whether descriptions are removed or replaced."""
    monkeypatch.setattr("feeder.sync.description_requests.BATCH_REQUESTS", 2)
    monkeypatch.setattr("feeder.sync.vectors.BATCH_VECTORS", 3)
    monkeypatch.setattr("feeder.store.description_vectors.STATIC_VECTOR_BATCH", 2)
    monkeypatch.setattr("feeder.store.description_vectors.MODEL_VECTOR_PAGE", 2)
    repo.commit(PARTS)
    for at in range(1, 60):
        database = open_database()
        sync_shop(repo, database)
        fuse = FaultInjector(at, before=before)
        with suppress(Crash):
            sync(run(repo, FailingDatabase(database, fuse), FakeDescriber(faults=fuse)))
        for what in then:
            # with nothing that could make vectors: only the lines change
            kind = {
                "off": None,
                "others": OtherFakeDescriber("others"),
                "lines": FakeDescriber("once more"),
            }[what]
            how = DescriptionOptions(kind, redescribe=True)
            sync(
                new_sync_context(
                    known_head(repo), database, static_model=CODES, description_options=how
                )
            )
        sync_shop(repo, database)
        assert is_right(repo, database)
        if not fuse.has_failed:
            assert at > 12
            return
    pytest.fail("the run has more calls than were tried")


def test_a_budget_leaves_vectors_to_the_next_run(repo: Repo, database: SQLite) -> None:
    """A budget leaves out whole files; a limit of descriptions does not delay vectors."""
    repo.commit(PARTS)
    sync_shop(repo, database)
    with pytest.raises(StoppedEarly):
        sync_shop(repo, database, FakeDescriber(), max_descriptions=2)
    assert (len(descriptions_by_id(database)), wrong_vectors(repo, database)) == (2, [])
    limited = run(repo, database, FakeDescriber())
    limited.budget = Budget(max_embeddings=2)
    with pytest.raises(StoppedEarly, match="--max-embeddings 2"):
        sync(limited)
    assert (len(descriptions_by_id(database)), limited.report.texts_embedded) == (4, 2)
    assert limited.report.texts_waiting == 1
    sync_shop(repo, database)
    assert is_right(repo, database)


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE docs SET vector_line = 'another' WHERE symbol = 'emptyCart'",
        "UPDATE plain_meanings SET line_sha = 'another' WHERE seq = "
        "(SELECT seq FROM docs WHERE symbol = 'emptyCart')",
    ],
)
def test_validation_finds_vectors_of_another_description(
    shop: Repo, database: SQLite, harm: str
) -> None:
    """Repair fixes them."""
    sync_shop(shop, database, FakeDescriber())
    database.run([Statement(harm)])
    mending = run(shop, database)
    verdict = validate(mending)
    assert [check.name for check in verdict.checks if not check.passed] == [OTHER]
    repair(mending, verdict)
    assert validate(run(shop, database)).passed
    assert is_right(shop, database)


def test_validation_finds_a_vector_without_its_description(shop: Repo, database: SQLite) -> None:
    """Although its row names the description: static vectors are recomputed."""
    sync_shop(shop, database, FakeDescriber())
    plain = "UPDATE meanings SET code = p.code FROM plain_meanings p WHERE p.seq = meanings.seq"
    database.run([Statement(plain)])
    mending = run(shop, database)
    assert not validate(mending).passed
    repair(mending, validate(mending))
    assert validate(run(shop, database)).passed


def test_vectors_of_another_model_do_not_count_as_described(shop: Repo, database: SQLite) -> None:
    """A code of another length says nothing about descriptions."""
    sync_shop(shop, database, FakeDescriber())
    for table in ("plain_meanings", "meanings"):
        database.run([Statement(f"UPDATE {table} SET code = CAST(code || x'00' AS BLOB)")])
    verdict = validate(run(shop, database))
    assert OTHER not in [check.name for check in verdict.checks if not check.passed]


def test_meta_key_exists_only_with_descriptions(shop: Repo, database: SQLite) -> None:
    """It is deleted with the last description."""
    sync_shop(shop, database)
    keys = "SELECT key FROM meta WHERE key IN (?1 || ':lined', ?1 || ?2)"
    assert query_rows(database, keys, REPO, f":{DESCRIPTIONS_KEY}") == []
    sync_shop(shop, database, FakeDescriber())
    assert len(query_rows(database, keys, REPO, f":{DESCRIPTIONS_KEY}")) == 2
