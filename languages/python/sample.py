"""A cart and what is in it."""

import logging
from dataclasses import dataclass

type Price[T] = dict[str, T]


# Cents, never floats.
@dataclass(frozen=True)
class Item:
    """A thing that is sold."""

    name: str
    cents: int

    @property
    def label(self) -> str:
        return f"{self.name}: {self.cents}"

    @classmethod
    def parse(
        cls,
        text: str,  # "name=cents"
    ) -> "Item":
        name, _, cents = text.partition("=")

        def strip(part: str) -> str:
            return part.strip()

        return cls(strip(name), int(strip(cents)))

    class Sold(Exception):
        """It is gone."""


try:
    from speedups import total
except ImportError:

    def total(items: list[Item]) -> int:
        return sum(item.cents for item in items)


async def restock(items: list[Item]) -> None:  # nightly
    for item in items:
        logging.info("restock %s", item.label)


empty: list[Item] = []
discount = lambda cents: cents * 9 // 10
