"""Runs the program's command line in this process, in a given folder."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from feeder.cli.main import main
from source.repos import Repo


class CommandResult(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


RunFeeder = Callable[..., CommandResult]


def command_runner(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> RunFeeder:
    """Returns a function that runs a command in a folder and checks that there is no traceback.

    A command reads the index that the test has made; it updates it first only if the test sets
    FEEDER_REFRESH.
    """

    def run(place: Path | Repo, *arguments: str | Path) -> CommandResult:
        monkeypatch.chdir(place.path if isinstance(place, Repo) else place)
        monkeypatch.setattr(sys, "argv", ["feeder", *map(str, arguments)])
        capfd.readouterr()
        with monkeypatch.context() as patch, pytest.raises(SystemExit) as ended:
            patch.setenv("FEEDER_REFRESH", os.environ.get("FEEDER_REFRESH", "off"))
            main()
        code = ended.value.code
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return CommandResult(0 if code is None else int(code), out, err)

    return run
