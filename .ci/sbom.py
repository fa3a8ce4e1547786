"""Prints a CycloneDX bill of materials of the package, its locked dependencies, and the JavaScript
libraries that the built Worker contains: the `dependencies` of package.json.

Usage: `python .ci/sbom.py LOCK…`, with locks by `uv pip compile`. Needs the standard library only.
"""

import json
import re
import sys
import tomllib
import uuid
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PIN = re.compile(r"([\w.-]+)==([^\s;\\]+)")
REQUIRED_BY = re.compile(r" +# +(?:via )?([\w.-]+)(?: \(.*\))?")


def read_locks(files: list[Path]) -> tuple[set[tuple[str, str]], dict[str, set[str]]]:
    """The pinned names and versions, and for each name the names of what requires it."""
    pins: set[tuple[str, str]] = set()
    required_by: defaultdict[str, set[str]] = defaultdict(set)
    for file in files:
        name = ""
        for line in file.read_text("utf-8").splitlines():
            if pin := PIN.match(line):
                name = pin[1]
                pins.add((name, pin[2]))
            elif name and (parent := REQUIRED_BY.fullmatch(line)) and parent[1] != "via":
                required_by[name].add(parent[1])
    return pins, required_by


def bill_of_materials(files: list[Path]) -> dict[str, Any]:
    """The bill of materials as JSON; the same files give the same bytes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    source = (ROOT / "src/feeder/__init__.py").read_text("utf-8")
    [version] = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    own = package_url(project["name"], version)
    pins, required_by = read_locks(files)
    names = {name for name, _ in pins}
    bundled = json.loads((ROOT / "package.json").read_text("utf-8"))["dependencies"]
    libraries = {npm_url(*pin): component(*pin, npm_url(*pin)) for pin in bundled.items()}
    requires: dict[str, set[str]] = {
        own: {*libraries},
        **{library: set[str]() for library in libraries},
        **{package_url(*pin): set() for pin in pins},
    }
    for name, pinned in pins:
        parents = required_by[name] & names
        urls = [package_url(*pin) for pin in pins if pin[0] in parents]
        # a requirement from the standard input of `make lock` has no comment
        is_direct = not required_by[name] or required_by[name] - names
        for parent in [*urls, own] if is_direct else urls:
            requires[parent].add(package_url(name, pinned))
    root = {"type": "application", "name": project["name"], "version": version, "purl": own}
    licenses = [{"license": {"id": project["license"]}}]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**root, "bom-ref": own, "licenses": licenses}},
        "components": [
            *(component(*pin, package_url(*pin)) for pin in sorted(pins)),
            *libraries.values(),
        ],
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(others)} for ref, others in sorted(requires.items())
        ],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))
    return {**bill, "serialNumber": f"urn:uuid:{serial}"}


def component(name: str, version: str, purl: str) -> dict[str, str]:
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def package_url(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def npm_url(name: str, version: str) -> str:
    return f"pkg:npm/{name.replace('@', '%40')}@{version}"


if __name__ == "__main__":
    print(json.dumps(bill_of_materials([Path(name) for name in sys.argv[1:]]), indent=1))
