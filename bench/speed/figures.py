"""Stores every measured value, so that the tables can be made again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple, Self


class Key(NamedTuple):
    """The identity of a figure; `measure` ends in its unit (`wall_s`, `peak_mb`) if it has one."""

    part: str
    subject: str
    measure: str


@dataclass
class Figures:
    """The values of each measure in the order of the runs, and facts about the machine.

    `failed` maps a name to the reason why it has no figures.
    """

    about: dict[str, str] = field(default_factory=dict)
    values: dict[Key, list[float]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, part: str, subject: str, measured: Mapping[str, float]) -> None:
        """Adds one value per measure."""
        for measure, value in measured.items():
            self.values.setdefault(Key(part, subject, measure), []).append(value)

    def median(self, part: str, subject: str, measure: str) -> float | None:
        """Returns the median of a measure, or None without values."""
        values = self.values.get(Key(part, subject, measure))
        return median(values) if values else None

    def subjects(self, part: str) -> list[str]:
        """Lists the subjects of a part in the order of their first measurement."""
        return list(dict.fromkeys(key.subject for key in self.values if key.part == part))

    def write(self, file: Path) -> None:
        """Writes the figures as JSON for `read`."""
        values = [{**key._asdict(), "values": numbers} for key, numbers in self.values.items()]
        contents = {"about": self.about, "figures": values, "failed": self.failed}
        file.write_text(json.dumps(contents, indent=1) + "\n", "utf-8")

    @classmethod
    def read(cls, file: Path) -> Self:
        """Reads the figures that `write` wrote."""
        contents = json.loads(file.read_text("utf-8"))
        values = {
            Key(entry["part"], entry["subject"], entry["measure"]): entry["values"]
            for entry in contents["figures"]
        }
        return cls(contents["about"], values, contents["failed"])


def quantiles_ms(seconds: Sequence[float], prefix: str = "") -> dict[str, float]:
    """Returns the median and the 95th percentile in milliseconds."""
    cuts = quantiles(seconds, n=20, method="inclusive")
    return {f"{prefix}p50_ms": 1000 * cuts[9], f"{prefix}p95_ms": 1000 * cuts[18]}
