"""A pull verifies with GitHub's command line that a workflow has attested the manifest."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from command_runner import RunFeeder
from feeder.errors import UserError
from feeder.share.attestation import attestation_of
from feeder.share.manifest import LATEST, Listing, decode, sha256
from index_helpers import CART
from source.repos import Repo

GH = """#!{python}
import hashlib, json, os, pathlib, sys
folder = pathlib.Path({folder!r})
digest = hashlib.sha256(pathlib.Path(sys.argv[3]).read_bytes()).hexdigest()
call = [*sys.argv[1:3], digest, *sys.argv[4:], "FEEDER_API_KEY" in os.environ]
(folder / "call").write_text(json.dumps(call))
if (folder / "signed-out").exists():
    sys.exit(4)
if not (folder / digest).exists():
    sys.exit("checking\\nno attestations found")
"""


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_MODEL": "static"}


@pytest.fixture
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a stand-in for `gh`, which accepts a digest if a file has its name."""
    folder = tmp_path / "gh"
    folder.mkdir()
    (folder / "gh").write_text(GH.format(python=sys.executable, folder=str(folder)))
    (folder / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FEEDER_API_KEY", "secret")
    return folder


@pytest.mark.slow
def test_index_is_pulled_only_with_an_attestation_of_its_manifest(
    gh: Path, repo: Repo, feeder: RunFeeder, tmp_path: Path
) -> None:
    repo.git("remote", "add", "origin", "https://example.org/acme/shop.git")
    repo.commit({"cart.py": CART})
    feeder(repo, "sync")
    store = tmp_path / "store"
    feeder(repo, "publish", store)
    [entry] = decode((store / LATEST).read_bytes(), Listing).entries
    assert sha256((store / f"m-{entry.manifest}.json").read_bytes()) == entry.manifest
    clone = repo.clone(tmp_path / "clone")
    clone.git("remote", "set-url", "origin", "https://example.org/acme/shop.git")

    refused = feeder(clone, "pull", store, "--verify-attestation")
    assert refused.code == 1
    assert "No workflow of acme/shop attests it (no attestations found)." in refused.err
    assert not (clone.path / ".feeder" / "index.db").exists()
    call = json.loads((gh / "call").read_text())
    assert call == ["attestation", "verify", entry.manifest, "--repo", "acme/shop", False]

    (gh / "signed-out").touch()
    signed_out = feeder(clone, "pull", store, "--verify-attestation")
    assert (signed_out.code, "Run: gh auth login" in signed_out.err) == (2, True)
    (gh / "signed-out").unlink()

    (gh / entry.manifest).touch()
    pulled = feeder(clone, "pull", store, "--verify-attestation")
    assert "0 files differ from HEAD." in pulled.err


def test_release_on_github_is_verified_by_default(
    gh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_API_URL", raising=False)
    check = attestation_of("github:acme/shop@v1", "other/name", tmp_path / "x", is_wanted=None)
    assert check
    (gh / "signed-out").touch()
    check.verify(b"{}")
    call = json.loads((gh / "call").read_text())
    assert call == ["attestation", "verify", sha256(b"{}"), "--repo", "acme/shop", False]
    assert not attestation_of("github:acme/shop", "", tmp_path / "x", is_wanted=False)
    assert not attestation_of("s3://indexes/shop", "acme/shop", tmp_path / "x", is_wanted=None)
    monkeypatch.setenv("GITHUB_API_URL", "https://github.example.org/api/v3")
    assert not attestation_of("github:acme/shop", "", tmp_path / "x", is_wanted=None)


def test_gh_in_the_repository_is_not_run(gh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_API_URL", raising=False)
    monkeypatch.setenv("PATH", str(gh))
    assert not attestation_of("github:acme/shop", "", gh, is_wanted=None)
    with pytest.raises(UserError, match="needs gh"):
        attestation_of("github:acme/shop", "", gh, is_wanted=True)
