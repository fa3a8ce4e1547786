"""The program as a user runs it: in a folder, with arguments, in this process."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from feeder.cli.main import main
from source.repos import Repo


class CommandResult(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


RunFeeder = Callable[..., CommandResult]


def command_runner(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> RunFeeder:
    """Runs a command in a folder; it never ends in a traceback."""

    def run(place: Path | Repo, *arguments: str | Path) -> CommandResult:
        monkeypatch.chdir(place.path if isinstance(place, Repo) else place)
        monkeypatch.setattr(sys, "argv", ["feeder", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return CommandResult(0 if code is None else int(code), out, err)

    return run
