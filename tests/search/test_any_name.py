"""Names and words of a repository, and of a query, may have any characters."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from feeder.config import Settings
from feeder.corpus.corpus import Corpus
from feeder.errors import UserError
from feeder.evaluation.judgments import JudgedQuery, RelevantTarget, missing_targets
from feeder.mcp.tool_schemas import INPUT_SCHEMAS, validate_arguments
from feeder.mcp.tools import TOOLS
from feeder.query.completions import complete
from feeder.relation import IMPLEMENTS, IMPORT, INHERITS
from feeder.relations.references import ReferenceFinder
from feeder.search.open_index import SearchIndex, open_index
from feeder.source.git_trees import Commit
from feeder.store import Database, Statement, go_relations, relations
from feeder.store.hits import hits_by_id_prefix, hits_by_name, hits_named
from feeder.store.integrity import check_parity
from feeder.store.name_search import (
    exact_name_statement,
    file_name_statement,
    ids_by_word_statement,
    name_prefix_statement,
    name_words_statement,
    names_with_any_statement,
    similar_names_statement,
    spelled_names_statement,
)
from feeder.store.scope import Scope
from index_helpers import REPO, open_database, run_sync
from search.run_query import index_files
from source.repos import Repo

FILES = {
    "cart.js": 'class Cart extends Box {\n  ["content-type"]() { return this.add(1) }\n}\n',
    "cart.py": "import box\n\n\nclass Cart(box.Box):\n    def add(self, item: Cart): ...\n",
    "cart.go": "package cart\n\ntype Cart struct { Box }\n\nfunc (c Cart) Add() { c.Add() }\n",
    "guide.md": "# Cart\n\nFill it with `Cart.add`.\n",
}

# syntax of FTS5, GLOB, LIKE, JSON, paths and queries, and what ends a text in C
_PARTS = st.sampled_from(
    [*"\"'`()[]{}*?^+-:.,;#/\\%_=<>~@!|& \n\t\0", "AND", "OR", "NOT", "NEAR(", "symbol", "Cart"]
)
names = st.one_of(
    st.lists(_PARTS | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).map(
        "".join
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
)
ANY_NAME = (
    example(name='["content-type"]'),
    example(name='["x.y] z"]'),
    example(name='a" OR "b'),
    example(name="a\0b"),
)


def for_any_name(test: Callable[..., None]) -> Callable[..., None]:
    for one in ANY_NAME:
        test = one(test)
    return given(name=names)(test)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    repo = Repo(tmp_path_factory.mktemp("any") / "shop")
    index_files(repo, FILES)
    given_settings = Settings(repo.path, repo=REPO, store="local", quiet=True, vectors=False)
    with open_index(given_settings) as opened:
        yield opened


@for_any_name
def test_each_statement_takes_any_name(index: SearchIndex, name: str) -> None:
    database = index.corpus.database
    for scope in (
        Scope((REPO,)),
        Scope((REPO,), paths=(name, f"{name}/*.py"), not_paths=(name,)),
    ):
        with suppress(UserError):  # a glob that is too long
            _run_name_searches(database, name, scope)
    for with_receivers in (True, False):
        relations.nodes_with_name(database, REPO, name, with_receivers=with_receivers)
    relations.nodes_with_kinds(database, REPO, name, INHERITS + IMPLEMENTS + IMPORT)
    go_relations.go_nodes_of_types(database, REPO, [name])
    go_relations.symbols_embedding(database, REPO, [name])
    go_relations.go_package_of_folder(database, REPO, name)
    relations.document_files_with_word(database, REPO, [name, "Cart"], ["section"])
    hits_by_name(database, REPO, name)
    hits_named(database, REPO, name)
    hits_by_id_prefix(database, REPO, name, 3)
    missing_targets(database, REPO, [JudgedQuery(1, name, (RelevantTarget(symbol=name),))])


def _run_name_searches(database: Database, name: str, scope: Scope) -> None:
    database.run(
        [
            exact_name_statement('symbol : "cart"', name, scope),
            file_name_statement(name, scope),
            ids_by_word_statement(name, 3, scope),
            name_prefix_statement(name, scope),
            name_words_statement([name, name], scope),
            names_with_any_statement([name, name], scope),
            similar_names_statement(name, scope),
            spelled_names_statement([name], name, scope),
        ]
    )


@for_any_name
@settings(max_examples=60)
def test_each_tool_takes_any_name(index: SearchIndex, name: str) -> None:
    """Only an error that names what the user can change is raised."""
    quoted = json.dumps(name, ensure_ascii=False)
    queries = [name, quoted, f"{name}*", f"cart -{quoted}", f"cart case:yes {name}"]
    heads = ("symbol", "path", "-path", "lang", "type", "calls", "imports", "inherits", "repo")
    queries += [f"cart {head}:{quoted}" for head in heads]
    calls: list[tuple[str, dict[str, Any]]] = [("search", {"query": query}) for query in queries]
    calls += [("search", {"query": "cart", "path": [name], "exclude": [f"{name}*"]})]
    calls += [("references", {"target": name, "kind": kind}) for kind in ("definition", "call")]
    calls += [
        ("references", {"target": name}),
        ("references", {"target": f"cart.js#{name}", "direction": "out"}),
        ("references", {"target": name, "kind": "implementation"}),
        ("read", {"target": [name]}),
        ("search", {"like": name}),
        ("outline", {"path": name}),
    ]
    for tool, arguments in calls:
        with suppress(UserError):
            TOOLS[tool](index, validate_arguments(tool, INPUT_SCHEMAS[tool], arguments), None)
    for query in (name, f"symbol:{name}", f"path:{name}", f"lang:{name}"):
        complete(index.corpus, query)


@for_any_name
@settings(max_examples=40)
def test_symbol_of_a_file_may_be_any_text(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """Its words find it, and what refers to it is read."""
    repo = Repo(tmp_path_factory.mktemp("symbol") / "shop")
    quoted = json.dumps(name)
    base = f"class Cart {{\n  [{quoted}]() {{ return 1 }}\n  {quoted}() {{ return 2 }}\n}}\n"
    repo.commit({"cart.js": base, "gift.js": "class Gift extends Cart {}\n"})
    database = open_database()
    run_sync(Commit(repo.path), database)
    assert not check_parity(database, REPO).unfindable_symbols
    [rows] = database.run(
        [Statement("SELECT symbol FROM docs WHERE repo = ? AND symbol <> ''", (REPO,))]
    )
    finder = ReferenceFinder(Corpus(database, repo.path, REPO, {}))
    for symbol in [str(one) for (one,) in rows]:
        for definition, _ in finder.reader.named_definitions(symbol):
            finder.references(definition)
            finder.subtypes.overriding(definition)
            finder.subtypes.implementations(definition)
        # the Worker's statement
        database.run([Statement(relations.FILES_OF_SUBTYPES, (REPO, symbol))])
    database.close()
