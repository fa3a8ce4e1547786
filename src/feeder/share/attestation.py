"""Verifies that a workflow of the repository has published an index, with GitHub's command line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from feeder.config import SECRET_VARIABLES
from feeder.errors import ServiceError, UserError
from feeder.private_files import temporary_folder
from feeder.shared_settings import GITHUB_API, GITHUB_SCHEME

PROGRAM = "gh"
TIMEOUT_S = 60.0
_NOT_SIGNED_IN = 4
"""Exit code of `gh` without a token."""
_PUBLIC_API = "https://api.github.com"


class Attestation:
    """The check of a manifest: an attestation of its SHA-256 by a workflow of `repository`.

    `is_required` is False for the default, which checks nothing where `gh` is not signed in.
    """

    def __init__(self, program: str, repository: str, *, is_required: bool) -> None:
        self._program = program
        self._repository = repository
        self._is_required = is_required

    def verify(self, manifest: bytes) -> None:
        """Raises ServiceError without a valid attestation, and UserError if `gh` cannot check."""
        with temporary_folder() as folder:
            file = folder / "manifest.json"
            file.write_bytes(manifest)
            command = [self._program, "attestation", "verify", str(file), "--repo"]
            environment = {
                name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES
            }
            try:
                done = subprocess.run(
                    [*command, self._repository],
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=TIMEOUT_S,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as exc:
                raise ServiceError(f"{PROGRAM} could not verify it: {exc}.") from exc
        if done.returncode == 0 or (done.returncode == _NOT_SIGNED_IN and not self._is_required):
            return
        if done.returncode == _NOT_SIGNED_IN:
            raise UserError(f"{PROGRAM} is not signed in.", "Run: gh auth login")
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise ServiceError(
            f"No workflow of {self._repository} attests it ({lines[-1][:200]}).",
            "To pull it all the same: --no-verify-attestation. To make the index here: feeder sync",
        )


def attestation_of(
    place: str, repository: str, folder: Path, *, is_wanted: bool | None
) -> Attestation | None:
    """The check of what is pulled from a place; None for no check.

    `repository` is the name of the one in `folder`. By default, what comes from a release on
    github.com is checked if there is `gh`.
    """
    found = re.match(rf"{GITHUB_SCHEME}([^@]+)", place)
    is_default = found and os.environ.get(GITHUB_API, _PUBLIC_API).rstrip("/") == _PUBLIC_API
    if is_wanted is False or (is_wanted is None and not is_default):
        return None
    program = shutil.which(PROGRAM)
    # Windows looks in the current folder first
    if program and Path(program).resolve().is_relative_to(folder.resolve()):
        program = None
    if program is None:
        if is_wanted:
            raise UserError(
                f"--verify-attestation needs {PROGRAM}, GitHub's command line.",
                "Install it from https://cli.github.com.",
            )
        return None
    return Attestation(program, found[1] if found else repository, is_required=bool(is_wanted))
