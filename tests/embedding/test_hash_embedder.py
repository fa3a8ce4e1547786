import numpy as np

from hash_embedder import HashedEmbedder


def test_the_stand_in_is_deterministic_and_normalised() -> None:
    """Two of them agree bit by bit, and every vector has length 1, an empty text's too."""
    texts = ["one two", "one two three", "", "..."]
    first, second = HashedEmbedder(16).embed(texts), HashedEmbedder(16).embed(texts)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1, rtol=1e-6)


def test_the_stand_in_puts_texts_that_share_words_near_one_another() -> None:
    """Three words of four in common are nearer than none."""
    near, far = HashedEmbedder().embed(["read the config file", "draw some blue circles"])
    query = HashedEmbedder().embed_query("parse the config file")
    assert query @ near > query @ far


def test_the_stand_in_counts_what_it_was_asked() -> None:
    """Calls and texts, but not queries."""
    embedder = HashedEmbedder()
    embedder.embed(["a", "b"])
    embedder.embed(["c"])
    embedder.embed_query("d")
    assert (embedder.calls, embedder.texts) == (2, 3)
