"""Stop words: words of a query that carry no meaning.

Two lists: ranking's is part of measured scores, highlighting's is longer because it only
decides which lines to show.
"""

import re

RANKING_STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "can",
        "could",
        "do",
        "does",
        "did",
        "for",
        "from",
        "get",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "should",
        "so",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "this",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
"""Words that are not searched for beside others."""

HIGHLIGHT_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
a about all also an and any are as at be been by can could do does for from get had has have how
i if in into is it its me my no not of on or our should so some than that the their them then
there these they this to use used was we were what when where which who why will with would you
your
""",
    )
)
"""Words that are not highlighted beside others."""
