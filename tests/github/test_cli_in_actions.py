"""The program as a step of a workflow: the event that it reads and the files that it writes."""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from feeder.store import Statement
from feeder.store.sqlite import SQLite
from github import events
from github.program_step import Step
from github.test_job import Command, Runner
from index_helpers import SHOP
from source.repos import Repo

pytestmark = pytest.mark.slow

FILES = "SELECT path FROM files ORDER BY path"
HEAD = "SELECT value FROM meta WHERE key LIKE '%:head'"


@pytest.fixture
def shop(repo: Repo, step: Step) -> Repo:
    """A checkout of main after its first push."""
    step.happens(events.push(events.ZERO, repo.commit(SHOP)))
    return repo


def pushed(step: Step, repo: Repo, files: dict[str, str | None], number: int) -> str:
    """Makes another push; `number` is that of its run."""
    before = repo.git("rev-parse", "HEAD")
    repo.write(files)
    repo.git("add", "-A", ":!.feeder")
    repo.git("commit", "-q", "-m", "a commit")
    after = repo.git("rev-parse", "HEAD")
    step.happens(events.push(before, after))
    step.set(GITHUB_RUN_NUMBER=number, GITHUB_RUN_ID=9000 + number)
    return after


def search_hits(repo: Repo, sql: str) -> list[Any]:
    """What the index of a checkout answers."""
    database = SQLite(repo.path / ".feeder/index.db")
    [rows] = database.run([Statement(sql)])
    database.close()
    return [row[0] for row in rows]


def has_index(repo: Repo) -> bool:
    return (repo.path / ".feeder").exists()


def test_push_is_indexed_under_githubs_names(step: Step, shop: Repo) -> None:
    """The index matches the commit; summary and outputs name it."""
    outcome = step.run(shop)
    head = shop.git("rev-parse", "HEAD")
    assert outcome.code == 0
    assert search_hits(shop, FILES) == sorted(SHOP)
    assert search_hits(shop, "SELECT DISTINCT repo || ' ' || branch FROM docs") == [
        "acme/shop main"
    ]
    assert outcome.summary.startswith(f"## feeder action: the index equals `{head[:7]}`\n")
    report = Path(outcome.outputs.pop("report"))
    assert json.loads(report.read_text())["report"]["head"] == head
    # seven nodes in four files; the binary and the lock file are kept out; nobody is asked
    assert outcome.outputs == {
        "head-sha": head,
        "upserted": "7",
        "deleted": "0",
        "unchanged": "0",
        "skipped": "2",
        "embedded": "0",
        "requests": "0",
    }


def test_successful_run_is_one_folded_log_line(step: Step, shop: Repo) -> None:
    """Without annotations."""
    outcome = step.run(shop, "sync")
    assert outcome.annotations == [
        Command("group", {}, "feeder sync"),
        Command("endgroup", {}, ""),
    ]
    assert outcome.out.startswith("Files: 4 processed")


def test_workflow_commands_in_names_and_code_are_escaped(step: Step, shop: Repo) -> None:
    """The runner obeys only the program's own commands."""
    evil = "::set-output name=head-sha::forged"
    files: dict[str, str | None] = {
        f"{evil}.yml": "- " * 300 + "answer\n",
        "a.md": f"# Answer ##[error]forged\n\n{evil}\n::error::forged\n",
    }
    head = pushed(step, shop, files, 2)
    fed, found = step.run(shop), step.run(shop, "search", "answer", "--repo", "acme/shop")
    assert fed.outputs["head-sha"] == head
    assert [annotation.name for annotation in fed.annotations] == ["group", "endgroup", "warning"]
    assert found.out.count("forged") > 2
    assert [annotation.name for annotation in found.annotations] == ["group", "endgroup"]
    assert Runner().read(fed.out + found.out) == []


def test_second_push_reports_its_changes(step: Step, shop: Repo) -> None:
    """One file with a node was added and one deleted."""
    step.run(shop)
    pushed(step, shop, {"new.py": "def new(): ...\n", "config.json": None}, number=2)
    outputs = step.run(shop).outputs
    changed = {name: outputs[name] for name in ("upserted", "deleted", "unchanged")}
    assert changed == {"upserted": "1", "deleted": "1", "unchanged": "3"}


