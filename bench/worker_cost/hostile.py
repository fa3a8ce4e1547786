"""Sends requests that were made to take long, and prints what each costs D1."""

from pathlib import Path

from edge.query_generator import QueryParams
from worker_cost.account import Index
from worker_cost.command import report_each
from worker_cost.isolate import isolate

_FREQUENT_WORDS = """
SELECT term FROM docs_vocab WHERE length(term) > 2 AND term GLOB '[a-z]*' ORDER BY doc DESC LIMIT 64
"""
_RAREST = """
SELECT {0} FROM docs WHERE {0} IS NOT NULL GROUP BY 1 HAVING count(*) > 5 ORDER BY count(*) LIMIT 1
"""


def main() -> int:
    """Returns the exit code: 2 if a snapshot or the Worker's runtime is missing."""
    return report_each("hostile-requests", __doc__ or "", report)


def report(script: Path, index: Index) -> None:
    """Prints rows and processor time of D1 for each request."""
    print(f"| request to {index.nodes():,} nodes | rows read | D1 | requests to D1 |")
    print("| --- | --- | --- | --- |")
    with isolate(script, index, by_words=True) as worker:
        worker.search({"q": "cart"})
        for name, (endpoint, params) in requests(index).items():
            cost = worker.get(endpoint, params)
            print(
                f"| {name} | {cost.rows:,} | {cost.d1_ms:.0f} ms | {cost.d1_requests} |", flush=True
            )


def requests(index: Index) -> dict[str, tuple[str, QueryParams]]:
    """Returns the endpoint and the parameters of each request, with the index's own words."""
    words = [word for (word,) in index.rows(_FREQUENT_WORDS)]
    frequent, seven, word = " ".join(words), " ".join(words[:7]), words[0]
    [[language]], [[node_type]] = (
        index.rows(_RAREST.format(column)) for column in ("language", "node_type")
    )
    queries = {
        "64 frequent words": frequent,
        "the same, `tests:no`": f"{frequent} tests:no",
        "the same, `tests:only`": f"{frequent} tests:only",
        "the same, the rarest language": f"{frequent} lang:{language}",
        "the same, `path:*.md`": f"{frequent} path:*.md",
        "7 frequent words, the rarest language": f"{seven} lang:{language}",
        "7 frequent words, the rarest node type": f"{seven} type:{node_type}",
        "7 frequent words, `tests:no`": f"{seven} tests:no",
        "a frequent word, the rarest language": f"{word} lang:{language}",
        "an unknown language": f"{word} lang:nosuch",
        "an unknown node type": f"{word} type:nosuch",
        "an unknown path": f"{word} path:no/such/path",
        "a frequent word, 500 excluded": " ".join([word, *(f"-w{at}" for at in range(500))]),
        "a word, 32 frequent ones excluded": " ".join(
            ["cart", *(f"-{word}" for word in words[:32])]
        ),
        "16 globs": " ".join([word, *(f"path:*{letter}*" for letter in "abcdefghijklmnop")]),
        "8 prefixes of a letter": "a* b* c* d* e* p* s* t*",
        "3 prefixes, the rarest language": f"p* s* t* lang:{language}",
        "phrases of frequent words": f'"{words[0]} {words[1]}" "{words[2]} {words[3]}"',
        "`symbol:*e*`": "symbol:*e*",
        "`calls:` a frequent name": "calls:get",
        "4 filters by relations": "calls:get uses:string returns:void visibility:public",
        "`visibility:private`": "visibility:private",
        "`visibility:public` and a frequent word": f"visibility:public {word}",
        "the rarest language alone, `tests:only`": f"lang:{language} tests:only",
        "a name of 5,000 letters": "x" * 5_000,
        "a misspelt name of 4 words": "if_error_return_contexts",
        "a misspelt name of 12 words": "a_s_t_e_c_i_n_o_p_r_d_bx",
        "a long misspelt name": "SetProperytModifiedDependentDerievdEntityTypeLoadCollectio",
    }
    searches: dict[str, tuple[str, QueryParams]] = {
        name: ("search", {"q": query}) for name, query in queries.items()
    }
    others: dict[str, tuple[str, QueryParams]] = {
        "the last page": ("search", {"q": word, "offset": "10000", "limit": "100"}),
        "the map": ("map", {}),
        "the outline of all": ("outline", {"path": "/"}),
        "status": ("status", {}),
    }
    return searches | others
