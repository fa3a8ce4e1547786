"""The filters of a query become a scope; a filter without a match is reported."""

import json
from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.nodes import NODE_TYPES
from feeder.parse.extract import DOCUMENT_LANGUAGES as DOCUMENTS
from feeder.query.filters import FilterContext, build_scope, build_scopes
from feeder.query.query import parse_query
from feeder.query.query_plan import parse_preference
from feeder.query.vocabulary import (
    category_languages,
    language_aliases,
    node_type_names,
    repository_categories,
    resolve_languages,
    resolve_node_types,
)
from feeder.ranking.retrieval import preference_statements, preferred_ids
from feeder.source.git_trees import Commit
from feeder.store.hits import hits_by_ids, ids_in_scope
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database, run_sync
from source.repos import Repo

ROOT = Path(__file__).parents[2]
TREE = {
    "src/shop/cart.py": "class Cart:\n    def add(self):\n        pass\n",
    "src/shop/cart_test.go": "package shop\n\nfunc TestCart() {}\n",
    "src/api/routes.tsx": "export function routes() {}\n",
    "docs/guide.md": "# Guide\n\nOf the cart.\n",
    "my dir/x.toml": "cart = 1\n",
    ".feeder.toml": '[categories]\nshop = ["src/shop"]\npages = "docs/*.md"\n',
    r"odd\name.txt": "cart\n",
}
HERE = FilterContext(REPO, "src")
OWN = {"shop": ["src/shop"], "pages": ["docs/*.md"]}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> SQLite:
    repo = Repo(tmp_path_factory.mktemp("filters") / "repo")
    repo.commit(TREE)
    database = open_database()
    run_sync(Commit(repo.path), database)
    return database


def paths(database: SQLite, question: str, standing: FilterContext = HERE) -> set[str]:
    scope = build_scope(database, parse_query(question), standing)
    return {hit.path for hit in hits_by_ids(database, ids_in_scope(database, scope, 100), scope)}


PY, GO, TSX = "src/shop/cart.py", "src/shop/cart_test.go", "src/api/routes.tsx"
MD, TOML, OWN_TOML, ODD = "docs/guide.md", "my dir/x.toml", ".feeder.toml", r"odd\x5cname.txt"
ALL = {PY, GO, TSX, MD, TOML, OWN_TOML, ODD}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("", ALL),
        ("lang:python", {PY}),
        ("lang:PY lang:golang", {PY, GO}),
        ("lang:ts", {TSX}),
        ("-lang:md,toml", {PY, GO, TSX, ODD}),
        ("type:function", {PY, GO, TSX}),
        ("type:struct", {PY}),
        ("type:section", {MD}),
        ("-type:method,class -lang:toml", {MD, ODD, GO}),
        ("path:src", {PY, GO, TSX}),
        ("path:src/", {PY, GO, TSX}),
        ("path:src/shop/cart.py", {PY}),
        ("path:*.py", {PY}),
        ("path:src path:docs", {PY, GO, TSX, MD}),
        ("path:shop", {PY, GO}),
        ("path:./shop", {PY, GO}),
        ("path:../docs", {MD}),
        ("path:.", {PY, GO, TSX}),
        ("path:/docs", {MD}),
        ("path:guide.md", {MD}),
        ("path:s*p/cart*", {PY, GO}),
        ('path:"my dir"', {TOML}),
        (r"path:odd\name.txt", {ODD}),
        ("-path:src", {MD, TOML, OWN_TOML, ODD}),
        ("path:src -path:shop", {TSX}),
        ("-path:nowhere lang:py", {PY}),
        ("tests:no path:src", {PY, TSX}),
        ("tests:only", {GO}),
        ("tests:yes", ALL),
        ("symbol:add", {PY}),
        ("symbol:Cart.add", {PY}),
        ("category:docs", {MD, ODD}),
        ("category:config", {TOML, OWN_TOML}),
        ("category:code", {PY, GO, TSX}),
        ("category:code category:docs", {PY, GO, TSX, MD, ODD}),
        ("category:code lang:py", {PY}),
        ("category:code category:docs -category:docs", {PY, GO, TSX}),
        ("lang:py,go -lang:python", {GO}),
        ("category:tests tests:yes", {GO}),
        ("path:src/shop path:docs -path:src", {MD}),
        ("category:tests", {GO}),
        ("-category:tests category:code", {PY, TSX}),
        ("-category:code", {MD, ODD, TOML, OWN_TOML}),
        ("category:shop", {PY, GO}),
        ("category:shop category:pages", {PY, GO, MD}),
        ("-category:shop category:code", {TSX}),
        (f"repo:{REPO}", ALL),
        (f"repo:{REPO.rpartition('/')[2]}", ALL),
    ],
)
def test_filters_restrict_the_search(database: SQLite, question: str, found: set[str]) -> None:
    """In the folder src of a repository with two configured categories."""
    assert paths(database, question, HERE._replace(categories=OWN)) == found


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("lang:pyton", "has no language 'pyton'. The nearest: python"),
        ("lang:kotlin", "has no language 'kotlin'. It has: "),
        ("type:metod", "has no node type 'metod'. The nearest: method"),
        (
            "path:src/shop/crat.py",
            "no file or folder 'src/shop/crat.py'. The nearest: src/shop/",
        ),
        ("path:giude.md", "has no file or folder 'giude.md'. The nearest: docs/guide.md"),
        (
            "path:lib/deep/crat.py",
            "no file or folder 'lib/deep/crat.py'. The nearest: src/shop/",
        ),
        ("path:zzz", "has no file or folder 'zzz'. It has: .feeder.toml, docs, my dir, odd"),
        ("path:/shop", "has no file or folder '/shop'. The nearest: src/shop"),
        ("path:../../etc", "../../etc is outside the repository."),
        ("path:/dev/null", "/dev/null is outside the repository."),
        ("path:*.kt", "has no file or folder '*.kt'"),
        ("repo:acme/sohp", f"has no repository 'acme/sohp'. The nearest: {REPO}"),
        ("category:dosc", "has no category or tag 'dosc'. The nearest: docs"),
        (
            "category:docs category:tests",
            "categories docs and tests cannot be combined: they are not all defined by",
        ),
        ("category:shop path:docs", "category shop cannot be combined with path:docs"),
    ],
)
def test_filter_without_a_match_is_an_error_with_suggestions(
    database: SQLite, question: str, message: str
) -> None:
    """The error names the nearest existing value."""
    with pytest.raises(UserError) as refusal:
        build_scope(database, parse_query(question), HERE._replace(categories=OWN))
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("cart -cart", "cart and -cart contradict each other: nothing is left to search."),
        ("cart Box -box -Cart", "cart and Box and -box and -Cart contradict each other"),
        ("category:tests tests:no", "tests:no and category:tests contradict each other: nothing"),
        ("-category:tests tests:only", "tests:only and -category:tests contradict each other"),
        (
            "category:tests -category:tests",
            "category:tests and -category:tests contradict each other",
        ),
        ("lang:py -lang:python", "lang:py and -lang:python contradict each other"),
        ("lang:py category:docs", "lang:py and category:docs contradict each other"),
        ("lang:md category:code", "lang:md and category:code contradict each other"),
        ("category:docs -category:docs", "category:docs and -category:docs contradict each other"),
        ("category:code -category:code", "category:code and -category:code contradict each other"),
        ("category:shop -category:shop", "category:shop and -category:shop contradict each other"),
        ("type:function -type:method", "type:function and -type:method contradict each other"),
        ("path:src/shop -path:src", "path:src/shop and -path:src contradict each other"),
        ("path:*.py -path:*.py", "path:*.py and -path:*.py contradict each other"),
        ("category:shop -path:src", "-path:src and category:shop contradict each other"),
    ],
)
def test_conflicting_filters_are_an_error(database: SQLite, question: str, message: str) -> None:
    """They cannot match anything in any index."""
    with pytest.raises(UserError) as refusal:
        build_scope(database, parse_query(question), HERE._replace(categories=OWN))
    assert message in str(refusal.value)


