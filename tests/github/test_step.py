"""A step of a workflow: inputs and events become commands of the program."""

import json
from pathlib import Path
from typing import Any

import pytest

from feeder.errors import UserError
from feeder.github.event import Event
from feeder.github.step import StepInputs, StepPlan, plan_step
from github import events
from source.repos import Repo

pytestmark = pytest.mark.slow

ONE_FILE = '[{"file": "a.py", "action": "process"}]'
STORE = ["--store", "cloudflare"]
NAMES = ["--repo", "acme/shop", "--branch", "main", *STORE]


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets the secrets; a test may remove them."""
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "secret")


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A checkout of main at its only commit, as actions/checkout makes it."""
    repo.commit({"a.py": "A = 1\n", "web/b.py": "B = 1\n"})
    fetched(repo, "main")
    return repo


def fetched(repo: Repo, branch: str) -> None:
    """Records HEAD as the branch's newest commit at origin."""
    repo.git("update-ref", f"refs/remotes/origin/{branch}", "HEAD")


def step_inputs(**inputs: Any) -> StepInputs:
    """Returns the inputs of a step, with the defaults of action.yml."""
    usual: dict[str, Any] = {
        "command": "sync",
        "deltas": None,
        "store": None,
        "repo": None,
        "branch": None,
        "validate": False,
        "repair": False,
        "dry_run": False,
        "force": False,
        "publish": None,
    }
    return StepInputs(**{**usual, **inputs})


def event_of(happened: events.Event) -> Event:
    """Returns the event of the run."""
    name, ref, sha, payload = happened
    return Event(name, ref, sha, "acme/shop", "feed.yml", 1, "actions-1-1", payload)


def pushed(repo: Repo) -> Event:
    """Returns a push of the checked-out commit."""
    return event_of(events.push(events.ZERO, repo.git("rev-parse", "HEAD")))


def proposed(repo: Repo, *, files: dict[str, str | None]) -> Event:
    """Returns a pull request with these files; its merge is checked out, as on GitHub."""
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "patch-1")
    head = repo.commit(files)
    repo.git("checkout", "-q", "--detach", base)
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", head)
    return event_of(events.pull_request(7, base, head, repo.git("rev-parse", "HEAD")))


def planned(what: StepPlan) -> list[tuple[str, str]]:
    """Returns the deltas of the pull request's dry run."""
    [[command, file, *rest]] = what.commands
    assert (command, rest) == ("apply", [*NAMES, "--dry-run"])
    return [(delta["file"], delta["action"]) for delta in json.loads(Path(file).read_bytes())]


def test_push_runs_sync(shop: Repo) -> None:
    """With GitHub's names of repository and branch."""
    assert plan_step(step_inputs(), pushed(shop), shop.path) == StepPlan([["sync", *NAMES]])


def test_validate_input_adds_a_validation(shop: Repo) -> None:
    """It waits until all writes are visible."""
    what = plan_step(step_inputs(validate=True), pushed(shop), shop.path)
    assert what.commands == [["sync", *NAMES], ["validate", "--wait", *NAMES]]


def test_validate_command_writes_only_with_repair(shop: Repo) -> None:
    alone = plan_step(step_inputs(command="validate"), pushed(shop), shop.path)
    assert alone.commands == [["validate", "--wait", *NAMES]]
    mending = plan_step(step_inputs(command="validate", repair=True), pushed(shop), shop.path)
    assert mending.commands == [["validate", "--wait", *NAMES, "--repair"]]


def test_publish_input_publishes_a_local_index_that_has_been_validated(shop: Repo) -> None:
    inputs = step_inputs(store="local", validate=True, publish="s3://team/shop")
    names = [*NAMES[:-1], "local"]
    assert plan_step(inputs, pushed(shop), shop.path).commands == [
        ["sync", *names],
        ["validate", "--wait", *names],
        ["publish", "--", "s3://team/shop"],
    ]


@pytest.mark.parametrize("store", [None, "cloudflare"])
def test_publish_input_needs_a_local_index(shop: Repo, store: str | None) -> None:
    with pytest.raises(UserError, match="store: local"):
        plan_step(step_inputs(store=store, publish="index"), pushed(shop), shop.path)


def test_pull_request_publishes_nothing(shop: Repo) -> None:
    inputs = step_inputs(store="local", publish="index")
    commands = plan_step(inputs, proposed(shop, files={"a.py": "A = 2\n"}), shop.path).commands
    assert [command[0] for command in commands] == ["sync"]
    assert "--dry-run" in commands[0]


def test_plan_ignores_the_event(shop: Repo) -> None:
    """It only counts files; the jobs of its matrix check the event."""
    happened = event_of(events.push(events.ZERO, "2" * 40, ref="refs/tags/v1"))
    assert plan_step(step_inputs(command="plan"), happened, shop.path).commands == [["plan"]]


def test_dry_run_is_one_command(shop: Repo) -> None:
    """There is nothing to validate after it."""
    what = plan_step(step_inputs(dry_run=True, validate=True), pushed(shop), shop.path)
    assert what.commands == [["sync", *NAMES, "--dry-run"]]


