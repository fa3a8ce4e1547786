"""What does the Worker know of words? Lists and figures, from the program's own modules."""

from regexes import SPACE, javascript
from unicode61 import unicode61

from feeder import words
from feeder.search import asked, layout, query, terms, windows

LEXIS = {
    "space": SPACE,
    "words": {"word": javascript(words.WORD_PATTERN), "part": javascript(words.PART_PATTERN)},
    "query": {
        "chars": query.QUERY_CHARS,
        "fields": query._FIELDS,
        "choices": query._CHOICES,
        "lists": query._LISTS,
        "spaces": query._SPACES,
        "patterns": {
            "space": javascript(query._SPACE),
            "lineEnd": javascript(query._LINE_END),
            "unseen": javascript(query._UNSEEN),
            "control": javascript(query._CONTROL),
            "token": javascript(query._TOKEN),
            "filter": javascript(query._FILTER),
            "prefix": javascript(query._PREFIX),
            "excluded": javascript(query._EXCLUDED),
        },
    },
    "asked": {
        "chars": asked.READ_CHARS,
        "letters": asked.LEAST_LETTERS,
        "small": asked._SMALL_WORDS.split(),
        "endings": asked._ENDINGS,
        "stem": asked._STEM,
        "patterns": {
            "name": javascript(asked._NAME),
            "path": javascript(asked._PATH),
            "identifier": javascript(asked._IDENTIFIER),
            "joined": javascript(asked._JOINED),
            "alnum": javascript(asked._ALNUM),
            "word": javascript(asked._WORD),
            "key": javascript(asked._KEY),
        },
    },
    "terms": {"small": sorted(terms._SMALL)},
    "layout": {
        "tab": layout.TAB,
        "inBrackets": layout.IN_BRACKETS,
        "underItsHeading": layout.UNDER_ITS_HEADING,
        "beforeItsEnd": layout.BEFORE_ITS_END,
        "deepest": layout.DEEPEST,
        "quoted": javascript(layout._QUOTED),
        "goesOn": javascript(layout._GOES_ON),
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
