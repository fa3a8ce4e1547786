"""Scopes as filters of Vectorize, by its documented rules and in the stand-in."""

import json
from typing import Any

from clouds import DIMENSIONS, Cloud
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.cloudflare.provision import METADATA_PROPERTIES
from feeder.cloudflare.vectorize import query_filters
from feeder.embedding.cache import CachedEmbedder
from feeder.query.request_filters import Pagination
from feeder.ranking.retrieval import MODEL_VECTORS, embedding_query_model
from feeder.source.git_trees import Commit
from feeder.store.scope import Scope
from feeder.sync.context import ModelVectors
from hash_embedder import HashedEmbedder
from index_helpers import MEMORY, REPO, search_scope
from source.repos import Repo

Metadata = dict[str, str]
ADD = "def add(cart, article):\n    cart.append(article)\n"


def filters(scope: Scope) -> list[dict[str, Any]]:
    sent = (one for stage in query_filters(scope) for one in [*stage.filters, stage.files])
    return [one["filter"] for one in sent if one]


def indexed(text: str) -> bytes:
    """Returns the first 64 bytes, without a partial character at the end."""
    whole = b""
    for character in text:
        if len(whole + character.encode()) > 64:
            break
        whole += character.encode()
    return whole


def passes(filter_: dict[str, Any], metadata: Metadata) -> bool:
    """Evaluates a filter by the documentation, without shortening its operands."""
    for name, condition in filter_.items():
        value = indexed(metadata[name])
        low, equal, high = (_operand(condition, operator) for operator in ("$gte", "$eq", "$lt"))
        if value < (low or b"") or equal not in {None, value} or (high and value >= high):
            return False
    return True


def _operand(condition: str | dict[str, str], operator: str) -> bytes | None:
    operators = {"$eq": condition} if isinstance(condition, str) else condition
    return operators[operator].encode() if operator in operators else None


# of one to four bytes, and the last ones before something special
characters = st.sampled_from('aB-./"\x01\x7f\u07ff\ud7ff\uffff\U0010ffffé€🛒')
places = st.text(characters, min_size=1, max_size=70).map(lambda text: text.strip("/") or "a")
rests = st.text(characters, max_size=70)


@settings(max_examples=500)
@given(place=places, rest=rests, repo=places, language=places)
def test_filter_accepts_all_of_a_scope(place: str, rest: str, repo: str, language: str) -> None:
    """The first filter of a folder, the second of a file, and the only one of a glob."""
    same = {"repo": repo, "language": language}
    folder, file = filters(Scope.of_repo(repo, place, language))
    [glob] = filters(Scope.of_repo(repo, f"{place}*", language))
    assert passes(folder, same | {"path": f"{place}/{rest}"})
    assert passes(file, same | {"path": place})
    assert passes(glob, same | {"path": f"{place}{rest}"})


@settings(max_examples=500)
@given(place=places, path=places)
def test_short_folder_has_an_exact_filter(place: str, path: str) -> None:
    """Up to 64 bytes with the slash, if an upper bound of so many bytes exists."""
    [folder, _] = filters(Scope.of_repo("r", place))
    [glob] = filters(Scope.of_repo("r", f"{place}*"))
    if len(place.encode()) <= 63:
        assert passes(folder, {"repo": "r", "path": path}) == path.startswith(f"{place}/")
        assert passes(glob, {"repo": "r", "path": path}) == path.startswith(place)


@settings(max_examples=200)
@given(repo=rests, language=rests, node_type=rests, path=rests)
def test_filter_is_within_the_limits(repo: str, language: str, node_type: str, path: str) -> None:
    """2,048 bytes in total, 64 per string."""
    for filter_ in filters(Scope.of_repo(repo, path, language, node_type)):
        assert len(json.dumps(filter_, separators=(",", ":"))) < 2048
        texts = [text for value in filter_.values() for text in _texts(value)]
        assert max(len(text.encode()) for text in texts) <= 64


def _texts(condition: str | dict[str, str]) -> list[str]:
    return [condition] if isinstance(condition, str) else list(condition.values())


