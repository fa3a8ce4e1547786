"""Rows of the lookup table from which a Worker computes a query's static vector;
`static_query.mjs` reads it.
"""

import base64
import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from feeder.embedding import STATIC_MODEL_NAME
from feeder.embedding.static_model import read_model
from feeder.embedding.static_tokenizer import fnv1a
from feeder.store.lookup_table import LookupRow, LookupTable

if TYPE_CHECKING:
    from feeder.embedding.static_model import StaticModel

LAYOUT_VERSION = 1
SLOT_COUNT = 500
"""Rows: each has some 56 words and 8 buckets, 22 KB."""
ROW_HEADER_BYTES = 8
"""Before the bytes of a row's vector: its scale and its weight in questions, float32 each."""


class _Slot(NamedTuple):
    words: list[str]
    codes: list[str]
    buckets: list[str]


def build_lookup() -> LookupTable:
    """The shipped model's table: its name and whatever a Worker has to know of the layout."""
    table = read_model()
    count, dimensions = table.rows.shape
    about = {
        "model": STATIC_MODEL_NAME,
        "layout": LAYOUT_VERSION,
        "slots": SLOT_COUNT,
        "buckets": table.buckets,
        "dimensions": dimensions,
    }
    chars = count * 4 * math.ceil((ROW_HEADER_BYTES + dimensions) / 3)
    return LookupTable(json.dumps(about), SLOT_COUNT, chars, lambda: _lookup_rows(table))


def _lookup_rows(table: "StaticModel") -> Iterator[LookupRow]:
    """A word is in the slot of its digest, the bucket b in slot b mod `SLOTS` as the b div-th."""
    slots = [_Slot([], [], []) for _ in range(SLOT_COUNT)]
    codes = _encoded_rows(table)
    for word in table.vocabulary:
        slot = slots[fnv1a(word) % SLOT_COUNT]
        slot.words.append(word)
        slot.codes.append(next(codes))
    for bucket, code in enumerate(codes):
        slots[bucket % SLOT_COUNT].buckets.append(code)
    for number, (words, own, buckets) in enumerate(slots):
        yield LookupRow(number, f" {' '.join(words)} ", "".join(own), "".join(buckets))


def _encoded_rows(table: "StaticModel") -> Iterator[str]:
    """Of each row of the model scale, weight and numbers in base64, as text travels best."""
    import numpy as np

    heads = np.stack([table.scales, table.query_weights], axis=1).astype("<f4")
    for head, row in zip(heads, table.rows, strict=True):
        yield base64.b64encode(head.tobytes() + row.tobytes()).decode()
