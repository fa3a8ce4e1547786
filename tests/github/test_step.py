"""What does a step of a workflow run? Inputs and events become commands of the program."""

import json
from pathlib import Path
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.github.event import Event
from feeder.github.step import StepInputs, StepPlan, plan_step
from github import events
from source.repos import Repo

ONE_FILE = '[{"file": "a.py", "action": "process"}]'
STORE = ["--store", "cloudflare"]
NAMES = ["--repo", "acme/shop", "--branch", "main", *STORE]


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secrets are there, unless a test takes them away."""
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "secret")


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A checkout of main at its only commit."""
    repo.commit({"a.py": "A = 1\n", "web/b.py": "B = 1\n"})
    return repo


def wanted(**inputs: Any) -> StepInputs:
    """The inputs of a step; those not given are as action.yml has them."""
    usual: dict[str, Any] = {
        "command": "sync",
        "deltas": None,
        "store": None,
        "repo": None,
        "branch": None,
        "validate": False,
        "repair": False,
        "dry_run": False,
    }
    return StepInputs(**{**usual, **inputs})


def told(happened: events.Event) -> Event:
    """The event, as the run of it knows it."""
    name, ref, sha, payload = happened
    return Event(name, ref, sha, "acme/shop", "feed.yml", 1, "actions-1-1", payload)


def pushed(repo: Repo) -> Event:
    """A push of the commit that is checked out."""
    return told(events.push(events.ZERO, repo.git("rev-parse", "HEAD")))


def proposed(repo: Repo, *, files: dict[str, str | None]) -> Event:
    """A pull request of these files whose merge is checked out, as GitHub does it."""
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "patch-1")
    head = repo.commit(files)
    repo.git("checkout", "-q", "--detach", base)
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", head)
    return told(events.pull_request(7, base, head, repo.git("rev-parse", "HEAD")))


def planned(what: StepPlan) -> list[tuple[str, str]]:
    """The deltas of a plan that is made from what a pull request changes."""
    [[command, file, *rest]] = what.commands
    assert (command, rest) == ("apply", [*NAMES, "--dry-run"])
    return [(delta["file"], delta["action"]) for delta in json.loads(Path(file).read_bytes())]


def test_a_push_is_a_sync(shop: Repo) -> None:
    """Under the names that GitHub gives repository and branch, whatever the checkout calls them."""
    assert plan_step(wanted(), pushed(shop), shop.path) == StepPlan([["sync", *NAMES]])


def test_a_validation_follows_where_it_is_asked_for(shop: Repo) -> None:
    """It waits until what was written is seen."""
    what = plan_step(wanted(validate=True), pushed(shop), shop.path)
    assert what.commands == [["sync", *NAMES], ["validate", "--wait", *NAMES]]


def test_a_validation_by_itself_writes_nothing_unless_it_is_to_repair(shop: Repo) -> None:
    alone = plan_step(wanted(command="validate"), pushed(shop), shop.path)
    assert alone.commands == [["validate", "--wait", *NAMES]]
    mending = plan_step(wanted(command="validate", repair=True), pushed(shop), shop.path)
    assert mending.commands == [["validate", "--wait", *NAMES, "--repair"]]


def test_a_plan_is_not_asked_what_happened(shop: Repo) -> None:
    """It only counts files; the jobs of its matrix look at the event themselves."""
    happened = told(events.push(events.ZERO, "2" * 40, ref="refs/tags/v1"))
    assert plan_step(wanted(command="plan"), happened, shop.path).commands == [["plan"]]


def test_a_dry_run_is_one_command(shop: Repo) -> None:
    """There is nothing to validate after it."""
    what = plan_step(wanted(dry_run=True, validate=True), pushed(shop), shop.path)
    assert what.commands == [["sync", *NAMES, "--dry-run"]]


@pytest.mark.parametrize("command", ["sync", "apply"])
@pytest.mark.parametrize("text", [ONE_FILE, f"\n  {ONE_FILE}\n", "[]"])
def test_deltas_in_the_workflow_are_applied(shop: Repo, command: str, text: str) -> None:
    """Also without the command apply; they reach it by a file."""
    what = plan_step(wanted(command=command, deltas=text), pushed(shop), shop.path)
    [[name, file, *names]] = what.commands
    assert (name, names) == ("apply", NAMES)
    assert json.loads(Path(file).read_text()) == json.loads(text)


