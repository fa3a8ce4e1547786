"""Vectors follow the lines: each is of its node's text and of the line on it, of neither more."""

from contextlib import suppress
from typing import Any

import pytest

from expected_vectors import descriptions_by_id, wrong_model_vectors, wrong_static_vectors
from fake_describer import FakeDescriber, OtherFakeDescriber
from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.descriptions import ModelAnswer
from feeder.errors import StoppedEarly
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.context import Budget, DescriptionOptions, SyncContext
from feeder.sync.node_descriptions import DESCRIPTIONS_KEY
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder, HashedStaticEmbedder
from index_helpers import CART, REPO, new_sync_context, open_database, query_rows
from source.repos import Repo

CODES = HashedStaticEmbedder()
OTHER = "every vector includes its node's description, if meta says so"
PARTS = {f"p{at}.py": f"def part_{at}(value):\n    return value + {at}\n" for at in range(4)}


def run(shop: Repo, database: Any, lines: FakeDescriber | None = None, **more: Any) -> SyncContext:
    """A run with vectors of both kinds."""
    how = DescriptionOptions(lines, **more) if lines or more else None
    return new_sync_context(
        Commit(shop.path), database, HashedEmbedder(), static_model=CODES, description_options=how
    )


def ran(shop: Repo, database: Any, lines: FakeDescriber | None = None, **more: Any) -> SyncContext:
    made = run(shop, database, lines, **more)
    sync(made)
    return made


def off(shop: Repo, database: Any) -> None:
    how = DescriptionOptions(None)
    sync(
        new_sync_context(
            Commit(shop.path),
            database,
            HashedEmbedder(),
            static_model=CODES,
            description_options=how,
        )
    )


def unlike(shop: Repo, database: SQLite) -> list[str]:
    """Nodes with a vector, of either kind, that is not of their text and line."""
    tree = Commit(shop.path)
    return wrong_static_vectors(tree, database) + wrong_model_vectors(tree, database)


def is_right(shop: Repo, database: SQLite) -> bool:
    """Whether each vector is its node's, and the next run has nothing to do."""
    waits = query_rows(database, "SELECT 1 FROM files WHERE state = 'pending'")
    return not waits and unlike(shop, database) == [] and is_over(shop, database)


def is_over(shop: Repo, database: SQLite) -> bool:
    fuse = FaultInjector(0)
    sync(run(shop, FailingDatabase(database, fuse)))
    return fuse.calls == 1


def test_each_vector_is_of_the_text_and_of_the_line(shop: Repo, database: SQLite) -> None:
    """Of one without a line, of its text alone; an unchanged run takes one request as ever."""
    ran(shop, database)
    assert (descriptions_by_id(database), unlike(shop, database)) == ({}, [])
    ran(shop, database, FakeDescriber())
    assert len(descriptions_by_id(database)) == 4
    assert is_right(shop, database)
    assert validate(run(shop, database)).passed


def test_only_vectors_with_a_new_line_are_made_again(shop: Repo, database: SQLite) -> None:
    """Their texts and lines are embedded, nothing else is, and each once in a run."""
    ran(shop, database)
    made = run(shop, database, FakeDescriber())
    sync(made)
    assert made.report.texts_embedded == 4 + 4
    shop.commit({"src/cart.py": CART.replace("def emptyCart", "def newCart")})
    made = ran(shop, database, FakeDescriber())
    assert (made.report.texts_embedded, made.report.texts_cached) == (1 + 1, 1)
    assert is_right(shop, database)


def test_a_moved_node_takes_its_line_along(shop: Repo, database: SQLite) -> None:
    """Also where nobody is asked."""
    ran(shop, database, FakeDescriber())
    shop.commit({"src/cart.py": None, "lib/basket.py": f"# moved\n\n{CART}", "copy.py": CART})
    ran(shop, database)
    assert len(descriptions_by_id(database)) == 8
    assert is_right(shop, database)


def test_another_line_replaces_the_first(shop: Repo, database: SQLite) -> None:
    ran(shop, database, FakeDescriber())
    ran(shop, database, OtherFakeDescriber("others"), redescribe=True)
    assert all(
        line.startswith("Another sentence") for line in descriptions_by_id(database).values()
    )
    assert is_right(shop, database)


