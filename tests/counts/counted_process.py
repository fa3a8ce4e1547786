"""Runs a part of the program in a process of its own, counts what it does, and writes the counts
as JSON: `counted_process.py MODE OUTPUT ARGUMENTS…`.

Modes: `imports`, `sql` and `profile` run the command line; `queries`, `calls`, `server` and `parse`
call functions; `replay` is a parser process with the messages that `sql` recorded. `imports` itself
imports nothing that the program might import.
"""

import sys

AT_START = frozenset(sys.modules)
"""What the interpreter and its environment import before any program."""

from collections import Counter  # noqa: E402 - counted, since the program imports them too
from types import TracebackType  # noqa: E402
from typing import Any  # noqa: E402

MIN_HITS, MIN_NODES = 100, 300
"""Most queries find something, and most files have several nodes."""

counts: Counter[str] = Counter()

QUERIES = (
    "parcel weight",
    "where is the refund of an order",
    "invoice",
    "added_function",
    "get the warehouse of a supplier",
    "balanceOf0",
    '"returns the"',
    "/KeyError/ customer",
    "ticket -voucher",
    "lang:python payment",
    "path:go route",
    "type:class service",
    "category:docs delivery",
    "shipm*",
    "InvoiceService",
    "currency_rate",
    "catalog price discount margin",
    "session token storage",
    "histroy",
    "xylophone",
)
WARM_UP = ("account number", "class of a letter", "lang:go total", '"the stock"', "Export")
"""Queries that fill caches and import modules before function calls are counted."""


def count_processes() -> None:
    """Counts the processes that the program starts: of git, and others."""

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            is_git = str(arguments[1][0]).rpartition("/")[2] == "git"
            counts["git_processes" if is_git else "other_processes"] += 1

    counts.update(git_processes=0, other_processes=0)
    sys.addaudithook(audit)


def count_imports() -> None:
    """Counts the imported modules of the program, of Python, and the packages of others."""
    names = sys.modules.keys() - AT_START
    packages = {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names)
    third_party = {name for name in packages if not name.startswith(("_", "feeder"))}
    counts["feeder_modules"] = sum(name.split(".")[0] == "feeder" for name in names)
    counts["python_modules"] = sum(name.split(".")[0] in sys.stdlib_module_names for name in names)
    counts["packages"] = len(third_party)


def count_sql() -> None:
    """Counts the statements that the program runs, and the steps of SQLite's virtual machine.

    The steps are those of all statements, including those of FTS5 and of triggers.
    """
    import apsw

    totals: dict[tuple[int, int], tuple[int, int]] = {}

    def trace(event: dict[str, Any]) -> None:
        if event["code"] == apsw.SQLITE_TRACE_STMT:
            counts["statements"] += not event["trigger"]
            return
        # SQLite adds up the steps of a prepared statement's runs; a new one has run once
        key = id(event["connection"]), event["id"]
        runs = event["stmt_status"]["SQLITE_STMTSTATUS_RUN"]
        steps = event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]
        last_runs, last_steps = totals.get(key, (0, 0))
        counts["vm_steps"] += steps - last_steps if runs > last_runs > 0 else steps
        totals[key] = runs, steps

    def connected(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_STMT | apsw.SQLITE_TRACE_PROFILE, trace)

    apsw.connection_hooks.append(connected)


def count_messages(record: str) -> None:
    """Counts the bytes that the program exchanges with parser processes.

    Those that it sends are written to a file.
    """
    import io
    import subprocess

    recorded = open(record, "wb", buffering=0)  # noqa: SIM115, PTH123 - open until the end

    class CountedPipe(io.RawIOBase):
        def __init__(self, pipe: io.FileIO, name: str) -> None:
            self._pipe, self._name = pipe, name

        def readable(self) -> bool:
            return self._pipe.readable()

        def writable(self) -> bool:
            return self._pipe.writable()

        def fileno(self) -> int:
            return self._pipe.fileno()

        def readinto(self, buffer: Any) -> int | None:
            size = self._pipe.readinto(buffer)
            counts[self._name] += size or 0
            return size

        def write(self, data: Any) -> int | None:
            size = self._pipe.write(data)
            recorded.write(bytes(data)[:size])
            counts[self._name] += size or 0
            return size

        def close(self) -> None:
            if not self.closed:
                super().close()
                self._pipe.close()

    class CountedPopen(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, args: Any, *more: Any, **options: Any) -> None:
            super().__init__(args, *more, **options)
            if "feeder.parse.worker" in args:
                sent = CountedPipe(self.stdin.detach(), "bytes_to_parsers")  # type: ignore[union-attr]
                received = CountedPipe(self.stdout.detach(), "bytes_from_parsers")  # type: ignore[union-attr]
                self.stdin, self.stdout = io.BufferedWriter(sent), io.BufferedReader(received)

    subprocess.Popen = CountedPopen  # type: ignore[misc]


class CountedCalls:
    """Counts the calls of the program's functions, and those that they make of other functions.

    What other functions call in turn is left out, since waiting for git takes more or fewer calls;
    so are finalizers, which run when a process has ended.
    """

    def __enter__(self) -> None:
        import cProfile
        import gc

        gc.disable()
        self._profile = cProfile.Profile()
        self._profile.enable()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._profile.disable()
        for entry in filter(_is_of_program, self._profile.getstats()):
            others = [call for call in entry.calls or () if not _is_counted_elsewhere(call)]
            counts["calls"] += entry.callcount + sum(call.callcount for call in others)


