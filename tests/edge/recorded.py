"""What both languages make of what an index answers: to a question, its names and its pieces."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from edge.calling import Worker
from edge.made import pairs, told, ways
from feeder.search import engine, names
from feeder.search.asked import Asked
from feeder.search.facets import facets
from feeder.search.fusion import Ranking
from feeder.search.grouping import akin, grouped
from feeder.search.models import Side
from feeder.search.ranking import ranked
from feeder.store import Database, Row
from feeder.store.pieces import part_ranges, parts_from_rows, parts_statement
from feeder.store.reading import Hit, hits_by_ids
from feeder.store.scope import Scope


class Recorded(NamedTuple):
    """A question, with what found its candidates, these, and the rows that names, those nearly so
    and pieces are read from."""

    asked: Asked
    rankings: list[Ranking]
    hits: list[Hit]
    named: list[list[Row]]
    near: list[list[Row]]
    pieces: list[Row]


def recorded(database: Database, sides: Sequence[Side], text: str, scope: Scope) -> Recorded:
    asked = Asked(text)
    rankings = engine._rankings(database, sides, asked, scope, None)
    found = hits_by_ids(
        database, dict.fromkeys(id_ for one in rankings for id_ in one.scores), scope
    )
    pieces = parts_statement(hit.id for hit in found)
    near, named = names.nearly_statements(asked, scope), names.statements(asked, scope)
    *rest, rows = database.run([*near, *named, pieces])
    named_rows, near_rows = rest[len(near) :], rest[: len(near)]
    return Recorded(asked, rankings, found, named_rows, near_rows, rows)


def in_python(given: Recorded) -> dict[str, Any]:
    """What the program answers."""
    asked, rankings, found, named, near, pieces = given
    known, before = names.names(asked, named), ranked(asked, rankings, found)
    groups = grouped(before, part_ranges(found, parts_from_rows(pieces)))
    counts = facets(before)
    return {
        "names": [known.called, known.written, known.of_path, pairs(known.spelled)],
        "nearly": [list(ids) for ids in names.nearly(asked, known, near)],
        "ranked": [told(one) for one in before],
        "akin": [hit.id for hit in akin(before)],
        "grouped": [told(one) for one in groups],
        "facets": {name: pairs(counts) for name, counts in counts.items()},
        "told": [
            engine._notes(asked, rankings, before),
            engine._is_far(rankings),
            engine._is_cut(rankings),
        ],
    }


def in_worker(worker: Worker, given: Recorded) -> dict[str, Any]:
    """What the Worker makes of the same."""
    asked, rankings, found, named, near, pieces = given
    text, said = asked.text, ways(rankings)
    before = worker.call("ranked", text, said, found, [])
    by_id = {hit.id: hit for hit in found}
    counts = worker.call("facets", [by_id[one["id"]] for one in before])
    related, groups, _ = worker.call("grouped", text, said, found, pieces, [])
    return {
        "names": worker.call("names", text, named),
        "nearly": worker.call("nearly", text, named, near),
        "ranked": before,
        "akin": related,
        "grouped": groups,
        "facets": {name: pairs(counts) for name, counts in counts.items()},
        "told": worker.call("told", text, said, found),
    }
