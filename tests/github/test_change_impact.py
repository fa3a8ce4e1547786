"""What a pull request's change touches, in the job summary."""

import resource
from pathlib import Path

import pytest

from feeder.github.change_impact import read_change_impact
from feeder.github.event import Event
from feeder.github.job_summary import impact_section
from github import events
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
HOSTILE_NAMES = """\
class A {
  ["content-type"]() { return 1 }
  ["x.y] z"]() { return 1 }
}
"""


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
    impact = read_change_impact(event, repo.path, repo.path, 60)
    assert impact.reason == ""
    assert impact.facts
    assert [one["name"] for one in impact.facts["changed"]] == ["Cart.add"]
    assert [one["path"] for one in impact.facts["references"]] == ["bill.py"]
    assert [one["path"] for one in impact.facts["tests"]] == ["tests/test_cart.py"]
    assert not written.exists()
    assert not list(temporary.iterdir())
    assert repo.git("status", "--porcelain", "--ignored") == ""
    text = impact_section(impact.facts)
    assert "<summary>1 test file to run</summary>\n\n- `tests/test_cart.py`\n" in text
    assert "- `bill.py:5`: call of `Cart.add`\n" in text
    assert "- `Cart.add` in `cart.py:2`: edited, its signature too\n" in text


def test_run_that_takes_too_long_is_stopped(change: tuple[Repo, Event]) -> None:
    repo, event = change
    impact = read_change_impact(event, repo.path, repo.path, 0.1)
    assert (impact.facts, impact.reason) == (None, "It took longer than 0.1 s.")


def test_base_that_is_not_in_the_clone_is_a_reason(change: tuple[Repo, Event]) -> None:
    repo, _ = change
    repo.git("checkout", "-q", "topic")
    impact = read_change_impact(pull_request("2" * 40, "3" * 40), repo.path, repo.path, 60)
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
        impact = read_change_impact(event, repo.path, repo.path, 60)
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
    impact = read_change_impact(event, repo.path, repo.path, 60)
    assert impact.facts is None
    assert impact.reason == (
        "A temporary folder cannot be created (No such file or directory). "
        "Free some disk space, or set TMPDIR to a folder that can be written."
    )


def test_names_that_are_no_identifiers_are_listed(repo: Repo) -> None:
    """A name that FTS5 would read as syntax cannot hide what else has changed."""
    base = repo.commit({"a.js": HOSTILE_NAMES, **FILES})
    head = repo.commit({"a.js": HOSTILE_NAMES.replace("1", "11"), **CHANGED})
    impact = read_change_impact(pull_request(base, head), repo.path, repo.path, 60)
    assert impact.reason == ""
    assert impact.facts
    names = [one["name"] for one in impact.facts["changed"]]
    assert sorted(names) == ['A.["content-type"]', 'A.["x.y] z"]', "Cart.add"]


def test_names_and_paths_of_a_change_are_no_markup() -> None:
    """A stranger chose them: no link, image, HTML, mention or code fence may come of them."""
    hostile = "`</details>![x](http://evil.example)<img src=x>@team\n## title`` <!--"
    node = {"id": "1", "path": hostile, "start_line": 1, "name": hostile, "change": "edited"}
    site = {"of": "1", "path": hostile, "line": 2, "kind": "call", "resolved": False}
    totals = dict.fromkeys(("changed", "references", "tests", "documents", "similar"), 1)
    text = impact_section(
        {
            "changed": [{**node, "signature_changed": False}],
            "references": [{**site, "text": hostile}],
            "tests": [{"path": hostile}],
            "documents": [site],
            "similar": [{"of": "1", "path": hostile, "symbol": hostile}],
            "totals": {**totals, "tests": 30},
        }
    )
    spans = 0
    for line in text.splitlines():
        if hostile[:8] not in line:
            assert "evil" not in line
            continue
        # three backticks around a name that has two in a row
        outside = line.split("```")
        spans += len(outside) // 2
        assert "evil" not in "".join(outside[::2])
    assert spans == 2 + 2 + 1 + 2 + 3
    assert "- and 29 more items\n" in text
    assert "\n## title" not in text