def test_configured_category_with_a_built_in_name_is_listed_once(database: SQLite) -> None:
    """Though it is called as one that is there anyway."""
    with pytest.raises(UserError) as refusal:
        build_scope(
            database, parse_query("category:zzz"), HERE._replace(categories={"code": ["src"]})
        )
    assert str(refusal.value).count("code") == 1


def test_several_or_all_repositories_are_searched(tmp_path: Path) -> None:
    """Each filter applies within each repository."""
    database = open_database()
    for name in ("acme/shop", "acme/api", "other/api"):
        repo = Repo(tmp_path / name)
        repo.commit({f"{name.replace('/', '-')}.py": "def cart(): ...\n"})
        run_sync(Commit(repo.path), database, name=name)
    alone = FilterContext("acme/shop")
    assert paths(database, "", alone) == {"acme-shop.py"}
    assert paths(database, "repo:acme/shop repo:acme/api", alone) == {"acme-shop.py", "acme-api.py"}
    assert paths(database, "repo:acme/api repo:other/api", alone) == {"acme-api.py", "other-api.py"}
    with pytest.raises(UserError, match="api matches several repositories: acme/api, other/api"):
        paths(database, "repo:api", alone)
    assert paths(database, "repo:shop", FilterContext("acme/api")) == {"acme-shop.py"}
    repo = Repo(tmp_path / "api")
    repo.commit({"api.py": "def cart(): ...\n"})
    run_sync(Commit(repo.path), database, name="api")
    assert paths(database, "repo:api", alone) == {"api.py"}
    repo.commit({"api.py": None})
    run_sync(Commit(repo.path), database, name="api")
    assert paths(database, "repo:api", alone) == set()
    assert len(paths(database, "lang:py path:*.py", FilterContext(None))) == 3
    assert paths(database, "path:*other*", FilterContext(None)) == {"other-api.py"}


