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
"""Number of D1 rows: each has about 56 words and 8 buckets, 22 KB."""
ROW_HEADER_BYTES = 8
"""Bytes before a vector: its scale and its weight in queries, float32 each."""


class _Slot(NamedTuple):
    words: list[str]
    codes: list[str]
    buckets: list[str]


def build_lookup() -> LookupTable:
    """Returns the shipped model's table, with the facts on its layout that a Worker needs."""
    model = read_model()
    count, dimensions = model.rows.shape
    layout = {
        "model": STATIC_MODEL_NAME,
        "layout": LAYOUT_VERSION,
        "slots": SLOT_COUNT,
        "buckets": model.buckets,
        "dimensions": dimensions,
    }
    chars = count * 4 * math.ceil((ROW_HEADER_BYTES + dimensions) / 3)
    return LookupTable(json.dumps(layout), SLOT_COUNT, chars, lambda: _lookup_rows(model))


def _lookup_rows(model: "StaticModel") -> Iterator[LookupRow]:
    """Distributes words by FNV-1a mod `SLOT_COUNT`, and bucket b to slot b mod `SLOT_COUNT`."""
    slots = [_Slot([], [], []) for _ in range(SLOT_COUNT)]
    codes = _encoded_rows(model)
    for word in model.vocabulary:
        slot = slots[fnv1a(word) % SLOT_COUNT]
        slot.words.append(word)
        slot.codes.append(next(codes))
    for bucket, code in enumerate(codes):
        slots[bucket % SLOT_COUNT].buckets.append(code)
    for number, (words, word_codes, buckets) in enumerate(slots):
        yield LookupRow(number, f" {' '.join(words)} ", "".join(word_codes), "".join(buckets))


def _encoded_rows(model: "StaticModel") -> Iterator[str]:
    """Encodes each row of the model, header and numbers, as base64, which fits into JSON."""
    import numpy as np

    headers = np.stack([model.scales, model.query_weights], axis=1).astype("<f4")
    for header, row in zip(headers, model.rows, strict=True):
        yield base64.b64encode(header.tobytes() + row.tobytes()).decode()
