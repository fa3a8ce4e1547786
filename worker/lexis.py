"""What does the Worker know of words? Lists and figures, from the program's own modules."""

from regexes import SPACE, javascript
from unicode61 import unicode61

from feeder import text
from feeder.search import query, snippets, stopwords

LEXIS = {
    "space": SPACE,
    "words": {"word": javascript(text.WORD_PATTERN), "part": javascript(text.PART_PATTERN)},
    "query": {
        "chars": query.MAX_QUERY_CHARS,
        "fields": query.FILTER_FIELDS,
        "choices": query.CHOICE_FILTERS,
        "lists": query.COMMA_LIST_FIELDS,
        "spaces": query.SPACE_CHARS,
        "patterns": {
            "space": javascript(query.SPACE_PATTERN),
            "lineEnd": javascript(query.LINE_END_PATTERN),
            "unseen": javascript(query.INVISIBLE),
            "control": javascript(query.CONTROL_PATTERN),
            "token": javascript(query.TOKEN_PATTERN),
            "filter": javascript(query.FILTER_PATTERN),
            "prefix": javascript(query.PREFIX_PATTERN),
            "excluded": javascript(query.EXCLUDED_PATTERN),
        },
    },
    "asked": {
        "chars": query.ANALYZED_CHARS,
        "letters": query.MIN_WORD_LETTERS,
        "small": sorted(stopwords.RANKING_STOP_WORDS),
        "endings": query.SUFFIXES,
        "stem": query.MIN_STEM_LETTERS,
        "patterns": {
            "name": javascript(query.SYMBOL_NAME),
            "path": javascript(query.PATH_PATTERN),
            "identifier": javascript(query.IDENTIFIER_PATTERN),
            "joined": javascript(query.COMPOUND_NAME),
            "alnum": javascript(query.ALNUM_PATTERN),
            "word": javascript(query.QUERY_WORD_PATTERN),
            "key": javascript(query.PATH_WORD),
        },
    },
    "terms": {"small": sorted(stopwords.HIGHLIGHT_STOP_WORDS)},
    "layout": {
        "tab": snippets.TAB_WIDTH,
        "inBrackets": snippets.BRACKET_COST,
        "underItsHeading": snippets.HEADING_COST,
        "beforeItsEnd": snippets.END_COST,
        "deepest": snippets.MAX_DEPTH_COST,
        "quoted": javascript(snippets.QUOTED_PATTERN),
        "goesOn": javascript(snippets.CONTINUATION),
    },
    "windows": {
        "lines": snippets.DEFAULT_LINES,
        "shares": snippets.REPEAT_WEIGHTS,
        "reach": snippets.MAX_SHIFT,
        "headLines": snippets.MAX_HEAD_LINES,
        "headWithin": snippets.HEAD_SEARCH_LINES,
        "ends": snippets.SIGNATURE_TRIM,
        "compared": snippets.MAX_COMPARED,
        "cuts": snippets.CUT_PENALTY,
        "anchor": snippets.ANCHOR_WEIGHT,
        "marks": snippets.MAX_HIGHLIGHTS,
    },
    "unicode61": unicode61(),
}
