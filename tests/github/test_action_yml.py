"""action.yml agrees with the program's options and is safe to use."""

from typing import Any

import click
import yaml

from feeder.cli.main import cli
from github.runner import ROOT

TEXT = (ROOT / "action.yml").read_text()
ACTION: dict[str, Any] = yaml.safe_load(TEXT)
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
[FEED] = [step for step in STEPS if step.get("id") == "feed"]
SAID = {
    "account-id": "CLOUDFLARE_ACCOUNT_ID",
    "api-token": "CLOUDFLARE_API_TOKEN",
    "working-directory": "FEEDER_DIRECTORY",
}
"""Inputs that are not called as their option is."""


def option_variables() -> set[str]:
    """Returns the first environment variable of each option of the action's commands."""
    commands = ("action", "sync", "apply", "validate", "plan")
    loaded = cli.load_commands()
    options = [option for name in commands for option in loaded[name].params]
    names = [option.envvar for option in options if isinstance(option, click.Option)]
    return {name if isinstance(name, str) else name[0] for name in names if name}


def test_every_input_reaches_the_program() -> None:
    """Each input is one variable of the step that runs feeder, except those of other steps."""
    of_others = {"attest", "embedding-cache", "environment-cache", "documents"}
    inputs = {*ACTION["inputs"]} - of_others
    expected = {
        SAID.get(name, f"FEEDER_{name.replace('-', '_').upper()}"): f"${{{{ inputs.{name} }}}}"
        for name in inputs
    }
    own = {"PYTHON", "PYTHONSAFEPATH", "FEEDER_CACHE"}
    assert {name: value for name, value in FEED["env"].items() if name not in own} == expected


def test_every_variable_of_the_step_is_an_option() -> None:
    others = {
        *("PYTHON", "PYTHONSAFEPATH", "CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID"),
        "FEEDER_PULL",
    }
    assert {*FEED["env"]} - others <= option_variables()


def test_every_output_is_that_of_the_step_that_runs_feeder() -> None:
    values = {name: output["value"] for name, output in ACTION["outputs"].items()}
    assert values == {name: f"${{{{ steps.feed.outputs.{name} }}}}" for name in values}


def test_later_steps_are_not_affected() -> None:
    """Neither environment, PATH nor Python."""
    assert "GITHUB_ENV" not in TEXT
    assert "GITHUB_PATH" not in TEXT
    [python] = [step for step in STEPS if "setup-python" in step.get("uses", "")]
    assert python["with"]["update-environment"] is False
