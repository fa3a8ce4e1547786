"""Of which rows is the table made in which a Worker looks up a question's parts?

`static_question.mjs` reads it; `docs/explanation/models.md` tells the layout with its figures.
"""

import base64
import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from feeder.embed.static import read_table
from feeder.embed.static_name import NAME
from feeder.embed.static_tokens import fnv1a
from feeder.store.lookup_table import Lookup, LookupRow

if TYPE_CHECKING:
    from feeder.embed.static_parts import Table

LAYOUT = 1
SLOTS = 500
"""Rows: each has some 56 words and 8 buckets, 22 KB."""
HEAD_BYTES = 8
"""Before the bytes of a row's vector: its scale and its weight in questions, float32 each."""


class _Slot(NamedTuple):
    words: list[str]
    codes: list[str]
    buckets: list[str]


def static_lookup() -> Lookup:
    """The shipped model's table: its name and whatever a Worker has to know of the layout."""
    table = read_table()
    count, dimensions = table.rows.shape
    about = {
        "model": NAME,
        "layout": LAYOUT,
        "slots": SLOTS,
        "buckets": table.buckets,
        "dimensions": dimensions,
    }
    chars = count * 4 * math.ceil((HEAD_BYTES + dimensions) / 3)
    return Lookup(json.dumps(about), SLOTS, chars, lambda: _rows(table))


def _rows(table: "Table") -> Iterator[LookupRow]:
    """A word is in the slot of its digest, the bucket b in slot b mod `SLOTS` as the b div-th."""
    slots = [_Slot([], [], []) for _ in range(SLOTS)]
    codes = _codes(table)
    for word in table.words:
        slot = slots[fnv1a(word) % SLOTS]
        slot.words.append(word)
        slot.codes.append(next(codes))
    for bucket, code in enumerate(codes):
        slots[bucket % SLOTS].buckets.append(code)
    for number, (words, own, buckets) in enumerate(slots):
        yield LookupRow(number, f" {' '.join(words)} ", "".join(own), "".join(buckets))


def _codes(table: "Table") -> Iterator[str]:
    """Of each row of the model scale, weight and numbers in base64, as text travels best."""
    import numpy as np

    heads = np.stack([table.scales, table.in_question], axis=1).astype("<f4")
    for head, row in zip(heads, table.rows, strict=True):
        yield base64.b64encode(head.tobytes() + row.tobytes()).decode()
