"""Measures the tokens and the time that an answer of `feeder mcp` costs a coding agent.

Prints the tables of docs/benchmarks/coding-agents.md.

    python bench/agents.py FOLDER QUERY…

FOLDER is a disposable clone with at least two commits: files are edited and another commit is
checked out. The server builds its index, with words and static vectors.
"""

import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).parents[1]
FEEDER = Path(sys.executable).with_name("feeder")
COUNT = ROOT / "tests/mcp_server/official_clients/tokens.mjs"
HIT = re.compile(r"^(?P<path>\S+):(?P<first>\d+)-(?P<last>\d+) method ", re.MULTILINE)
LIMIT = 8
BUDGETS = {"full": 15_000, "auto": 2_500, "snippet": 2_500, "signature": 2_500, "locations": 2_500}
STARTS = 9
EDITS = 9
RECHECK_S = 1.1
"""The server checks the files again after this many seconds."""

Message = dict[str, Any]


class Server(NamedTuple):
    """The stdin and stdout of a running MCP server."""

    stdin: IO[bytes]
    stdout: IO[bytes]

    def ask(self, method: str, params: Message) -> Message:
        """Sends a JSON-RPC request and returns its result."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.stdin.write(json.dumps(message).encode() + b"\n")
        self.stdin.flush()
        result: Message = json.loads(self.stdout.readline())["result"]
        return result

    def search(self, query: str, **more: Any) -> str:
        """Calls the `search` tool and returns the text of its answer."""
        arguments = {"query": query, "limit": LIMIT, **more}
        answer = self.ask("tools/call", {"name": "search", "arguments": arguments})
        text: str = answer["content"][0]["text"]
        assert not answer["isError"], text
        return text


@contextmanager
def server(folder: Path) -> Iterator[Server]:
    """Starts an MCP server and lists its tools."""
    command = [str(FEEDER), "mcp", "-C", str(folder), "--model", "static", "--no-query-log"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        assert process.stdin
        assert process.stdout
        client = Server(process.stdin, process.stdout)
        client.ask("initialize", {"protocolVersion": "2025-11-25"})
        client.ask("tools/list", {})
        yield client
        process.stdin.close()


def tokens(texts: Sequence[str]) -> int:
    """Counts tokens with the encoding o200k_base."""
    payload = json.dumps(texts)
    done = subprocess.run(
        ["node", COUNT], input=payload, capture_output=True, check=True, text=True
    )
    return sum(json.loads(done.stdout))


def code(folder: Path, answer: str) -> str:
    """Returns the full source lines of an answer's hits, read from their files."""
    bodies = []
    for hit in HIT.finditer(answer):
        lines = (folder / hit["path"]).read_text("utf-8").split("\n")
        bodies += lines[int(hit["first"]) - 1 : int(hit["last"])]
    return "\n".join(bodies)


def costs(folder: Path, queries: Sequence[str]) -> Iterator[str]:
    """Yields the table of token counts, with one row per level of detail."""
    yield "| detail | budget | tokens an answer | times the code | largest, bytes |"
    yield "|---|---|---|---|---|"
    with server(folder) as client:
        for detail, budget in BUDGETS.items():
            more = {"type": "method", "detail": detail, "budget": budget}
            answers = [client.search(query, **more) for query in queries]
            count, alone = tokens(answers), tokens([code(folder, one) for one in answers])
            largest = max(len(one.encode()) for one in answers)
            mean = count / len(answers)
            yield f"| {detail} | {budget:,} | {mean:,.0f} | {count / alone:.2f} | {largest:,} |"


def times(folder: Path, queries: Sequence[str]) -> Iterator[str]:
    """Yields the table of waiting times: start, first answer and later answers."""
    starts, firsts, answers = [], [], []
    for _ in range(STARTS):
        began = time.perf_counter()
        with server(folder) as client:
            starts.append(time.perf_counter() - began)
            began = time.perf_counter()
            client.search(queries[0])
            firsts.append(time.perf_counter() - began)
            for query in queries[1:]:
                began = time.perf_counter()
                client.search(query)
                answers.append(time.perf_counter() - began)
    yield "| | median, s | worst, s |"
    yield "|---|---|---|"
    rows = {"start to the list of tools": starts, "first answer": firsts, "later answers": answers}
    for name, found in rows.items():
        yield f"| {name} | {statistics.median(found):.3f} | {max(found):.3f} |"


def freshness_times(folder: Path, query: str) -> Iterator[str]:
    """Yields the table of answer times after the files were checked, edited or replaced."""
    files = git(folder, "ls-files").split("\n")
    edited = folder / next(name for name in files if name.endswith((".py", ".ts", ".go", ".java")))
    yield f"| {len(files):,} files | median, s | worst, s |"
    yield "|---|---|---|"
    with server(folder) as client:
        wait_until_current(client, query)
        still, changed, switched = [], [], []
        for number in range(EDITS):
            still.append(timed_search(client, query))
            edited.write_text(f"{edited.read_text('utf-8')}\n# seen{number}edit\n", "utf-8")
            changed.append(timed_search(client, f"seen{number}edit", expect=edited.name))
        git(folder, "checkout", "-q", "--force", "HEAD~1")
        began = time.perf_counter()
        switched.append(timed_search(client, query))
        wait_until_current(client, query)
        whole_s = time.perf_counter() - began
        git(folder, "checkout", "-q", "--force", "-")
    rows = {"nothing changed": still, "one file edited": changed, "a commit switched": switched}
    for name, found in rows.items():
        yield f"| {name} | {statistics.median(found):.3f} | {max(found):.3f} |"
    yield f"| until the index equals the other commit | {whole_s:.1f} | |"


def timed_search(client: Server, query: str, expect: str = "") -> float:
    """Returns the seconds of one search that has to check the files again."""
    time.sleep(RECHECK_S)
    began = time.perf_counter()
    answer = client.search(query)
    elapsed_s = time.perf_counter() - began
    assert expect in answer.partition("\n")[0], answer
    return elapsed_s


def wait_until_current(client: Server, query: str) -> None:
    """Waits until the index equals the files."""
    while "is being updated" in client.search(query):
        time.sleep(RECHECK_S / 10)


def git(folder: Path, *arguments: str) -> str:
    """Runs git and returns its output."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


if __name__ == "__main__":
    place, queries = Path(sys.argv[1]), sys.argv[2:]
    print(
        *freshness_times(place, queries[0]),
        "",
        *costs(place, queries),
        "",
        *times(place, queries),
        sep="\n",
    )
