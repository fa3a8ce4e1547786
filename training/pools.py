"""Builds the evaluation pools.  python pools.py NODES COMMITS OUT.pkl [QUERIES_FOLDER [NODES]]

A pool has documents, queries with their answers, and each query's best hundred documents by words,
which are the same for every model. Of the ten validation repositories:

- `doc`: a doc comment to its function, among the repository's functions without doc comments
- `apart`: those of them that share no word with path and name, and at most one with the code
- `few`: those that share at most one word with path and name, and two fifths of theirs in all
- `web`: its first sentence as a web query (lower case, no articles, the language named or "how to"
  before it), to the function without its path
- `heading`: a heading of the manual to the section below it, among all sections
- `commit`: a commit's subject to the code that it changed, among those of other commits

QUERIES_FOLDER (with a module `sets.py`) adds `repositories-small`, `contextual` and `vue`, whose
nodes keep their comments. The nodes of their repositories (`nodes.py`) add `doc2`, `apart2`, `few2`
and `web2`.
"""

import pickle
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
from frequent_words import VALIDATION
from nodes import Row
from pairs import Pair, first_paragraph, header, is_prose, split_doc_comment

from feeder.embedding.static_tokenizer import split_tokens, split_words
from feeder.nodes import embedding_input
from feeder.parse.worker_pool import WorkerPool
from feeder.query.query import QueryText
from feeder.text import expand_words


class Pool(NamedTuple):
    """Documents as (name, body); `answers` are indices of documents, or paths and lines."""

    name: str
    documents: list[tuple[str, str]]
    queries: list[str]
    answers: list[Any]
    by_words: list[dict[int, float]]
    places: list[tuple[str, int, int]]


LabelledQuery = tuple[str, int]
"""A query, and the index of the right document."""
_ARTICLES = ("a", "an", "the", "this", "given", "specified")
_STOP_WORDS = """
the a an of to in is and or for if that this with on by be it as are at from not its will can
which when any all has have into used use given return returns get set
"""
_STOP_STEMS = frozenset(_STOP_WORDS.split())


def stems(text: str) -> set[str]:
    parts = {part for word in split_words(text) for part in split_tokens(word)}
    return {re.sub(r"(ing|ed|es|s|e)$", "", part) for part in parts - _STOP_STEMS if len(part) > 2}


def by_words(documents: list[tuple[str, str]], queries: list[str]) -> list[dict[int, float]]:
    """Returns each query's best hundred documents by BM25 with feeder's column weights."""
    database = apsw.Connection(":memory:")
    database.execute(
        "CREATE VIRTUAL TABLE f USING fts5(symbol, path, body, tokenize='porter unicode61')"
    )
    rows = []
    for at, (name, body) in enumerate(documents):
        path, _, rest = name.partition(" ")
        symbol = rest.split(" ", 2)[2] if rest.count(" ") >= 2 else ""
        rows.append((at, expand_words(symbol), expand_words(path), expand_words(body)))
    with database:
        database.executemany("INSERT INTO f(rowid, symbol, path, body) VALUES(?, ?, ?, ?)", rows)
    scores = []
    for query in queries:
        terms = " OR ".join(QueryText(query).fts_terms)
        sql = "SELECT rowid, -bm25(f, 8, 4, 1) s FROM f WHERE f MATCH ? ORDER BY s DESC LIMIT 100"
        scores.append(dict(database.execute(sql, (terms,))) if terms else {})
    return scores


def function_pools(repo: str, rows: list[Row], suffix: str = "") -> Iterator[Pool]:
    draw = random.Random(repo)
    documents, languages, labelled = _documents_and_queries(rows)
    draw.shuffle(labelled)
    document_stems = {at: (stems(name), stems(body)) for at, (name, body) in enumerate(documents)}
    without_shared_words, few_shared_words = list[LabelledQuery](), list[LabelledQuery]()
    for query, at in labelled:
        query_stems, (name_stems, body_stems) = stems(query), document_stems[at]
        if (
            len(query_stems) >= 3
            and not query_stems & name_stems
            and len(query_stems & body_stems) <= 1
        ):
            without_shared_words.append((query, at))
        if (
            len(query_stems) >= 3
            and len(query_stems & name_stems) <= 1
            and len(query_stems & (name_stems | body_stems)) <= 0.4 * len(query_stems)
        ):
            few_shared_words.append((query, at))
    yield _pool(f"doc{suffix}", documents, labelled[:150])
    yield _pool(f"apart{suffix}", documents, without_shared_words[:60])
    yield _pool(f"few{suffix}", documents, few_shared_words[:120])
    web_queries = [(_as_web_query(query, languages[at], draw), at) for query, at in labelled[-300:]]
    short = [(query, at) for query, at in web_queries if 3 <= len(query.split()) <= 14]
    yield _pool(f"web{suffix}", [("", body) for _, body in documents], short[:80])


