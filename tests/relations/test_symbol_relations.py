"""The relations of a symbol: lists that are cut say how many entries there are."""

from feeder.corpus.corpus import Corpus
from feeder.relations.symbol_relations import symbol_relations
from feeder.source.git_trees import Commit
from index_helpers import REPO, open_database, run_sync
from source.repos import Repo


def test_lists_that_are_cut_have_their_totals(repo: Repo) -> None:
    """50 of 60 uses, 100 of 120 types below a type."""
    steps = "".join(f"def step{at}():\n    return {at}\n\n\n" for at in range(60))
    calls = "".join(f"    step{at}()\n" for at in range(60))
    types = "".join(f"class Below{at}(Base):\n    pass\n\n\n" for at in range(120))
    repo.commit(
        {
            "steps.py": f"{steps}def run():\n{calls}",
            "types.py": f"class Base:\n    pass\n\n\n{types}",
        }
    )
    database = open_database()
    run_sync(Commit(repo.path), database)
    corpus = Corpus(database, repo.path, REPO, {})
    run = symbol_relations(corpus, "steps.py#run").as_json()
    assert (len(run["uses"]), run["uses_total"], run["uses_at_least"]) == (50, 60, False)
    base = symbol_relations(corpus, "types.py#Base").as_json()
    names = "implementations", "implementations_total", "implementations_at_least"
    listed, total, at_least = (base[name] for name in names)
    assert (len(listed), total, at_least) == (100, 120, False)
