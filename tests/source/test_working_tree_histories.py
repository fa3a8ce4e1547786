"""After any change of a working tree, each read equals `git add --all`."""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from source.repos import Repo
from source.test_working_tree import age_git_index, read_working_tree, tree_by_git_add

pytestmark = pytest.mark.slow

NAMES = ("a.py", "b.py", "d", "d/a.py", "d/e/f.py", "x.log", "größe.txt", "line\nend", "-q")
TEXTS = ("one\n", "two\n", "six\n", "crlf\r\n", "")
names, texts = st.sampled_from(NAMES), st.sampled_from(TEXTS)
ORDERS = (
    ("add", "--all"),
    ("reset", "-q"),
    ("reset", "-q", "--hard"),
    ("stash", "-q"),
    ("stash", "pop", "-q"),
    ("checkout", "-q", "HEAD~1"),
    ("rm", "-q", "-r", "--cached", "."),
    ("update-index", "-q", "--refresh"),
    ("gc", "-q", "--prune=now"),
    ("pack-refs", "--all"),
)


class History(RuleBasedStateMachine):
    """A repository and one cache folder for all reads."""

    @initialize(attributes=st.sampled_from(["", "* text=auto\n", "*.py text eol=crlf\n"]))
    def begin(self, attributes: str) -> None:
        self._folder = TemporaryDirectory()
        self._repo = Repo(Path(self._folder.name, "repo"))
        self._repo.commit({"a.py": "one\n", "d/a.py": "two\r\n", ".gitattributes": attributes})
        self._repo.commit({"b.py": "two\n"})

    def teardown(self) -> None:
        self._folder.cleanup()

    def _clear(self, name: str) -> Path:
        """Returns the path of a file after removing what blocks it."""
        place = self._repo.path / name
        for above in (place, *place.parents[: name.count("/")]):
            if above.is_symlink() or above.is_file():
                above.unlink()
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    @rule(name=names, text=texts)
    def write(self, name: str, text: str) -> None:
        self._clear(name).write_bytes(text.encode())

    @rule(name=names)
    def remove(self, name: str) -> None:
        self._clear(name)

    @rule(name=names, to=names)
    def rename(self, name: str, to: str) -> None:
        source = self._repo.path / name
        if (
            source.is_file()
            and to != name
            and not to.startswith(f"{name}/")
            and not name.startswith(f"{to}/")
        ):
            source.rename(self._clear(to))

    @rule(name=names, to=names)
    def link(self, name: str, to: str) -> None:
        self._clear(name).symlink_to(to)

    @rule(name=names, age=st.integers(0, 3))
    def touch(self, name: str, age: int) -> None:
        place = self._repo.path / name
        if place.is_file():
            now = place.stat().st_mtime
            os.utime(place, (now - age, now - age))

    @rule(rules=st.sampled_from(["", "*.log\n", "d/\n", "*\n!a.py\n"]))
    def ignore(self, rules: str) -> None:
        self._clear(".gitignore").write_text(rules, "utf-8")

    @rule(order=st.sampled_from(ORDERS))
    def order(self, order: tuple[str, ...]) -> None:
        with suppress(subprocess.CalledProcessError):  # what git refuses is not done
            self._repo.git(*order)

    @rule(name=names, how=st.sampled_from([("add", "-f"), ("add", "-N"), ("rm", "-q", "--cached")]))
    def order_of(self, name: str, how: tuple[str, ...]) -> None:
        with suppress(subprocess.CalledProcessError):
            self._repo.git("--literal-pathspecs", *how, "--", name)

    @rule()
    def commit(self) -> None:
        self._repo.git("commit", "-q", "--allow-empty", "-m", "another")

    @invariant()
    def is_what_git_would_add(self) -> None:
        if not hasattr(self, "_repo"):
            return
        age_git_index(self._repo)
        status = self._repo.git("--no-optional-locks", "status", "--porcelain", "-z")
        tree, wanted = read_working_tree(self._repo), tree_by_git_add(self._repo)
        assert tree.root_tree_id == wanted or not wanted
        head = self._repo.git("rev-parse", "HEAD^{tree}")
        assert tree.working_tree_id == ("" if tree.root_tree_id == head else tree.root_tree_id)
        assert self._repo.git("--no-optional-locks", "status", "--porcelain", "-z") == status


TestHistories = History.TestCase
TestHistories.settings = settings(max_examples=15, stateful_step_count=20)
