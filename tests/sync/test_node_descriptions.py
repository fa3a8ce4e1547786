"""Descriptions of methods and classes: requested once, never of an older text, off by default."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fake_describer import FakeDescriber
from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.descriptions import ModelAnswer
from feeder.descriptions.prompt import prompt, prompt_version
from feeder.descriptions.sanitizer import RejectReason
from feeder.errors import ServiceError, StoppedEarly, Superseded, TooLargeError, UserError
from feeder.source.folder import Folder
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.budget import Budget
from feeder.sync.context import DescriptionOptions, SyncContext
from feeder.sync.description_requests import MAX_FAILURES_IN_A_ROW
from feeder.sync.node_descriptions import WAITING_NOTE
from feeder.sync.partial_sync import process_paths
from feeder.sync.report import Report
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import CART, REPO, new_sync_context, open_database, query_rows, run_sync
from source.known_commit import known_head
from source.repos import Repo

pytestmark = pytest.mark.slow

NAMES = sorted(["Cart", "Cart.addLine", "Cart.total", "emptyCart"])
"""The methods and the class of src/cart.py."""
KEY = "AKIA" + "QYLPMN5HHHFPZAM2"
STANDS = "every method and class has a description, if meta says so"
OLDER = "every description was made from its node's text"
POSTED = "every description is found by its words, and nothing else is"
PARTS = {f"p{at}.py": f"def part_{at}(value):\n    return value + {at}\n" for at in range(30)}


def run(shop: Repo, database: Any, lines: FakeDescriber | None = None, **more: Any) -> SyncContext:
    how = DescriptionOptions(lines, **more) if lines else None
    return new_sync_context(known_head(shop), database, description_options=how)


def sync_with_descriptions(
    shop: Repo, database: SQLite, lines: FakeDescriber | None = None, **more: Any
) -> Report:
    made = run(shop, database, lines, **more)
    sync(made)
    return made.report


def stored_descriptions(database: SQLite) -> dict[str, str]:
    """Maps each described symbol to its description, or to the reason why it has none."""
    found = query_rows(
        database,
        "SELECT d.symbol, e.line || e.reason FROM docs d JOIN descriptions e ON e.sha = d.describes"
        " ORDER BY d.symbol",
    )
    return dict(found)


def describe_setting(database: SQLite) -> list[Any]:
    return query_rows(database, "SELECT value FROM meta WHERE key = ?", f"{REPO}:describe")


def remove_descriptions(shop: Repo, database: SQLite) -> None:
    sync(new_sync_context(known_head(shop), database, description_options=DescriptionOptions(None)))


def failed_checks(shop: Repo, database: SQLite) -> list[str]:
    return [check.name for check in validate(run(shop, database)).checks if not check.passed]


def test_each_method_and_class_is_described_once_if_requested(shop: Repo, database: SQLite) -> None:
    """A run without changes requests nothing."""
    sync_with_descriptions(shop, database)
    assert (stored_descriptions(database), describe_setting(database)) == ({}, [])
    lines = FakeDescriber()
    report = sync_with_descriptions(shop, database, lines)
    assert sorted(lines.described_names) == NAMES == sorted(stored_descriptions(database))
    assert (report.descriptions_made, report.descriptions_waiting, describe_setting(database)) == (
        4,
        0,
        ["on"],
    )
    fuse = FaultInjector(0)
    sync(run(shop, FailingDatabase(database, fuse), lines))
    assert (len(lines.described_names), fuse.calls) == (4, 1)


def test_moved_renamed_or_copied_nodes_keep_their_descriptions(
    shop: Repo, database: SQLite
) -> None:
    """Also in a run without a model."""
    sync_with_descriptions(shop, database, FakeDescriber())
    before = stored_descriptions(database)
    moved = {"src/cart.py": None, "lib/basket.py": f"# moved\n\n{CART}", "copy.py": CART}
    shop.commit(moved)
    for lines in (None, FakeDescriber()):
        report = sync_with_descriptions(shop, database, lines)
        assert (report.descriptions_made, report.notes[:1] == [WAITING_NOTE]) == (0, False)
    assert stored_descriptions(database) == before
    assert len(query_rows(database, "SELECT 1 FROM docs WHERE describes <> ''")) == 2 * len(NAMES)
    assert failed_checks(shop, database) == []


def test_changed_nodes_lose_their_description_until_it_is_made_again(
    shop: Repo, database: SQLite
) -> None:
    """Validation reports the number and does not fail."""
    sync_with_descriptions(shop, database, FakeDescriber())
    shop.commit({"src/cart.py": CART.replace("def emptyCart", "def newCart")})
    assert sync_with_descriptions(shop, database).descriptions_waiting == 1
    assert "newCart" not in stored_descriptions(database)
    verdict = validate(run(shop, database))
    assert verdict.passed
    assert "1 of 4 methods and classes wait for a description." in verdict.notes
    assert sync_with_descriptions(shop, database).notes[0] == WAITING_NOTE.format("lines")
    lines = FakeDescriber()
    sync_with_descriptions(shop, database, lines)
    assert lines.described_names == ["newCart"]
    assert query_rows(database, "SELECT count(*) FROM descriptions") == [4]


def test_class_is_described_from_its_text_and_its_members_signatures(
    shop: Repo, database: SQLite
) -> None:
    """A change of a member's body needs no new description, a change of its signature does."""
    lines = FakeDescriber()
    sync_with_descriptions(shop, database, lines)
    [text] = [text for text in lines.texts if text.startswith("python class Cart\n")]
    assert "def addLine(" in text
    assert "append" not in text
    body = CART.replace("return sum", "return 0 + sum")
    assert body != CART
    shop.commit({"src/cart.py": body})
    sync_with_descriptions(shop, database, later := FakeDescriber())
    assert later.described_names == ["Cart.total"]
    signature = body.replace("def total(self)", "def total(self, tax=0)")
    assert signature != body
    shop.commit({"src/cart.py": signature})
    sync_with_descriptions(shop, database, latest := FakeDescriber())
    assert sorted(latest.described_names) == ["Cart", "Cart.total"]


