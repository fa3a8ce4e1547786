"""README says what the program does."""

import re
from pathlib import Path

import click
import pytest

from feeder.cli import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^\| `feeder (\w+)", README, re.MULTILINE)
SETTINGS = re.findall(r"^\| `(--[\w-]+)[^|`]*(?:\\\|\w+)?` \| `(\w+)", README, re.MULTILINE)


def options(command: click.Command) -> dict[str, click.Option]:
    found = [option for option in command.params if isinstance(option, click.Option)]
    return {name: one for one in found for name in (*one.opts, *one.secondary_opts)}


def twins(option: click.Option) -> set[str]:
    """The environment variables that set an option."""
    named = option.envvar or ()
    return {named} if isinstance(named, str) else set(named)


def test_every_command_is_listed() -> None:
    """The table of commands has each of them, and no other."""
    assert sorted(COMMANDS) == sorted(cli.commands)


@pytest.mark.parametrize(("flag", "twin"), SETTINGS)
def test_every_setting_has_its_environment_twin(flag: str, twin: str) -> None:
    """A setting of the tables is an option of `sync`, and the variable beside it sets the same."""
    assert twin in twins(options(cli.commands["sync"])[flag])


def test_every_setting_is_listed() -> None:
    """An option of `sync` with an environment twin stands in README."""
    known = options(cli.commands["sync"])
    named = {twin for _, twin in SETTINGS}
    assert [flag for flag, one in known.items() if twins(one) and not named & twins(one)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_answers_for_machines(name: str) -> None:
    """Every command has `--json`, and those that write have `--dry-run`."""
    known = options(cli.commands[name])
    assert "--json" in known or name == "deltas"
    assert ("--dry-run" in known) == (name in {"sync", "process", "delete", "apply", "init"})


@pytest.mark.parametrize("page", re.findall(r"\]\(([\w./-]+)\)", README))
def test_every_page_linked_is_there(page: str) -> None:
    """No link leads nowhere."""
    assert (ROOT / page).is_file()
