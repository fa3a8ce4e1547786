"""The vector of a described node lies between its text and its description, nearer to the text."""

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


def test_blend_is_normalized_and_nearer_to_the_text() -> None:
    """For orthogonal vectors in the ratio 1 : share, cos = 1 / sqrt(1 + share²)."""
    text, line = np.eye(2, dtype=np.float32)
    both = mix_vectors(text, line)
    length = math.sqrt(1 + DESCRIPTION_WEIGHT**2)
    assert both == pytest.approx([1 / length, DESCRIPTION_WEIGHT / length])
    assert both @ text > both @ line > 0


def test_description_with_the_vector_of_the_text_changes_nothing() -> None:
    one = np.array([0.6, 0.8], dtype=np.float32)
    assert mix_vectors(one, one) == pytest.approx(one)


def test_rows_are_blended_pairwise() -> None:
    texts, lines = np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32)[::-1]
    found = mix_vectors(texts, lines)
    for at in range(3):
        assert found[at] == pytest.approx(mix_vectors(texts[at], lines[at]))


@given(arrays(np.float32, (3, 8), elements=FLOATS))
def test_quantization_error_is_half_a_step(vectors: np.ndarray) -> None:
    """A step is 1/127 of the largest number."""
    codes = quantize(vectors)
    assert [len(code) for code in codes] == [4 + 8] * 3
    steps = np.abs(vectors).max(axis=1, keepdims=True) / 127
    assert (np.abs(dequantize(codes) - vectors) <= steps * 0.501 + 1e-9).all()


def test_codes_are_blended_like_their_vectors() -> None:
    texts = np.array([[1, 0, 0, 0], [0, 0.6, 0.8, 0]], dtype=np.float32)
    lines = np.array([[0, 0, 0, 1], [0, 0, 1, 0]], dtype=np.float32)
    found = dequantize(mix_codes(quantize(texts), quantize(lines)))
    for one, text, line in zip(found, texts, lines, strict=True):
        assert one == pytest.approx(mix_vectors(text, line), abs=0.01)


def test_rounding_differences_are_no_difference() -> None:
    """Larger batches change the last bit of sums."""
    one, two = (VectorCode(struct.pack("<f", scale) + b"\1\2") for scale in (0.002, 0.002000001))
    assert bytes(one) != bytes(two)
    assert (one == two, one != two) == (True, False)
    other = VectorCode(struct.pack("<f", 0.002) + b"\1\7")
    assert (one == other, one != other) == (False, True)