def _documents_and_queries(
    rows: list[Row],
) -> tuple[list[tuple[str, str]], list[str], list[LabelledQuery]]:
    """Returns functions without doc comments, their languages, and queries from the comments."""
    documents, languages, labelled = list[tuple[str, str]](), list[str](), list[LabelledQuery]()
    for row in rows:
        if row.kind != "method":
            continue
        comment, code = split_doc_comment(row.language, row.text)
        if len(code.strip()) < 25:
            continue
        query = first_paragraph(comment)[0] if comment else ""
        if is_prose(query):
            labelled.append((" ".join(query.split()[:60]), len(documents)))
        signature = "" if '"""' in row.signature else row.signature
        documents.append((header(row), f"{signature}\n{code}"[:4000]))
        languages.append(row.language)
    unique = {query.lower(): (query, at) for query, at in labelled}
    return documents, languages, list(unique.values())


def _as_web_query(query: str, language: str, draw: random.Random) -> str:
    """Rewrites a sentence as a web query."""
    first = re.split(r"(?<=[a-z])[.:;](?:\s|$)", query)[0]
    words = " ".join(word for word in first.split() if word.lower() not in _ARTICLES)
    form = draw.choice(["{1} {0}", "{0} in {1}", "how to {0}", "{0}"])
    return form.format(words, language).lower()


def heading_pools(repo: str, rows: list[Row]) -> Iterator[Pool]:
    documents, labelled = list[tuple[str, str]](), list[tuple[str, int]]()
    for row in rows:
        body = row.text.partition("\n")[2]
        if row.kind == "md_section" and len(body.strip()) > 80:
            last = re.split(r"\s+>\s+", row.name)[-1]
            if len(re.findall("[A-Za-z]{2,}", last)) >= 3:
                labelled.append((last, len(documents)))
            documents.append((header(row, ""), body.strip()[:3000]))
    labelled = list({query.lower(): (query, at) for query, at in labelled}.values())
    random.Random(repo).shuffle(labelled)
    yield _pool("heading", documents, labelled[:60])


def commit_pool(repo: str, pairs: list[Pair]) -> Iterator[Pool]:
    sample = random.Random(repo).sample(pairs, min(len(pairs), 1500))
    documents = [(pair.name, pair.body) for pair in sample]
    yield _pool("commit", documents, [(pair.query, at) for at, pair in enumerate(sample)][:60])


def _pool(name: str, documents: list[tuple[str, str]], labelled: list[tuple[str, int]]) -> Pool:
    queries = [query for query, _ in labelled]
    word_scores = by_words(documents, queries) if queries else []
    return Pool(name, documents, queries, [at for _, at in labelled], word_scores, [])


def labelled_pools(folder: str) -> Iterator[Pool]:
    """Yields a pool per corpus of the labelled sets; `answers` are the targets of each query."""
    sys.path.insert(0, folder)
    import corpora
    import sets

    with WorkerPool(mask_secrets=False, count=2) as workers:
        for name in ("repositories-small", "contextual", "vue"):
            cases: dict[Path, list[Any]] = {}
            for case in sets.SETS[name]():
                cases.setdefault(case.at, []).append(case)
            for root, root_cases in cases.items():
                files = [
                    (path, (root / path).read_bytes()) for path in corpora.tracked(root)
                    if (root / path).is_file() and (root / path).stat().st_size < 1_000_000
                    and b"\0" not in (root / path).read_bytes()
                ]  # fmt: skip
                documents, places = list[tuple[str, str]](), list[tuple[str, int, int]]()
                for parsed in workers.parse(iter(files)):
                    for node in parsed.nodes:
                        text = embedding_input(parsed.path, node)
                        first, _, body = text.partition("\n")
                        documents.append((first, body))
                        places.append((parsed.path, node.start_line, node.end_line))
                queries = [case.query for case in root_cases]
                targets = [
                    [tuple(vars(target).values()) for target in case.targets] for case in root_cases
                ]
                word_scores = by_words(documents, queries)
                yield Pool(name, documents, queries, targets, word_scores, places)


def main() -> None:
    nodes, commits, out = (Path(word) for word in sys.argv[1:4])
    pools = []
    for name in sorted(VALIDATION):
        rows = [Row(*row) for row in pickle.loads((nodes / f"{name}.pkl").read_bytes())]
        pairs = [Pair(*pair) for pair in pickle.loads((commits / f"{name}.pkl").read_bytes())]
        pools += [
            *function_pools(name, rows),
            *heading_pools(name, rows),
            *commit_pool(name, pairs),
        ]
    for folder in sys.argv[4:5]:
        pools += labelled_pools(folder)
    for path in sorted(path for folder in sys.argv[5:] for path in Path(folder).glob("*.pkl")):
        rows = [Row(*row) for row in pickle.loads(path.read_bytes())]
        pools += function_pools(path.stem, rows, suffix="2")
    out.write_bytes(pickle.dumps([tuple(pool) for pool in pools]))
    for pool in pools:
        print(pool.name, len(pool.documents), "documents", len(pool.queries), "queries")


if __name__ == "__main__":
    main()
