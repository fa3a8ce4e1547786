"""What does the Worker know of words? Lists and figures, from the program's own modules."""

from regexes import SPACE, javascript
from unicode61 import unicode61

from feeder import text
from feeder.search import asked, layout, query, snippets, term_matching

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
        "chars": asked.ANALYZED_CHARS,
        "letters": asked.MIN_WORD_LETTERS,
        "small": sorted(asked.RANKING_STOP_WORDS),
        "endings": asked.SUFFIXES,
        "stem": asked.MIN_STEM_LETTERS,
        "patterns": {
            "name": javascript(asked.SYMBOL_NAME),
            "path": javascript(asked.PATH_PATTERN),
            "identifier": javascript(asked.IDENTIFIER_PATTERN),
            "joined": javascript(asked.COMPOUND_NAME),
            "alnum": javascript(asked.ALNUM_PATTERN),
            "word": javascript(asked.QUERY_WORD_PATTERN),
            "key": javascript(asked.PATH_WORD),
        },
    },
    "terms": {"small": sorted(term_matching.HIGHLIGHT_STOP_WORDS)},
    "layout": {
        "tab": layout.TAB_WIDTH,
        "inBrackets": layout.BRACKET_COST,
        "underItsHeading": layout.HEADING_COST,
        "beforeItsEnd": layout.END_COST,
        "deepest": layout.MAX_DEPTH_COST,
        "quoted": javascript(layout.QUOTED_PATTERN),
        "goesOn": javascript(layout.CONTINUATION),
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