@pytest.mark.parametrize("command", ["sync", "apply"])
@pytest.mark.parametrize("text", [ONE_FILE, f"\n  {ONE_FILE}\n", "[]"])
def test_deltas_input_runs_apply(shop: Repo, command: str, text: str) -> None:
    """Even without `command: apply`; they are passed in a file."""
    what = plan_step(step_inputs(command=command, deltas=text), pushed(shop), shop.path)
    [[name, file, *names]] = what.commands
    assert (name, names) == ("apply", NAMES)
    assert json.loads(Path(file).read_text()) == json.loads(text)


def test_deltas_input_may_be_a_file(
    shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an earlier step, in the workspace."""
    (tmp_path / "deltas.json").write_text(ONE_FILE)
    monkeypatch.chdir(tmp_path)
    what = plan_step(step_inputs(deltas="deltas.json"), pushed(shop), shop.path)
    assert what.commands == [["apply", "./deltas.json", *NAMES]]


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_empty_deltas_input_runs_sync(shop: Repo, text: str | None) -> None:
    """But `apply` without deltas is an error."""
    assert plan_step(step_inputs(deltas=text), pushed(shop), shop.path).commands == [
        ["sync", *NAMES]
    ]
    with pytest.raises(UserError, match="The input deltas is empty"):
        plan_step(step_inputs(command="apply", deltas=text), pushed(shop), shop.path)


@pytest.mark.parametrize(
    "text",
    ["no JSON", "nowhere.json", "$(touch pwned)", "web", "a\0b", "process a.py, then b.py; " * 500],
    ids=["words", "no such file", "a command", "a folder", "NUL", "long"],
)
def test_invalid_deltas_input_is_an_error(
    shop: Repo, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """With the beginning of the value and the expected form."""
    monkeypatch.chdir(shop.path)
    with pytest.raises(UserError, match="is neither a JSON array nor an existing file") as refused:
        plan_step(step_inputs(deltas=text), pushed(shop), shop.path)
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
        (events.branch_deleted("wip", "1" * 40, "HEAD"), "main", "wip was deleted"),
    ],
    ids=["other branch", "tag", "deleted branch"],
)
@pytest.mark.parametrize("command", ["sync", "validate"])
def test_event_of_another_branch_runs_nothing(
    shop: Repo, happened: events.Event, on: str, why: str, command: str
) -> None:
    """With a reason."""
    if on != "main":
        shop.git("checkout", "-q", *(["-b"] if on == "wip" else []), on)
    happened = happened._replace(sha=shop.git("rev-parse", "HEAD"))
    what = plan_step(step_inputs(command=command), event_of(happened), shop.path)
    assert what == StepPlan([], f"Nothing to do: {why}.")


@pytest.mark.parametrize(
    "happened",
    [
        events.push("1" * 40, "2" * 40),
        events.push("1" * 40, "2" * 40, forced=True),
        events.workflow_dispatch("2" * 40),
        events.schedule("2" * 40),
    ],
    ids=["push", "forced push", "by hand", "schedule"],
)
def test_tip_of_the_branch_is_indexed_for_any_event(shop: Repo, happened: events.Event) -> None:
    """The checked-out commit counts."""
    assert plan_step(step_inputs(), event_of(happened), shop.path).commands == [["sync", *NAMES]]


def test_older_push_runs_sync(shop: Repo) -> None:
    """The index decides whether it may go back."""
    older = pushed(shop)
    shop.commit({"a.py": "A = 2\n"})
    shop.git("checkout", "-q", "--detach", older.sha)
    assert plan_step(step_inputs(), older, shop.path).commands == [["sync", *NAMES]]


def test_branch_input_is_followed(shop: Repo) -> None:
    """The default branch is then ignored."""
    shop.git("checkout", "-q", "-b", "release")
    fetched(shop, "release")
    happened = event_of(events.push(events.ZERO, "2" * 40, ref="refs/heads/release"))
    [names] = plan_step(step_inputs(branch="release"), happened, shop.path).commands
    assert names == ["sync", "--repo", "acme/shop", "--branch", "release", *STORE]
    shop.git("checkout", "-q", "main")
    assert plan_step(step_inputs(branch="release"), pushed(shop), shop.path).commands == []


@pytest.mark.parametrize("branch", ["a b", "a..b", "refs/", "a\nb", "@{-1}"])
def test_invalid_branch_input_is_an_error(shop: Repo, branch: str) -> None:
    """No event would ever match it."""
    with pytest.raises(UserError, match=r"is not a branch name\. Correct the input branch"):
        plan_step(step_inputs(branch=branch), pushed(shop), shop.path)
    with pytest.raises(UserError, match="is not a branch name"):
        plan_step(step_inputs(branch=branch), proposed(shop, files={"c.py": ""}), shop.path)


def test_repo_input_overrides_githubs_name(shop: Repo) -> None:
    """Also in a pull request's dry run."""
    names = ["--repo", "acme/shop/web", "--branch", "main", *STORE]
    mine = step_inputs(repo="acme/shop/web")
    assert plan_step(mine, pushed(shop), shop.path).commands == [["sync", *names]]
    happened = proposed(shop, files={"c.py": ""})
    assert plan_step(mine, happened, shop.path).commands == [["sync", *names, "--dry-run"]]


def test_renamed_default_branch_is_followed(shop: Repo) -> None:
    """GitHub sends the new name, and the index takes it over."""
    shop.git("branch", "-q", "-m", "trunk")
    fetched(shop, "trunk")
    payload = {"repository": {"default_branch": "trunk"}}
    happened = event_of(events.Event("push", "refs/heads/trunk", "2" * 40, payload))
    [command] = plan_step(step_inputs(), happened, shop.path).commands
    assert command == ["sync", "--repo", "acme/shop", "--branch", "trunk", *STORE]


def test_pull_request_with_a_token_is_compared_with_the_index(shop: Repo) -> None:
    """As from a branch of the repository; nothing is written."""
    happened = proposed(shop, files={"c.py": "C = 1\n"})
    what = plan_step(step_inputs(validate=True), happened, shop.path)
    assert what.commands == [["sync", *NAMES, "--dry-run"]]
    assert what.note == "Dry run: what merging this change would do to the index."


@pytest.mark.parametrize("token", [None, "", " "])
def test_pull_request_without_a_token_is_a_dry_run_of_its_changes(
    shop: Repo, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    """From a fork or Dependabot; an unset secret is an empty string."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    if token is not None:
        monkeypatch.setenv("CLOUDFLARE_API_TOKEN", token)
    happened = proposed(shop, files={"c.py": "C = 1\n", "web/b.py": None})
    what = plan_step(step_inputs(), happened, shop.path)
    assert planned(what) == [("c.py", "process"), ("web/b.py", "delete")]
    assert what.note == (
        "Dry run without secrets: only the change is counted, as if the index were empty."
    )


def test_entry_of_a_merge_queue_is_compared_with_its_base(
    shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the queue merges or squashes; with a token, it is compared with the index."""
    base = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "--detach")
    shop.commit({"c.py": "C = 1\n"})
    happened = event_of(events.merge_group(7, base, shop.commit({"d.py": "D = 1\n"})))
    commands = plan_step(step_inputs(), happened, shop.path).commands
    assert commands == [["sync", *NAMES, "--dry-run"]]
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    what = plan_step(step_inputs(), happened, shop.path)
    assert planned(what) == [("c.py", "process"), ("d.py", "process")]


def test_changes_of_the_base_are_left_out(shop: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The merge has a newer base than the event."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    base = shop.git("rev-parse", "HEAD")
    head = shop.commit({"c.py": "C = 1\n"})
    shop.git("checkout", "-q", "--detach", base)
    shop.commit({"meanwhile.py": "M = 1\n"})
    shop.git("merge", "-q", "--no-ff", "-m", "Merge", head)
    happened = event_of(events.pull_request(7, base, head, shop.git("rev-parse", "HEAD")))
    assert planned(plan_step(step_inputs(), happened, shop.path)) == [("c.py", "process")]


def test_checkout_of_the_head_is_compared_with_the_events_base(
    shop: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the workflow checks out the pushed commits instead of their merge."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    base = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "--detach")
    shop.commit({"c.py": "C = 1\n"})
    head = shop.commit({"d.py": "D = 1\n"})
    happened = event_of(events.pull_request(7, base, head, "2" * 40))
    what = plan_step(step_inputs(), happened, shop.path)
    assert planned(what) == [("c.py", "process"), ("d.py", "process")]


def test_clone_of_depth_two_is_sufficient(
    shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the parents of the merge."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    happened = proposed(shop, files={"c.py": "C = 1\n"})
    shop.git("checkout", "-q", "-b", "merge")
    shallow = shop.clone(tmp_path / "shallow", "--depth", "2", "--branch", "merge")
    what = plan_step(step_inputs(), happened, shallow.path)
    assert planned(what) == [("c.py", "process")]
    assert "shallow" not in what.note


def test_shallow_clone_lists_every_file_with_a_reason(
    shop: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """actions/checkout fetches one commit by default, without the base."""
    monkeypatch.delenv("CLOUDFLARE_API_TOKEN")
    happened = proposed(shop, files={"c.py": "C = 1\n"})
    shop.git("checkout", "-q", "-b", "merge")
    shallow = shop.clone(tmp_path / "shallow", "--depth", "1", "--branch", "merge")
    what = plan_step(step_inputs(), happened, shallow.path)
    assert planned(what) == [("a.py", "process"), ("c.py", "process"), ("web/b.py", "process")]
    assert f"The base {happened.base} is not in this shallow clone" in what.note


def test_pull_request_is_never_validated(shop: Repo) -> None:
    """The index does not have its commit."""
    what = plan_step(step_inputs(command="validate"), proposed(shop, files={"c.py": ""}), shop.path)
    assert what == StepPlan([], "Nothing to do: no index has a commit that is not merged yet.")


def test_without_githubs_names_those_of_git_are_used(shop: Repo) -> None:
    silent = Event("push", "", "", "", "", 0, "actions--1")
    assert plan_step(step_inputs(), silent, shop.path).commands == [["sync", *STORE]]