def test_validation_with_differences_exits_with_1(step: Step, shop: Repo) -> None:
    """Each is an error on the run's page, and the report is written."""
    step.run(shop)
    pushed(step, shop, {"new.py": "def new(): ...\n"}, number=2)
    outcome = step.run(shop, FEEDER_COMMAND="validate")
    assert outcome.code == 1
    assert any("new.py" in error for error in outcome.annotated("error"))
    assert outcome.summary.startswith("## feeder action: the index is not correct")
    assert json.loads(Path(outcome.outputs["report"]).read_text())["validation"]["passed"] is False


def test_repair_removes_the_differences(step: Step, shop: Repo) -> None:
    """The next validation passes without it."""
    step.run(shop)
    pushed(step, shop, {"new.py": "def new(): ...\n"}, number=2)
    assert step.run(shop, FEEDER_COMMAND="validate", FEEDER_REPAIR="true").code == 0
    assert step.run(shop, FEEDER_COMMAND="validate").code == 0


def test_sync_and_validation_have_one_summary(step: Step, shop: Repo) -> None:
    """And one report."""
    outcome = step.run(shop, FEEDER_VALIDATE="true")
    assert outcome.code == 0
    assert "checks passed" in outcome.summary.splitlines()[0]
    stored = json.loads(Path(outcome.outputs["report"]).read_text())
    assert (stored["report"]["finished"], stored["validation"]["passed"]) == (True, True)


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"FEEDER_COMMAND": "destroy; echo pwned"}, "destroy; echo pwned"),
        ({"FEEDER_COMMAND": "apply"}, "The input deltas is empty"),
        ({"FEEDER_COMMAND": "plan"}, "--shards"),
        ({"FEEDER_DELTAS": "$(echo pwned)"}, "$(echo pwned)"),
        ({"FEEDER_DELTAS": '[{"file": "a.py"'}, "The deltas are not JSON"),
        ({"FEEDER_DELTAS": '[{"file": "../a.py", "action": "process"}]'}, "contains .."),
        ({"FEEDER_PATH": "$(echo pwned)"}, "$(echo pwned)"),
        ({"FEEDER_PATH": "../elsewhere"}, "../elsewhere"),
        ({"FEEDER_SHARD": "17/16"}, "'17/16' is not a shard"),
        ({"FEEDER_DRY_RUN": "perhaps"}, "perhaps"),
        ({"FEEDER_FORCE": "perhaps"}, "perhaps"),
        ({"FEEDER_MAX_REQUESTS": "$((6*7))"}, "$((6*7))"),
        ({"FEEDER_STORE": "elsewhere"}, "elsewhere"),
        ({"FEEDER_DIRECTORY": "nowhere"}, "nowhere"),
        ({"FEEDER_STORE": "cloudflare"}, "the API token, the account id, the database id"),
    ],
    ids=str,
)
def test_invalid_input_exits_with_2(
    step: Step, shop: Repo, variables: dict[str, str], named: str
) -> None:
    """It is named in the log, on the run's page and in the summary; nothing is written."""
    outcome = step.run(shop, **variables)
    assert outcome.code == 2
    [error] = outcome.annotated("error")
    assert named in error
    assert named in outcome.err.partition("::error::")[0]
    assert outcome.summary.startswith("## feeder action: failed")
    assert (outcome.outputs, has_index(shop)) == ({}, False)


@pytest.mark.parametrize("arguments", [["unheard"], ["sync", "--unheard"]], ids=" ".join)
def test_usage_error_exits_with_2(step: Step, shop: Repo, arguments: list[str]) -> None:
    """For a workflow that calls the program directly; it is annotated too."""
    outcome = step.run(shop, *arguments)
    assert outcome.code == 2
    assert "unheard" in "".join(outcome.annotated("error"))


def test_rerun_of_an_older_event_exits_with_75(step: Step, shop: Repo) -> None:
    """The index stays at the newer commit, and the warning names the remedy."""
    first = shop.git("rev-parse", "HEAD")
    step.run(shop)
    second = pushed(step, shop, {"new.py": "def new(): ...\n"}, number=2)
    step.run(shop)
    shop.git("checkout", "-q", "--detach", first)
    step.happens(events.push(events.ZERO, first))
    again = {"GITHUB_RUN_NUMBER": 1, "GITHUB_RUN_ID": 9001, "GITHUB_RUN_ATTEMPT": 2}
    outcome = step.run(shop, **again, FEEDER_FORCE="false")
    assert outcome.code == 75
    assert outcome.annotated("error") == []
    assert "--force" in "".join(outcome.annotated("warning"))
    assert outcome.summary.startswith("## feeder action: superseded by a later run")
    assert search_hits(shop, HEAD) == [second]

    assert step.run(shop, **again, FEEDER_FORCE="true").code == 0
    assert search_hits(shop, HEAD) == [first]


