"""What does the Worker know of words? Lists and figures, from the program's own modules."""

from unicode61 import unicode61

from feeder.search import asked, layout, query, terms, windows

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
    "layout": {
        "tab": layout.TAB,
        "inBrackets": layout.IN_BRACKETS,
        "underItsHeading": layout.UNDER_ITS_HEADING,
        "beforeItsEnd": layout.BEFORE_ITS_END,
        "deepest": layout.DEEPEST,
    },
    "windows": {
        "lines": windows.LINES,
        "shares": windows.SHARES,
        "reach": windows.REACH,
        "headLines": windows.HEAD_LINES,
        "headWithin": windows.HEAD_WITHIN,
        "ends": windows.ENDS,
        "compared": windows.COMPARED,
        "cuts": windows.CUTS,
        "anchor": windows.ANCHOR,
        "marks": windows.MARKS,
    },
    "unicode61": unicode61(),
}
