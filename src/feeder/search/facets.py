"""By what can an answer be narrowed? The counts of its hits by language, folder, type and tests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import commonpath, dirname

from feeder.search.results import Result
from feeder.store.tests_by_path import is_test_path

MAX_FACET_VALUES = 20
"""Of each, those that most hits have."""
Facets = Mapping[str, Mapping[str, int]]


def count_facets(results: Sequence[Result]) -> Facets:
    """Hits by each value of the filter that it is called after, the most first."""
    hits = [one.hit for one in results]
    return {
        "language": _top_counts(hit.language for hit in hits if hit.language),
        "path": _top_counts(_diverging_folders([hit.path for hit in hits])),
        "node_type": _top_counts(hit.node_type for hit in hits),
        "tests": _top_counts("only" if is_test_path(hit.path) else "no" for hit in hits),
    }


def _top_counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common(MAX_FACET_VALUES))


def _diverging_folders(paths: Sequence[str]) -> Iterator[str]:
    """Where the folders of paths part: `/src/a` and `/src/b`, from the root."""
    folders = [dirname(path) for path in paths]
    common = commonpath(folders) if folders else ""
    above = f"{common}/" if common else ""
    for folder in folders:
        if below := f"{folder}/".removeprefix(above).partition("/")[0]:
            yield f"/{above}{below}"