def test_rerun_on_the_tip_of_the_branch_is_allowed(step: Step, shop: Repo) -> None:
    """A workflow that checks out the branch has newer commits than its event."""
    first = shop.git("rev-parse", "HEAD")
    step.run(shop)
    pushed(step, shop, {"new.py": "def new(): ...\n"}, number=2)
    step.run(shop)
    tip = pushed(step, shop, {"newer.py": "def newer(): ...\n"}, number=3)
    shop.git("update-ref", "refs/remotes/origin/main", tip)
    step.happens(events.push(events.ZERO, first))
    assert step.run(shop, GITHUB_RUN_NUMBER=1, GITHUB_RUN_ATTEMPT=2).code == 0
    assert search_hits(shop, HEAD) == [tip]


@pytest.mark.parametrize(
    ("ref", "on"), [("refs/tags/v1", "--detach"), ("refs/heads/wip", "-bwip")], ids=["tag", "wip"]
)
def test_event_of_another_branch_succeeds_without_work(
    step: Step, shop: Repo, ref: str, on: str
) -> None:
    """A notice gives the reason; no index is opened, so no secrets are needed."""
    shop.git("checkout", "-q", on)
    step.happens(events.push(events.ZERO, shop.git("rev-parse", "HEAD"), ref=ref))
    outcome = step.run(shop, FEEDER_STORE="cloudflare")
    assert outcome.code == 0
    [notice] = outcome.annotated("notice")
    assert notice.endswith("is checked out, and the index follows main.")
    assert outcome.summary.startswith("## feeder action: nothing was done")
    assert notice in outcome.err
    assert (outcome.outputs, has_index(shop)) == ({}, False)


def test_action_command_needs_an_event(step: Step, shop: Repo) -> None:
    """Outside of Actions the other commands are meant."""
    outcome = step.run(shop, GITHUB_ACTIONS="")
    assert outcome.code == 2
    assert "This command runs only in GitHub Actions" in outcome.err
    assert (outcome.annotations, outcome.summary) == ([], "")


def test_repo_input_overrides_githubs_name(step: Step, shop: Repo) -> None:
    """A monorepo has an index for each folder."""
    assert step.run(shop, FEEDER_REPO="acme/market").code == 0
    assert search_hits(shop, "SELECT DISTINCT repo FROM docs") == ["acme/market"]


def test_a_renamed_branch_is_renamed_in_the_index(step: Step, shop: Repo) -> None:
    """The next event has the new name; no file is read again."""
    step.run(shop)
    shop.git("branch", "-q", "-m", "trunk")
    push = events.push(events.ZERO, shop.git("rev-parse", "HEAD"), ref="refs/heads/trunk")
    step.happens(push._replace(payload={"repository": {"default_branch": "trunk"}}))
    outcome = step.run(shop, GITHUB_RUN_NUMBER=2, GITHUB_RUN_ID=9002)
    assert (outcome.code, outcome.outputs["upserted"]) == (0, "0")
    assert search_hits(shop, "SELECT DISTINCT branch FROM docs") == ["trunk"]


@pytest.mark.parametrize(("folder", "files"), [("docs", ["docs/guide.md"]), ("", sorted(SHOP))])
def test_path_input_selects_a_folder(step: Step, shop: Repo, folder: str, files: list[str]) -> None:
    """Like --path; an empty value is the whole tree."""
    assert step.run(shop, FEEDER_PATH=folder).code == 0
    assert search_hits(shop, FILES) == files
    outcome = step.run(shop, "sync", "--path", folder, "--repo", "acme/shop")
    assert "nothing to do" in outcome.out


def test_index_of_a_folder_is_not_reported_as_the_commit(step: Step, shop: Repo) -> None:
    outcome = step.run(shop, FEEDER_PATH="docs")
    assert outcome.summary.startswith("## feeder action: the index has the folder docs of ")


