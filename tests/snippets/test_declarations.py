"""Lines that declare the name which a pattern matches."""

import pytest
import regex

from feeder.snippets.declarations import declares_match, make_span_finder
from feeder.source.grep import MatchingLine, PatternOptions
from feeder.store.hits import Hit

KOTLIN = '@Deprecated(message = "use size", level = ERROR) fun size(): Int'
WRAPPED = "public static Cart<Article> open( String name, boolean fresh)"


def node(signature: str | None, name: str, node_type: str = "method", members: str = "") -> Hit:
    symbol, path = (name, None) if signature else (None, name)
    return Hit("id", "a", "x", node_type, symbol, signature, path, 5, 20, members, "o/r")


CASES = {
    "one line": (
        node("def add(self, x)", "Cart.add"),
        5,
        "    def add(self, x):  # now",
        "add",
        True,
    ),
    "part of the name": (node("def add_all(x)", "add_all"), 5, "def add_all(x):", "add", True),
    "after a doc comment": (
        node("int add(int x)", "Cart.add"),
        9,
        "  int add(int x) {",
        "add",
        True,
    ),
    "doc comment": (node("int add(int x)", "Cart.add"), 6, "  /** Calls add. */", "add", False),
    "call": (node("def add(self, x)", "Cart.add"), 7, "    self.add(x - 1)", "add", False),
    "keyword": (node("def add(self, x)", "Cart.add"), 5, "def add(self, x):", "def", False),
    "parameter": (node("def add(self, x)", "Cart.add"), 5, "def add(self, x):", r"self, x", False),
    "annotation": (
        node(KOTLIN, "C.size"),
        5,
        '@Deprecated(message = "size",',
        "size",
        False,
    ),
    "body on the line": (node(KOTLIN, "C.size"), 6, "fun size(): Int = rows.size", "size", True),
    "wrapped": (node(WRAPPED, "Cart.open"), 5, "public static Cart<Article> open(", "open", True),
    "wrapped parameter": (node(WRAPPED, "Cart.open"), 6, "    String name,", "name", False),
    "member": (node("class A", "A", "class", " size:8"), 8, "    size: int = 0", "size", True),
    "no member": (node("class A", "A", "class", " size:8"), 9, "    other = size", "size", False),
    "key": (node(None, "server", "toml_table"), 7, 'storage.path = "x"', r"storage\.path", True),
    "quoted key": (node(None, "server", "json_object"), 7, '  "storage": "disk",', "storage", True),
    "value": (node(None, "server", "yaml_mapping"), 7, "  storage: disk", "disk", False),
    "section": (node(None, "Guide > Install", "md_section"), 5, "## Install", "Install", True),
    "text of a section": (node(None, "Install", "md_section"), 7, "Install it", "Install", False),
}


@pytest.mark.parametrize(
    ("hit", "number", "text", "pattern", "expected"), CASES.values(), ids=CASES
)
def test_line_declares_the_matched_name(
    hit: Hit, number: int, text: str, pattern: str, *, expected: bool
) -> None:
    find_spans = make_span_finder(pattern, PatternOptions())
    line = MatchingLine(number, 1, text.encode())
    assert declares_match(hit, line, find_spans, set()) is expected


def test_declaration_of_a_node_counts_once() -> None:
    """A call in the same words as the declaration is none."""
    find_spans, defined = make_span_finder("add", PatternOptions()), set[str]()
    hit = node("def add(x)", "add")
    texts = ("def add(x):", "    add(x)")
    lines = [MatchingLine(5 + at, 1, text.encode()) for at, text in enumerate(texts)]
    assert [declares_match(hit, line, find_spans, defined) for line in lines] == [True, False]


@pytest.mark.parametrize(
    ("pattern", "options", "spans"),
    [
        ("a.", PatternOptions(), [(0, 2), (2, 4)]),
        ("a.", PatternOptions(fixed_strings=True), []),
        ("B", PatternOptions(ignore_case=True), [(1, 2)]),
        ("ab", PatternOptions(whole_words=True), []),
        ("x*", PatternOptions(), []),
        ("(?|a|b)", PatternOptions(), [(0, 1), (1, 2), (2, 3)]),
        (r"\Qa\E", PatternOptions(), []),
    ],
)
def test_spans_are_those_of_the_pattern(
    pattern: str, options: PatternOptions, spans: list[tuple[int, int]]
) -> None:
    """None where the syntax is only that of git."""
    assert list(make_span_finder(pattern, options)("abac")) == spans


def test_pattern_that_takes_years_finds_nothing() -> None:
    """The time of `(a|aa)+$` doubles with every two characters; git found the line by itself."""
    find_spans = make_span_finder("(a|aa)+$", PatternOptions())
    assert list(find_spans("a" * 100 + "!")) == []
    assert list(find_spans("aa")) == []  # the next lines would take as long


@pytest.mark.parametrize("options", [PatternOptions(), PatternOptions(True, True, True)])
@pytest.mark.parametrize("pattern", ["Add", "add|rows", r"\badd\b", "self.add", r"add\(1\)", "ß"])
def test_patterns_without_repetition_have_the_spans_of_those_with_it(
    pattern: str, options: PatternOptions
) -> None:
    """They are compiled by another library."""
    text = "self.add(1) addAdd add rows adds SS ß self_add a|b add|rows"
    with_repetition = (regex.escape(pattern) if options.fixed_strings else pattern) + r"(?:never)*"
    repeated = make_span_finder(with_repetition, options._replace(fixed_strings=False))
    assert list(make_span_finder(pattern, options)(text)) == list(repeated(text))
