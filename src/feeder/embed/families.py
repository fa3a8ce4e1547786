"""What is known of models that others serve: how they are asked, and how much they take?

A name is looked for as servers write it: `nomic-embed-text:v1.5`, `nomic-ai/nomic-embed-text-v1.5`
and `text-embedding-nomic-embed-text-v1.5` are one family. A form of a document that changes makes
other vectors: then `HEADER_VERSION` in `nodes.py` is counted up, and caches are emptied.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from feeder.embed.dealing import Limits


class Form(NamedTuple):
    """How a text is asked for: what stands before it, and what the request says of it."""

    before: str = ""
    more: Mapping[str, Any] = MappingProxyType({})


class Family(NamedTuple):
    """Models with names in which the pattern is found.

    `dimensions` is 0 where only the model itself can tell. Vectors of those that `can_shorten` keep
    their meaning in their first numbers.
    """

    names: str
    limits: Limits
    dimensions: int = 0
    can_shorten: bool = False
    text: Form = Form()
    query: Form = Form()
    dimensions_field: str = "dimensions"


# text-embeddings-inference takes 32 texts unless told otherwise; 8192 tokens are above any node's
UNKNOWN = Family("", Limits(32, 32_000, 8192))
_SHORT = Limits(32, 32_000, 512)
_OPENAI = Limits(256, 250_000, 8191)
_JINA = Limits(128, 100_000, 8192)
_MISTRAL = Limits(64, 12_000, 8192)
# 120,000 tokens of its own tokenizer, which makes more of them than others
_VOYAGE = Limits(256, 60_000, 32_000)

_PASSAGES = "Represent this sentence for searching relevant passages: "
_CODE = "Given a question about a code base, retrieve the code that answers it"
_E5 = (Form("passage: "), Form("query: "))
_BGE = (Form(), Form(_PASSAGES))
_NOMIC = (Form("search_document: "), Form("search_query: "))
_NOMIC_CODE = (Form(), Form("Represent this query for searching relevant code: "))
_GEMMA = (Form("title: none | text: "), Form("task: code retrieval | query: "))
_INSTRUCT = (Form(), Form(f"Instruct: {_CODE}\nQuery: "))
_RETRIEVAL = (Form("", {"task": "retrieval.passage"}), Form("", {"task": "retrieval.query"}))
_NL2CODE = (Form("", {"task": "nl2code.passage"}), Form("", {"task": "nl2code.query"}))
_TYPES = (Form("", {"input_type": "document"}), Form("", {"input_type": "query"}))

# The first that has the name decides.
FAMILIES = (
    Family(r"text-embedding-3-small", _OPENAI, 1536, True),
    Family(r"text-embedding-3-large", _OPENAI, 3072, True),
    Family(r"text-embedding-ada-002", _OPENAI, 1536),
    Family(r"^voyage-(code-3|3-large|3\.5|4)", _VOYAGE, 1024, True, *_TYPES, "output_dimension"),
    Family(r"^voyage-", _VOYAGE, 0, False, *_TYPES, "output_dimension"),
    Family(r"^codestral-embed", _MISTRAL, 1536, True, dimensions_field="output_dimension"),
    Family(r"^mistral-embed", _MISTRAL, 1024),
    Family(r"jina-embeddings-v3", _JINA, 1024, True, *_RETRIEVAL),
    Family(r"jina-embeddings-v4", _JINA, 2048, True, *_RETRIEVAL),
    Family(r"jina-code-embeddings-0\.5b", _JINA, 896, True, *_NL2CODE),
    Family(r"jina-code-embeddings-1\.5b", _JINA, 1536, True, *_NL2CODE),
    Family(r"nomic-embed-code", UNKNOWN.limits, 0, False, *_NOMIC_CODE),
    Family(r"nomic-embed-text-v2", _SHORT, 768, True, *_NOMIC),
    Family(r"nomic-embed-text", Limits(32, 32_000, 2048), 768, False, *_NOMIC),
    Family(r"e5-large-instruct", _SHORT, 1024, False, *_INSTRUCT),
    Family(r"e5-small", _SHORT, 384, False, *_E5),
    Family(r"e5-base", _SHORT, 768, False, *_E5),
    Family(r"e5-large", _SHORT, 1024, False, *_E5),
    Family(r"bge-m3", UNKNOWN.limits, 1024),
    Family(r"bge-small-en", _SHORT, 384, False, *_BGE),
    Family(r"bge-base-en", _SHORT, 768, False, *_BGE),
    Family(r"bge-large(?!-zh)", _SHORT, 1024, False, *_BGE),
    Family(r"mxbai-embed-large", _SHORT, 1024, True, *_BGE),
    Family(r"arctic-embed(-[lm]-v2|2)", UNKNOWN.limits, 0, False, Form(), Form("query: ")),
    Family(r"arctic-embed", _SHORT, 0, False, *_BGE),
    Family(r"qwen3-embedding[:-]0\.6b", UNKNOWN.limits, 1024, True, *_INSTRUCT),
    Family(r"qwen3-embedding[:-]4b", UNKNOWN.limits, 2560, True, *_INSTRUCT),
    Family(r"qwen3-embedding[:-]8b", UNKNOWN.limits, 4096, True, *_INSTRUCT),
    Family(r"qwen3-embedding", UNKNOWN.limits, 0, True, *_INSTRUCT),
    Family(r"embedding-?gemma", Limits(32, 32_000, 2048), 768, True, *_GEMMA),
    Family(r"all-minilm", Limits(32, 32_000, 256), 384),
)


def family_of(name: str) -> Family:
    """The family of a model's name; `UNKNOWN` where there is none."""
    return next((one for one in FAMILIES if re.search(one.names, name.lower())), UNKNOWN)
