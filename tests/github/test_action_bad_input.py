"""The action with invalid or malicious inputs."""

from pathlib import Path

import pytest
from program import Console

from github import events
from github.runner import FEED, Hub, Outcome
from github.workflows import workflow


def run(hub: Hub, **inputs: str) -> Outcome:
    """Runs a first push with these inputs."""
    commit = hub.repo.commit({FEED: workflow(**inputs), "cart.py": "def add(): ...\n"})
    return hub.run(events.push(events.ZERO, commit))


@pytest.mark.parametrize(
    ("inputs", "named"),
    [
        ({"branch": 'a";echo pwned;"'}, 'a";echo pwned;"'),
        ({"path": "$(touch MARK)"}, "$(touch MARK)"),
        ({"path": "`touch MARK`"}, "`touch MARK`"),
        ({"path": "../elsewhere"}, "../elsewhere"),
        ({"command": "apply", "deltas": "no JSON $(touch MARK)"}, "no JSON"),
        ({"command": "apply", "deltas": '[{"file": "cart.py"'}, "JSON"),
        ({"command": "apply"}, "deltas"),
        ({"command": "destroy; touch MARK"}, "destroy"),
        ({"dry_run": "perhaps"}, "perhaps"),
        ({"working_directory": "nowhere"}, "nowhere"),
        ({"shard": "5/4"}, "5/4"),
        ({"max_requests": "$((6*7))"}, "$((6*7))"),
    ],
    ids=str,
)
def test_invalid_input_is_an_error(
    hub: Hub, console: Console, tmp_path: Path, inputs: dict[str, str], named: str
) -> None:
    """Exit code 2 and one sentence in the log and on the run's page."""
    mark = str(tmp_path / "mark")
    outcome = run(hub, **{key: value.replace("MARK", mark) for key, value in inputs.items()})
    assert outcome.exit_codes == [2]
    [error] = outcome.annotated("error")
    assert named.replace("MARK", mark) in error
    assert error.splitlines()[0] in outcome.log
    assert not Path(mark).exists()
    assert "pwned" not in outcome.log.splitlines()
    assert console.sql("SELECT count(*) FROM docs") == [[0]]


def test_missing_secrets_are_an_error(hub: Hub) -> None:
    """It names the inputs to set."""
    commit = hub.repo.commit({FEED: workflow()})
    outcome = hub.run(events.push(events.ZERO, commit), secrets={})
    assert outcome.exit_codes == [2]
    [error] = outcome.annotated("error")
    assert "Set the inputs api-token, account-id (a secret that does not exist is empty)" in error


def test_token_is_not_shown(hub: Hub, console: Console) -> None:
    """Not in log, annotations or summary, even if it is refused."""
    token = "secret-of-nobody"
    secrets = {**hub.settings.secrets, "CLOUDFLARE_API_TOKEN": token}
    commit = hub.repo.commit({FEED: workflow()})
    outcome = hub.run(events.push(events.ZERO, commit), secrets=secrets)
    assert outcome.exit_codes == [2]
    assert token not in outcome.text


def test_branch_named_like_a_command_is_indexed(hub: Hub, console: Console) -> None:
    """git allows such a name; nothing is executed."""
    branch = 'a";echo${IFS}pwned;"'
    hub.repo.git("checkout", "-q", "-b", branch)
    commit = hub.repo.commit({FEED: workflow(branch=branch), "cart.py": "def add(): ...\n"})
    outcome = hub.run(events.push(events.ZERO, commit, ref=f"refs/heads/{branch}"))
    assert outcome.passed, outcome.log
    assert console.sql("SELECT DISTINCT branch FROM docs") == [[branch]]
    assert "pwned" not in outcome.log.splitlines()
