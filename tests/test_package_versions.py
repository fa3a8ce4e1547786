"""Versions of installed packages."""

from importlib.metadata import distributions
from pathlib import Path

import pytest

from feeder.package_versions import installed_version


def test_versions_are_those_of_importlib_metadata() -> None:
    for distribution in distributions():
        assert installed_version(distribution.metadata["Name"]) == distribution.version


def test_absent_package_has_no_version() -> None:
    assert installed_version("no-such-distribution") is None


def test_package_without_a_folder_of_metadata_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one that setuptools made: `NAME.egg-info`."""
    metadata = tmp_path / "old_package.egg-info"
    metadata.mkdir()
    (metadata / "PKG-INFO").write_text("Metadata-Version: 1.0\nName: old-package\nVersion: 1.2\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed_version("old-package") == "1.2"