def test_boosts_match_nodes_by_folder_language_or_category(database: SQLite) -> None:
    """An unknown folder is reported."""
    ids = ids_in_scope(database, Scope((REPO,)), 100)

    def of(*preferences: str) -> set[str]:
        scopes = build_scopes(database, list(map(parse_preference, preferences)), HERE)
        chosen = preferred_ids(database.run(preference_statements(ids, scopes)))
        return {hit.path for hit in hits_by_ids(database, ids, Scope((REPO,))) if hit.id in chosen}

    assert of() == set()
    assert of("docs") == {MD}
    assert of("lang:go", "category:config") == {GO, TOML, OWN_TOML}
    assert of("my dir") == {TOML}
    with pytest.raises(UserError, match=r"no file or folder 'dosc'\. The nearest: docs"):
        of("dosc")
    with pytest.raises(UserError, match=r"no file or folder 'zzz'\. It has: .*docs"):
        of("zzz")


def test_language_aliases_are_accepted_in_any_case() -> None:
    """As people call it, in any case of letters."""
    called = {"c++": ["cpp"], "C#": ["csharp"], "sh": ["bash"], "js": ["javascript"]}
    called |= {"ts": ["tsx", "typescript"], "Makefile": ["make"], "protobuf": ["proto"]}
    assert {name: sorted(resolve_languages(name)) for name in called} == called
    assert resolve_languages("c") == ["c"]
    assert resolve_languages("nothing") == ["nothing"]
    assert resolve_node_types("json") == ["json_object", "json_array", "json_prop"]


def test_categories_are_configured_in_the_repository(tmp_path: Path) -> None:
    """In .feeder.toml, as one path or several."""
    assert repository_categories(tmp_path) == {}
    file = tmp_path / ".feeder.toml"
    file.write_text('[categories]\napi = "src/api/"\nui = ["web", "src/*.tsx"]\n')
    assert repository_categories(tmp_path) == {"api": ["src/api"], "ui": ["web", "src/*.tsx"]}
    file.write_text('[categories]\napi = "src/api"\n[tags]\nmanuals = ["docs", "*.pdf"]\n')
    assert repository_categories(tmp_path) == {"api": ["src/api"], "manuals": ["docs", "*.pdf"]}


def test_unknown_key_of_the_configuration_is_refused(tmp_path: Path) -> None:
    """Whatever the index is, since a category that is not read would be missing silently."""
    (tmp_path / ".feeder.toml").write_text('[categorys]\napi = "src/api"\n')
    message = "has an unknown key: categorys. Did you mean `categories`[?]"
    with pytest.raises(UserError, match=message):
        repository_categories(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            b"[categories\n",
            " is not valid TOML: Expected ']' at the end of a table declaration "
            "(at line 1, column 12). Correct it there.",
        ),
        (b"# caf\xe9\n", " is not valid UTF-8 at byte 5. Save it as UTF-8."),
        (
            b"tags = 1\n",
            ": tags is a number but must be a table. Write [tags], and below it one line for each "
            'name: api = ["src/api", "src/*_routes.py"]',
        ),
        (
            b"[[categories]]\n",
            ": categories is a list of tables but must be a table. Write [categories], and below "
            'it one line for each name: api = ["src/api", "src/*_routes.py"]',
        ),
        (
            b"[categories]\napi = true\n",
            ": api in [categories] is a boolean but must be a path or a list of paths. "
            'Write: api = ["folder", "other/*.sql"]',
        ),
        (
            b"[tags]\nold = []\n",
            ": old in [tags] is an empty list but must be a path or a list of ",
        ),
        (
            b"[tags]\nold = [1]\n",
            ": old in [tags] is a list with values that are not strings but must be ",
        ),
        (
            b"[tags.old]\na = 1\n",
            ": old in [tags] is a table but must be a path or a list of paths.",
        ),
        (
            b"[tags]\nold = 2024-05-01\n",
            ": old in [tags] is a date or a time but must be a path or",
        ),
    ],
)
def test_configuration_error_names_the_remedy(tmp_path: Path, text: bytes, message: str) -> None:
    """With the file, the key and what to write."""
    file = tmp_path / ".feeder.toml"
    file.write_bytes(text)
    with pytest.raises(UserError) as error:
        repository_categories(tmp_path)
    assert str(error.value).startswith(f"{file}{message}")


def test_aliases_refer_to_existing_languages_and_types() -> None:
    """No alias is the name of another language."""
    endings = json.loads((ROOT / "src/feeder/grammar_queries.json").read_text("utf-8"))
    known = {"text", "tsx", *DOCUMENTS}.union(
        *(endings[key].values() for key in ("code_extensions", "noncode_ts_grammar")),
        endings["text_extensions"].values(),
    )
    assert language_aliases().keys() <= known
    assert set().union(*category_languages().values()) <= known
    others = {name for names in language_aliases().values() for name in names}
    assert all(name in resolve_languages(name) for name in others & known)
    assert set(node_type_names()) >= set(NODE_TYPES)
    assert {kind for name in node_type_names() for kind in resolve_node_types(name)} == set(
        NODE_TYPES
    )
