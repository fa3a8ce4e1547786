"""The command `queries`: lists frequent, slow, unanswered and reworded queries of the query
log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.search.query_log import RepeatedQuery
    from feeder.store.query_log_file import LoggedQuery, QueryLog

MAX_QUERY_CHARS = 100
"""Longest part of a query that is shown in a line."""


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder queries",
        "feeder queries --json",
    ),
)
@click.option(
    "-n",
    "--limit",
    type=WholeNumber(1),
    default=10,
    show_default=True,
    help="Number of queries of each kind.",
)
@click.option("--clear", is_flag=True, help="Delete all logged queries.")
@options.queries_options
def queries(limit: int, clear: bool, **params: Any) -> None:
    """Show frequent, slow, unanswered and reworded queries."""
    from feeder.search.query_log import log_file
    from feeder.session.workspace import base_folder
    from feeder.store.query_log_file import QueryLog

    settings = Settings(**params)
    log = QueryLog(log_file(base_folder(settings.directory), settings.db))
    logged = log.queries()
    if clear:
        log.clear()
        facts = {"file": str(log.path), "forgotten": len(logged)}
        console.print_result(settings, facts, [f"{log.path}: {_query_count(logged)} deleted"])
    else:
        groups = _group_queries(logged, limit)
        chains = _reworded_chains(logged, limit)
        console.print_result(
            settings, _as_json(log, logged, groups, chains), _as_text(log, logged, groups, chains)
        )


QueryGroups = dict[str, "list[RepeatedQuery]"]
TITLES = {"frequent": "Most frequent", "slow": "Slowest", "unanswered": "Without an exact match"}
REWORDED_TITLE = "Reworded"


def _group_queries(logged: Sequence[LoggedQuery], limit: int) -> QueryGroups:
    from feeder.search import query_log

    repeated = query_log.group_queries(logged)
    by_kind = {
        "frequent": query_log.most_frequent(repeated),
        "slow": query_log.slowest(repeated),
        "unanswered": query_log.unanswered(repeated),
    }
    return {kind: group[:limit] for kind, group in by_kind.items()}


def _reworded_chains(logged: Sequence[LoggedQuery], limit: int) -> list[list[LoggedQuery]]:
    from feeder.search.query_log import reworded_chains

    return reworded_chains(logged)[:limit]


def _as_json(
    log: QueryLog,
    logged: Sequence[LoggedQuery],
    groups: QueryGroups,
    chains: list[list[LoggedQuery]],
) -> dict[str, Any]:
    from feeder.store.query_log_file import MAX_BYTES, MAX_ROWS

    return {
        "file": str(log.path),
        "bytes": log.size_bytes(),
        "limit_bytes": MAX_BYTES,
        "questions": len(logged),
        "limit_questions": MAX_ROWS,
        **{kind: [_recurring_json(query) for query in group] for kind, group in groups.items()},
        "reworded": [[_query_json(query) for query in chain] for chain in chains],
    }


def _recurring_json(recurring: RepeatedQuery) -> dict[str, Any]:
    return {
        "times": len(recurring.occurrences),
        "typical_ms": recurring.median_ms,
        **_query_json(recurring.last),
    }


def _query_json(query: LoggedQuery) -> dict[str, Any]:
    import json

    facts = {"asked_at": _timestamp(query.asked_s), **query._asdict()}
    del facts["asked_s"]
    return facts | {"filters": json.loads(query.filters), "models": json.loads(query.models)}


def _timestamp(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _as_text(
    log: QueryLog,
    logged: Sequence[LoggedQuery],
    groups: QueryGroups,
    chains: list[list[LoggedQuery]],
) -> Iterator[str]:
    if not logged:
        yield f"{log.path}: no queries logged"
        return
    yield f"{log.path}: {_query_count(logged)} since {_timestamp(logged[0].asked_s)}"
    has_repositories = len({query.repo for query in logged}) > 1
    for kind, group in groups.items():
        yield from ["", TITLES[kind]] if group else []
        for recurring in group:
            yield _recurring_line(recurring) + (
                f"  in {recurring.last.repo}" if has_repositories else ""
            )
    yield from ["", REWORDED_TITLE] if chains else []
    for chain in chains:
        yield "  " + " → ".join(_query_text(query) for query in chain)


def _recurring_line(recurring: RepeatedQuery) -> str:
    hits = "1 hit" if recurring.last.hits == 1 else f"{recurring.last.hits:,} hits"
    by = f" by {recurring.last.answered_by}" if recurring.last.answered_by else ""
    return (
        f"  {len(recurring.occurrences):>4} x  {recurring.median_ms:>7,.0f} ms  "
        f"{_query_text(recurring.last)}  ({hits}{by})"
    )


def _query_text(query: LoggedQuery) -> str:
    """Formats a query in one line, with its filters."""
    text = " ".join(query.text.split())
    text = text if len(text) <= MAX_QUERY_CHARS else f"{text[:MAX_QUERY_CHARS]}…"
    return text if query.filters == "{}" else f"{text} {query.filters}"


def _query_count(logged: Sequence[LoggedQuery]) -> str:
    return "1 query" if len(logged) == 1 else f"{len(logged):,} queries"
