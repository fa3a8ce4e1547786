"""Divides the files of a commit among several runs by the hash of their path."""

import re
from typing import NamedTuple

from feeder.errors import UserError

MAX_SHARDS = 256
"""GitHub Actions allows this many jobs in a matrix."""


class Shard(NamedTuple):
    """One of `total` shards, counted from 1; together they contain every path once."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def contains(self, path: str) -> bool:
        """Tells whether a path belongs to this shard, by its hash."""
        import hashlib  # loads OpenSSL, which `feeder --help` does not need

        return int(hashlib.sha1(path.encode()).hexdigest()[:8], 16) % self.total == self.number - 1


def parse_shard(text: str) -> Shard:
    """Parses `3/16`; raises UserError for anything else."""
    match = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
    shard = Shard(int(match[1]), int(match[2])) if match else None
    if shard is None or not 1 <= shard.number <= shard.total <= MAX_SHARDS:
        raise UserError(
            f"--shard {text!r} is not a shard.",
            f"Write NUMBER/TOTAL, such as 3/16: TOTAL up to {MAX_SHARDS}, NUMBER up to TOTAL.",
        )
    return shard


def shard_matrix(count: int) -> dict[str, list[str]]:
    """Returns all shards in the form of a workflow's `strategy.matrix`."""
    return {"shard": [str(shard) for shard in all_shards(count)]}


def all_shards(count: int) -> list[Shard]:
    return [Shard(number, count) for number in range(1, count + 1)]
