"""The limits of a query to the Worker: D1 runs one request after another, so none may take long."""

MAX_TERMS = 64
"""Words, parts of compound words and prefixes that are searched for: the rarest words."""

MAX_COUNTED_WORDS = 128
"""Distinct words whose nodes are counted to find the rarest: the first ones."""

MAX_NAME_CHARS = 400
"""A longer text is no name of a node."""

MAX_OUTLINED_FILES = 300
"""Files of a folder whose nodes an outline reads: the first ones by path."""

MAX_PHRASE_WORDS = 16

MAX_FILTERED_TERMS = 20
"""The same with a filter: then the nodes of every word are found, also of frequent ones."""

MAX_FEW_NODES = 500
"""Nodes of the languages or types of a filter: if it leaves no more, a search seldom finds as many
as it ranks, so all nodes with a word are read anyway, and FTS5 need not sort them.
"""

MAX_GLOBS = 6
"""Patterns of paths with `*`, `?` or `[`, and as many excluded ones: each is compared with each
path.
"""

MAX_LISTED = {
    "phrases": (8, "phrases"),
    "prefixes": (8, "prefixes"),
    "without": (32, "excluded words"),
    "symbols": (8, "symbols"),
    "relations": (4, "filters by relations"),
}
"""The entries that are searched for, and their name, by the field of a query in `worker/src`."""
