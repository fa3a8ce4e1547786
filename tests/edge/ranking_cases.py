"""Hypothesis strategies for queries, hits and rankings, and their JSON forms."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from edge.texts import KNOWN
from feeder.ranking.ranking import Ranking, name_ranking, tied_ranking, vector_ranking, word_ranking
from feeder.ranking.results import Result
from feeder.store.hits import Hit
from feeder.store.name_search import NameMatch

# what two languages may read otherwise: sigma, dotted and dotless i, sharp s, Cherokee, letters
# beyond 16 bits and before them, blanks that only one of them knows
ODD = "Σς\u03c3İ\u0131ß\u017f\u212aǅꮿᎯ\U0001d538𐐀\ue000\ufffdé\u0301\x1c\x85\ufeff\u2028½٣"
WORDS = (
    *("cart", "Cart", "parseHTTPDate", "MAX_BYTES", "has_record", "add", "adding", "RealCall"),
    *(
        "größe",
        "Straße",
        "имяФайла",
        "İstanbul",
        "Σίσυφος",
        "\U0001d538bc",
        "𐐀𐐁𐐂",
        "\ue000x",
        "x²",
        "a1",
    ),
    *("test", "spec", "docs", "the", "of", "json", "example", "config", "guide", "ix", "\u0131"),
)
SIGNS = (" ", ".", "::", "#", "->", " > ", "/", "()", "_", "\n", "?", ",", "`")

letters = st.sampled_from(KNOWN) | st.sampled_from(ODD)
texts = st.text(letters, max_size=30)
words = st.sampled_from(WORDS) | st.text(letters, min_size=1, max_size=6)
names = st.lists(words, min_size=1, max_size=4).map(".".join)
questions = st.lists(words | st.sampled_from(SIGNS), max_size=8).map("".join)
folders = st.sampled_from(
    [
        "src",
        "tests",
        "Test",
        "docs",
        ".github",
        "examples",
        "lib_Tests",
        "\ue000",
        "\U0001d538",
        "cart",
        "",
    ]
)
files = st.sampled_from(
    [
        *("cart.py", "test_cart.py", "cart.test.ts", "CartTest.java", "README.md", "a.bats"),
        *("LİCENSE", "changelog", "history.old", "cart.d.ts", "cart.", ".cart", "Σ.c", "a.1"),
    ]
) | words.map(lambda word: word.replace("/", "").strip(".") or "a")
paths = st.tuples(folders, folders, files).map(lambda parts: "/".join(filter(None, parts)))
scores = st.sampled_from([0.1, 0.15, 0.2, 0.3, 0.7, 1 / 3, 1.0, 0.0]) | st.floats(0, 1)
node_types = st.sampled_from(["method", "class", "chunk", "md_section", "json_prop", "yaml_doc"])
members = st.lists(words.filter(lambda word: " " not in word), max_size=3).map(
    lambda said: " ".join(
        ["4f5e", *(f"{name}:{at}" for at, name in enumerate(said))] if said else ""
    )
)


_places = st.lists(paths, min_size=3, max_size=3)
_named = st.lists(names, min_size=3, max_size=3).map(lambda some: [None, *some])
_facts = st.tuples(
    st.integers(0, 2),
    st.sampled_from([None, "python", "pascal"]),
    node_types,
    st.integers(0, 3),
    st.sampled_from([None, "", "add(a)"]),
    st.integers(0, 3),
    st.sampled_from([(1, 1), (1, 9), (3, 5), (10, 14), (16, 20)]),
    members,
    st.sampled_from(["shop", "other"]),
)


def hits(most: int = 8) -> st.SearchStrategy[list[Hit]]:
    """Generates nodes with ids from 0, of few files, names and lines, so that many are similar."""
    return st.tuples(_places, _named, st.lists(_facts, max_size=most)).map(
        lambda drawn: [
            Hit(
                str(id_),
                drawn[0][path],
                language,
                kind,
                drawn[1][name],
                signed,
                drawn[1][below],
                lines[0],
                lines[1],
                inner,
                repo,
            )
            for id_, (path, language, kind, name, signed, below, lines, inner, repo) in enumerate(
                drawn[2]
            )
        ]
    )


@st.composite
def rankings(draw: st.DrawFn, ids: Sequence[str]) -> list[Ranking]:
    """Generates rankings as the engine has them; some contain ids without a hit."""
    some = st.lists(st.sampled_from([*ids, "elsewhere"]), unique=True)
    scored = st.dictionaries(st.sampled_from([*ids, "elsewhere"]), scores)
    return [
        *(name_ranking(name, draw(some)) for name in ("name", "path")),
        tied_ranking("literal", draw(some)),
        name_ranking("alike", draw(some)),
        tied_ranking("rare", draw(some)),
        Ranking("spelled", 1.0, draw(scored)),
        word_ranking(draw(scored)),
        vector_ranking("meaning", 1.5, draw(scored)),
    ]


_lines = st.integers(1, 3)
_some = st.tuples(names, members, node_types, paths, _lines, _lines, st.integers(0, 1))
nodes = st.lists(_some, max_size=6).map(
    lambda drawn: [NameMatch(str(id_), *facts) for id_, facts in enumerate(drawn)]
)
"""What the index answers that is asked for names."""


def rankings_as_pairs(rankings: Iterable[Ranking]) -> list[list[Any]]:
    """Returns rankings with their scores as pairs, which keep their order in JSON."""
    return [
        [ranking.name, ranking.weight, pairs(ranking.scores), ranking.is_priority]
        for ranking in rankings
    ]


def pairs(facts: Mapping[str, Any]) -> list[list[Any]]:
    return [[key, value] for key, value in facts.items()]


def result_as_json(one: Result) -> dict[str, Any]:
    """Returns a result as JSON, without the fields that the query has."""
    hit, piece = one.hit, one.part_match
    return {
        "id": hit.id,
        "lines": [hit.start_line, hit.end_line],
        "score": one.score,
        # a hit is given its ranks in no order
        "ranks": dict(one.ranks),
        "parts": dict(one.score_parts),
        "member": one.member and one.member._asdict(),
        "piece": piece
        and {
            "startLine": piece.start_line,
            "endLine": piece.end_line,
            "matching": piece.matching,
            "of": piece.of,
        },
        "others": [other.hit.id for other in one.grouped],
        "copies": [copy.hit.id for copy in one.duplicates],
    }
