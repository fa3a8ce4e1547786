"""The limits of a query to the Worker: D1 runs one request after another, so none may take long."""

MAX_TERMS = 64
"""Words, parts of compound words and prefixes that are searched for: the rarest words."""

MAX_PHRASE_WORDS = 16

MAX_LISTED = {
    "phrases": (8, "phrases"),
    "prefixes": (8, "prefixes"),
    "without": (32, "excluded words"),
    "symbols": (8, "symbols"),
    "relations": (4, "filters by relations"),
}
"""The entries that are searched for, and their name, by the field of a query in `worker/src`."""
