"""The embedder that tests use instead of a model."""

import numpy as np

from hash_embedder import HashedEmbedder


def test_vectors_are_deterministic_and_normalized() -> None:
    """Also for an empty text."""
    texts = ["one two", "one two three", "", "..."]
    first, second = HashedEmbedder(16).embed(texts), HashedEmbedder(16).embed(texts)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1, rtol=1e-6)


def test_texts_with_common_words_are_near() -> None:
    near, far = HashedEmbedder().embed(["read the config file", "draw some blue circles"])
    query = HashedEmbedder().embed_query("parse the config file")
    assert query @ near > query @ far


def test_calls_and_texts_are_counted() -> None:
    """Not queries."""
    embedder = HashedEmbedder()
    embedder.embed(["a", "b"])
    embedder.embed(["c"])
    embedder.embed_query("d")
    assert (embedder.calls, embedder.texts) == (2, 3)
