"""What does a document say? Its text is taken out as when it was indexed, once for each contents.

That is done in a process apart with its limits, and what came of it is kept: in memory for as long
as this process asks, and beside the user's embeddings for the next one.
"""

import hashlib
from collections import OrderedDict
from threading import Lock

from feeder.parse.extract import extractor_versions
from feeder.search.texts import cache_text, read_cached_text
from feeder.source import file_types

_MAX_IN_MEMORY = 8
"""Documents; the text of one has 10 MB at most."""

_text_by_key: OrderedDict[str, str | None] = OrderedDict()
_lock = Lock()


def document_text(path: str, content: bytes) -> str | None:
    """The text of a document; None where none can be taken out."""
    ending = file_types.document_extension(path)
    made_by = f"{ending} {extractor_versions()} ".encode()
    key = hashlib.sha256(made_by + content).hexdigest()
    with _lock:  # several that ask for one document at once take its text out once
        if key not in _text_by_key:
            _text_by_key[key] = _cached_or_extracted(key, ending, content)
        _text_by_key.move_to_end(key)
        if len(_text_by_key) > _MAX_IN_MEMORY:
            _text_by_key.popitem(last=False)
        return _text_by_key[key]


def _cached_or_extracted(key: str, ending: str, content: bytes) -> str | None:
    text = read_cached_text(key)
    if text is None:
        text = _extract_text(ending, content)
        if text is not None:
            cache_text(key, text)
    return text


def _extract_text(ending: str, content: bytes) -> str | None:
    from feeder.parse.file_parser import extract_document_text
    from feeder.parse.worker_pool import WorkerPool

    with WorkerPool(count=1, parse_file=extract_document_text) as workers:
        [parsed] = workers.parse([(f"document.{ending}", content)])
    return parsed.nodes[0].text if parsed.nodes else None
