"""What do the program's server and the Worker's shell both know? For `shared.py`."""

from typing import Any

import feeder
from feeder.run import cost
from feeder.search.engine import NO_WORD_NOTE
from feeder.search.query import MAX_QUERY_CHARS
from feeder.serve import (
    answering,
    borders,
    catalogue,
    fitting,
    listening,
    outlining,
    reading,
    shaping,
)
from feeder.serve.mirrored import DEFAULT_REVISION
from feeder.serve.protocol import (
    BATCH_REVISION,
    LEGACY_REVISIONS,
    MAX_BATCH_MESSAGES,
    META_PREFIX,
    MODERN_REVISIONS,
    TTL_MS,
)
from feeder.serve.questions import DEFAULT_LIMIT, ENDPOINTS, MAX_LIMIT, MAX_OFFSET

FACTS: dict[str, Any] = {
    "server": {
        "name": "feeder",
        "version": feeder.__version__,
        "instructions": catalogue.WORKER_INSTRUCTIONS,
        "listed": catalogue.WORKER_TOOL_DEFINITIONS,
    },
    "revisions": {
        "modern": MODERN_REVISIONS,
        "legacy": LEGACY_REVISIONS,
        "batched": BATCH_REVISION,
        "messages": MAX_BATCH_MESSAGES,
        "unsaid": DEFAULT_REVISION,
        "prefix": META_PREFIX,
        "ttl_ms": TTL_MS,
    },
    "parameters": {name: sorted(known) for name, (_, known) in ENDPOINTS.items()},
    "paging": {"limit": DEFAULT_LIMIT, "most": MAX_LIMIT, "deepest": MAX_OFFSET},
    "query_chars": MAX_QUERY_CHARS,
    "body_bytes": borders.MAX_BODY_BYTES,
    "token_chars": listening.MIN_TOKEN_CHARS,
    "own_sites": borders.OWN_FETCH_SITES,
    "headers": borders.SECURITY_HEADERS,
    "elsewhere": borders.NOT_FOUND_REMEDY,
    "cost": cost.COST_KEY,
    "answering": {
        "window_lines": answering.SNIPPET_LINES,
        "targets": answering.MAX_TARGETS,
        "default_tokens": catalogue.DEFAULT_TOKENS,
        "no_word": NO_WORD_NOTE,
    },
    "fitting": {
        "bytes_a_token": fitting.BYTES_PER_TOKEN,
        "blank": fitting.SEPARATOR_BYTES,
        "share": fitting.SHARE_DIVISOR,
    },
    "shaping": {
        "foot_bytes": shaping.FOOTER_BYTES,
        "notes_chars": shaping.MAX_NOTES_CHARS,
        "forms": shaping.DETAIL_ORDER,
        "described": shaping.DESCRIPTION_PREFIX,
        "shortened": shaping.SHORTENED_TO,
    },
    "reading": {
        "named": reading.MAX_NAMED_TARGETS,
        "name_bytes": reading.NAMED_TARGETS_BYTES,
        "least_bytes": reading.MIN_PASSAGE_BYTES,
    },
    "outlining": [way.note for way in outlining.DETAIL_LEVELS],
}
