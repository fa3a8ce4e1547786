"""Parses hostile documents in real worker processes and prints a table of the results.

    python bench/hostile_documents.py [--size BYTES] [--kind KIND]

Exits with 1 if an invariant was violated.
"""

import argparse
import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from feeder.parse.worker_messages import Limits  # noqa: E402  # what follows is of tests/
from feeder.parse.worker_pool import WorkerPool  # noqa: E402
from parse.documents import docx, p  # noqa: E402
from parse.hostile_documents import KINDS  # noqa: E402

SIZE = 5_000_000
"""Bytes before compression of the documents whose size can be chosen, roughly."""
SPARE_S = 2.0
"""Allowance for the start of a new worker after a document has ended the last one."""
HEAD = "| document | bytes | result | seconds | worker's peak, MB |\n|---|---|---|---|---|"


class Result(NamedTuple):
    """The table row of a document, and the invariant that it violated, if any."""

    line: str
    violation: str = ""


def parse_document(kind: str, path: str, content: bytes) -> Result:
    """Parses one document and a harmless one after it.

    The process must not have had other workers, because peak memory is that of all children.
    """
    limits = Limits()
    with WorkerPool(count=1) as workers:
        list(workers.parse([("start.docx", docx(p("Start.")))]))
        started = time.monotonic()
        parsed, after = workers.parse([(path, content), ("next.docx", docx(p("Next.")))])
        took_s = time.monotonic() - started
    # ru_maxrss is in kilobytes on Linux
    peak_bytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    outcome = parsed.skip or parsed.reason or f"{len(parsed.nodes)} nodes"
    line = f"| {kind} | {len(content):,} | {outcome} | {took_s:.1f} | {peak_bytes / 1e6:,.0f} |"
    violation = "" if bool(parsed.nodes) != bool(parsed.skip) else "has neither nodes nor a reason"
    if [node.text for node in after.nodes] != ["Next."]:
        violation = "the next document was lost"
    if took_s > limits.document_timeout_s + SPARE_S or peak_bytes > limits.max_bytes:
        violation = "exceeded its time or memory limit"
    return Result(line, f"{kind}: {violation}" if violation else "")


def main() -> int:
    """Prints the table. Returns 1 if an invariant was violated."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--size", type=int, default=SIZE, help="Size of the large documents, bytes."
    )
    parser.add_argument(
        "--kind", action="append", choices=KINDS, help="Test only this kind; may repeat."
    )
    args = parser.parse_args()
    print(HEAD)
    results = []
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        kinds = args.kind or list(KINDS)
        # a forked process starts with its parent's peak, so the documents are made here
        documents = [KINDS[kind](args.size) for kind in kinds]
        for result in pool.map(parse_document, kinds, *zip(*documents, strict=True)):
            print(result.line, flush=True)
            results.append(result)
    violations = [result.violation for result in results if result.violation]
    print(*violations, sep="\n", end="\n" if violations else "", file=sys.stderr)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
