"""Replays tasks of coding agents with grep and with feeder, and compares calls, tokens and success.

    python -m bench agents [--mirror FOLDER] [--model URL#NAME] [--only KIND,…] [--steps]

The tasks are in tasks.toml; their repositories are cloned from a folder of bare snapshots,
`owner+name/repo`, or from GitHub. Without `--model`, fixed policies solve them; with it, a language
model does, at a server with OpenAI's chat completions API, once with git grep and a tool that reads
lines, once with the tools of `feeder mcp`. All have the same stop rule: every place of the answer
was seen, nothing is left to do, or `MAX_CALLS` calls were made. A place was seen if a line of it,
or its file, was in an output. Tokens are those of o200k_base in calls and outputs.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from agents import server, token_counts
from speed.repository import git

from agent_tasks.policies import POLICIES, Policy, Steps, Task
from feeder.embedding.endpoint import CHAT_COMPLETIONS, Endpoint, parse_address

MAX_CALLS = 6
MAX_GREP_LINES = 100
"""Lines of an output of git grep, as agents cut them."""
RULES = (
    "Answer the question about the code in this repository with the tools, in as few calls as you "
    "can. Then name the file and the function of each place."
)
GREP_TOOLS = {
    "git_grep": "Run git grep in the repository with these arguments.",
    "read": "Read lines of a file. Arguments: its path, the first and the last line.",
}
ARGUMENTS = {"arguments": {"type": "array", "items": {"type": "string"}}}
Run = Callable[[str, dict[str, Any]], str]
Place = tuple[str, int, int]


class Outcome(NamedTuple):
    """The calls that a way of solving a task made, each followed by its output."""

    task: Task
    way: str
    texts: list[str]
    is_right: bool


def main() -> int:
    """Returns the exit code: 1 if no task was replayed."""
    args = _parse_args()
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as work:
        for repository in tomllib.loads(Path(args.tasks).read_text("utf-8"))["repository"]:
            tasks = [task | {"tests": repository["tests"]} for task in repository["task"]]
            if tasks := [task for task in tasks if task["kind"] in (args.only or task["kind"])]:
                print(f"{repository['name']}: {len(tasks)} tasks", file=sys.stderr, flush=True)
                outcomes += _replay(_clone(repository, args.mirror, Path(work)), tasks, args.model)
    by_text = iter(token_counts([text for outcome in outcomes for text in outcome.texts]))
    counted = [(outcome, sum(islice(by_text, len(outcome.texts)))) for outcome in outcomes]
    for outcome, tokens in counted if args.steps else []:
        mark = "right" if outcome.is_right else "WRONG"
        print(f"\n{mark}, {tokens} tokens, {outcome.way}: {outcome.task['question']}")
        print(*outcome.texts[::2], sep="\n")
    print(*_table(counted), sep="\n")
    return 0 if outcomes else 1


def _clone(repository: Task, mirror: str, work: Path) -> Path:
    """Clones a repository at its commit, and makes its index."""
    name = str(repository["name"])
    bare = Path(mirror) / name.replace("/", "+") / "repo"
    folder = work / name.replace("/", "+")
    git(work, "clone", "-q", str(bare) if mirror else f"https://github.com/{name}", str(folder))
    git(folder, "checkout", "-q", repository["commit"])
    command = [sys.executable, "-m", "feeder", "search", "x", "--model", "static", "-q"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


def _replay(folder: Path, tasks: Iterable[Task], model: str) -> Iterator[Outcome]:
    paths = {*git(folder, "ls-files").split("\n")}
    with server(folder) as client:

        def run_feeder(tool: str, arguments: dict[str, Any]) -> str:
            answer = client.request("tools/call", {"name": tool, "arguments": arguments})
            return str(answer["content"][0]["text"])

        runs: dict[str, Run] = {
            "grep": lambda *call: _run_grep(folder, *call),
            "feeder": run_feeder,
        }
        described = {
            tool["name"]: (tool["description"], tool["inputSchema"])
            for tool in client.request("tools/list", {})["tools"]
        }
        schema = {"type": "object", "properties": ARGUMENTS, "required": ["arguments"]}
        tools = {"feeder": described, "grep": {k: (v, schema) for k, v in GREP_TOOLS.items()}}
        for task in tasks:
            with _edited(folder, task.get("line", "")):
                for way, run in runs.items():
                    policy = _model_policy(model, tools[way]) if model else POLICIES[way]
                    yield _solve(task, way, policy(task), run, paths)


def _solve(task: Task, way: str, steps: Steps, run: Run, paths: set[str]) -> Outcome:
    """Runs a policy until every place of the answer was seen."""
    missing = [_place(text) for text in task["answer"]]
    texts: list[str] = []
    output = None
    while missing and len(texts) < 2 * MAX_CALLS:
        try:
            tool, arguments = steps.send(output) if output is not None else next(steps)
        except StopIteration:
            break
        output = run(tool, arguments)
        texts += [f"{tool} {json.dumps(arguments, ensure_ascii=False)}", output]
        seen = [*_seen_places(output, paths)]
        missing = [place for place in missing if not any(_overlap(place, one) for one in seen)]
    return Outcome(task, way, texts, not missing)


def _place(text: str) -> Place:
    """Parses `path:first-last`, `path:line` or `path`, for which the lines are 0."""
    path, _, lines = text.partition(":")
    first, _, last = (lines or "0").partition("-")
    return path, int(first), int(last or first)


def _overlap(place: Place, seen: Place) -> bool:
    path, first, last = place
    return path == seen[0] and (first == 0 or (seen[1] <= last and seen[2] >= first))


def _seen_places(output: str, paths: set[str]) -> Iterator[Place]:
    """The places in an output: `path:12`, `path=12=`, `path:12-40`, or a path at the beginning of a
    line, below which lines begin with their numbers.
    """
    current = ""
    for line in output.split("\n"):
        found = re.match(r"\s*(?:(\S+?)[:=])?(\d+)(?:-(\d+))?\b", line)
        if found and (found[1] in paths if found[1] else current):
            yield found[1] or current, int(found[2]), int(found[3] or found[2])
        elif (words := line.split()) and words[0] in paths:
            current = words[0]
            yield current, 0, 0


def _run_grep(folder: Path, tool: str, arguments: dict[str, Any]) -> str:
    """Runs git grep, or reads lines of a tracked file."""
    words = [str(word) for word in arguments.get("arguments", ())]
    if any(re.match(r"-\w*O|--open|--no-index|--ext", word) for word in words):
        return "Only searches of tracked files are allowed."
    path = (words or [""])[0] if tool == "read" else ""
    first, last = [*map(int, filter(str.isdecimal, words)), 1, 200][:2]
    command = ["show", f"HEAD:./{path}"] if path else ["grep", *words]
    done = subprocess.run(["git", *command], cwd=folder, capture_output=True, check=False)
    lines = (done.stdout or done.stderr).decode("utf-8", "replace").split("\n")
    if path:
        part = enumerate(lines[first - 1 : last], first)
        return "\n".join([path, *(f"{number}: {line}" for number, line in part)])
    cut = [f"… {len(lines) - MAX_GREP_LINES} more lines"] if len(lines) > MAX_GREP_LINES else []
    return "\n".join(lines[:MAX_GREP_LINES] + cut)


@contextmanager
def _edited(folder: Path, place: str) -> Iterator[None]:
    """Adds a comment to a line for the time of a task; nothing for an empty place."""
    path, number, _ = _place(place)
    if path:
        lines = (folder / path).read_text("utf-8").split("\n")
        lines[number - 1] += "  # changed" if path.endswith(".py") else " // changed"
        (folder / path).write_text("\n".join(lines), "utf-8")
    yield
    git(folder, "checkout", "-q", "--", ".")


def _model_policy(model: str, described: dict[str, tuple[str, dict[str, Any]]]) -> Policy:
    """The policy of a language model, which sees the question and these tools."""
    endpoint = Endpoint(parse_address(model, CHAT_COMPLETIONS), os.environ.get("BENCH_KEY", ""))
    functions = [
        {"name": name, "description": text, "parameters": schema}
        for name, (text, schema) in described.items()
    ]
    tools = [{"type": "function", "function": function} for function in functions]

    def policy(task: Task) -> Steps:
        question = {"role": "user", "content": task["question"]}
        messages: list[dict[str, Any]] = [{"role": "system", "content": RULES}, question]
        while True:
            answer = endpoint.post({"messages": messages, "tools": tools})
            messages.append(answer["choices"][0]["message"])
            if not messages[-1].get("tool_calls"):
                return
            for call in messages[-1]["tool_calls"]:
                arguments = json.loads(call["function"]["arguments"] or "{}")
                output = yield call["function"]["name"], arguments
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})

    return policy


def _table(counted: list[tuple[Outcome, int]]) -> Iterator[str]:
    """One row per kind of task: right answers, calls and tokens with grep and with feeder."""
    yield "| kind | tasks | right: grep | feeder | calls: grep | feeder | tokens: grep | feeder |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind in [*dict.fromkeys(outcome.task["kind"] for outcome, _ in counted), "all"]:
        of_kind = [(o, n) for o, n in counted if kind in (o.task["kind"], "all")]
        rows = [[(o, n) for o, n in of_kind if o.way == way] for way in POLICIES]
        figures = [sum(o.is_right for o, _ in row) for row in rows]
        figures += [sum(len(o.texts) // 2 for o, _ in row) for row in rows]
        figures += [sum(n for _, n in row) for row in rows]
        yield f"| {kind} | {len(rows[0])} | {' | '.join(f'{figure:,}' for figure in figures)} |"


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench agents")
    parser.add_argument("--mirror", default=os.environ.get("EVAL_MIRROR", ""), metavar="FOLDER")
    parser.add_argument("--tasks", default=str(Path(__file__).with_name("tasks.toml")))
    parser.add_argument("--model", default="", metavar="URL#NAME", help="Key: BENCH_KEY.")
    parser.add_argument("--only", default=[], type=lambda text: text.split(","), metavar="KIND,…")
    parser.add_argument("--steps", action="store_true", help="Also print the calls.")
    return parser.parse_args(sys.argv[2:])