def test_deltas_input_is_applied(step: Step, shop: Repo) -> None:
    """To the named files only; those outside of the folder are left out."""
    deltas = [{"file": name, "action": "process"} for name in ("docs/guide.md", "src/cart.py")]
    outcome = step.run(shop, FEEDER_DELTAS=json.dumps(deltas), FEEDER_PATH="docs")
    assert outcome.code == 0
    assert search_hits(shop, FILES) == ["docs/guide.md"]
    assert outcome.summary.startswith("## feeder action: the index has the given files of ")


def test_dry_run_writes_nothing(step: Step, shop: Repo) -> None:
    """The outputs are those of the run."""
    outcome = step.run(shop, FEEDER_DRY_RUN="true")
    assert (outcome.code, outcome.outputs["upserted"]) == (0, "7")
    assert outcome.summary.startswith("## feeder action: dry run for ")
    assert not has_index(shop)


@pytest.fixture
def unanswered() -> Iterator[Callable[[], bool]]:
    """An API address without a server, and a function that tells whether it was called."""
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLOUDFLARE_BASE_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        server.setblocking(False)

        def was_called() -> bool:
            try:
                server.accept()
            except BlockingIOError:
                return False
            return True

        yield was_called


def test_fork_pull_request_gets_a_dry_run(
    step: Step, shop: Repo, unanswered: Callable[[], bool]
) -> None:
    """Without secrets: its changes and the requests they would take; nothing is called."""
    base = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "--detach")
    merge = shop.commit({"new.py": "def new(): ...\n", "config.json": None})
    step.happens(events.pull_request(7, base, merge, merge))
    outcome = step.run(shop, FEEDER_STORE="cloudflare", FEEDER_VECTORS="")
    assert outcome.code == 0
    assert (outcome.outputs["upserted"], outcome.outputs["embedded"]) == ("1", "1")
    assert outcome.annotated("notice") == [
        "Dry run without secrets: only the change is counted, as if the index were empty."
    ]
    assert outcome.summary.startswith("## feeder action: dry run for ")
    assert not unanswered()
    assert not has_index(shop)


@pytest.mark.parametrize("impact", ["", "false"])
def test_pull_request_lists_what_its_change_touches(
    step: Step, shop: Repo, unanswered: Callable[[], bool], impact: str
) -> None:
    """Unless the input `impact` is false."""
    shop.commit({"use.py": "from cart import Cart\n", "cart.py": "class Cart:\n    x = 1\n"})
    base = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "--detach")
    merge = shop.commit({"cart.py": "class Cart:\n    x = 2\n"})
    step.happens(events.pull_request(7, base, merge, merge))
    outcome = step.run(shop, FEEDER_STORE="cloudflare", FEEDER_VECTORS="", FEEDER_IMPACT=impact)
    assert outcome.code == 0
    is_listed = "### What this change touches" in outcome.summary
    assert is_listed == ("`use.py:1`: import of `Cart`" in outcome.summary) == (impact != "false")
    assert not unanswered()
    assert not has_index(shop)


def test_pull_request_fails_by_its_gate_and_its_facts_become_a_comment(
    step: Step, shop: Repo, tmp_path: Path
) -> None:
    """The second workflow has no checkout."""
    shop.commit({"use.py": "from cart import Cart\n", "cart.py": "class Cart:\n    x = 1\n"})
    base = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "--detach")
    merge = shop.commit({"cart.py": "class Cart:\n    x = 2\n"})
    step.happens(events.pull_request(7, base, merge, merge))
    cloud = {"FEEDER_STORE": "cloudflare", "FEEDER_VECTORS": ""}
    outcome = step.run(shop, FEEDER_FAIL_ON="tests-missing", **cloud)
    assert outcome.code == 1
    [reason] = outcome.annotated("error")
    assert reason.startswith("No test reaches 1 changed declaration.")
    assert (outcome.outputs["tests"], outcome.outputs["callers-list"]) == ("[]", "use.py")

    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    file = outcome.outputs["impact-file"]
    comment = step.run(nowhere, FEEDER_COMMAND="comment", FEEDER_IMPACT_FILE=file)
    assert comment.code == 0
    text = Path(comment.outputs["comment-file"]).read_text()
    assert text.startswith("<!-- feeder: impact -->\n")
    assert "- `use.py:1`: import of `Cart`\n" in text


