"""The published wheel and sdist contain the whole program, under the name headfeed."""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import feeder
from source.repos import Repo

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src/feeder"
WHEELS = ROOT / ".venv/wheels"
"""What `make .venv/wheels` has fetched: all that the locks name."""
MOST_BYTES = 12_000_000
"""Of a wheel or an sdist, most of it the static model."""


def build(source: Path, out: Path, *options: str) -> list[Path]:
    """Builds a folder without a network and returns the files."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out), *options]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return sorted(out.iterdir())


def sources() -> set[str]:
    """Returns the files of the package that git tracks or would add."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src/feeder"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return {name.removeprefix("src/") for name in names.split() if (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist."""
    wheel, sdist = build(ROOT, tmp_path_factory.mktemp("dist"))
    return wheel, sdist


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_file_names_have_name_version_and_platform(built: tuple[Path, Path]) -> None:
    """For every platform, with the program's version."""
    version = feeder.__version__
    assert [file.name for file in built] == [
        f"headfeed-{version}-py3-none-any.whl",
        f"headfeed-{version}.tar.gz",
    ]


def test_wheel_contains_exactly_the_package(built: tuple[Path, Path]) -> None:
    """Including files that are not Python."""
    there = contents(built[0])
    package = {name for name in there if name.startswith("feeder/")}
    assert package == sources()
    assert b"export{" in there["feeder/edge/worker.js"]
    assert {
        "feeder/grammar_queries.json",
        "feeder/embedding/vocabulary.txt",
        "feeder/embedding/vocabulary.txt.license",
        "feeder/store/migrations/0001_init.sql",
        "feeder/py.typed",
    } <= package
    about = f"headfeed-{feeder.__version__}.dist-info"
    assert {name.partition("/")[0] for name in there} == {"feeder", about}
    licences = sorted(name for name in there if name.startswith(f"{about}/licenses/"))
    assert licences == [
        f"{about}/licenses/LICENSE",
        f"{about}/licenses/src/feeder/embedding/vocabulary.txt.license",
        f"{about}/licenses/src/feeder/parse/secrets/rules.py.license",
        f"{about}/licenses/src/feeder/web/page/colours/languages.license",
    ]
    assert there[f"{about}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    for command in (b"feeder", b"headfeed"):
        assert command + b" = feeder.__main__:main\n" in there[f"{about}/entry_points.txt"]


def test_sdist_builds_the_same_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    """It has no tests and samples."""
    wheel, sdist = built
    assert max(sdist.stat().st_size, wheel.stat().st_size) < MOST_BYTES
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / sdist.name.removesuffix(".tar.gz")
    assert not (folder / "tests").exists()
    [again] = build(folder, tmp_path / "out", "-t", "wheel")
    assert contents(again) == contents(wheel)


SITE_PACKAGES = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"


def installed(source: str, venv: Path) -> Path:
    """Returns the command of a new environment with the program and this environment's
    dependencies.

    `source` is a wheel, an sdist or a folder, built without a network.
    """
    make = [sys.executable, "-m", "venv", "--without-pip", str(venv)]
    subprocess.run(make, check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin/python"), "--quiet"]
    offline = ["--no-compile", "--no-index", "--find-links", str(WHEELS), "--no-deps"]
    subprocess.run([*pip, "install", *offline, source], check=True)
    (venv / SITE_PACKAGES / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return venv / "bin/feeder"


def installed_from_git(address: str, folder: Path) -> Path:
    """Returns the command that `uv tool install git+ADDRESS` creates, without a network."""
    places = {
        f"UV_{name}": str(folder / name) for name in ("TOOL_DIR", "TOOL_BIN_DIR", "CACHE_DIR")
    }
    run = [str(Path(sys.executable).parent / "uv"), "tool", "install", "--quiet", "--offline"]
    run += ["--no-index", "--find-links", str(WHEELS), "--python", sys.executable]
    command, environment = [*run, f"git+{address}"], os.environ | places
    result = subprocess.run(command, env=environment, check=False)
    if result.returncode == -signal.SIGSEGV:  # uv itself may crash as it ends
        result = subprocess.run(command, env=environment, check=False)
    result.check_returncode()
    return folder / "TOOL_BIN_DIR" / "feeder"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the program's tracked files and no build output."""
    repo = Repo(tmp_path_factory.mktemp("clone") / "feeder")
    names = [
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        ".gitignore",
        ".gitattributes",
    ]
    repo.commit({name: (ROOT / name).read_bytes() for name in names})
    repo.commit({f"src/{name}": (ROOT / "src" / name).read_bytes() for name in sources()})
    return repo.path


@pytest.mark.parametrize("source", ["wheel", "sdist", "path", "git"])
def test_each_installation_contains_the_worker(
    source: str, built: tuple[Path, Path], clone: Path, tmp_path: Path, repo: Repo
) -> None:
    """`feeder worker` writes the committed worker.js."""
    if source == "git":
        feeder_command = installed_from_git(clone.as_uri(), tmp_path)
    else:
        path = {"wheel": built[0], "sdist": built[1], "path": clone}[source]
        feeder_command = installed(str(path), tmp_path / "venv")
    database = "11111111-2222-4333-8444-555555555555"
    output_of(feeder_command, repo, "worker", "edge", "--database-id", database)
    written = repo.path / "edge" / "worker.js"
    assert written.read_bytes() == (SOURCES / "edge" / "worker.js").read_bytes()


@pytest.fixture
def command(built: tuple[Path, Path], repo: Repo) -> Path:
    """feeder, installed into an environment inside another repository."""
    return installed(str(built[0]), repo.path / ".venv")


def output_of(command: Path, repo: Repo, *arguments: str) -> str:
    run = [str(command), *arguments]
    done = subprocess.run(run, cwd=repo.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_installed_program_indexes_and_searches(built: tuple[Path, Path]) -> None:
    """In an empty environment, with its model and without a network."""
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(WHEELS), "PYTHON": sys.executable}
    run = ["bash", str(ROOT / ".ci/try"), str(built[0])]
    done = subprocess.run(
        run, env=os.environ | offline, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert (first, last) == (f"feeder {feeder.__version__}", "The index is correct.")


def test_shell_completion(command: Path, repo: Repo) -> None:
    """With the lines that README shows."""
    asked = {"_FEEDER_COMPLETE": "bash_complete", "COMP_WORDS": "feeder va", "COMP_CWORD": "1"}
    env = os.environ | asked
    done = subprocess.run([command], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "plain,validate\n"


def test_installed_program_has_no_commit_in_its_version(command: Path, repo: Repo) -> None:
    """The repository around its environment is another project."""
    repo.commit({"pyproject.toml": '[project]\nname = "shop"\n'})
    assert output_of(command, repo, "--version") == f"feeder {feeder.__version__}\n"


def test_clone_has_its_commit_in_its_version(tmp_path: Path, repo: Repo) -> None:
    """Wherever the program is started."""
    clone = Repo(tmp_path / "clone")
    shutil.copytree(SOURCES, clone.path / "src/feeder")
    shutil.copy(ROOT / "pyproject.toml", clone.path)
    assert version_of(clone, repo) == f"feeder {feeder.__version__} (clone)\n"
    commit = clone.commit()
    assert version_of(clone, repo) == f"feeder {feeder.__version__} ({commit[:7]}, clone)\n"


def test_vendored_copy_has_no_commit_in_its_version(tmp_path: Path, repo: Repo) -> None:
    """The repository is another project's."""
    other = Repo(tmp_path / "other")
    shutil.copytree(SOURCES, other.path / "src/feeder")
    other.commit({"pyproject.toml": '[project]\nname = "shop"\n'})
    assert version_of(other, repo) == f"feeder {feeder.__version__}\n"


def version_of(sources: Repo, elsewhere: Repo) -> str:
    run = [sys.executable, "-m", "feeder", "--version"]
    env = os.environ | {"PYTHONPATH": str(sources.path / "src")}
    done = subprocess.run(
        run, cwd=elsewhere.path, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


SYSTEM = re.compile(
    r"^ *(?:import|from) "
    r"(?:fcntl|grp|mmap|os|pty|pwd|resource|select|signal|socket|termios|time|tty)\b",
    re.MULTILINE,
)
"""An import of a module of which Windows lacks something."""


def test_page_on_windows_lists_what_mypy_finds(tmp_path: Path) -> None:
    """The modules that use what Python lacks there, in the shown output and in the table."""
    page = (ROOT / "docs/explanation/windows.md").read_text("utf-8")
    files = [file for file in sorted(SOURCES.rglob("*.py")) if SYSTEM.search(file.read_text())]
    command = [sys.executable, "-m", "mypy", "--platform", "win32", "--cache-dir", str(tmp_path)]
    command += ["--follow-imports", "skip"]  # all else takes ten times as long
    done = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, check=False)
    lacks = re.compile(r"(src/feeder/\S+\.py):\d+: error: Module has no attribute ")
    found = {line[1] for line in map(lacks.match, done.stdout.splitlines()) if line}
    assert found == {*re.findall(r"^src/feeder/\S+$", page, re.MULTILINE)}
    table = {f"src/feeder/{name}" for name in re.findall(r"^\| `([\w/]+\.py)`", page, re.MULTILINE)}
    assert found == table


def test_classifiers_match_the_ci_matrix() -> None:
    """All tests on the oldest and newest Python, a smoke test on the others and macOS."""
    project = (ROOT / "pyproject.toml").read_text()
    claimed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    whole = jobs["test"]["strategy"]["matrix"]["python"]
    smoke = {
        (job["python"], job["system"]) for job in jobs["smoke"]["strategy"]["matrix"]["include"]
    }
    assert whole == [claimed[0], claimed[-1]]
    assert {version for version, _ in smoke} == set(claimed[1:-1])
    assert {system for _, system in smoke} == {"ubuntu-latest", "macos-latest"}
    assert f'requires-python = ">={claimed[0]}"' in project
