"""Cloudflare usage of a run (requests, rows, vectors, neurons), as numbers and as shares of the
free tier.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

ROWS_WRITTEN_PER_DAY = 100_000
ROWS_READ_PER_DAY = 5_000_000
NEURONS_PER_DAY = 10_000
MAX_STORED_DIMENSIONS = 5_000_000
MAX_DATABASE_BYTES = 500_000_000

_SERVICE_NAMES = {"d1": "D1", "vectorize": "Vectorize", "ai": "Workers AI", "model": "to the model"}


@dataclass(frozen=True)
class Usage:
    """The usage of a run, measured or estimated.

    `requests` and `retries` are by service; rows are as D1 bills them; `dimensions` is the sum over
    all written vectors; tokens and neurons are estimates. `database_bytes` is the size of the whole
    database, 0 if unknown. Of `rows_written`, a dry run tells the `text_rows` of stored
    source, of `text_bytes`.
    """

    requests: Mapping[str, int] = field(default_factory=dict)
    retries: Mapping[str, int] = field(default_factory=dict)
    waited_s: float = 0.0
    rows_read: int = 0
    rows_written: int = 0
    dimensions: int = 0
    tokens: int = 0
    neurons: float = 0.0
    database_bytes: int = 0
    text_rows: int = 0
    text_bytes: int = 0

    def shares(self) -> dict[str, float]:
        """Returns fractions of the free tier: per day for rows and neurons, in total for others."""
        return {
            "rows_read": self.rows_read / ROWS_READ_PER_DAY,
            "rows_written": self.rows_written / ROWS_WRITTEN_PER_DAY,
            "neurons": self.neurons / NEURONS_PER_DAY,
            "dimensions": self.dimensions / MAX_STORED_DIMENSIONS,
            "database_bytes": self.database_bytes / MAX_DATABASE_BYTES,
        }

    def as_json(self) -> dict[str, Any]:
        """Returns all fields, and the shares of the free tier as fractions."""
        shares = {name: round(share, 6) for name, share in self.shares().items()}
        return {**asdict(self), "neurons": round(self.neurons, 1), "free_tier": shares}

    def lines(self) -> Iterator[str]:
        """Formats the usage for a person."""
        share = {name: format_percent(of_one) for name, of_one in self.shares().items()}
        yield f"Requests: {_format_counts(self.requests) or 'none'}{self._retry_note()}."
        if self.requests.get("d1"):
            yield (
                f"D1: {self.rows_written:,} rows written ({share['rows_written']} of a free day), "
                f"{self.rows_read:,} read ({share['rows_read']})."
            )
        if self.text_rows:
            yield (
                f"Of these, {self.text_rows:,} rows "
                f"({format_percent(self.text_rows / ROWS_WRITTEN_PER_DAY)} of a free day) are "
                f"stored source: {self.text_bytes / 1e6:,.1f} MB "
                f"({format_percent(self.text_bytes / MAX_DATABASE_BYTES)} of a free database)."
            )
        if self.dimensions:
            yield (
                f"Vectorize: {self.dimensions:,} dimensions in vectors "
                f"({share['dimensions']} of the free tier)."
            )
        if self.tokens and not self.neurons:
            yield f"Model: about {self.tokens:,} tokens."
        elif self.tokens:
            yield (
                f"Workers AI: about {self.tokens:,} tokens, {self.neurons:,.1f} neurons "
                f"({share['neurons']} of a free day)."
            )
        if self.database_bytes:
            megabytes = self.database_bytes / 1e6
            yield f"Database: {megabytes:,.1f} MB ({share['database_bytes']} of the free tier)."

    def _retry_note(self) -> str:
        retries = f"; retried: {_format_counts(self.retries)}" if any(self.retries.values()) else ""
        return retries + (f"; {self.waited_s:.0f} s waited" if self.waited_s >= 1 else "")


def format_percent(share: float) -> str:
    """Formats a fraction as a percentage."""
    if 0 < share < 0.001:
        return "below 0.1 %"
    return f"{100 * share:.1f} %"


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(
        f"{counts[key]} {name}" for key, name in _SERVICE_NAMES.items() if counts.get(key)
    )