def test_filter_of_a_scope() -> None:
    """`/` sorts before `0`."""
    everywhere = {"repo": "acme/shop", "language": "go", "node_type": "class"}
    assert filters(Scope.of_repo("acme/shop", None, "go", "class")) == [everywhere]
    assert filters(Scope.of_repo("r", "src/")) == [
        {"repo": "r", "path": {"$gte": "src/", "$lt": "src0"}},
        {"repo": "r", "path": "src"},
    ]
    assert filters(Scope.of_repo("r", "src/a*/b.py")) == [
        {"repo": "r", "path": {"$gte": "src/a", "$lt": "src/b"}}
    ]
    assert filters(Scope.of_repo("r", "*.py")) == [{"repo": "r"}]
    src = {"repo": "r", "path": {"$gte": "src/", "$lt": "src0"}}
    assert filters(Scope.of_repo("r", "src")._replace(tests="no")) == [
        src | {"tests": "no"},
        {"repo": "r", "path": "src"},
        src,
    ]
    assert filters(Scope.of_repo("r")._replace(tests="only")) == [
        {"repo": "r", "tests": "yes"},
        {"repo": "r"},
    ]
    assert filters(Scope.of_repo("r")._replace(tests="yes")) == [{"repo": "r"}]
    several = Scope.of_repo("r")._replace(tests="no", paths=("a*", "b", "c"))
    a, b, c = (
        {"repo": "r", "path": {"$gte": low, "$lt": high}, "tests": "no"}
        for low, high in (("a", "b"), ("b/", "b0"), ("c/", "c0"))
    )
    files = {"repo": "r", "path": {"$in": ["b", "c"]}}
    assert filters(several) == [a, b, c, files, {"repo": "r"}]
    globs = Scope.of_repo("r")._replace(paths=("*.py", "*.md", "src/*"))
    assert filters(globs) == [{"repo": "r"}, src]
    within = Scope.of_repo("r")._replace(tests="no", paths=("src/a", "src/b*"))
    assert filters(within)[-1] == src


def test_nearer_vectors_outside_the_scope_hide_nothing(cloud: Cloud, repo: Repo) -> None:
    """The one node of a folder or file is found among 120 nearer ones."""
    near = {f"lib-b/order_{n}.py": f"def order_{n}():\n    cancel(order)\n" for n in range(120)}
    repo.commit(near | {"lib/cart.py": ADD})
    cloud.migrated().synced(Commit(repo.path))
    cloud.standin.settle()

    for path in ("lib", "lib/cart.py", "lib/*.py"):
        assert paths_by_vectors(cloud, Scope.of_repo(REPO, path)) == ["lib/cart.py"]


def test_nearer_vectors_of_tests_hide_nothing(cloud: Cloud, repo: Repo) -> None:
    """With `tests:no` the node is found among 120 nearer ones in tests; `tests:only` likewise."""
    near = "def order_{0}():\n    cancel(order)\n"
    tests = {f"tests/test_order_{n}.py": near.format(n) for n in range(120)}
    repo.commit(tests | {"lib/cart.py": ADD})
    cloud.migrated().synced(Commit(repo.path))
    cloud.standin.settle()
    for path in (None, "lib", "lib/cart.py"):
        scope = Scope.of_repo(REPO, path)._replace(tests="no")
        assert paths_by_vectors(cloud, scope) == ["lib/cart.py"]

    sources = {f"lib/order_{n}.py": near.format(n) for n in range(120)}
    repo.commit(sources | {"tests/test_cart.py": ADD} | dict.fromkeys(tests))
    cloud.synced(Commit(repo.path))
    cloud.standin.settle()
    scope = Scope.of_repo(REPO)._replace(tests="only")
    assert paths_by_vectors(cloud, scope) == ["tests/test_cart.py"]


def test_nearer_vectors_of_tests_hide_nothing_at_several_paths(cloud: Cloud, repo: Repo) -> None:
    near = "def order_{0}():\n    cancel(order)\n"
    tests = {f"lib/tests/test_order_{n}.py": near.format(n) for n in range(120)}
    repo.commit(tests | {"lib/cart.py": ADD, "src/cart.py": ADD, "LICENSE": "add the cart article"})
    cloud.migrated().synced(Commit(repo.path))
    cloud.standin.settle()
    for paths in (("lib", "src"), ("lib", "src", "LICENSE")):
        scope = Scope.of_repo(REPO)._replace(paths=paths, tests="no")
        folders = {path.rpartition("/")[0] for path in paths_by_vectors(cloud, scope)}
        assert folders == {"lib", "src", ""} & {path.replace("LICENSE", "") for path in paths}


