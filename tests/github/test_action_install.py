"""The installation of the action: packages, environment, cache and grammars."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from github import events
from github.runner import FEED, ROOT, Hub, Outcome, Runner, Settings
from github.workflows import checkout, feeder, job, workflow
from source.repos import Repo


def test_action_installs_pinned_packages_on_a_new_machine(first_outcome: Outcome) -> None:
    """With hashes, in an environment of its own, where feeder runs."""
    assert first_outcome.passed, first_outcome.log
    assert first_outcome.outputs()["matrix"] == '{"shard": ["1/2", "2/2"]}'


def test_second_step_of_a_job_reuses_the_environment(first_outcome: Outcome) -> None:
    """A file put there in between still exists."""
    assert first_outcome.passed, first_outcome.log
    assert first_outcome.outputs("again")["matrix"] == '{"shard": ["1/3", "2/3", "3/3"]}'


def test_local_store_installs_the_model(
    repo: Repo, tmp_path: Path, release: Path, first_outcome: Outcome
) -> None:
    """With store: local no secret is needed, and the CPU model is installed."""
    find = {"run": '"$RUNNER_TEMP"/feeder-venv/*/bin/python -c "import onnxruntime"'}
    commit = repo.commit(
        {FEED: job(checkout(), feeder(store="local", model="minilm", validate="true"), find)}
    )
    hub = Hub(repo, Runner(tmp_path, release, tmp_path / "none"), Settings({}, {}, {}))
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert int(outcome.outputs()["embedded"]) > 0


def test_later_run_restores_the_environment_from_the_cache(
    repo: Repo, tmp_path: Path, release: Path, first_cache: Path
) -> None:
    """On a machine where nothing could be installed."""
    [venv_cache] = [place.name for place in first_cache.iterdir() if place.is_dir()]
    assert re.fullmatch(r"feeder-venv-\w+-\w+-[0-9a-f]{32}", venv_cache)
    commit = repo.commit({FEED: job(checkout(), feeder(command="plan", shards="2"))})
    env = {"CACHE_HERE": str(first_cache), "PIP_FIND_LINKS": str(tmp_path / "nowhere")}
    hub = Hub(repo, Runner(tmp_path, release, tmp_path / "none"), Settings({}, {}, env))
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert outcome.outputs()["matrix"] == '{"shard": ["1/1"]}'


def test_only_shipped_grammars_are_installed(
    venv_cache: Path, release: Path, first_outcome: Outcome
) -> None:
    """They are half of what pip would install."""
    assert first_outcome.passed, first_outcome.log
    [python] = venv_cache.glob("*/bin/python")
    check = "from feeder.parse.grammar_files import load_grammars; load_grammars().compile_all()"
    subprocess.run([python, "-c", check], env={"PYTHONPATH": str(release / "src")}, check=True)
    [grammars] = venv_cache.glob("*/lib/*/site-packages/tree_sitter_language_pack/bindings")
    there = {file.name.partition(".")[0] for file in grammars.glob("*.so")}
    assert {"python", "kotlin", "xml"} <= there
    assert not {"verilog", "cobol", "nim"} & there


def environment(*arguments: str, **env: str) -> str:
    script = ROOT / "requirements/environment.py"
    run = [sys.executable, str(script), *arguments]
    done = subprocess.run(run, env=env, capture_output=True, text=True, check=True)
    return done.stdout


def test_cache_key_depends_on_what_is_installed() -> None:
    """On the lock and on a grammar file, which may need other grammars."""
    keys = [
        environment("key", "cloudflare.txt"),
        environment("key", "local.txt"),
        environment("key", "local.txt", "documents.txt"),
        environment("key", "cloudflare.txt", FEEDER_GRAMMAR="lua.json"),
    ]
    assert len({*keys}) == 4
    assert environment("key", "cloudflare.txt") == keys[0]


@pytest.mark.parametrize(
    ("env", "left"),
    [
        ({}, ["python.abi3.so"]),
        (
            {"FEEDER_GRAMMAR": "a.json"},
            ["cobol.abi3.so", "python.abi3.so", "swift.abi3.so"],
        ),
    ],
)
def test_user_grammar_file_may_name_any_grammar(
    tmp_path: Path, env: dict[str, str], left: list[str]
) -> None:
    """Without one, the shipped file lists the needed grammars; that of Swift has a package."""
    grammars = tmp_path / "tree_sitter_language_pack/bindings"
    grammars.mkdir(parents=True)
    (grammars.parent / "__init__.py").touch()
    for name in ("python.abi3.so", "cobol.abi3.so", "swift.abi3.so"):
        (grammars / name).touch()
    environment("slim", PYTHONPATH=str(tmp_path), **env)
    assert sorted(file.name for file in grammars.iterdir()) == left


def test_an_environment_that_was_changed_in_the_cache_is_not_used(tmp_path: Path) -> None:
    """Not with another file, a changed one, an unpinned package or another interpreter."""
    packages = tmp_path / "lib/python3.12/site-packages"
    record = packages / "click-8.1.0.dist-info/RECORD"
    record.parent.mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(sys.executable)
    (packages / "click.py").write_text("x = 1\n")
    digest = "sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q"
    record.write_text(f"click.py,{digest},6\nclick-8.1.0.dist-info/RECORD,,\n")
    lock = tmp_path / "lock.txt"
    lock.write_text("click==8.1.0 \\\n    --hash=sha256:00\n")

    def verify() -> str:
        run = [sys.executable, str(ROOT / "requirements/environment.py"), "verify"]
        done = subprocess.run(
            [*run, str(tmp_path), str(lock)], capture_output=True, text=True, check=False
        )
        return done.stderr.strip()

    assert verify() == ""
    (packages / "click.py").write_text("x = 2\n")
    assert verify() == "The cached environment is not used: click.py is not as click lists it."
    (packages / "click.py").write_text("x = 1\n")
    (packages / "evil.pth").write_text("import os\n")
    assert "evil.pth was added" in verify()
    (packages / "evil.pth").unlink()
    lock.write_text("click==8.2.0 \\\n    --hash=sha256:00\n")
    assert "click 8.1.0 is not pinned" in verify()
    (tmp_path / "bin/python").unlink()
    (tmp_path / "bin/python").symlink_to("/bin/sh")
    assert "another interpreter" in verify()


@pytest.mark.parametrize("module", ["signal", "click", "feeder/__init__"])
def test_no_module_is_imported_from_the_checkout(hub: Hub, tmp_path: Path, module: str) -> None:
    """A file named like a Python module is indexed, never run."""
    mark = tmp_path / "imported"
    code = f"open({str(mark)!r}, 'w').close()\n"
    commit = hub.repo.commit({FEED: workflow(), f"{module}.py": code})
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert not mark.exists()
