"""The command that adds an extra is that of the installer which installed the program."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import feeder

METADATA = """\
Metadata-Version: 2.4
Name: headfeed
Version: 0.1.0
Provides-Extra: serve
Requires-Dist: starlette>=1.0; extra == 'serve'
Provides-Extra: cloudflare
Requires-Dist: cloudflare<6,>=5.9; extra == 'cloudflare'
"""
SDK = "Metadata-Version: 2.4\nName: cloudflare\nVersion: 5.9.0\n"
SOURCES = Path(feeder.__file__).parents[1]
FOLDER: dict[str, Any] = {"url": "file:///home/ada/my%20feeder", "dir_info": {}}
CLONE: dict[str, Any] = {"url": "file:///home/ada/feeder", "dir_info": {"editable": True}}
WHEEL: dict[str, Any] = {
    "url": "file:///tmp/headfeed-0.1.0-py3-none-any.whl",
    "archive_info": {},
}
GIT: dict[str, Any] = {
    "url": "https://example.com/ada/feeder",
    "vcs_info": {"vcs": "git", "commit_id": "f" * 40, "requested_revision": "v1"},
}


class Environment:
    """A virtual environment with what an installer leaves there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "venv", "--without-pip", "--symlinks", str(folder)]
        subprocess.run(command, check=True)
        [self.packages] = folder.glob("lib/python*/site-packages")
        (self.packages / "feeder.pth").write_text(f"{SOURCES}\n")

    def install(self, name: str, metadata: str, direct_url: dict[str, Any] | None = None) -> None:
        """Leaves what an installed package has beside its modules."""
        about = self.packages / f"{name}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(metadata)
        if direct_url:
            (about / "direct_url.json").write_text(json.dumps(direct_url))

    def command(self, extra: str = "") -> str:
        """What the program there says."""
        return self._call("install_command", extra)

    def hint(self, extra: str) -> str:
        """The sentence that the program there prints."""
        return self._call("install_hint", extra)

    def steps(self, extra: str) -> str:
        """The same within a sentence."""
        return self._call("install_steps", extra)

    def _call(self, function: str, extra: str) -> str:
        call = f"from feeder.installation import {function}; print({function}({extra!r}))"
        done = subprocess.run(
            [str(self.folder / "bin/python"), "-c", call],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip().replace(str(self.folder), "ENV")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "env")


UV_PIP = "uv pip install --python ENV/bin/python"
PIP = "ENV/bin/python -m pip install"
CASES = [
    (FOLDER, "uv-receipt.toml", "uv tool install '/home/ada/my feeder[serve]'"),
    (CLONE, "uv-receipt.toml", "uv tool install --editable '/home/ada/feeder[serve]'"),
    (
        GIT,
        "uv-receipt.toml",
        "uv tool install 'headfeed[serve] @ git+https://example.com/ada/feeder@v1'",
    ),
    (FOLDER, "pipx_metadata.json", "pipx install --force '/home/ada/my feeder[serve]'"),
    (CLONE, "pipx_metadata.json", "pipx install --force --editable '/home/ada/feeder[serve]'"),
    (FOLDER, "pip", f"{PIP} '/home/ada/my feeder[serve]'"),
    (CLONE, "pip", f"{PIP} --editable '/home/ada/feeder[serve]'"),
    (WHEEL, "pip", f"{PIP} 'headfeed[serve] @ file:///tmp/headfeed-0.1.0-py3-none-any.whl'"),
    (CLONE, "", f"{UV_PIP} --editable '/home/ada/feeder[serve]'"),
    (None, "", f"{UV_PIP} 'headfeed[serve]'"),
]
"""What the installer was given, what it leaves, and the command; without an address the package
came from an index, which has the name."""


@pytest.mark.parametrize(("direct_url", "left", "expected"), CASES)
def test_command_is_that_of_the_installer(
    environment: Environment, direct_url: dict[str, Any] | None, left: str, expected: str
) -> None:
    environment.install("headfeed-0.1.0", METADATA, direct_url)
    if left == "pip":
        (environment.packages / "pip.py").touch()
    elif left:
        (environment.folder / left).touch()
    assert environment.command("serve") == expected


def test_installers_that_make_a_new_environment_keep_the_other_extras(
    environment: Environment,
) -> None:
    """pip keeps what is there."""
    environment.install("headfeed-0.1.0", METADATA, CLONE)
    environment.install("cloudflare-5.9.0", SDK)
    assert environment.command("serve") == f"{UV_PIP} --editable '/home/ada/feeder[serve]'"
    assert environment.command() == f"{UV_PIP} --reinstall --no-deps --editable /home/ada/feeder"
    (environment.folder / "uv-receipt.toml").touch()
    both = "'/home/ada/feeder[cloudflare,serve]'"
    assert environment.command("serve") == f"uv tool install --editable {both}"
    assert environment.command() == (
        "uv tool install --reinstall --editable '/home/ada/feeder[cloudflare]'"
    )


def test_folder_that_is_gone_is_named(environment: Environment, tmp_path: Path) -> None:
    """No installer could read it."""
    folder = tmp_path / "feeder"
    environment.install(
        "headfeed-0.1.0", METADATA, {"url": folder.as_uri(), "dir_info": {"editable": False}}
    )
    command = f"{UV_PIP} '{folder}[serve]'"
    expected = (
        f"The clone {folder} that feeder was installed from is gone; restore it, then: {command}"
    )
    assert environment.hint("serve") == expected
    steps = environment.steps("serve")  # as `feeder doctor` prints them
    assert steps == f"t{expected[1:]}"
    folder.mkdir()
    assert environment.steps("serve") == command
    assert environment.hint("serve") == f"Install it with: {command}"


def test_clone_that_is_only_on_the_python_path_is_installed(environment: Environment) -> None:
    assert environment.command("serve") == f"{UV_PIP} --editable '{SOURCES.parent}[serve]'"


def test_program_in_the_cache_of_uvx_is_run_with_the_extra(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "archive-v0/x1")
    environment.install("headfeed-0.1.0", METADATA, FOLDER)
    assert environment.command("serve") == "uvx --from '/home/ada/my feeder[serve]' feeder"
