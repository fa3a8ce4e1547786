"""Files whose relations are hostile cost only themselves: a run's time and memory stay bounded, and
other files are indexed and answered.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from source.repos import Repo

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere"),
]

SHOP: dict[str, str | bytes | None] = {
    "shop.py": "class Cart:\n    def add(self):\n        return 1\n",
    "bill.py": "from shop import Cart\n\n\ndef price():\n    return Cart().add()\n",
}
CALLS = 40_000
LONG_NAME = "n" * 100_000
DEPTH = 3_000
TYPES = 2_000
"""Below the maximum number of nodes of a file."""
RING = 1_500

HOSTILE: dict[str, dict[str, str | bytes | None]] = {
    "40,000 calls in a function": {
        # below the maximum size of a file
        "calls.py": "def f(c):\n" + " c.add()\n" * CALLS,
        "calls.ts": "function f(c) {\n" + "c.add();\n" * CALLS + "}\n",
    },
    "names of 100 kB": {
        "names.py": (
            f"import {LONG_NAME}\nclass {LONG_NAME}({LONG_NAME}):\n"
            f"    def add(self, {LONG_NAME}: {LONG_NAME}):\n        self.{LONG_NAME}.add()\n"
        ),
        "names.java": f"class {LONG_NAME} extends {LONG_NAME} {{ void add() {{}} }}\n",
        "names.go": f"package p\n\nfunc (c *{LONG_NAME}) Add() {{ c.{LONG_NAME}.add() }}\n",
    },
    "cyclic bases": {
        "ring.py": "".join(
            f"class R{number}(R{(number + 1) % RING}):\n    def add(self):\n        pass\n\n\n"
            for number in range(RING)
        ),
        "self.py": "class Own(Own):\n    def add(self):\n        self.add()\n",
    },
    "many types below one": {
        "below.py": "class Top:\n    pass\n\n\n"
        + "".join(f"class B{number}(Top):\n    pass\n\n\n" for number in range(TYPES)),
    },
    "deep nesting": {
        "nested.py": "x = " + "f(" * DEPTH + "1" + ")" * DEPTH + "\n",
        "nested.ts": "".join(f"class C{level} {{ m() {{ " for level in range(DEPTH)),
        "nested.java": "class A { void f() { " + "if (add()) { " * DEPTH + "}" * DEPTH + "} }\n",
        "chain.py": "x = a" + ".b().add" * DEPTH + "()\n",
    },
}
QUERIES = {
    "40,000 calls in a function": ["references", "shop.py#Cart.add"],
    "names of 100 kB": ["definition", "add"],
    "cyclic bases": ["implementations", "R0"],
    "many types below one": ["implementations", "Top"],
    "deep nesting": ["references", "shop.py#Cart.add"],
}

MAX_MB, MAX_S = 600, 240


def run(repo: Repo, *arguments: str) -> dict[str, Any]:
    """Runs the program; its time is bounded, and the memory of the largest of its processes."""
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run([sys.executable, '-m', 'feeder', *sys.argv[1:]])\n"
        "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(peak, file=sys.stderr)\n"
        "sys.exit(done.returncode)\n"
    )
    options = ["-C", str(repo.path), "--store", "local", "--json", "-q"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, *options],
        capture_output=True,
        text=True,
        timeout=MAX_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stderr.split()[-1]) / 1024 < MAX_MB
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("kind", HOSTILE)
def test_other_files_are_indexed_and_answered(repo: Repo, kind: str) -> None:
    repo.commit(SHOP)
    repo.commit(HOSTILE[kind])
    report = run(repo, "sync", "--model", "words")
    assert report["finished"]
    assert report["skipped"] == {}
    answer = run(repo, "references", "shop.py#Cart.add")
    resolved = {
        (reference["path"], reference["line"])
        for reference in answer["references"]
        if reference["resolved"]
    }
    assert ("bill.py", 5) in resolved
    run(repo, *QUERIES[kind])
    assert run(repo, "impact")["changed"]
    assert run(repo, "overview")["symbols"]
    validated = run(repo, "validate")
    assert validated["passed"]
