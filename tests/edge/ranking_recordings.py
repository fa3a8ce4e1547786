"""Rankings of recorded candidates, by the program and by the Worker."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from edge.ranking_cases import pairs, rankings_as_pairs, result_as_json
from edge.worker_process import Worker
from feeder.query.query_text import QueryText
from feeder.ranking import name_matching, query_ranking
from feeder.ranking.ranking import Ranking, rank_hits
from feeder.ranking.results import count_facets, group_results, grouping_candidates
from feeder.ranking.retrieval import QueryModel
from feeder.store import Database, Row
from feeder.store.hits import Hit, hits_by_ids
from feeder.store.node_parts import part_ranges, parts_from_rows, parts_statement
from feeder.store.scope import Scope


class Recorded(NamedTuple):
    """A query with its rankings, candidates, and the rows for names, similar names and parts."""

    asked: QueryText
    rankings: list[Ranking]
    hits: list[Hit]
    named: list[list[Row]]
    near: list[list[Row]]
    pieces: list[Row]


def recorded(database: Database, sides: Sequence[QueryModel], text: str, scope: Scope) -> Recorded:
    asked = QueryText(text)
    rankings, *_ = query_ranking._retrieve_rankings(database, sides, asked, scope, None)
    found = hits_by_ids(
        database, dict.fromkeys(id_ for ranking in rankings for id_ in ranking.scores), scope
    )
    pieces = parts_statement(hit.id for hit in found)
    near, named = (
        name_matching.similar_statements(asked, scope),
        name_matching.name_statements(asked, scope),
    )
    *rest, rows = database.run([*near, *named, pieces])
    named_rows, near_rows = rest[len(near) :], rest[: len(near)]
    return Recorded(asked, rankings, found, named_rows, near_rows, rows)


def in_python(given: Recorded) -> dict[str, Any]:
    """Returns the program's results."""
    asked, rankings, found, named, near, pieces = given
    matches, before = (
        name_matching.match_names(asked, named),
        rank_hits(asked, rankings, found),
    )
    groups = group_results(before, part_ranges(found, parts_from_rows(pieces)))
    counts = count_facets(before)
    return {
        "names": [
            matches.exact_ids,
            matches.composed_ids,
            matches.path_ids,
            pairs(matches.overlap_scores),
            matches.resembling_ids,
        ],
        "nearly": [list(ids) for ids in name_matching.match_similar(asked, matches, near)],
        "ranked": [result_as_json(one) for one in before],
        "akin": [hit.id for hit in grouping_candidates(before)],
        "grouped": [result_as_json(group) for group in groups],
        "facets": {name: pairs(counts) for name, counts in counts.items()},
        "told": [
            [*map(str, query_ranking._result_notes(asked, rankings, before))],
            query_ranking._is_vector_only(rankings),
            query_ranking._is_truncated(rankings),
        ],
    }


def in_worker(worker: Worker, given: Recorded) -> dict[str, Any]:
    """Returns the Worker's results for the same input."""
    asked, rankings, found, named, near, pieces = given
    text, said = asked.text, rankings_as_pairs(rankings)
    before = worker.call("rankHits", text, said, found, [])
    by_id = {hit.id: hit for hit in found}
    counts = worker.call("countFacets", [by_id[one["id"]] for one in before])
    related, groups, _ = worker.call("groupResults", text, said, found, pieces, [])
    return {
        "names": worker.call("matchNames", text, named),
        "nearly": worker.call("matchSimilar", text, named, near),
        "ranked": before,
        "akin": related,
        "grouped": groups,
        "facets": {name: pairs(counts) for name, counts in counts.items()},
        "told": worker.call("resultNotes", text, said, found),
    }
