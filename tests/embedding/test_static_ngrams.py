"""The vectorized implementation of n-grams equals the rules for a single word."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeder.embedding.static_model import StaticEmbedder
from feeder.embedding.static_tokenizer import (
    NgramRows,
    fnv1a,
    ngrams,
    split_words,
    split_words_utf8,
)

BASE, BUCKETS = 3, 50
texts = st.text(st.sampled_from("aB3_- é\n\x00\x85ßЖ文한ﬁ\ud800😀") | st.characters(), max_size=60)
parts = st.text("ab1éж文😀", min_size=1, max_size=24)


@given(texts)
def test_words_as_bytes_are_the_same_words(text: str) -> None:
    assert [word.decode() for word in split_words_utf8(text)] == split_words(text)


@given(st.lists(parts, min_size=1, max_size=12))
def test_token_is_the_mean_of_its_ngram_rows(some: list[str]) -> None:
    table = np.random.default_rng(7).standard_normal((BASE + BUCKETS, 4), dtype=np.float32)
    ordered = sorted(some, key=len, reverse=True)
    means = NgramRows(ordered, BASE, BUCKETS).mean(table)
    for part, mean in zip(ordered, means, strict=True):
        rows = [BASE + fnv1a(run) % BUCKETS for run in ngrams(part)]
        assert mean.tolist() == pytest.approx(table[rows].mean(axis=0).tolist(), abs=1e-5)


def test_more_unknown_words_than_the_buffer_holds_are_all_computed() -> None:
    """As one call and one by one."""
    names = ["zq" + "".join(some) + "v" for some in product("bcdfghjklmnpqrstvwxyz", repeat=3)]
    pages = [" ".join(names[at : at + 300]) for at in range(0, len(names), 300)]
    some = [" ".join(reversed(page.split())) for page in pages[::10]]
    together, alone = StaticEmbedder().embed(pages), StaticEmbedder()
    for page, vector in zip(some, together[::10], strict=True):
        assert vector.tolist() == pytest.approx(alone.embed([page])[0].tolist(), abs=1e-5)
