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
TOKEN_COUNTER = ROOT / "tests/mcp_server/official_clients/tokens.mjs"
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

    def request(self, method: str, params: Message) -> Message:
        """Sends a JSON-RPC request and returns its result."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.stdin.write(json.dumps(message).encode() + b"\n")
        self.stdin.flush()
        result: Message = json.loads(self.stdout.readline())["result"]
        return result

    def search(self, query: str, **options: Any) -> str:
        """Calls the `search` tool and returns the text of its answer."""
        arguments = {"query": query, "limit": LIMIT, **options}
        answer = self.request("tools/call", {"name": "search", "arguments": arguments})
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
        client.request("initialize", {"protocolVersion": "2025-11-25"})
        client.request("tools/list", {})
        yield client
        process.stdin.close()


def tokens(texts: Sequence[str]) -> int:
    """Counts the tokens of all texts together."""
    return sum(token_counts(texts))


def token_counts(texts: Sequence[str]) -> list[int]:
    """Counts the tokens of each text with the encoding o200k_base."""
    payload = json.dumps(texts)
    done = subprocess.run(
        ["node", TOKEN_COUNTER], input=payload, capture_output=True, check=True, text=True
    )
    counts: list[int] = json.loads(done.stdout)
    return counts


def code(folder: Path, answer: str) -> str:
    """Returns the full source lines of an answer's hits, read from their files."""
    source_lines = []
    for hit in HIT.finditer(answer):
        lines = (folder / hit["path"]).read_text("utf-8").split("\n")
        source_lines += lines[int(hit["first"]) - 1 : int(hit["last"])]
    return "\n".join(source_lines)


def costs(folder: Path, queries: Sequence[str]) -> Iterator[str]:
    """Yields the table of token counts, with one row per level of detail."""
    yield "| detail | budget | tokens an answer | times the code | largest, bytes |"
    yield "|---|---|---|---|---|"
    with server(folder) as client:
        for detail, budget in BUDGETS.items():
            options = {"type": "method", "detail": detail, "budget": budget}
            answers = [client.search(query, **options) for query in queries]
            count, code_tokens = (
                tokens(answers),
                tokens([code(folder, answer) for answer in answers]),
            )
            largest = max(len(answer.encode()) for answer in answers)
            mean = count / len(answers)
            ratio = count / code_tokens
            yield f"| {detail} | {budget:,} | {mean:,.0f} | {ratio:.2f} | {largest:,} |"


def times(folder: Path, queries: Sequence[str]) -> Iterator[str]:
    """Yields the table of waiting times: start, first answer and later answers."""
    starts, first_answers, later_answers = [], [], []
    for _ in range(STARTS):
        started = time.perf_counter()
        with server(folder) as client:
            starts.append(time.perf_counter() - started)
            started = time.perf_counter()
            client.search(queries[0])
            first_answers.append(time.perf_counter() - started)
            for query in queries[1:]:
                started = time.perf_counter()
                client.search(query)
                later_answers.append(time.perf_counter() - started)
    yield "| | median, s | worst, s |"
    yield "|---|---|---|"
    rows = {
        "start to the list of tools": starts,
        "first answer": first_answers,
        "later answers": later_answers,
    }
    for name, seconds in rows.items():
        yield f"| {name} | {statistics.median(seconds):.3f} | {max(seconds):.3f} |"


def freshness_times(folder: Path, query: str) -> Iterator[str]:
    """Yields the table of answer times after the files were checked, edited or replaced."""
    files = git(folder, "ls-files").split("\n")
    edited = folder / next(name for name in files if name.endswith((".py", ".ts", ".go", ".java")))
    yield f"| {len(files):,} files | median, s | worst, s |"
    yield "|---|---|---|"
    with server(folder) as client:
        wait_until_current(client, query)
        unchanged, changed, switched = [], [], []
        for number in range(EDITS):
            unchanged.append(timed_search(client, query))
            edited.write_text(f"{edited.read_text('utf-8')}\n# seen{number}edit\n", "utf-8")
            changed.append(timed_search(client, f"seen{number}edit", expected=edited.name))
        git(folder, "checkout", "-q", "--force", "HEAD~1")
        started = time.perf_counter()
        switched.append(timed_search(client, query))
        wait_until_current(client, query)
        complete_s = time.perf_counter() - started
        git(folder, "checkout", "-q", "--force", "-")
    rows = {"nothing changed": unchanged, "one file edited": changed, "a commit switched": switched}
    for name, seconds in rows.items():
        yield f"| {name} | {statistics.median(seconds):.3f} | {max(seconds):.3f} |"
    yield f"| until the index equals the other commit | {complete_s:.1f} | |"


def timed_search(client: Server, query: str, expected: str = "") -> float:
    """Returns the seconds of one search that has to check the files again."""
    time.sleep(RECHECK_S)
    started = time.perf_counter()
    answer = client.search(query)
    elapsed_s = time.perf_counter() - started
    assert expected in answer.partition("\n")[0], answer
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
    folder, queries = Path(sys.argv[1]), sys.argv[2:]
    print(
        *freshness_times(folder, queries[0]),
        "",
        *costs(folder, queries),
        "",
        *times(folder, queries),
        sep="\n",
    )
