"""A release, as a dry run with act: what is built, listed, attested and published."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import feeder
from github import events
from github.runner import ROOT, Hub, Runner, Settings
from source.repos import Repo

pytestmark = pytest.mark.slow

RELEASE = ".github/workflows/release.yml"
LOCKS = [ROOT / "requirements" / name for name in ("local.txt", "documents.txt")]
EXTRAS = ("local", "share", "documents")
"""What the locks have."""
# writes down what it is called with, and has no tag of the major version yet
GH = """\
#!{python}
import json, os, sys
with open(os.environ["CALLS"], "a") as stream:
    stream.write(json.dumps(sys.argv[1:]) + "\\n")
sys.exit("PATCH" in sys.argv)
"""
NPM = """\
#!/bin/sh
ln -s "{modules}" node_modules
"""


def bill(*locks: Path) -> dict[str, Any]:
    command = [sys.executable, "-I", str(ROOT / ".ci/sbom.py"), *map(str, locks)]
    said: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return said


def test_bill_of_materials_has_each_locked_package() -> None:
    """And the package's own dependencies, in all versions that a lock has for some Python, and the
    libraries in the built Worker.
    """
    sbom = bill(*LOCKS)
    pins = {
        (one.name, str(one.specifier).removeprefix("=="))
        for lock in LOCKS
        for line in lock.read_text().splitlines()
        if line[:1].isalnum()
        for one in [Requirement(line.rstrip("\\ "))]
    }
    bundled = {("@cloudflare/workers-oauth-provider", "1.2.3")}
    components = [(component["name"], component["version"]) for component in sbom["components"]]
    assert {*components} == pins | bundled
    assert len(components) == len(pins | bundled)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    wanted = {Requirement(line).name for line in [*project["dependencies"], *extras]}
    own = f"pkg:pypi/headfeed@{feeder.__version__}"
    requires = {dependency["ref"]: dependency["dependsOn"] for dependency in sbom["dependencies"]}
    library = "pkg:npm/%40cloudflare/workers-oauth-provider@1.2.3"
    direct = {*requires[own]} - {library}
    assert library in requires[own]
    assert {ref.partition("@")[0].removeprefix("pkg:pypi/") for ref in direct} == wanted
    assert requires.keys() == {own, *(component["bom-ref"] for component in sbom["components"])}
    reached, queue = {own}, [own]
    while queue:
        queue += new if (new := [*{*requires[queue.pop()]} - reached]) else []
        reached |= {*new}
    assert reached == requires.keys()
    assert bill(*LOCKS) == sbom


@pytest.fixture
def project(tmp_path: Path) -> Repo:
    """A repository with this project's files."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    repo = Repo(tmp_path / "project")
    there = [name for name in names.split("\0") if name and (ROOT / name).is_file()]
    repo.commit({name: (ROOT / name).read_bytes() for name in there})
    return repo


def test_release(
    project: Repo,
    release: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    plain_git: None,
) -> None:
    """With the owner's consent: the packages of one build are attested, and published once."""
    stubs = {
        "gh": GH.format(python=sys.executable),
        "npm": NPM.format(modules=ROOT / "node_modules"),
    }
    for name, text in stubs.items():
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{file.parent}{os.pathsep}{os.environ['PATH']}")
    runner = Runner(tmp_path / "runner", release, tmp_path / "none")
    calls = tmp_path / "calls"
    env = {"CALLS": str(calls), "PIP_NO_COMPILE": "1"}  # what runs once need not be compiled
    hub = Hub(project, runner, Settings({}, {"PUBLISH": "true"}, env))
    tag = f"v{feeder.__version__}"
    commit = project.git("rev-parse", "HEAD").strip()
    project.git("tag", tag)
    push = events.push(events.ZERO, commit, ref=f"refs/tags/{tag}")
    outcome = hub.run(push, RELEASE, options=["--matrix", "python:3.11", "--matrix", "kind:whl"])
    assert outcome.passed, outcome.log

    published = {file.name: file.read_bytes() for file in (runner.cache / "published").iterdir()}
    packages = {f"headfeed-{feeder.__version__}{end}" for end in ("-py3-none-any.whl", ".tar.gz")}
    assert published.keys() == packages
    bundles = runner.cache / "artifacts/bundles"
    provenance, sbom = (
        (bundles / f"{name}.intoto.jsonl").read_text() for name in ("provenance", "sbom")
    )
    for content in published.values():
        assert hashlib.sha256(content).hexdigest() in provenance
        assert hashlib.sha256(content).hexdigest() in sbom
    listed = (runner.cache / "artifacts/sbom/headfeed.cdx.json").read_bytes()
    assert json.loads(listed) == bill(*LOCKS)
    assert hashlib.sha256(listed).hexdigest() in sbom

    create, *rest = [json.loads(line) for line in calls.read_text().splitlines()]
    assert create[:5] == ["release", "create", tag, "--verify-tag", "--draft"]
    assert {*create[create.index("--notes") + 2 :]} == {
        *(f"dist/{name}" for name in packages),
        "sbom/headfeed.cdx.json",
        "bundles/provenance.intoto.jsonl",
        "bundles/sbom.intoto.jsonl",
    }
    assert rest[:2] == [["release", "edit", tag, "--draft=false"], ["release", "verify", tag]]
    major = re.sub(r"\..*", "", tag)
    assert [call[:4] for call in rest[2:]] == [
        ["api", "--silent", "--method", method] for method in ("PATCH", "POST")
    ]
    assert rest[3][4:] == [
        "repos/acme/shop/git/refs",
        "-f",
        f"ref=refs/tags/{major}",
        "-f",
        f"sha={commit}",
    ]


def test_other_tags_are_no_release() -> None:
    """Among them those that the workflow moves."""
    [pattern] = re.findall(r'tags: \["(.*)"\]', (ROOT / RELEASE).read_text())
    expression = re.compile(pattern.replace(".", r"\."))
    assert expression.fullmatch("v12.0.3")
    assert not any(map(expression.fullmatch, ("v1", "v0", "v1.2", "v1.2.3-rc1", "version")))