def _is_of_program(entry: Any) -> bool:
    """Returns True for a function of the program; the code of a built-in one is its name."""
    import feeder

    return str(getattr(entry.code, "co_filename", "")).startswith(feeder.__path__[0])


def _is_counted_elsewhere(call: Any) -> bool:
    return _is_of_program(call) or getattr(call.code, "co_name", "") == "__del__"


def run_command_line(arguments: list[str]) -> None:
    """Runs `feeder` with these arguments. Raises SystemExit if it fails."""
    sys.argv[:] = ["feeder", *arguments]
    from feeder.cli.main import main

    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise


def run_queries(folder: str, *, is_profiled: bool) -> None:
    """Runs the fixed queries on an index in one process; with a profile, others before."""
    from contextlib import nullcontext
    from pathlib import Path

    from feeder.config import Settings
    from feeder.query.query_plan import SearchRequest
    from feeder.search.engine import search
    from feeder.search.open_index import open_index

    settings = Settings(Path(folder), store="local", quiet=True, query_log=False)
    with open_index(settings) as opened:
        index = opened.with_models(lambda message: sys.exit(f"no vectors: {message}"))
        for query in WARM_UP if is_profiled else ():
            search(index, SearchRequest(query, is_logged=False))
        with CountedCalls() if is_profiled else nullcontext():
            pages = [search(index, SearchRequest(query, is_logged=False)) for query in QUERIES]
    assert sum(len(page.hits) for page in pages) > MIN_HITS


def run_server(folder: str) -> None:
    """Counts git's processes for an answer of the MCP server: with nothing changed, after an edit,
    and after one with rule files.
    """
    import os
    import time
    from pathlib import Path

    from counts.repository import EDITED
    from feeder.config import Settings
    from feeder.mcp.index_refresh import RefreshTimes
    from feeder.mcp.service import IndexService, LazyRefresher

    patient = RefreshTimes(check_interval_s=0.0, answer_wait_s=600.0)
    settings = Settings(Path(folder), store="local", vectors=False, jobs=1, query_log=False)
    service = IndexService(settings, LazyRefresher(settings, patient))

    def git_processes(query: str) -> int:
        before = counts["git_processes"]
        answer = service.call("search", {"query": query}, lambda _: None)
        assert not answer.is_error, answer
        assert query in answer.text, answer
        return counts["git_processes"] - before

    def edit(name: str) -> None:
        with Path(folder, EDITED).open("ab") as file:
            file.write(f"\n\ndef {name}(parcel):\n    return parcel.size\n".encode())

    # an index as new as the files would be read again
    before_s = time.time() - 60
    os.utime(Path(folder, ".git", "index"), (before_s, before_s))
    git_processes("added_function")
    found = {"git_processes_unchanged": git_processes("added_function")}
    edit("first_edit")
    found["git_processes_after_an_edit"] = git_processes("first_edit")
    Path(folder, ".feederignore").write_text("*.tmp\n")
    Path(folder, ".gitattributes").write_text("*.gen linguist-generated\n")
    git_processes("first_edit")
    edit("second_edit")
    found["git_processes_after_an_edit_with_rule_files"] = git_processes("second_edit")
    service.close()
    counts.clear()
    counts.update(found)


def parse_files() -> None:
    """Parses the generated files, after others that load the grammars and fill the caches."""
    from counts.repository import generated_files
    from feeder.parse.file_parser import parse_file
    from feeder.parse.grammar_files import load_grammars

    grammars = load_grammars(None)
    for path, text in generated_files(1).items():
        parse_file(grammars, path, text.encode())
    files = [(path, text.encode()) for path, text in generated_files(26).items()]
    with CountedCalls():
        nodes = [len(parse_file(grammars, path, content).nodes) for path, content in files]
    assert sum(nodes) > MIN_NODES


def replay(record: str) -> None:
    """Runs a parser process on recorded messages."""
    import os

    from feeder.parse.worker import serve

    for name, target in ((record, 0), (os.devnull, 1)):
        file = os.open(name, os.O_RDWR)
        os.dup2(file, target)
        os.close(file)
    with CountedCalls():
        serve()


def main() -> None:
    mode, output, *arguments = sys.argv[1:]
    if mode == "imports":
        count_processes()
        run_command_line(arguments)
        count_imports()
    elif mode == "sql":
        count_processes()
        count_sql()
        count_messages(f"{output}.messages")
        run_command_line(arguments)
    elif mode == "profile":
        with CountedCalls():
            run_command_line(arguments)
    elif mode == "replay":
        replay(f"{output}.messages")
    elif mode == "queries":
        count_sql()
        run_queries(*arguments, is_profiled=False)
    elif mode == "calls":
        run_queries(*arguments, is_profiled=True)
    elif mode == "server":
        count_processes()
        run_server(*arguments)
    elif mode == "parse":
        parse_files()
    import json

    with open(output, "w") as file:  # noqa: PTH123 - pathlib is counted
        json.dump(counts, file)


if __name__ == "__main__":
    main()
