"""What does the Worker know of words? Lists and figures, from the program's own modules."""

from unicode61 import unicode61

from feeder.search import asked, query, terms

LEXIS = {
    "query": {
        "chars": query.QUERY_CHARS,
        "fields": query._FIELDS,
        "choices": query._CHOICES,
        "lists": query._LISTS,
    },
    "asked": {
        "chars": asked.READ_CHARS,
        "letters": asked.LEAST_LETTERS,
        "small": asked._SMALL_WORDS.split(),
        "endings": asked._ENDINGS,
        "stem": asked._STEM,
    },
    "terms": {"small": sorted(terms._SMALL)},
    "unicode61": unicode61(),
}
