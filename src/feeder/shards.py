"""Divides the files of a commit among several runs by the hash of their path."""

import hashlib
import re
from typing import NamedTuple

from feeder.errors import UserError

MAX_SHARDS = 256
"""Jobs that a matrix of GitHub Actions may have."""


class Shard(NamedTuple):
    """One of `of` shards, counted from 1; together they hold every path once."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def contains(self, path: str) -> bool:
        """Whether the file falls to this shard: by the hash of its path, so that all agree."""
        return int(hashlib.sha1(path.encode()).hexdigest()[:8], 16) % self.total == self.number - 1


def parse_shard(text: str) -> Shard:
    """Reads `3/16`; raises UserError for what is no shard."""
    said = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
    shard = Shard(int(said[1]), int(said[2])) if said else None
    if shard is None or not 1 <= shard.number <= shard.total <= MAX_SHARDS:
        raise UserError(
            f"{text!r} is no shard. Write 1/{MAX_SHARDS} up to {MAX_SHARDS}/{MAX_SHARDS}."
        )
    return shard


def shard_matrix(count: int) -> dict[str, list[str]]:
    """All of them, as `strategy.matrix` of a workflow takes them."""
    return {"shard": [str(shard) for shard in all_shards(count)]}


def all_shards(count: int) -> list[Shard]:
    """All of them."""
    return [Shard(number, count) for number in range(1, count + 1)]
