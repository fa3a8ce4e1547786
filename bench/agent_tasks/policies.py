"""Fixed policies that solve a task with git grep or with feeder: each step is a tool and its
arguments, chosen from the task and the outputs so far. No policy reads the answer.
"""

import re
from collections.abc import Callable, Generator
from itertools import count, pairwise
from typing import Any

Task = dict[str, Any]
Steps = Generator[tuple[str, dict[str, Any]], str, None]
Policy = Callable[[Task], Steps]

_STOP_WORDS = frozenset(
    {"where", "that", "this", "when", "with", "another", "they", "many", "what"}
)
_DECLARED = re.compile(
    r"(?:class|interface|struct|type|def|func|function|const)\s+(?:\([^)]*\)\s*)?(\w{3,})"
)
_DECLARATION = "(class|interface|struct|type|trait|def|func|function|const|fn)"
_SUBTYPE = "(class|interface|struct|type|trait|extends|implements)"


def grep(task: Task) -> Steps:
    """What somebody types who knows git grep well."""
    symbols = [task["symbol"]] if isinstance(task.get("symbol"), str) else task.get("symbol", [])
    names = "|".join(re.split(r"[#.]", symbol)[-1] for symbol in symbols)
    match task["kind"]:
        case "text":
            yield _grep("-nF", "-e", task["text"])
        case "known word":
            yield _grep("-niE", task["word"])
        case "behaviour":
            yield from _grep_words(task["question"])
        case "definition" | "many names":
            yield _grep("-nE", rf"{_DECLARATION}\b.*\b({names})\b")
        case "implementations":
            yield from _grep_subtypes(names)
        case "tests":
            yield from _grep_tests(names, task["tests"])
        case _:
            yield _grep("-nw", names)


def feeder(task: Task) -> Steps:
    """What the server's instructions and the skill say."""
    match task["kind"]:
        case "text":
            yield "grep", {"pattern": task["text"]}
        case "known word":
            yield "grep", {"pattern": f"/{task['word']}/", "ignore_case": True}
        case "behaviour":
            for page in count():
                yield (
                    "search",
                    {"query": task["question"]} | ({"offset": 10 * page} if page else {}),
                )
        case "definition" | "many names":
            yield "references", {"target": task["symbol"], "kind": "definition"}
        case "implementations":
            yield "references", {"target": task["symbol"], "kind": "implementation"}
        case "tests":
            yield "impact", {}
            yield "references", {"target": task["symbol"], "depth": 3, "tests": "only"}
        case _:
            answer = yield "references", {"target": task["symbol"]}
            while following := re.search(r"next: offset=(\d+)", answer):
                offset = int(following[1])
                answer = yield "references", {"target": task["symbol"], "offset": offset}


def _grep(*arguments: str) -> tuple[str, dict[str, Any]]:
    return "git grep", {"arguments": [*arguments]}


def _grep_words(question: str) -> Steps:
    """Two words in a line, then the files with most lines of any word, then these lines."""
    words = [w for w in re.findall(r"\w{4,}", question.lower()) if w not in _STOP_WORDS]
    either = "|".join(words)
    yield _grep("-niE", "|".join(f"{a}.*{b}|{b}.*{a}" for a, b in pairwise(words)))
    counts = yield _grep("-ciE", either)
    by_file = [line.rpartition(":") for line in counts.split("\n") if ":" in line]
    for file, _, _ in sorted(by_file, key=lambda row: -int(row[2])):
        yield _grep("-niE", either, "--", file)


def _grep_subtypes(name: str) -> Steps:
    """Lines of types that name it, then those that name these; else its methods, as in Go."""
    found = yield _grep("-nE", rf"{_SUBTYPE}.*\b{name}\b")
    if others := [other for other in dict.fromkeys(_DECLARED.findall(found)) if other != name]:
        yield _grep("-nE", rf"{_SUBTYPE}.*\b({'|'.join(others)})\b")
    body = yield _grep("-h", "-A12", f"type {name} interface")
    if methods := re.findall(r"^\s+(\w+)\(", body.partition("}")[0], re.MULTILINE):
        yield _grep("-nE", rf"func \(.*\) ({'|'.join(methods)})\(")


def _grep_tests(name: str, tests: list[str]) -> Steps:
    """Test files with the name, else with the names of the functions that call it, and so on."""
    names = [name]
    while names:
        pattern = rf"\b({'|'.join(names)})\b"
        yield _grep("-lE", pattern, "--", *tests)
        callers = yield _grep("-pE", pattern, "--", *(f":!{place}" for place in tests))
        heads = re.findall(r"^[^:=]+=.*", callers, re.MULTILINE)
        names = [other for head in heads for other in _DECLARED.findall(head) if other not in names]
        names = [*dict.fromkeys(names)]


POLICIES: dict[str, Policy] = {"grep": grep, "feeder": feeder}
