"""The requirement locks pin what the project needs, without addresses."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from github.runner import ROOT

SAID = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SAID["project"]
CLOUDFLARE = ROOT / "requirements/cloudflare.txt"
LOCAL = ROOT / "requirements/local.txt"
DOCUMENTS = ROOT / "requirements/documents.txt"
BUILD = ROOT / "requirements/build.txt"
LOCKS = [CLOUDFLARE, LOCAL, DOCUMENTS, BUILD]


def pins(lock: Path) -> dict[str, set[str]]:
    """Returns the versions of each package; several if they depend on the interpreter."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", lock.read_text(), re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_lock_has_no_address(lock: Path) -> None:
    """Only names, versions and hashes: no index and no path."""
    text = lock.read_text()
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash=sha256:[0-9a-f]{64})", text, re.MULTILINE)
    assert not re.search(r"(^|\s)\.{0,2}/\S", text)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_pin_has_hashes(lock: Path) -> None:
    """pip accepts only the locked files."""
    entries = re.split(r"^(?=[\w.-]+==)", lock.read_text(), flags=re.MULTILINE)[1:]
    assert len(entries) >= len(pins(lock)) > 0
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.parametrize(
    ("lock", "needed"),
    [
        (CLOUDFLARE, PROJECT["dependencies"]),
        (LOCAL, [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["local"]]),
        (DOCUMENTS, PROJECT["optional-dependencies"]["documents"]),
        (BUILD, SAID["dependency-groups"]["build"]),
        (BUILD, SAID["build-system"]["requires"]),
    ],
    ids=["cloudflare", "local", "documents", "build", "build system"],
)
def test_lock_has_all_dependencies(lock: Path, needed: list[str]) -> None:
    """Each with a version that pyproject.toml allows; else run `make lock`."""
    found = pins(lock)
    for requirement in map(Requirement, needed):
        versions = found[canonicalize_name(requirement.name)]
        assert all(requirement.specifier.contains(version) for version in versions)


def test_locks_of_the_stores_differ_only_in_the_model() -> None:
    local = pins(LOCAL)
    assert {name: local[name] for name in pins(CLOUDFLARE)} == pins(CLOUDFLARE)


def test_documents_lock_shares_no_package_with_the_others() -> None:
    """It is installed beside one of them."""
    assert not pins(DOCUMENTS).keys() & pins(LOCAL).keys()
