"""What a pull request's change touches, in the job summary."""

import json
import resource
from pathlib import Path

import msgspec
import pytest

from feeder.errors import FeederError, UserError
from feeder.github.change_impact import ChangeImpact, check_gate, read_change_impact
from feeder.github.event import Event
from feeder.github.impact_facts import (
    MAX_FACTS_BYTES,
    SIGNATURE_CALLERS,
    TESTS_MISSING,
    ImpactFacts,
    decode_facts,
    encode_facts,
    impact_outputs,
    plain_paths,
    read_facts,
)
from feeder.github.job_summary import COMMENT_MARK, impact_comment, impact_section
from github import events
from share.github_server import READER, REPOSITORY, github_server
from source.repos import Repo

FILES: dict[str, str | bytes | None] = {
    "cart.py": "class Cart:\n    def add(self, item):\n        return item\n",
    "bill.py": "from cart import Cart\n\n\ndef price(cart: Cart):\n    return cart.add(1)\n",
    "tests/test_cart.py": (
        "from cart import Cart\n\n\ndef test_add():\n    assert Cart().add(1) == 1\n"
    ),
}
CHANGED: dict[str, str | bytes | None] = {
    "cart.py": "class Cart:\n    def add(self, item, count=1):\n        return item * count\n"
}
HOSTILE = "`</details>![x](http://evil.example)<img src=x>@team\n## title`` <!--"
HOSTILE_NAMES = """\
class A {
  ["content-type"]() { return 1 }
  ["x.y] z"]() { return 1 }
}
"""


def hostile_facts() -> ImpactFacts:
    """One entry in each list, with names and paths that a stranger chose."""
    node = {"id": "1", "path": HOSTILE, "start_line": 1, "name": HOSTILE, "change": "edited"}
    site = {"of": "1", "path": HOSTILE, "line": 2, "kind": "call", "resolved": False}
    totals = dict.fromkeys(("changed", "references", "tests", "documents", "similar"), 1)
    facts = {
        "changed": [{**node, "signature_changed": False}],
        "references": [{**site, "text": HOSTILE}],
        "tests": [{"path": HOSTILE}],
        "documents": [site],
        "similar": [{"of": "1", "path": HOSTILE, "symbol": HOSTILE}],
        "totals": {**totals, "tests": 30},
    }
    return decode_facts(json.dumps(facts).encode())


def pull_request(base: str, head: str) -> Event:
    happened = events.pull_request(7, base, head, head)
    return Event(
        happened.name, happened.ref, head, "acme/shop", "", 1, "actions-1-1", happened.payload
    )


@pytest.fixture
def change(repo: Repo) -> tuple[Repo, Event]:
    """A checkout of a pull request's merge, and its event."""
    base = repo.commit(FILES)
    repo.git("checkout", "-q", "-b", "topic")
    head = repo.commit(CHANGED)
    repo.git("checkout", "-q", "--detach", base)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    return repo, pull_request(base, head)


