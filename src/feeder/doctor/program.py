"""Which program is it, and which of its extras are here? As its own metadata name them."""

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from feeder.config import Settings
from feeder.doctor import Finding

DISTRIBUTION = "headfeed"
_EXTRA_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*;.*extra == ['\"](?P<extra>\w+)['\"]")


def check_extras(_: Settings) -> Iterator[Finding]:
    """Each extra, its packages with their versions, and how to get what is missing."""
    for extra, packages in _packages_by_extra().items():
        there = {package: _version(package) for package in packages}
        missing = [package for package, found in there.items() if not found]
        some = ", ".join(f"{package} {found}" for package, found in there.items() if found)
        if not missing:
            yield Finding(f"[{extra}]", some)
        elif some:
            remedy = f"Install what lacks: pip install '{DISTRIBUTION}[{extra}]'"
            yield Finding(f"[{extra}]", f"{some}, without {', '.join(missing)}", remedy)
        else:
            says = f"not installed; pip install '{DISTRIBUTION}[{extra}]' brings it"
            yield Finding(f"[{extra}]", says, absent=True)


def _packages_by_extra() -> dict[str, list[str]]:
    try:
        said = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for one in filter(None, map(_EXTRA_REQUIREMENT.match, said)):
        found.setdefault(one["extra"], []).append(one["name"])
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
