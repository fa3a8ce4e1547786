"""The program is safe with hostile names, files and settings of a checkout."""

import os
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from feeder.cli.main import main
from feeder.parse.worker_pool import WorkerPool
from source.repos import Repo

pytestmark = pytest.mark.slow

CONTROL_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of characters that a terminal obeys instead of showing them."""
EVIL = "e\x1b[2J\u202e\x9b31m\r\nFiles: 9 deleted\u2066"
FILES = {
    f"{EVIL}.py": f"class Answer{EVIL.splitlines()[0]}:\n    def \x1b]0;title\x07(): pass\n",
    f"{EVIL}.md": f"# Answer {EVIL}\n\n\x1b]52;c;Y2FsYw==\x07 answer\r\n",
    f"{EVIL}.json": '{"answer\\u001b[31m\\u202e": "\\u009b"}',
    f"{EVIL}.yml": "- " * 300 + "answer\n",
}

Feeder = Callable[..., tuple[int, str]]


@pytest.fixture
def feeder(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Feeder:
    """Runs a command in a repository and checks that its output has no control characters."""
    monkeypatch.setenv("FEEDER_VECTORS", "no")
    monkeypatch.setenv("FEEDER_JOBS", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path_factory.getbasetemp()))

    def run(repo: Repo, *arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(repo.path)
        monkeypatch.setattr(sys, "argv", ["feeder", *arguments])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = "".join(capfd.readouterr())
        assert {c for c in said if unicodedata.category(c) in CONTROL_CATEGORIES} <= {"\n"}
        assert "\nFiles: 9" not in said
        return int(ended.value.code or 0), said

    return run


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with control characters in file names and text."""
    repo = Repo(tmp_path_factory.mktemp("hostile"))
    repo.commit(FILES)
    return repo


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("search", "answer"), 0),
        (("search", "--json", "answer"), 0),
        (("search", EVIL), 0),
        (("search", "answer", "--path", EVIL), 2),
        (("search", "answer", "--node-type", EVIL), 2),
        (("stats", "--repo", EVIL), 2),
        (("deltas", "--base", EVIL), 2),
        (("deltas", "--base", "HEAD", "--head", EVIL), 2),
        (("process", "--path", EVIL), 2),
        (("process", "--path", f"{EVIL}.md", "--dry-run", "--json"), 0),
        (("delete", "--path", EVIL), 0),
        (("delete", "--path", f"../{EVIL}"), 2),
        (("apply", EVIL), 2),
        (("sync", "-C", EVIL), 2),
        (("sync", "--repo", EVIL, "--branch", EVIL), 0),
        (("sync", f"--{EVIL}"), 2),
        (("sync", EVIL), 2),
        (("sync", "--grammar", EVIL), 2),
        (("stats", "--db", EVIL), 2),
        ((EVIL,), 2),
    ],
    ids=repr,
)
def test_control_characters_are_escaped_in_every_output(
    feeder: Feeder, hostile: Repo, arguments: tuple[str, ...], code: int
) -> None:
    """In names, code, headings and arguments; in results (exit code 0) and errors (2)."""
    if not (hostile.path / ".feeder").exists():
        assert feeder(hostile, "sync")[0] == 0
    assert feeder(hostile, *arguments)[0] == code


def test_control_characters_are_escaped_in_differences(feeder: Feeder, repo: Repo) -> None:
    """The differences that validation prints contain names."""
    repo.commit(FILES)
    feeder(repo, "sync")
    repo.commit(dict.fromkeys(FILES, "other\n"))
    code, said = feeder(repo, "validate")
    assert code == 1
    assert "the index differs from HEAD" in said


def test_deltas_keep_file_names_unchanged(feeder: Feeder, repo: Repo, tmp_path: Path) -> None:
    """`apply` reads the same names from the JSON."""
    repo.commit(FILES)
    feeder(repo, "sync")
    code, made = feeder(repo, "deltas", "--base", "")
    assert code == 0
    deltas = made[made.index("[{") : made.rindex("}]") + 2].replace('"process"', '"delete"')
    (tmp_path / "deltas.json").write_text(deltas)
    code, said = feeder(repo, "apply", str(tmp_path / "deltas.json"))
    assert code == 0
    assert f"{len(FILES)} deleted" in said


@pytest.mark.parametrize("command", ["process", "delete"])
def test_empty_path_is_refused(feeder: Feeder, repo: Repo, command: str) -> None:
    """An unset variable of a script must not empty the index."""
    repo.commit({"a.py": "x"})
    feeder(repo, "sync")
    code, said = feeder(repo, command, "--path", "")
    assert code == 2
    assert "Invalid value for '--path': it is empty" in said
    assert "files: 1 " in feeder(repo, "stats")[1]


@pytest.mark.parametrize("module", ["signal", "pickle", "ast"])
def test_no_module_is_imported_from_the_checkout(feeder: Feeder, repo: Repo, module: str) -> None:
    """A file named like a Python module is indexed as code."""
    repo.commit({f"{module}.py": "open('it has run', 'w')\n"})
    assert feeder(repo, "sync")[0] == 0
    assert not (repo.path / "it has run").exists()


def test_parser_processes_have_no_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They read foreign files in native code."""
    parser = "import os\nfrom feeder.parse import ParsedFile\n\n"
    parser += "def spy(grammars, path, content):\n"
    parser += "    return ParsedFile(path, [], skip=' '.join(os.environ))\n"
    (tmp_path / "a_spy.py").write_text(parser)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", "t0ken")
    from a_spy import spy  # type: ignore[import-not-found]

    with WorkerPool(count=1, parse_file=spy) as workers:
        [parsed] = workers.parse([("a.py", b"x")])
    assert "PATH" in str(parsed.skip)
    assert "CLOUDFLARE_API_TOKEN" not in str(parsed.skip)


def test_index_folder_is_private(feeder: Feeder, repo: Repo) -> None:
    """Other users cannot list it."""
    before = os.umask(0o022)
    try:
        repo.commit({"a.py": "x"})
        feeder(repo, "sync")
    finally:
        os.umask(before)
    assert f"{(repo.path / '.feeder').stat().st_mode & 0o777:o}" == "700"


@pytest.mark.parametrize("link", [".feeder", ".feeder/.gitignore", ".feeder/index.db"])
def test_symbolic_link_instead_of_the_index_is_refused(
    feeder: Feeder, repo: Repo, tmp_path: Path, link: str
) -> None:
    """Nothing is written behind it, and the error names it."""
    (repo.path / link).parent.mkdir(exist_ok=True)
    (repo.path / link).symlink_to(tmp_path / "elsewhere")
    repo.commit({"a.py": "x"})
    code, said = feeder(repo, "sync")
    assert code == 2
    assert f"{link} is a symbolic link" in said
    assert not (tmp_path / "elsewhere").exists()