def test_merge_is_compared_with_its_base(
    change: tuple[Repo, Event], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index lies outside of the checkout; neither secrets nor the job's files are used."""
    repo, event = change
    written = tmp_path / "summary.md"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for name, value in {
        "CLOUDFLARE_API_TOKEN": "secret",
        "FEEDER_STORE": "cloudflare",
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(written),
        "RUNNER_TEMP": str(temporary),
    }.items():
        monkeypatch.setenv(name, value)
    impact = read_change_impact(event, repo.path, repo.path, limit_s=60)
    assert impact.reason == ""
    assert impact.facts
    assert [node.name for node in impact.facts.changed] == ["Cart.add"]
    assert [site.path for site in impact.facts.references] == ["bill.py"]
    assert [test.path for test in impact.facts.tests] == ["tests/test_cart.py"]
    assert not written.exists()
    assert not list(temporary.iterdir())
    assert repo.git("status", "--porcelain", "--ignored") == ""
    text = impact_section(impact.facts)
    assert "<summary>1 test file to run</summary>\n\n- `tests/test_cart.py`\n" in text
    assert "- `bill.py:5`: call of `Cart.add`\n" in text
    assert "- `Cart.add` in `cart.py:2`: edited, its signature too\n" in text


@pytest.mark.slow
def test_index_in_a_release_is_pulled_with_the_jobs_token(
    change: tuple[Repo, Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, event = change
    monkeypatch.delenv("GH_TOKEN", raising=False)
    monkeypatch.setenv("GITHUB_TOKEN", READER)
    monkeypatch.setenv("FEEDER_PULL", f"github:{REPOSITORY}")
    with github_server() as server:
        monkeypatch.setenv("GITHUB_API_URL", server.api)
        server.is_private = True
        impact = read_change_impact(event, repo.path, repo.path, limit_s=60)
    assert {request.token for request in server.requests} == {READER}
    assert impact.facts


def test_run_that_takes_too_long_is_stopped(change: tuple[Repo, Event]) -> None:
    repo, event = change
    impact = read_change_impact(event, repo.path, repo.path, limit_s=0.1)
    assert (impact.facts, impact.reason) == (None, "It took longer than 0.1 s.")


def test_base_that_is_not_in_the_clone_is_a_reason(change: tuple[Repo, Event]) -> None:
    repo, _ = change
    repo.git("checkout", "-q", "topic")
    impact = read_change_impact(pull_request("2" * 40, "3" * 40), repo.path, repo.path, limit_s=60)
    assert impact.facts is None
    assert "2222222" in impact.reason


def test_reason_does_not_show_the_temporary_folder(
    change: tuple[Repo, Event], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is public, and the folder is gone."""
    repo, event = change
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("RUNNER_TEMP", str(temporary))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))  # too small for the index
    try:
        impact = read_change_impact(event, repo.path, repo.path, limit_s=60)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert impact.facts is None
    assert "<temporary folder>/index.db cannot be written" in impact.reason
    assert str(temporary) not in impact.reason


def test_missing_temporary_folder_is_a_reason(
    change: tuple[Repo, Event], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, event = change
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path / "none"))
    impact = read_change_impact(event, repo.path, repo.path, limit_s=60)
    assert impact.facts is None
    assert impact.reason == (
        "A temporary folder cannot be created (No such file or directory). "
        "Free some disk space, or set TMPDIR to a writable folder."
    )


def test_names_that_are_no_identifiers_are_listed(repo: Repo) -> None:
    """A name that FTS5 would read as syntax cannot hide what else has changed."""
    base = repo.commit({"a.js": HOSTILE_NAMES, **FILES})
    head = repo.commit({"a.js": HOSTILE_NAMES.replace("1", "11"), **CHANGED})
    impact = read_change_impact(pull_request(base, head), repo.path, repo.path, limit_s=60)
    assert impact.reason == ""
    assert impact.facts
    names = [node.name for node in impact.facts.changed]
    assert sorted(filter(None, names)) == ['A.["content-type"]', 'A.["x.y] z"]', "Cart.add"]


def test_names_and_paths_of_a_change_are_no_markup() -> None:
    """A stranger chose them: no link, image, HTML, mention or code fence may come of them."""
    facts = hostile_facts()
    text = impact_comment(facts)
    spans = 0
    for line in text.splitlines():
        if HOSTILE[:8] not in line:
            assert "evil" not in line
            continue
        # three backticks around a name that has two in a row
        outside = line.split("```")
        spans += len(outside) // 2
        assert "evil" not in "".join(outside[::2])
    assert spans == 2 + 2 + 1 + 2 + 3
    assert "- and 29 more items\n" in text
    assert "\n## title" not in text


def facts_of_change(repo: Repo, base: str, head: str) -> ImpactFacts:
    impact = read_change_impact(pull_request(base, head), repo.path, repo.path, limit_s=60)
    assert impact.facts, impact.reason
    return impact.facts


def test_outputs_list_tests_changes_and_callers(change: tuple[Repo, Event]) -> None:
    repo, event = change
    impact = read_change_impact(event, repo.path, repo.path, limit_s=60)
    assert impact.facts
    outputs = dict(impact_outputs(impact.facts))
    lists = {name: text for name, text in outputs.items() if name.endswith("-list")}
    assert lists == {
        "tests-list": "tests/test_cart.py",
        "changed-list": "cart.py",
        "callers-list": "bill.py",
    }
    [caller] = json.loads(outputs["callers"])
    assert (caller["path"], caller["line"], caller["resolved"]) == ("bill.py", 5, True)


def test_no_path_in_a_list_can_be_expanded_to_something_else() -> None:
    """A path with other characters becomes its folder: more is run, nothing is missed."""
    paths = ["a/b.py", "tests/my test.py", "tests/$(id).py", "*", "-rf", "a`b/c.py", "t/x;y/z.py"]
    assert plain_paths(paths) == ["a/b.py", "tests", ".", "./-rf", "t"]


def test_gate_for_tests(repo: Repo) -> None:
    base = repo.commit({"cart.py": FILES["cart.py"]})
    head = repo.commit(CHANGED)
    facts = facts_of_change(repo, base, head)
    with pytest.raises(FeederError, match="No test reaches 1 changed declaration"):
        check_gate(ChangeImpact(facts), TESTS_MISSING)
    cut = msgspec.structs.replace(facts, limits=["300 of 312 changed files were compared."])
    with pytest.raises(FeederError, match=r"1 changed declaration\. 300 of 312 changed files"):
        check_gate(ChangeImpact(cut), TESTS_MISSING)
    tested = repo.commit({"tests/test_cart.py": FILES["tests/test_cart.py"]})
    check_gate(ChangeImpact(facts_of_change(repo, base, tested)), TESTS_MISSING)


def test_gate_for_signatures(repo: Repo) -> None:
    base = repo.commit(FILES)
    body = repo.commit(
        {"cart.py": "class Cart:\n    def add(self, item):\n        return [item]\n"}
    )
    check_gate(ChangeImpact(facts_of_change(repo, base, body)), SIGNATURE_CALLERS)
    signature = repo.commit(CHANGED)
    facts = facts_of_change(repo, body, signature)
    with pytest.raises(FeederError, match=r"signature of Cart.add changed.*bill.py:5 is the first"):
        check_gate(ChangeImpact(facts), SIGNATURE_CALLERS)


def test_gate_that_cannot_be_determined_fails() -> None:
    with pytest.raises(FeederError, match="It took longer"):
        check_gate(ChangeImpact(None, "It took longer than 120 s."), TESTS_MISSING)


def test_facts_survive_the_way_to_another_workflow(tmp_path: Path) -> None:
    file = tmp_path / "impact.json"
    file.write_text(encode_facts(hostile_facts()))
    assert read_facts(file) == hostile_facts()
    assert impact_comment(read_facts(file)).startswith(f"{COMMENT_MARK}\n### What this change")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b" " * (MAX_FACTS_BYTES + 1),
        b'{"changed": "# hello", "references": [], "tests": [], "documents": [], "similar": []}',
    ],
    ids=["empty", "list", "object", "bytes", "deep", "large", "kind"],
)
def test_file_of_another_form_is_refused(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "impact.json"
    file.write_bytes(text)
    with pytest.raises(UserError, match="impact-file"):
        read_facts(file)
