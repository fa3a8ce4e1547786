"""A node with a line lies between its text and what the line says, nearer to its text."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from feeder.embedding.quantization import (
    DESCRIPTION_WEIGHT,
    dequantize,
    mix_codes,
    mix_vectors,
    quantize,
)
from feeder.store.static_vectors import VectorCode

FLOATS = st.floats(-1, 1, width=32)


def test_a_blend_is_in_length_1_and_nearer_to_the_text() -> None:
    """Of two directions at right angles: 1 : share, so cos = 1 / sqrt(1 + share²)."""
    text, line = np.eye(2, dtype=np.float32)
    both = mix_vectors(text, line)
    length = math.sqrt(1 + DESCRIPTION_WEIGHT**2)
    assert both == pytest.approx([1 / length, DESCRIPTION_WEIGHT / length])
    assert both @ text > both @ line > 0


def test_a_line_that_says_what_the_text_says_changes_nothing() -> None:
    one = np.array([0.6, 0.8], dtype=np.float32)
    assert mix_vectors(one, one) == pytest.approx(one)


def test_rows_are_blended_each_with_its_own() -> None:
    texts, lines = np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32)[::-1]
    found = mix_vectors(texts, lines)
    for at in range(3):
        assert found[at] == pytest.approx(mix_vectors(texts[at], lines[at]))


@given(arrays(np.float32, (3, 8), elements=FLOATS))
def test_a_code_is_its_vector_to_half_a_step(vectors: np.ndarray) -> None:
    """A step is 1/127 of the largest number."""
    codes = quantize(vectors)
    assert [len(code) for code in codes] == [4 + 8] * 3
    steps = np.abs(vectors).max(axis=1, keepdims=True) / 127
    assert (np.abs(dequantize(codes) - vectors) <= steps * 0.501 + 1e-9).all()


def test_codes_are_blended_as_their_vectors_are() -> None:
    texts = np.array([[1, 0, 0, 0], [0, 0.6, 0.8, 0]], dtype=np.float32)
    lines = np.array([[0, 0, 0, 1], [0, 0, 1, 0]], dtype=np.float32)
    found = dequantize(mix_codes(quantize(texts), quantize(lines)))
    for one, text, line in zip(found, texts, lines, strict=True):
        assert one == pytest.approx(mix_vectors(text, line), abs=0.01)


def test_codes_that_rounding_parts_are_neither_unlike() -> None:
    """Sums end in another last bit where more is made at once."""
    one, two = (VectorCode(struct.pack("<f", scale) + b"\1\2") for scale in (0.002, 0.002000001))
    assert bytes(one) != bytes(two)
    assert (one == two, one != two) == (True, False)
    other = VectorCode(struct.pack("<f", 0.002) + b"\1\7")
    assert (one == other, one != other) == (False, True)
