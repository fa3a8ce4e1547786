"""Runs `feeder impact` for a pull request, with an index of words that is deleted afterwards."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from feeder.config import SECRET_VARIABLES
from feeder.errors import FeederError
from feeder.github.event import Event
from feeder.github.impact_facts import NONE, ImpactFacts, decode_facts, gate_reason
from feeder.private_files import temporary_folder, without_folder
from feeder.shared_settings import pull_variables
from feeder.source import git

LIMIT_S = 15
"""Seconds for the index and the impact together; a run that takes longer is stopped."""

GATE_LIMIT_S = 120
"""The same where the job fails by what is found: then a missing list is a failed job."""

MAX_ENTRIES = 300
"""Entries of each list in the outputs; the summary shows fewer."""

STOP_S = 2
"""Seconds that a stopped run has to end its parsers."""

_OWN_VARIABLES = ("FEEDER_", "GITHUB_", "CLOUDFLARE_", "ACTIONS_", "INPUT_")
"""Prefixes of variables that the child processes do not get: they write no outputs and no summary,
call no service, and read no settings of the run but the place of a published index, with what a
release on GitHub needs.
"""


class ChangeImpact(NamedTuple):
    """The result of `feeder impact --json`, or why there is none."""

    facts: ImpactFacts | None
    reason: str = ""


def read_change_impact(
    event: Event,
    directory: Path,
    repository: Path,
    gate: str = NONE,
    limit_s: float | None = None,
) -> ChangeImpact:
    """Returns what a pull request's change touches; never raises for what goes wrong with it.

    `gate` is one of `impact_facts.GATES`; with one there is more time.
    """
    limit_s = limit_s or (LIMIT_S if gate == NONE else GATE_LIMIT_S)
    deadline = time.monotonic() + limit_s
    is_merged = git.commit_id(repository, "HEAD^2") is not None
    # without a base, HEAD is compared with its first parent, which of a merge is the base
    base = [] if is_merged or not event.base else ["--base", event.base]
    try:
        with temporary_folder(os.environ.get("RUNNER_TEMP") or None) as folder:
            return _impact_with_index(folder, directory, base, deadline)
    except subprocess.TimeoutExpired:
        return ChangeImpact(None, f"It took longer than {limit_s:g} s.")
    except FeederError as exc:
        return ChangeImpact(None, str(exc))
    except (OSError, ValueError) as exc:
        return ChangeImpact(None, f"{type(exc).__name__}: {exc}")


def check_gate(impact: ChangeImpact, gate: str) -> None:
    """Raises FeederError if the change does not pass the gate, or if that cannot be determined."""
    if gate == NONE:
        return
    remedy = f"This job fails because of the input fail-on: {gate}."
    if impact.facts is None:
        raise FeederError(
            f"What this change touches could not be determined: {impact.reason}", remedy
        )
    if reason := gate_reason(impact.facts, gate):
        raise FeederError(reason, remedy)


def _impact_with_index(
    folder: Path, directory: Path, base: list[str], deadline: float
) -> ChangeImpact:
    """Makes the index in a folder; raises TimeoutExpired, OSError and ValueError."""
    index = ["-C", str(directory), "--store", "local", "--db", str(folder / "index.db")]
    try:
        _run(["sync", "--model", "words", "--quiet", *index], deadline)
        output = _run(["impact", *base, "-n", str(MAX_ENTRIES), "--json", *index], deadline)
    except subprocess.CalledProcessError as exc:
        lines = exc.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1] if lines else f"Exit code {exc.returncode}."
        return ChangeImpact(None, without_folder(reason, str(folder)))
    return ChangeImpact(decode_facts(output))


def _run(arguments: list[str], deadline: float) -> bytes:
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in SECRET_VARIABLES and not name.startswith(_OWN_VARIABLES)
    }
    variables |= pull_variables(os.environ)
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "feeder", *arguments],
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            output, errors = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=STOP_S)
            raise
        finally:
            process.kill()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments, output, errors)
    return output
