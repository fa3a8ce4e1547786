"""A query to an index in the cloud takes two requests to D1, and one more to resolve filters."""

from clouds import DIMENSIONS, Cloud

from feeder.embedding.cache import CachedEmbedder
from feeder.query.filters import FilterContext, build_scopes
from feeder.query.must_match import require_matches
from feeder.query.query import parse_query
from feeder.query.query_plan import parse_preference
from feeder.query.request_filters import Pagination
from feeder.ranking.results import ResultList
from feeder.ranking.retrieval import QueryModel, embedding_query_model
from feeder.source.git_trees import Commit
from feeder.sync.context import ModelVectors
from hash_embedder import HashedEmbedder
from index_helpers import MEMORY, REPO, search_scope
from source.repos import Repo

STEPS = "".join(f"    total += weigh(order, {n})  # parcel {n} of the order\n" for n in range(200))
TRACE = 'Traceback (most recent call last):\n  File "src/cart.py", line 2, in addLine\n'
FILES = {
    "src/cart.py": "class Cart:\n    def addLine(self, line):\n        self.lines.append(line)\n",
    "src/weight.py": f"def weighAll(order):\n    total = 0\n{STEPS}    return total\n",
    "docs/guide.md": "# Carts\n\nHow a line is added to a cart, zanzibar.\n",
}
MANY = 300


def requests_of_query(
    cloud: Cloud, question: str, prefer: tuple[str, ...] = (), side: QueryModel | None = None
) -> ResultList:
    query, *preferred = [parse_query(question), *map(parse_preference, prefer)]
    scope, *scopes = build_scopes(cloud.d1, [query, *preferred], FilterContext(REPO))
    scope = require_matches(cloud.d1, query, scope).scope
    sides = [side] if side else []
    return search_scope(cloud.d1, sides, query.text, scope, Pagination(10), preferred_scopes=scopes)


QUERIES = [
    ("how is a line added to a cart, zanzibar", 2, "docs/guide.md"),
    ("parcel 150 of the order", 2, "src/weight.py"),
    ("addLine", 2, "src/cart.py"),
    ("addLnie", 2, "src/cart.py"),
    ("weighA", 2, "src/weight.py"),
    ("zanzibar", 2, "docs/guide.md"),
    ("src/cart.py", 2, "src/cart.py"),
    (TRACE, 2, "src/cart.py"),
    ('"added to a cart" -parcel', 2, "docs/guide.md"),
    ("symbol:addLine tests:no", 2, "src/cart.py"),
    ("line lang:py type:method path:src -path:docs", 3, "src/cart.py"),
    ("line repo:shop path:src", 4, "src/cart.py"),
]
"""With their trips, and a file that answers."""


def test_query_takes_two_requests(cloud: Cloud, repo: Repo) -> None:
    """Filters are resolved in one request before, repositories first."""
    repo.commit(FILES)
    cloud.migrated().synced(Commit(repo.path))
    for question, trips, finds in QUERIES:
        cloud.spent()
        answer = requests_of_query(cloud, question)
        assert cloud.spent()["d1"] == trips, question
        assert finds in {result.hit.path for result in answer.results}, question


def test_query_without_candidates_takes_one_request(cloud: Cloud, repo: Repo) -> None:
    repo.commit(FILES)
    cloud.migrated().synced(Commit(repo.path))
    cloud.spent()

    assert not requests_of_query(cloud, "nowhereatall").results
    assert cloud.spent()["d1"] == 1


def test_boosts_are_resolved_with_the_filters(cloud: Cloud, repo: Repo) -> None:
    """Which candidates they match is read in the second request."""
    repo.commit(FILES)
    cloud.migrated().synced(Commit(repo.path))
    cloud.spent()

    found = requests_of_query(cloud, "line lang:py,md", prefer=("docs", "lang:md")).results

    assert cloud.spent()["d1"] == 3
    assert [result.hit.path for result in found if "preferred" in result.score_parts] == [
        "docs/guide.md"
    ]


def test_vectors_take_no_further_request_to_d1(cloud: Cloud, repo: Repo) -> None:
    """Their nodes are read with those of the words."""
    repo.commit(FILES)
    cloud.migrated().synced(Commit(repo.path))
    cloud.standin.settle()
    model_vectors = ModelVectors(
        CachedEmbedder(HashedEmbedder(DIMENSIONS), MEMORY), cloud.vectorize
    )
    cloud.spent()

    found = requests_of_query(
        cloud, "how is a line added", side=embedding_query_model(model_vectors)
    ).results

    assert cloud.spent() == {"d1": 2, "vectorize": 1, "ai": 0}
    assert any("vector" in result.ranks for result in found)


def test_names_are_found_without_reading_all(cloud: Cloud, repo: Repo) -> None:
    """D1 reads a few rows only, also for a name that no node has."""
    repo.commit({f"{n}.py": f"def step{n}x(): ...\n" for n in range(MANY)} | FILES)
    cloud.migrated().synced(Commit(repo.path))

    def read(question: str) -> int:
        before = cloud.d1.rows["read"]
        requests_of_query(cloud, question)
        return cloud.d1.rows["read"] - before

    assert read("addLine") < MANY
    assert read("zanzibar") < MANY
    assert read("addLnie") < MANY
