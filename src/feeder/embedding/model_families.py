"""Table of known embedding models behind endpoints: dimensions, request limits, prefixes of
documents and queries. Add a model here.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from feeder.embedding.batching import RequestLimits


class TextFormat(NamedTuple):
    """The prefix and the extra request fields that a model expects with a text."""

    prefix: str = ""
    extra_fields: Mapping[str, Any] = MappingProxyType({})


class ModelFamily(NamedTuple):
    """Models whose lowercase name matches `pattern`, a regular expression.

    `dimensions` is 0 where only the server knows them. Vectors of models that `can_shorten` can be
    cut to their first numbers.
    """

    pattern: str
    limits: RequestLimits
    dimensions: int = 0
    can_shorten: bool = False
    document_format: TextFormat = TextFormat()
    query_format: TextFormat = TextFormat()
    dimensions_field: str = "dimensions"


# text-embeddings-inference takes 32 texts by default; no node has more than 8192 tokens
UNKNOWN_FAMILY = ModelFamily("", RequestLimits(32, 32_000, 8192))
_SHORT_INPUT_LIMITS = RequestLimits(32, 32_000, 512)
_OPENAI_LIMITS = RequestLimits(256, 250_000, 8191)
_JINA_LIMITS = RequestLimits(128, 100_000, 8192)
_MISTRAL_LIMITS = RequestLimits(64, 12_000, 8192)
# Voyage allows 120,000 tokens, and its tokenizer makes more of them than others
_VOYAGE_LIMITS = RequestLimits(256, 60_000, 32_000)

_PASSAGE_INSTRUCTION = "Represent this sentence for searching relevant passages: "
_CODE_INSTRUCTION = "Given a question about a code base, retrieve the code that answers it"
_E5_FORMATS = (TextFormat("passage: "), TextFormat("query: "))
_BGE_FORMATS = (TextFormat(), TextFormat(_PASSAGE_INSTRUCTION))
_NOMIC_FORMATS = (TextFormat("search_document: "), TextFormat("search_query: "))
_NOMIC_CODE_FORMATS = (
    TextFormat(),
    TextFormat("Represent this query for searching relevant code: "),
)
_GEMMA_FORMATS = (TextFormat("title: none | text: "), TextFormat("task: code retrieval | query: "))
_INSTRUCT_FORMATS = (TextFormat(), TextFormat(f"Instruct: {_CODE_INSTRUCTION}\nQuery: "))
_RETRIEVAL_FORMATS = (
    TextFormat("", {"task": "retrieval.passage"}),
    TextFormat("", {"task": "retrieval.query"}),
)
_NL2CODE_FORMATS = (
    TextFormat("", {"task": "nl2code.passage"}),
    TextFormat("", {"task": "nl2code.query"}),
)
_INPUT_TYPE_FORMATS = (
    TextFormat("", {"input_type": "document"}),
    TextFormat("", {"input_type": "query"}),
)

# the first match decides
FAMILIES = (
    ModelFamily(r"text-embedding-3-small", _OPENAI_LIMITS, 1536, True),
    ModelFamily(r"text-embedding-3-large", _OPENAI_LIMITS, 3072, True),
    ModelFamily(r"text-embedding-ada-002", _OPENAI_LIMITS, 1536),
    ModelFamily(
        r"^voyage-(code-3|3-large|3\.5|4)",
        _VOYAGE_LIMITS,
        1024,
        True,
        *_INPUT_TYPE_FORMATS,
        "output_dimension",
    ),
    ModelFamily(r"^voyage-", _VOYAGE_LIMITS, 0, False, *_INPUT_TYPE_FORMATS, "output_dimension"),
    ModelFamily(
        r"^codestral-embed", _MISTRAL_LIMITS, 1536, True, dimensions_field="output_dimension"
    ),
    ModelFamily(r"^mistral-embed", _MISTRAL_LIMITS, 1024),
    ModelFamily(r"jina-embeddings-v3", _JINA_LIMITS, 1024, True, *_RETRIEVAL_FORMATS),
    ModelFamily(r"jina-embeddings-v4", _JINA_LIMITS, 2048, True, *_RETRIEVAL_FORMATS),
    ModelFamily(r"jina-code-embeddings-0\.5b", _JINA_LIMITS, 896, True, *_NL2CODE_FORMATS),
    ModelFamily(r"jina-code-embeddings-1\.5b", _JINA_LIMITS, 1536, True, *_NL2CODE_FORMATS),
    ModelFamily(r"nomic-embed-code", UNKNOWN_FAMILY.limits, 0, False, *_NOMIC_CODE_FORMATS),
    ModelFamily(r"nomic-embed-text-v2", _SHORT_INPUT_LIMITS, 768, True, *_NOMIC_FORMATS),
    ModelFamily(r"nomic-embed-text", RequestLimits(32, 32_000, 2048), 768, False, *_NOMIC_FORMATS),
    ModelFamily(r"e5-large-instruct", _SHORT_INPUT_LIMITS, 1024, False, *_INSTRUCT_FORMATS),
    ModelFamily(r"e5-small", _SHORT_INPUT_LIMITS, 384, False, *_E5_FORMATS),
    ModelFamily(r"e5-base", _SHORT_INPUT_LIMITS, 768, False, *_E5_FORMATS),
    ModelFamily(r"e5-large", _SHORT_INPUT_LIMITS, 1024, False, *_E5_FORMATS),
    ModelFamily(r"bge-m3", UNKNOWN_FAMILY.limits, 1024),
    ModelFamily(r"bge-small-en", _SHORT_INPUT_LIMITS, 384, False, *_BGE_FORMATS),
    ModelFamily(r"bge-base-en", _SHORT_INPUT_LIMITS, 768, False, *_BGE_FORMATS),
    ModelFamily(r"bge-large(?!-zh)", _SHORT_INPUT_LIMITS, 1024, False, *_BGE_FORMATS),
    ModelFamily(r"mxbai-embed-large", _SHORT_INPUT_LIMITS, 1024, True, *_BGE_FORMATS),
    ModelFamily(
        r"arctic-embed(-[lm]-v2|2)",
        UNKNOWN_FAMILY.limits,
        0,
        False,
        TextFormat(),
        TextFormat("query: "),
    ),
    ModelFamily(r"arctic-embed", _SHORT_INPUT_LIMITS, 0, False, *_BGE_FORMATS),
    ModelFamily(r"qwen3-embedding[:-]0\.6b", UNKNOWN_FAMILY.limits, 1024, True, *_INSTRUCT_FORMATS),
    ModelFamily(r"qwen3-embedding[:-]4b", UNKNOWN_FAMILY.limits, 2560, True, *_INSTRUCT_FORMATS),
    ModelFamily(r"qwen3-embedding[:-]8b", UNKNOWN_FAMILY.limits, 4096, True, *_INSTRUCT_FORMATS),
    ModelFamily(r"qwen3-embedding", UNKNOWN_FAMILY.limits, 0, True, *_INSTRUCT_FORMATS),
    ModelFamily(r"embedding-?gemma", RequestLimits(32, 32_000, 2048), 768, True, *_GEMMA_FORMATS),
    ModelFamily(r"all-minilm", RequestLimits(32, 32_000, 256), 384),
)


def find_family(name: str) -> ModelFamily:
    """Returns the family of a model's name, or `UNKNOWN_FAMILY`."""
    return next(
        (family for family in FAMILIES if re.search(family.pattern, name.lower())), UNKNOWN_FAMILY
    )
