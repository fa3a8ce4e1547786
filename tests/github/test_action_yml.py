"""action.yml agrees with the program's options and is safe to use."""

import re
from typing import Any

import click
import pytest
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
NO_INPUTS = {
    "FEEDER_CONTENT",
    "FEEDER_DB",
    "FEEDER_GRAMMAR",
    "FEEDER_JOBS",
    "FEEDER_MASK_SECRETS",
    "FEEDER_MAX_DOCUMENT_BYTES",
    "FEEDER_MAX_FILE_BYTES",
    "FEEDER_REDESCRIBE",
    "FEEDER_RUN",
    "FEEDER_VECTORS",
}
"""Settings for which a workflow sets the environment itself, or GitHub does."""


def option_variables() -> set[str]:
    """Returns the first environment variable of each option of the action's commands."""
    commands = ("action", "sync", "apply", "validate", "plan")
    loaded = cli.load_commands()
    options = [option for name in commands for option in loaded[name].params]
    names = [option.envvar for option in options if isinstance(option, click.Option)]
    return {name if isinstance(name, str) else name[0] for name in names if name}


@pytest.mark.parametrize("name", sorted(ACTION["inputs"]))
def test_every_input_is_described_and_has_a_default(name: str) -> None:
    said = ACTION["inputs"][name]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert said["description"].endswith(".")
    assert isinstance(said["default"], str)


def test_every_input_reaches_the_program() -> None:
    """Each input is one variable of the step that runs feeder, except those of other steps."""
    inputs = {*ACTION["inputs"]} - {"embedding-cache", "environment-cache", "documents"}
    expected = {
        SAID.get(name, f"FEEDER_{name.replace('-', '_').upper()}"): f"${{{{ inputs.{name} }}}}"
        for name in inputs
    }
    own = {"PYTHON", "PYTHONSAFEPATH", "FEEDER_CACHE"}
    assert {name: value for name, value in FEED["env"].items() if name not in own} == expected


def test_every_variable_of_the_step_is_an_option() -> None:
    """And every option is an input or left out deliberately."""
    ours = {"PYTHON", "PYTHONSAFEPATH", "CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID"}
    assert {*FEED["env"]} - ours == option_variables() - NO_INPUTS - {"FEEDER_ACCOUNT_ID"}


def test_command_input_lists_the_commands() -> None:
    """In its description."""
    [option] = [one for one in cli.load_commands()["action"].params if one.name == "command"]
    assert isinstance(option.type, click.Choice)
    for choice in option.type.choices:
        assert re.search(rf"\b{choice}\b", ACTION["inputs"]["command"]["description"])


@pytest.mark.parametrize("name", sorted(ACTION["outputs"]))
def test_every_output_is_written_by_the_program(name: str) -> None:
    """They are described and have the same names."""
    said = ACTION["outputs"][name]
    assert said["description"].endswith(".")
    assert said["value"] == f"${{{{ steps.feed.outputs.{name} }}}}"


def test_later_steps_are_not_affected() -> None:
    """Neither environment, PATH nor Python."""
    assert "GITHUB_ENV" not in TEXT
    assert "GITHUB_PATH" not in TEXT
    [python] = [step for step in STEPS if "setup-python" in step.get("uses", "")]
    assert python["with"]["update-environment"] is False
