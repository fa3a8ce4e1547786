"""Measures how well a query that is one token of code finds the lines that have it.

    python -m bench exact REPOSITORY … [--identifiers 60] [--keys 30] [--misses 5]

Each repository has a local index of its HEAD. Identifiers and keys (dotted or hyphenated names in
quotes) are drawn at random from its indexed files; those on 2 to 12 lines count. The table has the
share of an identifier's lines that are within the first 5 and 10 hits, typed alone, in quotes and
with `case:yes`; for how many keys the first hit has the key itself; and for how many it has the key
or is called so: a file, a symbol or a member.
"""

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from feeder.config import Settings
from feeder.corpus.file_contents import decode_lines
from feeder.query.query_plan import SearchRequest
from feeder.ranking.member_names import find_member, is_named
from feeder.search.answers import PageHit
from feeder.search.engine import search
from feeder.search.open_index import SearchIndex, open_index
from feeder.source import file_types
from feeder.store import Statement
from feeder.store.hits import Hit

HEAD = """\
| repository | query | identifiers | lines @5 | lines @10 | keys | literal first | or called so |
|---|---|---|---|---|---|---|---|
"""
IDENTIFIER = re.compile(r"\b(?:[a-zA-Z]+[a-z0-9][A-Z]\w*|_*[a-zA-Z]\w*_\w*[a-zA-Z]\w*)\b")
KEY = re.compile(r"[\"'`](?:--?)?([a-z][a-z0-9_]*(?:[.-][a-z0-9_]+)+)[\"'`]")
FILE_NAME = re.compile(r".*\.(?:\w{1,4}|json|yaml|toml|html|properties)")
QUERY_FORMS = {"bare": "{}", "in quotes": '"{}"', "case:yes": "case:yes {}"}
MIN_LINES, MAX_LINES = 2, 12

Line = tuple[str, int]


class Shares(NamedTuple):
    """Shares of a token's lines in the first 5 and 10 hits, and whether the first hit has it, or is
    called so.
    """

    at_5: float
    at_10: float
    is_first: bool
    is_named: bool


def main() -> int:
    """Returns the exit code."""
    args = _parse_args()
    print(HEAD, end="")
    for repository in args.repositories:
        settings = Settings(repository, store="local", quiet=True, query_log=False)
        with open_index(settings) as opened:
            index = opened.with_models(lambda _: None)
            for row in _rows(index, repository.name, args):
                print(row, flush=True)
    return 0


def _rows(index: SearchIndex, name: str, args: argparse.Namespace) -> Iterator[str]:
    lines = dict(_indexed_lines(index))
    draw = random.Random(7)
    identifiers = _sample(_places(lines, IDENTIFIER), args.identifiers, draw)
    all_keys = {
        key: places for key, places in _places(lines, KEY).items() if not FILE_NAME.fullmatch(key)
    }
    keys = {key: _lines_with(lines, key) for key in _sample(all_keys, args.keys, draw)}
    for form, pattern in QUERY_FORMS.items():
        shares = {
            token: _shares(index, pattern.format(token), identifiers[token])
            for token in identifiers
        }
        by_key = {token: _shares(index, pattern.format(token), keys[token]) for token in keys}
        is_first_hit = {token: share.is_first for token, share in by_key.items()}
        named = sum(share.is_first or share.is_named for share in by_key.values())
        yield (
            f"| {name} | {form} | {len(shares)} | "
            f"{_mean(share.at_5 for share in shares.values())} | "
            f"{_mean(share.at_10 for share in shares.values())} | {len(is_first_hit)} | "
            f"{sum(is_first_hit.values())} | {named} |"
        )
        worst = sorted(shares, key=lambda token: shares[token].at_10)[: args.misses]
        misses = [
            f"{token} {shares[token].at_10:.2f}" for token in worst if shares[token].at_10 < 1
        ]
        misses += [key for key, is_first in is_first_hit.items() if not is_first][: args.misses]
        if misses:
            print(f"{name}, {form}: {', '.join(misses)}", file=sys.stderr)


def _mean(shares: Iterator[float]) -> str:
    return f"{fmean(shares):.3f}".lstrip("0")


def _indexed_lines(index: SearchIndex) -> Iterator[tuple[str, list[str]]]:
    """The lines of all indexed files that are texts."""
    corpus = index.corpus
    statement = Statement(
        "SELECT path FROM files WHERE repo = ? AND state <> 'skipped' AND nodes > 0", (corpus.repo,)
    )
    [rows] = corpus.database.run([statement])
    for (path,) in rows:
        file = corpus.base / str(path)
        if file.is_file() and not file_types.document_extension(str(path)):
            yield str(path), decode_lines(str(path), file.read_bytes()) or []


def _places(lines: Mapping[str, Sequence[str]], pattern: re.Pattern[str]) -> dict[str, set[Line]]:
    places: dict[str, set[Line]] = defaultdict(set)
    for path, texts in lines.items():
        for number, text in enumerate(texts, 1):
            if len(text) < 1_000:
                for match in pattern.finditer(text):
                    places[match[match.lastindex or 0]].add((path, number))
    return places


def _lines_with(lines: Mapping[str, Sequence[str]], key: str) -> set[Line]:
    pattern = re.compile(rf"(?<!\w){re.escape(key)}(?!\w)")
    return {
        (path, number)
        for path, texts in lines.items()
        for number, text in enumerate(texts, 1)
        if key in text and pattern.search(text)
    }


def _sample(
    places: Mapping[str, set[Line]], count: int, draw: random.Random
) -> dict[str, set[Line]]:
    fitting = sorted(token for token in places if MIN_LINES <= len(places[token]) <= MAX_LINES)
    return {token: places[token] for token in draw.sample(fitting, min(count, len(fitting)))}


def _shares(index: SearchIndex, query: str, places: set[Line]) -> Shares:
    hits = search(index, SearchRequest(query, limit=10, is_logged=False)).hits
    at_5, at_10, first = (set(_covered(hits[:count], places)) for count in (5, 10, 1))
    token = query.removeprefix("case:yes ").strip('"')
    is_named = bool(hits) and _is_called(hits[0].result.hit, token)
    return Shares(len(at_5) / len(places), len(at_10) / len(places), bool(first), is_named)


def _is_called(hit: Hit, token: str) -> bool:
    """Returns True if the token is the end of the hit's path, its symbol or that of a member."""
    return (
        f"/{hit.path}".endswith(f"/{token}")
        or is_named(hit.symbol or "", token)
        or find_member(hit.symbol, hit.members, token, hit.path) is not None
    )


def _covered(hits: Sequence[PageHit], places: set[Line]) -> Iterator[Line]:
    for hit in hits:
        nodes = [hit.result.hit, *(duplicate.hit for duplicate in hit.result.duplicates)]
        for node in nodes:
            for place in places:
                if place[0] == node.path and node.start_line <= place[1] <= node.end_line:
                    yield place


def _parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench exact",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    add("--identifiers", type=int, default=60, help="Identifiers of each repository.")
    add("--keys", type=int, default=30, help="Dotted and hyphenated keys of each repository.")
    add("--misses", type=int, default=0, help="Print this many of the worst of each on stderr.")
    return parser.parse_args(sys.argv[2:])