def test_deltas_may_be_a_file_of_the_workspace(
    shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier step has made it; it is read where it is."""
    (tmp_path / "deltas.json").write_text(ONE_FILE)
    monkeypatch.chdir(tmp_path)
    what = plan_step(wanted(deltas="deltas.json"), pushed(shop), shop.path)
    assert what.commands == [["apply", "./deltas.json", *NAMES]]


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_no_deltas_compare_states(shop: Repo, text: str | None) -> None:
    """But apply without any is a mistake in the workflow."""
    assert plan_step(wanted(deltas=text), pushed(shop), shop.path).commands == [["sync", *NAMES]]
    with pytest.raises(UserError, match="The input deltas is empty"):
        plan_step(wanted(command="apply", deltas=text), pushed(shop), shop.path)


@pytest.mark.parametrize(
    "text",
    ["no JSON", "nowhere.json", "$(touch pwned)", "web", "a\0b", "process a.py, then b.py; " * 500],
    ids=["words", "no such file", "a command", "a folder", "NUL", "long"],
)
def test_deltas_that_are_neither_json_nor_a_file_are_named(
    shop: Repo, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """One sentence with the beginning of what was given, and the form that is meant."""
    monkeypatch.chdir(shop.path)
    with pytest.raises(UserError, match="is no JSON array, and there is no such file") as refused:
        plan_step(wanted(deltas=text), pushed(shop), shop.path)
    assert repr(text[:150])[:-1] in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("happened", "on", "why"),
    [
        (
            events.push(events.ZERO, "HEAD", ref="refs/heads/wip"),
            "wip",
            "wip is checked out, and the index follows main",
        ),
        (
            events.push(events.ZERO, "HEAD", ref="refs/tags/v1"),
            "--detach",
            "refs/tags/v1 is checked out, and the index follows main",
        ),
        (
            events.merge_group(7, "1" * 40, "HEAD"),
            "--detach",
            f"gh-readonly-queue/main/pr-7-{'1' * 40} is checked out, and the index follows main",
        ),
        (events.branch_deleted("wip", "1" * 40, "HEAD"), "main", "wip was deleted"),
    ],
    ids=["other branch", "tag", "merge queue", "deleted branch"],
)
@pytest.mark.parametrize("command", ["sync", "validate"])
def test_what_is_not_about_the_branch_runs_nothing(
    shop: Repo, happened: events.Event, on: str, why: str, command: str
) -> None:
    """And says so, in one sentence."""
    if on != "main":
        shop.git("checkout", "-q", *(["-b"] if on == "wip" else []), on)
    happened = happened._replace(sha=shop.git("rev-parse", "HEAD"))
    what = plan_step(wanted(command=command), told(happened), shop.path)
    assert what == StepPlan([], f"Nothing to do: {why}.")


@pytest.mark.parametrize(
    "happened",
    [
        events.push("1" * 40, "2" * 40),
        events.push("1" * 40, "2" * 40, forced=True),
        events.workflow_dispatch("2" * 40),
        events.schedule("2" * 40),
        events.merge_group(7, "1" * 40, "2" * 40),
    ],
    ids=["push", "forced push", "by hand", "schedule", "merge queue"],
)
def test_the_tip_of_the_branch_is_fed_whatever_happened(shop: Repo, happened: events.Event) -> None:
    """The workflow has checked the branch out: its commit counts, not the event's."""
    assert plan_step(wanted(), told(happened), shop.path).commands == [["sync", *NAMES]]


def test_a_run_of_an_older_push_is_a_sync_too(shop: Repo) -> None:
    """Whether it may go back is asked of the index, not of the event."""
    older = pushed(shop)
    shop.commit({"a.py": "A = 2\n"})
    shop.git("checkout", "-q", "--detach", older.sha)
    assert plan_step(wanted(), older, shop.path).commands == [["sync", *NAMES]]


def test_another_branch_can_be_followed(shop: Repo) -> None:
    """Then the index is called so, and the default branch is left alone."""
    shop.git("checkout", "-q", "-b", "release")
    happened = told(events.push(events.ZERO, "2" * 40, ref="refs/heads/release"))
    [names] = plan_step(wanted(branch="release"), happened, shop.path).commands
    assert names == ["sync", "--repo", "acme/shop", "--branch", "release", *STORE]
    shop.git("checkout", "-q", "main")
    assert plan_step(wanted(branch="release"), pushed(shop), shop.path).commands == []


@pytest.mark.parametrize("branch", ["a b", "a..b", "refs/", "a\nb", "@{-1}"])
def test_what_can_be_no_branch_is_refused(shop: Repo, branch: str) -> None:
    """It would be followed by nothing, and every event be green."""
    with pytest.raises(UserError, match=r"is no name of a branch\. Correct the input branch"):
        plan_step(wanted(branch=branch), pushed(shop), shop.path)
    with pytest.raises(UserError, match="is no name of a branch"):
        plan_step(wanted(branch=branch), proposed(shop, files={"c.py": ""}), shop.path)


def test_the_repository_can_be_called_otherwise(shop: Repo) -> None:
    """The input outdoes GitHub's name, in a plan of a pull request too."""
    names = ["--repo", "acme/shop/web", "--branch", "main", *STORE]
    mine = wanted(repo="acme/shop/web")
    assert plan_step(mine, pushed(shop), shop.path).commands == [["sync", *names]]
    happened = proposed(shop, files={"c.py": ""})
    assert plan_step(mine, happened, shop.path).commands == [["sync", *names, "--dry-run"]]


def test_a_branch_with_another_name_is_followed_as_before(shop: Repo) -> None:
    """When the default branch is renamed, GitHub says the new name, and the index takes it."""
    shop.git("branch", "-q", "-m", "trunk")
    payload = {"repository": {"default_branch": "trunk"}}
    happened = told(events.Event("push", "refs/heads/trunk", "2" * 40, payload))
    [command] = plan_step(wanted(), happened, shop.path).commands
    assert command == ["sync", "--repo", "acme/shop", "--branch", "trunk", *STORE]


def test_a_pull_request_is_compared_with_the_index(shop: Repo) -> None:
    """With the token, as a branch of the same repository has it; nothing is written."""
    happened = proposed(shop, files={"c.py": "C = 1\n"})
    what = plan_step(wanted(validate=True), happened, shop.path)
    assert what.commands == [["sync", *NAMES, "--dry-run"]]
    assert what.note == "Dry run for a pull request: what its merge would change in the index."


@pytest.mark.parametrize("token", [None, "", " "])
def test_a_pull_request_without_the_token_is_a_plan_of_its_changes(
    shop: Repo, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    """A fork's, or Dependabot's; an unset secret is an empty string."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    if token is not None:
        monkeypatch.setenv("CLOUDFLARE_API_TOKEN", token)
    happened = proposed(shop, files={"c.py": "C = 1\n", "web/b.py": None})
    what = plan_step(wanted(), happened, shop.path)
    assert planned(what) == [("c.py", "process"), ("web/b.py", "delete")]
    assert what.note == (
        "Dry run for a pull request without secrets: its changes, against an empty index."
    )


def test_a_plan_of_a_pull_request_leaves_out_what_the_base_got_meanwhile(
    shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The merge that is checked out has the newest base in it, the event an older one."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    base = shop.git("rev-parse", "HEAD")
    head = shop.commit({"c.py": "C = 1\n"})
    shop.git("checkout", "-q", "--detach", base)
    shop.commit({"meanwhile.py": "M = 1\n"})
    shop.git("merge", "-q", "--no-ff", "-m", "Merge", head)
    happened = told(events.pull_request(7, base, head, shop.git("rev-parse", "HEAD")))
    assert planned(plan_step(wanted(), happened, shop.path)) == [("c.py", "process")]


def test_a_plan_of_the_head_itself_begins_at_the_events_base(
    shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workflow may check out what was pushed, of however many commits, instead of its merge."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    base = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "--detach")
    shop.commit({"c.py": "C = 1\n"})
    head = shop.commit({"d.py": "D = 1\n"})
    happened = told(events.pull_request(7, base, head, "2" * 40))
    what = plan_step(wanted(), happened, shop.path)
    assert planned(what) == [("c.py", "process"), ("d.py", "process")]


def test_a_clone_of_depth_two_is_deep_enough_for_a_plan(
    shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parents of the merge are there, and nothing else is asked for."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    happened = proposed(shop, files={"c.py": "C = 1\n"})
    shop.git("checkout", "-q", "-b", "merge")
    shallow = shop.clone(tmp_path / "shallow", "--depth", "2", "--branch", "merge")
    what = plan_step(wanted(), happened, shallow.path)
    assert planned(what) == [("c.py", "process")]
    assert "shallow" not in what.note


def test_a_plan_in_a_shallow_clone_names_every_file_and_says_why(
    shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """actions/checkout fetches one commit unless told: the base is not there."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    happened = proposed(shop, files={"c.py": "C = 1\n"})
    shop.git("checkout", "-q", "-b", "merge")
    shallow = shop.clone(tmp_path / "shallow", "--depth", "1", "--branch", "merge")
    what = plan_step(wanted(), happened, shallow.path)
    assert planned(what) == [("a.py", "process"), ("c.py", "process"), ("web/b.py", "process")]
    assert f"The base {happened.base} is not in this shallow clone" in what.note


def test_a_pull_request_is_not_validated(shop: Repo) -> None:
    """No index has its commit: it would differ by what is proposed."""
    what = plan_step(wanted(command="validate"), proposed(shop, files={"c.py": ""}), shop.path)
    assert what == StepPlan([], "Nothing to do: no index has the commit of a pull request.")


def test_a_runner_that_says_nothing_leaves_the_names_to_git(shop: Repo) -> None:
    """Then the checkout's remote and branch name them."""
    silent = Event("push", "", "", "", "", 0, "actions--1")
    assert plan_step(wanted(), silent, shop.path).commands == [["sync", *STORE]]
