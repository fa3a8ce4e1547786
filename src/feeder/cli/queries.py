"""The command that tells what was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.search.remembered import RepeatedQuery
    from feeder.store.querylog import LoggedQuery, QueryLog

TEXT_CHARS = 100
"""Of a question in a line."""


@click.command()
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=10, show_default=True, help="Of each kind."
)
@click.option("--clear", is_flag=True, help="Forget them all.")
@options.remembering
def queries(limit: int, clear: bool, **said: Any) -> None:
    """Say what was asked here: most often, slowly, in vain, and again in other words."""
    from feeder.assembly.opening import base_folder
    from feeder.search.noting import log_file
    from feeder.store.querylog import QueryLog

    settings = Settings(**said)
    log = QueryLog(log_file(base_folder(settings.directory), settings.db))
    asked = log.queries()
    if clear:
        log.clear()
        facts = {"file": str(log.path), "forgotten": len(asked)}
        console.result(settings, facts, [f"{log.path}: {_count(asked)} forgotten"])
    else:
        kinds = _kinds(asked, limit)
        chains = _chains(asked, limit)
        console.result(
            settings, _as_json(log, asked, kinds, chains), _as_text(log, asked, kinds, chains)
        )


Kinds = dict[str, "list[Recurring]"]
TITLES = {"frequent": "Most frequent", "slow": "Slowest", "unanswered": "Without an answer"}
REWORDED = "Asked again in other words"


def _kinds(asked: Sequence[LoggedQuery], limit: int) -> Kinds:
    from feeder.search import remembered

    known = remembered.group_queries(asked)
    by_kind = {
        "frequent": remembered.most_frequent(known),
        "slow": remembered.slowest(known),
        "unanswered": remembered.unanswered(known),
    }
    return {kind: some[:limit] for kind, some in by_kind.items()}


def _chains(asked: Sequence[LoggedQuery], limit: int) -> list[list[LoggedQuery]]:
    from feeder.search.remembered import reworded_chains

    return reworded_chains(asked)[:limit]


def _as_json(
    log: QueryLog, asked: Sequence[LoggedQuery], kinds: Kinds, chains: list[list[LoggedQuery]]
) -> dict[str, Any]:
    from feeder.store.querylog import MAX_BYTES, MAX_ROWS

    return {
        "file": str(log.path),
        "bytes": log.size_bytes(),
        "limit_bytes": MAX_BYTES,
        "questions": len(asked),
        "limit_questions": MAX_ROWS,
        **{kind: [_recurring_json(one) for one in some] for kind, some in kinds.items()},
        "reworded": [[_question_json(one) for one in chain] for chain in chains],
    }


def _recurring_json(one: RepeatedQuery) -> dict[str, Any]:
    return {"times": len(one.occurrences), "typical_ms": one.median_ms, **_question_json(one.last)}


def _question_json(one: LoggedQuery) -> dict[str, Any]:
    import json

    facts = {"asked_at": _moment(one.asked_s), **one._asdict()}
    del facts["asked_s"]
    return facts | {"filters": json.loads(one.filters), "models": json.loads(one.models)}


def _moment(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _as_text(
    log: QueryLog, asked: Sequence[LoggedQuery], kinds: Kinds, chains: list[list[LoggedQuery]]
) -> Iterator[str]:
    if not asked:
        yield f"{log.path}: no question is noted"
        return
    yield f"{log.path}: {_count(asked)} since {_moment(asked[0].asked_s)}"
    for kind, some in kinds.items():
        yield from ["", TITLES[kind]] if some else []
        yield from (_line(one) for one in some)
    yield from ["", REWORDED] if chains else []
    for chain in chains:
        yield "  " + " → ".join(_text(one) for one in chain)


def _line(one: RepeatedQuery) -> str:
    hits = "1 hit" if one.last.hits == 1 else f"{one.last.hits:,} hits"
    by = f" by {one.last.answered_by}" if one.last.answered_by else ""
    return (
        f"  {len(one.occurrences):>4} x  {one.median_ms:>7,.0f} ms  {_text(one.last)}  ({hits}{by})"
    )


def _text(one: LoggedQuery) -> str:
    """In a line, with what was said beside it."""
    text = " ".join(one.text.split())
    text = text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}…"
    return text if one.filters == "{}" else f"{text} {one.filters}"


def _count(asked: Sequence[LoggedQuery]) -> str:
    return "1 question" if len(asked) == 1 else f"{len(asked):,} questions"