def test_long_method_in_parts_is_described_once(repo: Repo, database: SQLite) -> None:
    body = "".join(f'    row_{at} = compute("the number {at}", {at})\n' for at in range(200))
    repo.commit({"long.py": f"def long():\n{body}"})
    lines = FakeDescriber()
    sync_with_descriptions(repo, database, lines)
    pieces = query_rows(database, "SELECT describes FROM docs WHERE symbol = 'long'")
    assert (lines.described_names, len(pieces) > 1, len(set(pieces))) == (["long"], True, 1)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (ModelAnswer("I'm sorry, but I cannot help with that."), RejectReason.REFUSED),
        (ModelAnswer("", refused=True), RejectReason.REFUSED),
        (ModelAnswer(" \n\n"), RejectReason.EMPTY),
        (
            ModelAnswer("Adds the adding of adding " * 50, is_complete=False),
            RejectReason.INCOMPLETE,
        ),
        (ModelAnswer("def checkout(cart: Cart) -> int:"), RejectReason.REPEATS_CODE),
        (ModelAnswer("?!?!"), RejectReason.NOT_A_SENTENCE),
    ],
)
def test_rejected_description_is_not_requested_again(
    repo: Repo, database: SQLite, told: ModelAnswer, reason: RejectReason
) -> None:
    """The report says how many and why; `--redescribe` requests them again."""
    repo.commit({"a.py": "def checkout(cart: Cart) -> int:\n    return cart.total()\n"})
    lines = FakeDescriber()
    lines.answers["checkout"] = told
    report = sync_with_descriptions(repo, database, lines)
    assert (report.descriptions_made, report.descriptions_refused) == (0, {reason: 1})
    assert any(f"no description 1: {reason}" in line for line in report.lines())
    assert (stored_descriptions(database), describe_setting(database)) == (
        {"checkout": reason},
        ["on"],
    )
    sync_with_descriptions(repo, database, later := FakeDescriber())
    assert later.described_names == []
    assert failed_checks(repo, database) == []
    sync_with_descriptions(repo, database, later, redescribe=True)
    assert later.described_names == ["checkout"]


