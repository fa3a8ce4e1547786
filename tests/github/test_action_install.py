"""How does the action come to what it runs, and what of the machine does it touch?"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from github import events
from github.runner import FEED, ROOT, Hub, Outcome, Runner, Settings
from github.workflows import checkout, feeder, job, workflow
from source.repos import Repo


def test_it_works_on_a_machine_that_has_nothing_installed(first_outcome: Outcome) -> None:
    """From nothing, pinned packages with hashes make an environment, and feeder runs in it."""
    assert first_outcome.passed, first_outcome.log
    assert first_outcome.outputs()["matrix"] == '{"shard": ["1/2", "2/2"]}'


def test_a_second_step_of_the_job_finds_it(first_outcome: Outcome) -> None:
    """Used twice in a job, the action installs once: the mark put there meanwhile is not gone."""
    assert first_outcome.passed, first_outcome.log
    assert first_outcome.outputs("again")["matrix"] == '{"shard": ["1/3", "2/3", "3/3"]}'


def test_the_local_store_brings_a_model_along(
    repo: Repo, tmp_path: Path, release: Path, first_outcome: Outcome
) -> None:
    """With store: local no secret is needed, and the embedding model on the CPU is installed."""
    find = {"run": '"$RUNNER_TEMP"/feeder-venv/*/bin/python -c "import onnxruntime"'}
    commit = repo.commit({FEED: job(checkout(), feeder(store="local", validate="true"), find)})
    hub = Hub(repo, Runner(tmp_path, release, tmp_path / "none"), Settings({}, {}, {}))
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert int(outcome.outputs()["embedded"]) > 0


def test_a_later_run_takes_it_from_the_cache(
    repo: Repo, tmp_path: Path, release: Path, first_cache: Path
) -> None:
    """Where nothing could be installed: the environment of the same lock is fetched whole."""
    [venv_cache] = [place.name for place in first_cache.iterdir() if place.is_dir()]
    assert re.fullmatch(r"feeder-venv-\w+-\w+-[0-9a-f]{32}", venv_cache)
    commit = repo.commit({FEED: job(checkout(), feeder(command="plan", shards="2"))})
    env = {"CACHE_HERE": str(first_cache), "PIP_FIND_LINKS": str(tmp_path / "nowhere")}
    hub = Hub(repo, Runner(tmp_path, release, tmp_path / "none"), Settings({}, {}, env))
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert outcome.outputs()["matrix"] == '{"shard": ["1/1"]}'


def test_every_shipped_grammar_is_there_and_no_other(
    venv_cache: Path, release: Path, first_outcome: Outcome
) -> None:
    """Half of what pip installs is grammars that no query is for."""
    assert first_outcome.passed, first_outcome.log
    [python] = venv_cache.glob("*/bin/python")
    check = "from feeder.parse.grammars import load_grammars; load_grammars().compile_all()"
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


def test_the_key_is_that_of_what_is_installed() -> None:
    """Another lock, or a grammar file that may need other grammars, is another environment."""
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
    [({}, ["python.abi3.so"]), ({"FEEDER_GRAMMAR": "a.json"}, ["cobol.abi3.so", "python.abi3.so"])],
)
def test_a_grammar_file_may_name_any_grammar(
    tmp_path: Path, env: dict[str, str], left: list[str]
) -> None:
    """Without one of the user's own, the shipped file says which are needed."""
    grammars = tmp_path / "tree_sitter_language_pack/bindings"
    grammars.mkdir(parents=True)
    (grammars.parent / "__init__.py").touch()
    for name in ("python.abi3.so", "cobol.abi3.so"):
        (grammars / name).touch()
    environment("slim", PYTHONPATH=str(tmp_path), **env)
    assert sorted(file.name for file in grammars.iterdir()) == left


@pytest.mark.parametrize("module", ["signal", "click", "feeder/__init__"])
def test_nothing_of_the_checkout_is_imported(hub: Hub, tmp_path: Path, module: str) -> None:
    """A file of the repository that is called as a module of Python is indexed, never run."""
    mark = tmp_path / "imported"
    code = f"open({str(mark)!r}, 'w').close()\n"
    commit = hub.repo.commit({FEED: workflow(), f"{module}.py": code})
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert not mark.exists()
