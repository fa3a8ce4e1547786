"""How many files does a process that parses get at once?"""

from collections.abc import Iterable, Iterator

from feeder.parse.worker import File

BATCH_FILES, BATCH_BYTES = 32, 128_000
"""What a worker gets at once, so that small files share the cost of a message."""
FILE_OVERHEAD_BYTES = 1000
"""What a file counts beside its content, so that empty files are bounded too."""


def batch_files(files: Iterable[File]) -> Iterator[list[File]]:
    """The files in batches; a large one has its own, so that it is the one to blame."""
    batch: list[File] = []
    for file in files:
        if batch and batch_bytes([file]) > BATCH_BYTES:
            yield batch
            batch = []
        batch.append(file)
        if len(batch) == BATCH_FILES or batch_bytes(batch) > BATCH_BYTES:
            yield batch
            batch = []
    if batch:
        yield batch


def batch_bytes(batch: list[File]) -> int:
    """In bytes, as far as it counts."""
    return sum(len(content) + FILE_OVERHEAD_BYTES for _, content in batch)
