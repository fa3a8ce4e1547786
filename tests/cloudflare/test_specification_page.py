"""The commands of the page on the specification print what the page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

from standin import StandIn

from index_helpers import SHOP
from required_extras import require_extras
from source.repos import Repo

PAGE = Path(__file__).parents[2] / "docs/explanation/specification.md"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown_commands() -> list[tuple[str, list[str]]]:
    """Each command of the page with the lines that are shown below it."""
    lines = "".join(CONSOLE.findall(PAGE.read_text("utf-8"))).splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    return [
        (lines[start][2:], lines[start + 1 : end])
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def matches(shown: list[str], printed: str) -> bool:
    """Whether the output equals what is shown; `…` stands for any text."""
    pattern = "\n".join(shown)
    return bool(re.fullmatch(re.escape(pattern).replace("…", ".*"), printed.rstrip(), re.DOTALL))


def test_each_shown_command_prints_what_is_shown(
    standin: StandIn, repo: Repo, tmp_path: Path
) -> None:
    require_extras("cloudflare")
    standin.change(vectorize_delay_s=0)
    repo.commit(SHOP)
    environment = {
        **os.environ,
        **standin.environment,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "FEEDER_REPO": "acme/shop",
        "GIT_CEILING_DIRECTORIES": str(tmp_path.parent),
    }
    for command, shown in shown_commands():
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            check=False,
            cwd=repo.path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert matches(shown, done.stdout), command
