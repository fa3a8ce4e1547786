"""Splits text into words and stems as FTS5 does for the table `docs_fts`."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import apsw

TOKENIZER, TOKENIZER_ARGUMENTS = "porter", ["unicode61"]
"""The tokenizer of the table `docs_fts`."""


def tokenize(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Yields the byte offsets of each token of UTF-8 text, and its stem."""
    return iter(_tokenizer()(text, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False))


@cache
def _tokenizer() -> Any:
    return apsw.Connection(":memory:").fts5_tokenizer(TOKENIZER, TOKENIZER_ARGUMENTS)