def test_vectors_of_an_earlier_version_are_filtered_by_their_other_properties(
    cloud: Cloud, repo: Repo
) -> None:
    """They do not say whether their files are tests: hits in tests are removed afterwards."""
    base = "vectorize/v2/indexes/acme_shop_code/metadata_index"
    cloud.post(f"{base}/delete", {"propertyName": "tests"})
    near = {f"other/order_{n}.py": f"def order_{n}():\n    cancel(order)\n" for n in range(120)}
    repo.commit(near | {"lib/cart.py": ADD, "lib/tests/cart.py": ADD})
    cloud.migrated().synced(Commit(repo.path))
    cloud.standin.settle()

    for paths in (("lib",), ("lib/cart.py",), ("lib/c*", "lib/tests")):
        scope = Scope.of_repo(REPO)._replace(paths=paths, tests="no")
        assert paths_by_vectors(cloud, scope) == ["lib/cart.py"]


def test_folder_with_a_long_path_is_found(cloud: Cloud, repo: Repo) -> None:
    """Other paths with the same first 64 bytes are filtered out afterwards."""
    deep = "src/main/java/com/acme/shop/checkout/payment/provider/internal/größe"
    repo.commit({f"{deep}/cart.py": ADD, f"{deep}-b/cart.py": ADD, "cart.py": ADD})
    cloud.migrated().synced(Commit(repo.path))
    cloud.standin.settle()

    for path in (deep, f"{deep}/cart.py", f"{deep}/*.py"):
        assert paths_by_vectors(cloud, Scope.of_repo(REPO, path)) == [f"{deep}/cart.py"]


def test_renamed_branch_hides_nothing(cloud: Cloud, repo: Repo) -> None:
    """Vectors of unchanged nodes keep the old name and are not rewritten."""
    repo.commit({"cart.py": ADD})
    cloud.migrated().synced(Commit(repo.path))
    repo.commit({"other.py": "def other(): ...\n"})
    cloud.synced(Commit(repo.path), branch="trunk")
    cloud.standin.settle()

    assert set(paths_by_vectors(cloud, Scope.of_repo(REPO))) == {"cart.py", "other.py"}


def test_index_without_metadata_indexes_is_searched_without_filters(
    cloud: Cloud, repo: Repo
) -> None:
    """A filter would not match vectors written before."""
    base = "vectorize/v2/indexes/acme_shop_code/metadata_index"
    for name in METADATA_PROPERTIES:
        cloud.post(f"{base}/delete", {"propertyName": name})
    repo.commit({"cart.py": ADD, "src/cart.py": ADD})
    cloud.migrated().synced(Commit(repo.path))
    cloud.standin.settle()

    assert paths_by_vectors(cloud, Scope.of_repo(REPO, "src")) == ["src/cart.py"]


def test_search_takes_one_request_to_vectorize(cloud: Cloud, repo: Repo) -> None:
    """And a second one for a file, which cannot be distinguished from a folder."""
    repo.commit({"src/cart.py": ADD})
    cloud.migrated().synced(Commit(repo.path))
    cloud.standin.settle()

    for scope, requests in (
        (Scope.of_repo(REPO), 1),
        (Scope.of_repo(REPO, "src"), 1),
        (Scope.of_repo(REPO, "src/cart.py"), 2),
    ):
        cloud.spent()
        assert paths_by_vectors(cloud, scope) == ["src/cart.py"]
        assert cloud.spent()["vectorize"] == requests


def paths_by_vectors(cloud: Cloud, scope: Scope) -> list[str]:
    """Returns the paths that a query finds by vectors."""
    model_vectors = ModelVectors(
        CachedEmbedder(HashedEmbedder(DIMENSIONS), MEMORY), cloud.vectorize
    )
    found = search_scope(
        cloud.d1, [embedding_query_model(model_vectors)], "cancel order", scope, Pagination(10)
    ).results
    return [result.hit.path for result in found if MODEL_VECTORS in result.ranks]
