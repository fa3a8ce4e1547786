"""Prints the rows that D1 bills for 20 kinds of queries, made of an index's own words, and how many
of a day of them are free.

Frequent words are the first of the vocabulary by number of nodes; the others are in about 100.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from edge.query_generator import misspelt
from feeder.cloudflare.free_tier import ROWS_READ_PER_DAY
from worker_cost.account import Index
from worker_cost.command import report_each
from worker_cost.isolate import Isolate, isolate

PER_KIND = 6
"""Queries of each kind."""
_WORDS = """
SELECT term FROM docs_vocab WHERE length(term) > 3 AND term NOT GLOB '*[^a-z]*' AND doc <= ?1
ORDER BY doc DESC, term LIMIT 40
"""
_TYPES = "SELECT node_type FROM docs GROUP BY 1 ORDER BY count(*) DESC, 1"
_LANGUAGES = """
SELECT language FROM docs WHERE language IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1
"""
MANY_NODES, SOME_NODES = 10**9, 100


def main() -> int:
    """Returns the exit code: 2 if a snapshot or the Worker's runtime is missing."""
    return report_each("worker-rows", __doc__ or "", report)


def report(script: Path, index: Index) -> None:
    """Prints the table of an index: a line for each kind, and one for a day of all kinds."""
    with isolate(script, index, by_words=True) as worker:
        print("\n".join(table(worker, index)), flush=True)


def table(worker: Isolate, index: Index) -> Sequence[str]:
    """Returns the lines of the table."""
    worker.search({"q": "cart"})  # an isolate's first query reads more
    rows = {
        kind: [worker.search({"q": query}).rows for query in queries]
        for kind, queries in queries_by_kind(index).items()
    }
    means = {kind: mean(of_kind) for kind, of_kind in rows.items()}
    a_day = ROWS_READ_PER_DAY / mean(means.values())
    return [
        f"| query to {index.nodes():,} nodes | rows read | most |",
        "| --- | --- | --- |",
        *(f"| {kind} | {means[kind]:,.0f} | {max(rows[kind]):,} |" for kind in rows),
        f"| all kinds: {a_day:,.0f} free queries a day | {mean(means.values()):,.0f} | |",
    ]


def queries_by_kind(index: Index) -> Mapping[str, Sequence[str]]:
    """Returns the queries of each kind; always the same ones for the same index."""
    frequent, some = (words(index, nodes) for nodes in (MANY_NODES, SOME_NODES))
    names = [node.last for node in index.named_nodes() if len(node.last) > 7]
    names = names[:: max(1, len(names) // PER_KIND)][:PER_KIND]
    [language, *_, rare_language] = [name for (name,) in index.rows(_LANGUAGES)]
    folder = max(
        (node.folder for node in index.named_nodes() if "/" in node.path), key=len, default="src"
    )
    filters = {
        "`type:class`": "type:class",
        "`type:method`": "type:method",
        "`type:chunk`": "type:chunk",
        "the rarest type": f"type:{index.rows(_TYPES)[-1][0]}",
        "`tests:no`": "tests:no",
        "`tests:only`": "tests:only",
        "the commonest language": f"lang:{language}",
        "the rarest language": f"lang:{rare_language}",
        "`path:`": f"path:{folder.partition('/')[0]}",
        "`type:class tests:no`": "type:class tests:no",
        "`type:class` and a language": f"type:class lang:{language}",
        "`-word`": f"-{frequent[8]}",
        "`-word tests:no`": f"-{frequent[8]} tests:no",
    }
    pairs = list(zip(frequent[:3] + some[:3], frequent[10:13] + some[10:13], strict=True))
    return {
        "two words": [f"{one} {other}" for one, other in pairs],
        "a sentence": [f"how does the {one} become {other}" for one, other in pairs],
        "a name": names,
        "a misspelt name": [misspelt(name, len(name) // 2) for name in names],
        **{
            f"a word, {kind}": [f"{one} {text}" for one, _ in pairs]
            for kind, text in filters.items()
        },
        "a prefix": [f"{one[:4]}*" for one, _ in pairs],
        "a prefix, `type:class`": [f"{one[:4]}* type:class" for one, _ in pairs],
        "a phrase": [f'"{one} {other}"' for one, other in pairs],
    }


def words(index: Index, nodes: int) -> list[str]:
    """Returns the 40 words with most nodes, of those in at most so many."""
    return [word for (word,) in index.rows(_WORDS.replace("?1", str(nodes)))]