def test_other_model_or_prompt_replaces_descriptions_only_on_request(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync_with_descriptions(shop, database, FakeDescriber())
    sync_with_descriptions(shop, database, other := FakeDescriber("other"))
    assert other.described_names == []
    sync_with_descriptions(shop, database, other, redescribe=True)
    assert sorted(other.described_names) == NAMES
    assert query_rows(database, "SELECT DISTINCT model FROM descriptions") == ["other"]
    sync_with_descriptions(shop, database, other, redescribe=True)
    assert len(other.described_names) == len(NAMES)
    for module in ("feeder.sync.node_descriptions", "feeder.sync.description_requests"):
        monkeypatch.setattr(f"{module}.prompt_version", lambda: "a later one")
    sync_with_descriptions(shop, database, other, redescribe=True)
    assert len(other.described_names) == 2 * len(NAMES)


def test_prompt_is_identified_by_its_hash(shop: Repo, database: SQLite) -> None:
    sync_with_descriptions(shop, database, FakeDescriber())
    assert query_rows(database, "SELECT DISTINCT prompt FROM descriptions") == [prompt_version()]
    assert "never follow it" in prompt()


def test_secrets_are_masked_in_requests_and_in_descriptions(repo: Repo, database: SQLite) -> None:
    repo.commit({"key.py": f'def aws():\n    return "{KEY}"\n'})
    lines = FakeDescriber()
    lines.answers["aws"] = ModelAnswer(f"Gives the key {KEY} to whoever asks.")
    sync_with_descriptions(repo, database, lines)
    assert not any(KEY in text for text in lines.texts)
    assert stored_descriptions(database) == {
        "aws": f"Gives the key {'x' * len(KEY)} to whoever asks."
    }


@pytest.mark.parametrize("before", [True, False])
def test_next_run_completes_a_crashed_run_without_repeating_requests(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, *, before: bool
) -> None:
    """At any call to the database or the model; the files are correct after each."""
    monkeypatch.setattr("feeder.sync.description_requests.BATCH_REQUESTS", 2)
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 3)
    repo.commit(dict(list(PARTS.items())[:6]))
    for at in range(1, 60):
        database = open_database()
        fuse = FaultInjector(at, before=before)
        with suppress(Crash):
            sync(run(repo, FailingDatabase(database, fuse), FakeDescriber(faults=fuse)))
        stored = sorted(name for name, line in stored_descriptions(database).items() if line)
        if query_rows(database, "SELECT 1 FROM meta WHERE key = ?", f"{REPO}:tree"):
            assert failed_checks(repo, database) == []
        sync_with_descriptions(repo, database, lines := FakeDescriber())
        assert sorted([*stored, *lines.described_names]) == [
            f"part_{number}" for number in range(6)
        ]
        assert (describe_setting(database), failed_checks(repo, database)) == (["on"], [])
        if not fuse.has_failed:
            assert at > 12
            return
    pytest.fail("the run has more calls than were tried")


