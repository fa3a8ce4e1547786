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
from feeder.serve.mirrored import UNSAID
from feeder.serve.protocol import BATCHED, LEGACY, MESSAGES, MODERN, PREFIX, TTL_MS
from feeder.serve.questions import DEEPEST, LIMIT, MOST, QUESTIONS

FACTS: dict[str, Any] = {
    "server": {
        "name": "feeder",
        "version": feeder.__version__,
        "instructions": catalogue.INSTRUCTIONS_AT_THE_EDGE,
        "listed": catalogue.LISTED_AT_THE_EDGE,
    },
    "revisions": {
        "modern": MODERN,
        "legacy": LEGACY,
        "batched": BATCHED,
        "messages": MESSAGES,
        "unsaid": UNSAID,
        "prefix": PREFIX,
        "ttl_ms": TTL_MS,
    },
    "parameters": {name: sorted(known) for name, (_, known) in QUESTIONS.items()},
    "paging": {"limit": LIMIT, "most": MOST, "deepest": DEEPEST},
    "query_chars": MAX_QUERY_CHARS,
    "body_bytes": borders.BODY_BYTES,
    "token_chars": listening.TOKEN_CHARS,
    "own_sites": borders.OWN_SITES,
    "headers": borders.HEADERS,
    "elsewhere": borders.ELSEWHERE,
    "cost": cost.COST_KEY,
    "answering": {
        "window_lines": answering.WINDOW_LINES,
        "targets": answering.TARGETS,
        "default_tokens": catalogue.DEFAULT_TOKENS,
        "no_word": NO_WORD_NOTE,
    },
    "fitting": {
        "bytes_a_token": fitting.BYTES_A_TOKEN,
        "blank": fitting.BLANK,
        "share": fitting.SHARE,
    },
    "shaping": {
        "foot_bytes": shaping.FOOT_BYTES,
        "notes_chars": shaping.NOTES_CHARS,
        "forms": shaping.FORMS,
        "described": shaping.DESCRIBED,
        "shortened": shaping.SHORTENED,
    },
    "reading": {
        "named": reading.NAMED,
        "name_bytes": reading.NAME_BYTES,
        "least_bytes": reading.LEAST_BYTES,
    },
    "outlining": [way.said for way in outlining.WAYS],
}
