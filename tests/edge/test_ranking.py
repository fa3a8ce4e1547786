"""The Worker's ranking equals the program's for any hits, rankings and queries."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from edge.ranking_cases import (
    hits,
    members,
    names,
    nodes,
    pairs,
    paths,
    questions,
    rankings,
    rankings_as_pairs,
    result_as_json,
    scores,
)
from edge.worker_process import Worker
from feeder.query.file_kinds import kind_weights
from feeder.query.query_text import QueryText, name_part_stems
from feeder.ranking import query_ranking
from feeder.ranking.member_names import find_member, is_named
from feeder.ranking.name_matching import match_names as names_of
from feeder.ranking.name_matching import match_similar, name_overlap
from feeder.ranking.ranking import (
    MIN_SHARE_OF_BEST,
    file_boosts,
    literal_ranking,
    name_boosts,
    name_ranking,
    path_boosts,
    rank_hits,
    tied_ranking,
    vector_ranking,
    word_ranking,
)
from feeder.ranking.results import Result, count_facets, group_results, grouping_candidates
from feeder.ranking.retrieval import frame_node_ids, parse_frames
from feeder.snippets.excerpts import Excerpt, Freshness
from feeder.store import Row
from feeder.store.hits import Hit
from feeder.store.name_search import NameMatch
from feeder.store.node_parts import part_ranges, parts_from_rows
from feeder.store.rows import decode_members
from ranking.test_stack_frames import CSHARP, DEBUGGER, GO, JAVA, JAVASCRIPT, PYTHON, RUBY, RUST

TRACES = [GO, PYTHON, JAVA, JAVASCRIPT, CSHARP, RUST, RUBY, DEBUGGER]


@settings(max_examples=100)
@given(said=st.dictionaries(names, scores, max_size=6))
def test_rankings_have_the_same_scores(worker: Worker, said: dict[str, float]) -> None:
    """For every kind of ranking."""
    ids = list(said)
    drawn = [
        name_ranking("name", ids),
        tied_ranking("rare", ids),
        literal_ranking(ids[1:], ids[:2], ids[-2:]),
        literal_ranking(ids, ()),
        literal_ranking(ids, ids[:1], (), ids[:2]),
        word_ranking(said),
        vector_ranking("meaning", 1.5, said),
    ]
    assert worker.call("makeRankings", ids, pairs(said)) == rankings_as_pairs(drawn)


@settings(max_examples=60)
@given(text=questions, found=hits())
def test_file_kinds_have_the_same_weights(worker: Worker, text: str, found: list[Hit]) -> None:
    kinds = kind_weights(found, QueryText(text))
    assert worker.call("kindWeights", found, text) == [[id_, [*own]] for id_, own in kinds.items()]


def test_minified_code_has_the_same_weight(worker: Worker) -> None:
    """Five nodes on one line are minified, four are not; a chunk and a longer node never are."""
    first = Hit("", "a.js", "javascript", "method", "one", None, None, 1, 1, "", "shop")
    drawn = [first] * 5 + [first._replace(path="b.js")] * 4
    drawn += [first._replace(symbol=None), first._replace(end_line=2)]
    found = [hit._replace(id=str(place)) for place, hit in enumerate(drawn)]
    kinds = kind_weights(found, QueryText("carts"))
    assert [kinds[hit.id] for hit in found] == [("minified", 0.3)] * 5 + [("", 1.0)] * 6
    assert worker.call("kindWeights", found, "carts") == [
        [id_, [*own]] for id_, own in kinds.items()
    ]


@settings(max_examples=60)
@given(text=questions, found=hits(), data=st.data())
def test_boosts_give_the_same_scores(
    worker: Worker, text: str, found: list[Hit], data: st.DataObject
) -> None:
    own = {hit.id: data.draw(scores) for hit in found}
    asked = QueryText(text)
    given = [file_boosts(found, own), path_boosts(found, asked), name_boosts(found, asked)]
    assert [dict(one) for one in worker.call("boosts", text, found, pairs(own))] == given


def test_threshold_of_file_scores_is_inclusive(worker: Worker) -> None:
    facts = ("method", None, None, None, 1, 2, "", "shop")
    found = [Hit(id_, path, None, *facts) for id_, path in zip("abcd", "xxxy", strict=True)]
    own = {"a": 1.0, "b": MIN_SHARE_OF_BEST, "c": MIN_SHARE_OF_BEST - 0.01, "d": 1.0}
    by_file, _, _ = worker.call("boosts", "?", found, pairs(own))
    assert dict(by_file) == file_boosts(found, own)


@settings(max_examples=60)
@given(name=names, text=questions | names, said=members, owner=names | st.none(), path=paths)
@example(name="a.Color", text="Color.RED", said="4f5e RED:3 GREEN:4", owner="a.Color", path="a.py")
@example(name="Straße", text="STRASSE", said="4f5e ꮿ:1", owner=None, path="")
@example(name="a", text="b.c.RED", said="4f5e RED:3", owner=None, path="a/b/c.d.ts")
@example(name="a", text="b.RED", said="4f5e RED:3", owner="", path="a/b/c.go")
@example(name="a", text="Red", said="4f5e RED:3 Red:4 red:5", owner="", path="a/b/c.go")
@example(name="a", text="c.RED", said="4f5e Red:4 RED:3 red:5", owner="c", path="c.py")
@example(name="a", text="C.RED", said="4f5e RED:3", owner="a.C.Companion", path="c.kt")
def test_names_and_members_match_alike(
    worker: Worker, name: str, text: str, said: str, owner: str | None, path: str
) -> None:
    assert worker.call("isNamed", name, text) == is_named(name, text)
    assert worker.call("nameOverlap", name, [*name_part_stems([text])]) == name_overlap(
        name, name_part_stems([text])
    )
    found = find_member(owner, said, text, path)
    assert worker.call("findMember", owner, said, text, path) == (found and found._asdict())


@settings(max_examples=60)
@given(text=questions | names, answers=st.lists(nodes, min_size=2, max_size=3))
@example(text="Cart", answers=[[], [NameMatch("0", "cart", "", "method", "test_cart.py", 1, 1, 0)]])
def test_names_are_found_in_the_same_order(
    worker: Worker, text: str, answers: list[list[NameMatch]]
) -> None:
    found = names_of(QueryText(text), answers)
    assert worker.call("matchNames", text, answers) == [
        found.exact_ids,
        found.composed_ids,
        found.path_ids,
        pairs(found.overlap_scores),
        found.resembling_ids,
    ]


@settings(max_examples=60)
@given(
    text=names,
    answers=st.lists(nodes, min_size=2, max_size=3),
    near=st.tuples(st.integers(0, 3) | st.sampled_from([20, 21, 200, 201]), nodes, nodes, nodes),
    typed=st.integers(0, 3),
)
def test_similar_names_are_found_alike(
    worker: Worker,
    text: str,
    answers: list[list[NameMatch]],
    near: tuple[int, list[NameMatch], list[NameMatch], list[NameMatch]],
    typed: int,
) -> None:
    """With a word in few nodes, in many, and in none."""
    count, beginning, like, with_member = near
    # what is asked for is often nearly what is there
    text = next((node.name[: len(node.name) - typed] for node in like), text)
    owned = [member.name for node in with_member for member in decode_members(node.members)]
    if typed == 1 and owned:
        text = f"{owned[0]}x"
    said: list[Sequence[Row]] = [[(str(n),) for n in range(count)], beginning, like, with_member]
    asked = QueryText(text)
    found = match_similar(asked, names_of(asked, answers), said)
    assert worker.call("matchSimilar", text, answers, said) == [*map(list, found)]


@pytest.mark.parametrize("trace", TRACES)
@settings(max_examples=30)
@given(data=st.data())
def test_stack_traces_are_parsed_alike(worker: Worker, trace: str, data: st.DataObject) -> None:
    """Whole, and with lines and characters removed or inserted."""
    cut = data.draw(st.integers(0, len(trace)))
    put = data.draw(questions | st.sampled_from(["\n", "é", "\u2028", "(*"]))
    for text in (trace, trace[:cut] + put + trace[cut + len(put) :]):
        found = parse_frames(QueryText(text))
        assert worker.call("parseFrames", text) == [frame._asdict() for frame in found]


@settings(max_examples=60)
@given(trace=st.sampled_from(TRACES), data=st.data())
def test_stack_frames_are_found_alike(worker: Worker, trace: str, data: st.DataObject) -> None:
    asked = QueryText(trace)
    answers = [
        [node._replace(path=data.draw(st.sampled_from([frame.file, node.path]))) for node in some]
        for frame in parse_frames(asked)
        for some in [data.draw(nodes)]
    ]
    assert worker.call("frameNodeIds", trace, answers) == frame_node_ids(asked, answers)


@settings(max_examples=100)
@given(text=questions, found=hits(), data=st.data())
def test_hits_have_the_same_order_and_scores(
    worker: Worker, text: str, found: list[Hit], data: st.DataObject
) -> None:
    """To the last bit."""
    ids = [hit.id for hit in found]
    said = data.draw(rankings(ids))
    liked = data.draw(st.lists(st.sampled_from([*ids, "elsewhere"])))
    resembling = data.draw(st.lists(st.sampled_from([*ids, "elsewhere"])))
    results = rank_hits(QueryText(text), said, found, liked, resembling)
    given = text, rankings_as_pairs(said), found, liked, resembling
    assert worker.call("rankHits", *given) == [result_as_json(result) for result in results]


@settings(max_examples=100)
@given(text=questions, found=hits(12), data=st.data())
def test_hits_are_grouped_alike(
    worker: Worker, text: str, found: list[Hit], data: st.DataObject
) -> None:
    """By name, by sequence of parts, and by text."""
    said = data.draw(rankings([hit.id for hit in found]))
    before = rank_hits(QueryText(text), said, found)
    pieces: list[Row] = [(*_kind(hit), hit.start_line, hit.end_line) for hit in _by_line(found)]
    runs = part_ranges(found, parts_from_rows(pieces))
    texts = st.sampled_from([["a", "b", "c"], ["a", "b"], [" ", "", "\x1c"], ["a", "b", "c", "d"]])
    lines = {hit.id: _excerpt(hit, data.draw(texts)) for hit in found}
    read = {
        id_: {"first": one.first, "last": one.last, "lines": one.lines}
        for id_, one in lines.items()
    }

    def lines_of(some: Sequence[Hit]) -> Mapping[str, Excerpt]:
        return {hit.id: lines[hit.id] for hit in some}

    assert worker.call(
        "groupResults", text, rankings_as_pairs(said), found, pieces, pairs(read)
    ) == [
        [hit.id for hit in grouping_candidates(before)],
        [result_as_json(group_result) for group_result in group_results(before, runs)],
        [result_as_json(group_result) for group_result in group_results(before, runs, lines_of)],
    ]


@settings(max_examples=100)
@given(found=hits(20))
def test_facets_are_counted_alike(worker: Worker, found: list[Hit]) -> None:
    """With values in the same order."""
    said = count_facets([Result(hit, 0.0, {}) for hit in found])
    heard = worker.call("countFacets", found)
    assert {name: pairs(counts) for name, counts in heard.items()} == {
        name: pairs(counts) for name, counts in said.items()
    }


@settings(max_examples=60)
@given(text=questions, found=hits(), data=st.data())
def test_notes_are_the_same(
    worker: Worker, text: str, found: list[Hit], data: st.DataObject
) -> None:
    """Unknown names, vector hits only, and truncation."""
    found = [hit for hit in found if hit.symbol]  # as all have that are nearly called so
    drawn = data.draw(rankings([hit.id for hit in found]))
    said = [one for one in drawn if data.draw(st.booleans())]
    asked = QueryText(text)
    assert worker.call("resultNotes", text, rankings_as_pairs(said), found) == [
        list(map(str, query_ranking._result_notes(asked, said, rank_hits(asked, said, found)))),
        query_ranking._is_vector_only(said),
        query_ranking._is_truncated(said),
    ]


@pytest.mark.parametrize(("found", "most"), query_ranking.CANDIDATE_LIMITS.items())
def test_result_is_truncated_at_the_candidate_limit(worker: Worker, found: str, most: int) -> None:
    for count in (most - 1, most):
        way = [found, 1.0, [[str(number), 1.0] for number in range(count)], False]
        word = ["word", 1.0, [["0", 1.0]], False]
        _, _, is_cut = worker.call(
            "resultNotes", "cart", [word, way] if found != "word" else [way], []
        )
        assert is_cut == (count == most)


def _kind(hit: Hit) -> list[Any]:
    return [hit.repo, hit.path, hit.node_type, hit.symbol, hit.signature, hit.logical_path]


def _by_line(found: Sequence[Hit]) -> list[Hit]:
    named = [hit for hit in found if hit.symbol or hit.logical_path]
    return sorted(named, key=lambda hit: (hit.start_line, hit.end_line))


def _excerpt(hit: Hit, lines: Sequence[str]) -> Excerpt:
    return Excerpt(Freshness.SAME, hit.start_line + 100, hit.end_line + 100, lines)
