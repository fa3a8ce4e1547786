import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from source.repos import Repo

SETTINGS = """\
[user]
name = A
email = a@example.org
[init]
defaultBranch = main
templateDir = {templates}
[maintenance]
auto = false
"""


@pytest.fixture(scope="session", autouse=True)
def plain_git(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """git without user settings except a name; it copies no hooks and packs nothing by itself."""
    folder = tmp_path_factory.mktemp("settings")
    settings = folder / "gitconfig"
    settings.write_text(SETTINGS.format(templates=folder / "none"))
    (folder / "none").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            patch.delenv(name)
        patch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")
