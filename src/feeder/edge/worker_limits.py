"""The limits of a query to the Worker: D1 runs one request after another, so none may take long."""

MAX_TERMS = 64
"""Words, parts of compound words and prefixes that are searched for: the rarest words."""

MAX_FILTERED_TERMS = 20
"""`MAX_TERMS` of a query with a filter: all nodes of each term are read, also of frequent words."""

MAX_COUNTED_WORDS = 128
"""Distinct words whose nodes are counted to find the rarest: the first ones."""

MAX_NAME_CHARS = 400
"""A longer text is no name of a node."""

MAX_OUTLINED_FILES = 300
"""Files of a folder whose nodes an outline for an agent reads: the first ones by path."""

MAX_PHRASE_WORDS = 16

MAX_FEW_NODES = 500
"""If a filter by language or node type leaves no more nodes, FTS5 does not sort the nodes with a
word: a search then seldom finds as many nodes as it ranks, and so it reads them all anyway.
"""

MIN_NODES_OF_OTHERS = 4
"""The nodes for each one of a filter's languages from which on the words of their paths narrow the
FTS5 query: those of a frequent language save few rows, and FTS5 takes longer.
"""

MAX_ENDINGS_OF_QUERY = 32
"""Endings of paths by which a query is narrowed."""

MAX_GLOBS = 6
"""Patterns of paths with `*`, `?` or `[`, and as many excluded ones: each is compared with each
path.
"""

MAX_NODES_OF_GLOB = 1_000
"""If no more nodes are at a glob, FTS5 does not sort the nodes with a word, as above."""

MIN_TERMS_OF_GLOB = 5
"""With fewer terms the nodes at a glob are not counted, which would read up to 3,000 rows."""

MAX_COMPARED_NODES = 20
"""If no more nodes are to be compared with required words, these are looked for in each of them."""

MAX_COMPARED_BY_PREFIX = 3
"""The same with prefixes: FTS5 takes 2 to 10 ms for each node, as long as for a list of all."""

MAX_ALTERNATIVES = 16
"""Texts of one condition with `OR`."""

MAX_LISTED = {
    "either": (8, "conditions with OR"),
    "phrases": (8, "phrases"),
    "prefixes": (8, "prefixes"),
    "without": (32, "excluded words"),
    "symbols": (8, "symbols"),
    "relations": (4, "filters by relations"),
}
"""The entries that are searched for, and their name, by the field of a query in `worker/src`."""
