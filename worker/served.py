"""What do the program's server and the Worker's shell both know? For `shared.py`."""

from typing import Any

import feeder
from feeder.mcp import formatting, outline_format, protocol, token_budget, tool_schemas, tools
from feeder.mcp.protocol import (
    BATCH_REVISION,
    DEFAULT_REVISION,
    LEGACY_REVISIONS,
    MAX_BATCH_MESSAGES,
    META_PREFIX,
    MODERN_REVISIONS,
    TTL_MS,
)
from feeder.search.engine import NO_WORD_NOTE
from feeder.search.query import MAX_QUERY_CHARS
from feeder.sync import dry_run
from feeder.web import page_files, server
from feeder.web.endpoints import DEFAULT_LIMIT, ENDPOINTS, MAX_LIMIT, MAX_OFFSET

FACTS: dict[str, Any] = {
    "server": {
        "name": "feeder",
        "version": feeder.__version__,
        "instructions": tool_schemas.WORKER_INSTRUCTIONS,
        "listed": tool_schemas.WORKER_TOOL_DEFINITIONS,
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
    "body_bytes": protocol.MAX_BODY_BYTES,
    "token_chars": server.MIN_TOKEN_CHARS,
    "own_sites": page_files.OWN_FETCH_SITES,
    "headers": page_files.SECURITY_HEADERS,
    "elsewhere": page_files.NOT_FOUND_REMEDY,
    "cost": dry_run.COST_KEY,
    "answering": {
        "window_lines": tools.SNIPPET_LINES,
        "targets": tools.MAX_TARGETS,
        "default_tokens": tool_schemas.DEFAULT_TOKENS,
        "no_word": NO_WORD_NOTE,
    },
    "fitting": {
        "bytes_a_token": token_budget.BYTES_PER_TOKEN,
        "blank": token_budget.SEPARATOR_BYTES,
        "share": token_budget.SHARE_DIVISOR,
    },
    "shaping": {
        "foot_bytes": formatting.FOOTER_BYTES,
        "notes_chars": formatting.MAX_NOTES_CHARS,
        "forms": formatting.DETAIL_ORDER,
        "described": formatting.DESCRIPTION_PREFIX,
        "shortened": formatting.SHORTENED_TO,
    },
    "reading": {
        "named": formatting.MAX_NAMED_TARGETS,
        "name_bytes": formatting.NAMED_TARGETS_BYTES,
        "least_bytes": formatting.MIN_PASSAGE_BYTES,
    },
    "outlining": [way.note for way in outline_format.DETAIL_LEVELS],
}