def test_off_leaves_the_texts(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feeder.store.stored_descriptions.UNLINK_BATCH", 1)
    ran(shop, database, FakeDescriber())
    off(shop, database)
    assert descriptions_by_id(database) == {}
    assert is_right(shop, database)
    assert query_rows(database, "SELECT count(*) FROM plain_meanings") == [0]
    assert query_rows(database, "SELECT 1 FROM meta WHERE key = ?", f"{REPO}:lined") == []


def test_a_class_whose_members_have_changed_loses_its_line(shop: Repo, database: SQLite) -> None:
    """Its own text has not changed, so its row and its vector had no reason to."""
    ran(shop, database, FakeDescriber())
    shop.commit({"src/cart.py": CART.replace("def total(self)", "def total(self, tax=0)")})
    ran(shop, database)
    assert len(descriptions_by_id(database)) == 2
    assert is_right(shop, database)
    ran(shop, database, FakeDescriber())
    assert is_right(shop, database)


def test_lines_of_a_run_without_a_model_wait_for_one(shop: Repo, database: SQLite) -> None:
    """It is said, and is no mistake."""
    ran(shop, database)
    how = DescriptionOptions(FakeDescriber())
    sync(new_sync_context(Commit(shop.path), database, static_model=CODES, description_options=how))
    assert wrong_static_vectors(Commit(shop.path), database) == []
    assert len(wrong_model_vectors(Commit(shop.path), database)) == 4
    verdict = validate(run(shop, database))
    assert verdict.passed
    assert "4 vectors do not include their node's description yet." in verdict.notes
    dry = run(shop, database)
    sync(dry, dry_run=True)
    assert dry.report.texts_embedded == 4 + 4
    ran(shop, database)
    assert is_right(shop, database)


def test_another_model_takes_the_lines_too(shop: Repo, database: SQLite) -> None:
    ran(shop, database, FakeDescriber())
    other = new_sync_context(Commit(shop.path), database, HashedEmbedder(32, model="other"))
    sync(other)
    ran(shop, database)
    assert is_right(shop, database)


def test_a_line_of_another_repository_is_this_ones_too(shop: Repo, database: SQLite) -> None:
    """Where both have lines and a text in common, whoever has asked."""
    lines = FakeDescriber()
    lines.answers["emptyCart"] = ModelAnswer("?!?!")  # none, at first
    ran(shop, database, lines)
    tree = Commit(shop.path)
    how = DescriptionOptions(FakeDescriber(), redescribe=True)
    sync(
        new_sync_context(
            tree, database, HashedEmbedder(), name="b", static_model=CODES, description_options=how
        )
    )
    assert len(unlike(shop, database)) == 2
    assert (
        wrong_model_vectors(tree, database, "b") == wrong_static_vectors(tree, database, "b") == []
    )
    ran(shop, database)
    assert is_right(shop, database)


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("then", [[], ["off"], ["others"], ["others", "lines"]])
def test_a_run_that_dies_anywhere_leaves_none_of_another_line(
    repo: Repo, then: list[str], monkeypatch: pytest.MonkeyPatch, *, before: bool
) -> None:
    """At whatever call, be the lines taken out or made anew before the vectors have come."""
    monkeypatch.setattr("feeder.sync.description_requests.BATCH_REQUESTS", 2)
    monkeypatch.setattr("feeder.sync.vectors.BATCH_VECTORS", 3)
    monkeypatch.setattr("feeder.store.description_vectors.STATIC_VECTOR_BATCH", 2)
    monkeypatch.setattr("feeder.store.description_vectors.MODEL_VECTOR_PAGE", 2)
    repo.commit(PARTS)
    for at in range(1, 60):
        database = open_database()
        ran(repo, database)
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
                    Commit(repo.path), database, static_model=CODES, description_options=how
                )
            )
        ran(repo, database)
        assert is_right(repo, database)
        if not fuse.has_failed:
            assert at > 12
            return
    pytest.fail("the run has more calls than were tried")


def test_a_budget_leaves_vectors_to_the_next_run(repo: Repo, database: SQLite) -> None:
    """Whole files of them; a limit of descriptions holds no vectors back."""
    repo.commit(PARTS)
    ran(repo, database)
    with pytest.raises(StoppedEarly):
        ran(repo, database, FakeDescriber(), max_descriptions=2)
    assert (len(descriptions_by_id(database)), unlike(repo, database)) == (2, [])
    limited = run(repo, database, FakeDescriber())
    limited.budget = Budget(max_embeddings=2)
    with pytest.raises(StoppedEarly, match="--max-embeddings 2"):
        sync(limited)
    assert (len(descriptions_by_id(database)), limited.report.texts_embedded) == (4, 2)
    assert limited.report.texts_waiting == 1
    ran(repo, database)
    assert is_right(repo, database)


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE docs SET vector_line = 'another' WHERE symbol = 'emptyCart'",
        "UPDATE plain_meanings SET line_sha = 'another' WHERE seq = "
        "(SELECT seq FROM docs WHERE symbol = 'emptyCart')",
    ],
)
def test_a_proof_finds_vectors_of_another_line(shop: Repo, database: SQLite, harm: str) -> None:
    """And a repair mends it."""
    ran(shop, database, FakeDescriber())
    database.run([Statement(harm)])
    mending = run(shop, database)
    verdict = validate(mending)
    assert [check.name for check in verdict.checks if not check.passed] == [OTHER]
    repair(mending, verdict)
    assert validate(run(shop, database)).passed
    assert is_right(shop, database)


def test_a_proof_finds_a_vector_that_is_not_blended(shop: Repo, database: SQLite) -> None:
    """Though it says that it is: of those on this machine each is worked out anew."""
    ran(shop, database, FakeDescriber())
    plain = "UPDATE meanings SET code = p.code FROM plain_meanings p WHERE p.seq = meanings.seq"
    database.run([Statement(plain)])
    mending = run(shop, database)
    assert not validate(mending).passed
    repair(mending, validate(mending))
    assert validate(run(shop, database)).passed


def test_vectors_of_another_model_are_not_taken_for_blended_ones(
    shop: Repo, database: SQLite
) -> None:
    """A code of another length tells nothing of a line, also where all are so."""
    ran(shop, database, FakeDescriber())
    for table in ("plain_meanings", "meanings"):
        database.run([Statement(f"UPDATE {table} SET code = CAST(code || x'00' AS BLOB)")])
    verdict = validate(run(shop, database))
    assert OTHER not in [check.name for check in verdict.checks if not check.passed]


def test_meta_says_nothing_of_lines_where_there_are_none(shop: Repo, database: SQLite) -> None:
    """And the key goes with them."""
    ran(shop, database)
    keys = "SELECT key FROM meta WHERE key IN (?1 || ':lined', ?1 || ?2)"
    assert query_rows(database, keys, REPO, f":{DESCRIPTIONS_KEY}") == []
    ran(shop, database, FakeDescriber())
    assert len(query_rows(database, keys, REPO, f":{DESCRIPTIONS_KEY}")) == 2