def test_dry_run_without_a_token_compares_with_an_empty_index(
    step: Step, shop: Repo, unanswered: Callable[[], bool]
) -> None:
    """The log says so."""
    outcome = step.run(
        shop, "sync", "--dry-run", "--json", FEEDER_STORE="cloudflare", FEEDER_VECTORS=""
    )
    assert outcome.code == 0
    facts = json.loads(outcome.out)
    assert (facts["nodes_new"], facts["texts_embedded"], facts["dry_run"]) == (7, 7, True)
    assert facts["requests"]["ai"] == 1
    assert "planned for an empty index" in outcome.err
    assert not unanswered()
    assert not has_index(shop)


def test_run_without_a_token_is_refused(
    step: Step, shop: Repo, unanswered: Callable[[], bool]
) -> None:
    outcome = step.run(shop, "sync", FEEDER_STORE="cloudflare")
    assert outcome.code == 2
    assert "CLOUDFLARE_API_TOKEN" in outcome.err
    assert not unanswered()


@pytest.mark.parametrize("arguments", [["plan", "--shards", "3"], ["plan"], ["action"]], ids=str)
def test_plan_prints_a_matrix(step: Step, shop: Repo, arguments: list[str]) -> None:
    """In the form of `strategy.matrix`, on stdout and as an output."""
    outcome = step.run(shop, *arguments, FEEDER_COMMAND="plan", FEEDER_SHARDS="3")
    assert outcome.code == 0
    assert json.loads(outcome.out) == {"shard": ["1/3", "2/3", "3/3"]}
    assert json.loads(outcome.outputs["matrix"]) == json.loads(outcome.out)


@pytest.mark.parametrize(("shards", "jobs", "each"), [("2", 2, 3), ("16", 6, 1), ("1", 1, 6)])
def test_plan_makes_at_most_one_job_per_file(
    step: Step, shop: Repo, shards: str, jobs: int, each: int
) -> None:
    """Six files are at most six shards; the files per job are printed."""
    outcome = step.run(shop, "plan", "--shards", shards)
    assert len(json.loads(outcome.out)["shard"]) == jobs
    assert f"6 files, about {each} per shard" in outcome.err


def test_plan_counts_only_files_of_the_folder(step: Step, shop: Repo) -> None:
    """Two of the six are in src."""
    outcome = step.run(shop, "plan", "--shards", "16", FEEDER_PATH="src")
    assert json.loads(outcome.out) == {"shard": ["1/2", "2/2"]}


@pytest.mark.parametrize("shards", ["0", "257", "many"])
def test_plan_accepts_1_to_256_jobs(step: Step, shop: Repo, shards: str) -> None:
    """GitHub's maximum."""
    outcome = step.run(shop, "plan", "--shards", shards)
    assert outcome.code == 2
    assert "matrix" not in outcome.outputs


def test_jobs_of_a_run_share_its_id(step: Step, shop: Repo) -> None:
    """Each indexes its shard; `meta` names the commit after the last one."""
    first = step.run(shop, FEEDER_SHARD="1/2")
    assert first.summary.startswith("## feeder action: the index has shard 1/2 of ")
    assert search_hits(shop, HEAD) == []
    assert step.run(shop, FEEDER_SHARD="2/2").code == 0
    assert search_hits(shop, HEAD) == [shop.git("rev-parse", "HEAD")]
    assert search_hits(shop, FILES) == sorted(SHOP)


def test_shard_outside_actions_needs_a_run_id(step: Step, shop: Repo) -> None:
    """Without one nothing is written."""
    alone = {"GITHUB_ACTIONS": "", "FEEDER_RUN": ""}
    outcome = step.run(shop, "sync", "--shard", "1/2", **alone)
    assert outcome.code == 2
    assert "give all of them the same --run NAME" in outcome.err
    assert search_hits(shop, FILES) == []
    assert step.run(shop, "sync", "--shard", "1/2", "--run", "monday", **alone).code == 0


def test_checkout_in_a_subfolder_of_the_workspace(step: Step, shop: Repo) -> None:
    """With working-directory; annotations are relative to the workspace."""
    pushed(step, shop, {"deep.yaml": "- " * 254 + "treasure\n"}, number=2)
    outcome = step.run(shop.path.parent, FEEDER_DIRECTORY=shop.path.name)
    assert outcome.code == 0
    [warning] = [annotation for annotation in outcome.annotations if annotation.name == "warning"]
    assert warning.facts == {"file": f"{shop.path.name}/deep.yaml", "line": "1"}
