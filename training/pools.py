"""Builds the evaluation pools.  python pools.py NODES COMMITS OUT.pkl [QUESTIONS_FOLDER [NODES]]

A pool has documents, queries with their answers, and each query's best hundred documents by words,
which are the same for every model. Of the ten validation repositories:

- `doc`: a doc comment to its function, among the repository's functions without doc comments
- `apart`: those of them that share no word with path and name, and at most one with the code
- `few`: those that share at most one word with path and name, and two fifths of theirs in all
- `web`: its first sentence as a web query (lower case, no articles, the language named or "how to"
  before it), to the function without its path
- `heading`: a heading of the manual to the section below it, among all sections
- `commit`: a commit's subject to the code that it changed, among those of other commits

QUESTIONS_FOLDER (with a module `sets.py`) adds `repositories-small`, `contextual` and `vue`, whose
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
from pairs import Pair, documented, good, header, prose

from feeder.embedding.static_tokenizer import split_tokens
from feeder.embedding.static_tokenizer import split_words as words_of
from feeder.nodes import embedding_input
from feeder.parse.worker_pool import WorkerPool
from feeder.search.query import QueryText
from feeder.text import expand_words as indexed


class Pool(NamedTuple):
    """Documents as (name, body); `answers` are indices of documents, or paths and lines."""

    name: str
    documents: list[tuple[str, str]]
    questions: list[str]
    answers: list[Any]
    by_words: list[dict[int, float]]
    places: list[tuple[str, int, int]]


Question = tuple[str, int]
"""A query, and the index of the right document."""
_ARTICLES = ("a", "an", "the", "this", "given", "specified")
_SMALL_WORDS = """
the a an of to in is and or for if that this with on by be it as are at from not its will can
which when any all has have into used use given return returns get set
"""
_DULL = frozenset(_SMALL_WORDS.split())


def stems(text: str) -> set[str]:
    found = {part for word in words_of(text) for part in split_tokens(word)}
    return {re.sub(r"(ing|ed|es|s|e)$", "", one) for one in found - _DULL if len(one) > 2}


def by_words(documents: list[tuple[str, str]], questions: list[str]) -> list[dict[int, float]]:
    """Returns each query's best hundred documents by BM25 with feeder's column weights."""
    database = apsw.Connection(":memory:")
    database.execute(
        "CREATE VIRTUAL TABLE f USING fts5(symbol, path, body, tokenize='porter unicode61')"
    )
    rows = []
    for at, (name, body) in enumerate(documents):
        path, _, rest = name.partition(" ")
        symbol = rest.split(" ", 2)[2] if rest.count(" ") >= 2 else ""
        rows.append((at, indexed(symbol), indexed(path), indexed(body)))
    with database:
        database.executemany("INSERT INTO f(rowid, symbol, path, body) VALUES(?, ?, ?, ?)", rows)
    found = []
    for question in questions:
        terms = " OR ".join(QueryText(question).fts_terms)
        asked = "SELECT rowid, -bm25(f, 8, 4, 1) s FROM f WHERE f MATCH ? ORDER BY s DESC LIMIT 100"
        found.append(dict(database.execute(asked, (terms,))) if terms else {})
    return found


def functions(repo: str, rows: list[Row], of: str = "") -> Iterator[Pool]:
    draw = random.Random(repo)
    documents, languages, asked = _asked(rows)
    draw.shuffle(asked)
    told = {at: (stems(name), stems(body)) for at, (name, body) in enumerate(documents)}
    apart, few = list[Question](), list[Question]()
    for question, at in asked:
        said, (named, coded) = stems(question), told[at]
        if len(said) >= 3 and not said & named and len(said & coded) <= 1:
            apart.append((question, at))
        if (
            len(said) >= 3
            and len(said & named) <= 1
            and len(said & (named | coded)) <= 0.4 * len(said)
        ):
            few.append((question, at))
    yield _pool(f"doc{of}", documents, asked[:150])
    yield _pool(f"apart{of}", documents, apart[:60])
    yield _pool(f"few{of}", documents, few[:120])
    typed = [(_typed(question, languages[at], draw), at) for question, at in asked[-300:]]
    short = [(question, at) for question, at in typed if 3 <= len(question.split()) <= 14]
    yield _pool(f"web{of}", [("", body) for _, body in documents], short[:80])


def _asked(rows: list[Row]) -> tuple[list[tuple[str, str]], list[str], list[Question]]:
    """Returns functions without doc comments, their languages, and queries from the comments."""
    documents, languages, asked = list[tuple[str, str]](), list[str](), list[Question]()
    for row in rows:
        if row.kind != "method":
            continue
        comment, code = documented(row.language, row.text)
        if len(code.strip()) < 25:
            continue
        question = prose(comment)[0] if comment else ""
        if good(question):
            asked.append((" ".join(question.split()[:60]), len(documents)))
        signature = "" if '"""' in row.signature else row.signature
        documents.append((header(row), f"{signature}\n{code}"[:4000]))
        languages.append(row.language)
    unlike = {question.lower(): (question, at) for question, at in asked}
    return documents, languages, list(unlike.values())