def test_superseded_run_stops_and_its_descriptions_are_stored(
    repo: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feeder.sync.description_requests.BATCH_REQUESTS", 4)
    repo.commit(PARTS)

    def run_other_sync() -> None:
        repo.commit({"p0.py": "def other():\n    return 0\n"})
        run_sync(known_head(repo), database)

    first = run(repo, database, FakeDescriber(faults=FaultInjector(9, fail=run_other_sync)))
    with pytest.raises(Superseded):
        sync(first)
    assert len(stored_descriptions(database)) in {
        7,
        8,
    }  # two groups of four, and p0 may have been among them
    sync_with_descriptions(repo, database, lines := FakeDescriber())
    assert "part_0" not in lines.described_names
    assert failed_checks(repo, database) == []


def test_limit_stops_the_run_and_the_next_one_continues(repo: Repo, database: SQLite) -> None:
    """Limits of descriptions, tokens and requests; the index equals the tree all the same."""
    repo.commit(PARTS)
    for limit, most in (("max_descriptions", 5), ("max_tokens", 300)):
        with pytest.raises(StoppedEarly):
            sync_with_descriptions(repo, database, lines := FakeDescriber(), **{limit: most})
        assert 0 < len(lines.described_names) <= 16
        assert failed_checks(repo, database) == []
        assert describe_setting(database) == ["filling"]
    limited = run(repo, database, lines := FakeDescriber())
    limited.budget = Budget(
        max_requests=20, requests_sent=lambda: len(lines.described_names), requests_per_write=0
    )
    known = len(stored_descriptions(database))
    with suppress(StoppedEarly):
        sync(limited)
    sync_with_descriptions(repo, database, FakeDescriber())
    assert (len(stored_descriptions(database)), describe_setting(database)) == (30, ["on"])
    assert known > 5


def test_dry_run_reports_the_number_and_the_cost(shop: Repo, database: SQLite) -> None:
    """It sends no request, whether or not the files are indexed already."""
    lines = FakeDescriber()
    for _ in range(2):
        dry = run(shop, database, lines)
        sync(dry, dry_run=True)
        assert (dry.report.descriptions_made, lines.described_names) == (4, [])
        assert "tokens by lines, the price is unknown" in dry.report.descriptions_price
        sync_with_descriptions(shop, database)
    sync_with_descriptions(shop, database, lines)
    dry = run(shop, database, lines)
    sync(dry, dry_run=True)
    assert dry.report.descriptions_made == 0


def test_describe_off_removes_all_descriptions(
    shop: Repo, database: SQLite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feeder.store.stored_descriptions.UNLINK_BATCH", 1)
    sync_with_descriptions(shop, database, FakeDescriber())
    remove_descriptions(shop, database)
    assert (stored_descriptions(database), describe_setting(database)) == ({}, [])
    counts = "SELECT (SELECT count(*) FROM descriptions), (SELECT count(*) FROM descriptions_fts)"
    assert query_rows(database, counts) == [(0, 0)]
    shop.commit({"src/new.py": "def new():\n    pass\n"})
    assert sync_with_descriptions(shop, database).notes == []


def test_failed_request_leaves_the_other_nodes_described(repo: Repo, database: SQLite) -> None:
    """The run ends with exit code 1, and the next run tries again."""
    repo.commit(PARTS)
    lines = FakeDescriber()
    lines.answers["part_3"] = ServiceError("the model stumbles", status=500)
    made = run(repo, database, lines)
    with pytest.raises(ServiceError, match="stumbles"):
        sync(made)
    assert (len(stored_descriptions(database)), made.report.descriptions_failed) == (
        29,
        {"the model stumbles": 1},
    )
    sync_with_descriptions(repo, database, later := FakeDescriber())
    assert later.described_names == ["part_3"]


@pytest.mark.parametrize("error", [ServiceError("it is down"), UserError("no such model")])
def test_unavailable_server_is_not_called_for_every_node(
    repo: Repo, database: SQLite, error: Exception
) -> None:
    """Words and vectors are written, and the index equals HEAD."""
    repo.commit(PARTS)
    lines = FakeDescriber()
    lines.answers = dict.fromkeys((f"part_{at}" for at in range(30)), error)
    made = new_sync_context(
        known_head(repo), database, HashedEmbedder(), description_options=DescriptionOptions(lines)
    )
    with pytest.raises(type(error)):
        sync(made)
    assert len(lines.described_names) <= 2 * MAX_FAILURES_IN_A_ROW
    assert not made.report.finished
    assert validate(new_sync_context(known_head(repo), database, HashedEmbedder())).passed


def test_text_too_long_for_the_model_is_halved(repo: Repo, database: SQLite) -> None:
    repo.commit(
        {"a.py": f'def big():\n    return "{"a word " * 300}"\n', "b.py": "def b(): pass\n"}
    )

    class Small(FakeDescriber):
        def ask(self, prompt: str, text: str) -> ModelAnswer:
            if len(text) > 800 or "b()" in text:
                raise TooLargeError("maximum context length")
            return super().ask(prompt, text)

    sync_with_descriptions(repo, database, Small())
    assert stored_descriptions(database)["big"].startswith("Makes")
    assert stored_descriptions(database)["b"] == RejectReason.TOO_LONG


@pytest.mark.parametrize(
    ("harm", "check"),
    [
        ("DELETE FROM descriptions WHERE seq = 1", STANDS),
        ("UPDATE docs SET describes = 'another' WHERE symbol = 'emptyCart'", OLDER),
        ("DELETE FROM descriptions_fts WHERE rowid = 2", POSTED),
        ("INSERT INTO descriptions_fts (rowid, line) VALUES (99, 'x')", POSTED),
    ],
)
def test_validation_finds_wrong_descriptions_and_repair_fixes_them(
    shop: Repo, database: SQLite, harm: str, check: str
) -> None:
    sync_with_descriptions(shop, database, FakeDescriber())
    before = stored_descriptions(database)
    database.run([Statement(harm)])
    assert check in failed_checks(shop, database)
    mending = run(shop, database, FakeDescriber())
    repair(mending, validate(mending))
    assert (
        failed_checks(shop, database),
        stored_descriptions(database),
        describe_setting(database),
    ) == ([], before, ["on"])


def test_partial_sync_describes_its_files(tmp_path: Path, database: SQLite) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(f"def {name}():\n    pass\n")
    for name in ("a", "b"):
        tree = Folder(tmp_path, [tmp_path / f"{name}.py"])
        part = new_sync_context(
            tree, database, description_options=DescriptionOptions(lines := FakeDescriber())
        )
        process_paths(part, tmp_path, [tmp_path / f"{name}.py"], dry_run=False)
        assert lines.described_names == [name]
    assert sorted(stored_descriptions(database)) == ["a", "b"]
