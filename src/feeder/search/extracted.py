"""What does a document say? Its text is taken out as when it was indexed, once for each contents.

That is done in a process apart with its limits, and what came of it is kept: in memory for as long
as this process asks, and beside the user's embeddings for the next one.
"""

import hashlib
from collections import OrderedDict
from threading import Lock

from feeder.parse.extract import extractor_versions
from feeder.search.texts import remember, remembered
from feeder.tree import kinds

_IN_MEMORY = 8
"""Documents; the text of one has 10 MB at most."""

_known: OrderedDict[str, str | None] = OrderedDict()
_lock = Lock()


def document_text(path: str, content: bytes) -> str | None:
    """The text of a document; None where none can be taken out."""
    ending = kinds.document_extension(path)
    made_by = f"{ending} {extractor_versions()} ".encode()
    key = hashlib.sha256(made_by + content).hexdigest()
    with _lock:  # several that ask for one document at once take its text out once
        if key not in _known:
            _known[key] = _text(key, ending, content)
        _known.move_to_end(key)
        if len(_known) > _IN_MEMORY:
            _known.popitem(last=False)
        return _known[key]


def _text(key: str, ending: str, content: bytes) -> str | None:
    text = remembered(key)
    if text is None:
        text = _taken_out(ending, content)
        if text is not None:
            remember(key, text)
    return text


def _taken_out(ending: str, content: bytes) -> str | None:
    from feeder.parse.files import extract_document_text
    from feeder.parse.workers import WorkerPool

    with WorkerPool(count=1, parse_file=extract_document_text) as workers:
        [parsed] = workers.parse([(f"document.{ending}", content)])
    return parsed.nodes[0].text if parsed.nodes else None