def _typed(question: str, language: str, draw: random.Random) -> str:
    """Rewrites a sentence as a web query."""
    first = re.split(r"(?<=[a-z])[.:;](?:\s|$)", question)[0]
    said = " ".join(word for word in first.split() if word.lower() not in _ARTICLES)
    form = draw.choice(["{1} {0}", "{0} in {1}", "how to {0}", "{0}"])
    return form.format(said, language).lower()


def headings(repo: str, rows: list[Row]) -> Iterator[Pool]:
    documents, asked = list[tuple[str, str]](), list[tuple[str, int]]()
    for row in rows:
        body = row.text.partition("\n")[2]
        if row.kind == "md_section" and len(body.strip()) > 80:
            last = re.split(r"\s+>\s+", row.name)[-1]
            if len(re.findall("[A-Za-z]{2,}", last)) >= 3:
                asked.append((last, len(documents)))
            documents.append((header(row, ""), body.strip()[:3000]))
    asked = list({question.lower(): (question, at) for question, at in asked}.values())
    random.Random(repo).shuffle(asked)
    yield _pool("heading", documents, asked[:60])


def of_commits(repo: str, pairs: list[Pair]) -> Iterator[Pool]:
    some = random.Random(repo).sample(pairs, min(len(pairs), 1500))
    documents = [(pair.name, pair.body) for pair in some]
    yield _pool("commit", documents, [(p.question, at) for at, p in enumerate(some)][:60])


def _pool(name: str, documents: list[tuple[str, str]], asked: list[tuple[str, int]]) -> Pool:
    questions = [question for question, _ in asked]
    found = by_words(documents, questions) if questions else []
    return Pool(name, documents, questions, [at for _, at in asked], found, [])


def of_questions(folder: str) -> Iterator[Pool]:
    """Yields a pool per corpus of the labelled sets; `answers` are the targets of each query."""
    sys.path.insert(0, folder)
    import corpora
    import sets

    with WorkerPool(mask_secrets=False, count=2) as workers:
        for name in ("repositories-small", "contextual", "vue"):
            cases: dict[Path, list[Any]] = {}
            for case in sets.SETS[name]():
                cases.setdefault(case.at, []).append(case)
            for at, asked in cases.items():
                files = [
                    (path, (at / path).read_bytes()) for path in corpora.tracked(at)
                    if (at / path).is_file() and (at / path).stat().st_size < 1_000_000
                    and b"\0" not in (at / path).read_bytes()
                ]  # fmt: skip
                documents, places = list[tuple[str, str]](), list[tuple[str, int, int]]()
                for parsed in workers.parse(iter(files)):
                    for node in parsed.nodes:
                        text = embedding_input(parsed.path, node)
                        first, _, body = text.partition("\n")
                        documents.append((first, body))
                        places.append((parsed.path, node.start_line, node.end_line))
                questions = [case.query for case in asked]
                targets = [[tuple(vars(t).values()) for t in case.targets] for case in asked]
                found = by_words(documents, questions)
                yield Pool(name, documents, questions, targets, found, places)


def main() -> None:
    nodes, commits, out = (Path(word) for word in sys.argv[1:4])
    pools = []
    for name in sorted(VALIDATION):
        rows = [Row(*row) for row in pickle.loads((nodes / f"{name}.pkl").read_bytes())]
        pairs = [Pair(*p) for p in pickle.loads((commits / f"{name}.pkl").read_bytes())]
        pools += [*functions(name, rows), *headings(name, rows), *of_commits(name, pairs)]
    for folder in sys.argv[4:5]:
        pools += of_questions(folder)
    for path in sorted(path for folder in sys.argv[5:] for path in Path(folder).glob("*.pkl")):
        rows = [Row(*row) for row in pickle.loads(path.read_bytes())]
        pools += functions(path.stem, rows, of="2")
    out.write_bytes(pickle.dumps([tuple(pool) for pool in pools]))
    for pool in pools:
        print(pool.name, len(pool.documents), "documents", len(pool.questions), "questions")


if __name__ == "__main__":
    main()
