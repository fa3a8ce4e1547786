"""Hits of one answer do not show the same lines twice, and name a file that is one chunk."""

import pytest

from feeder.search.answers import hit_kind
from feeder.snippets.snippets import Highlight, Snippet, SnippetPart
from search.run_query import find, index_files
from source.repos import Repo

SHOP = """class PriceList:
    limit = 3
    def price_list_first(self):
        return self.price_list
    def price_list_last(self):
        return self.price_list[-1]
    def price_list_sum(self):
        return sum(self.price_list)
"""


def test_class_leaves_out_lines_that_its_methods_show(repo: Repo) -> None:
    index_files(repo, {"shop.py": SHOP})
    hits = find(repo, "price list").hits
    assert len(hits) == 4
    numbers = [number for hit in hits for number, _ in hit.snippet.numbered_lines]
    assert sorted(numbers) == sorted(set(numbers))
    [whole] = [hit for hit in hits if hit.result.hit.node_type == "class"]
    assert whole.snippet.lines[0] == "class PriceList:"


def test_lines_that_match_exactly_stay(repo: Repo) -> None:
    index_files(repo, {"shop.py": SHOP})
    for hit in find(repo, '"price_list"').hits:
        shown = {number for number, _ in hit.snippet.numbered_lines}
        assert shown & {mark.line for mark in hit.literals}


def test_trimmed_snippet_keeps_a_line_and_counts_the_others() -> None:
    snippet = Snippet(4, ["a", "b", "c"], [Highlight(4, 0, 1), Highlight(6, 0, 1)], below=2)
    assert snippet.trimmed({6}) == Snippet(4, ["a", "b"], [Highlight(4, 0, 1)], below=3)
    assert snippet.trimmed({4}) == Snippet(5, ["b", "c"], [Highlight(6, 0, 1)], below=2)
    assert snippet.trimmed({4, 5, 6}) == Snippet(4, ["a"], [Highlight(4, 0, 1)], below=4)
    assert snippet.trimmed({5}) == snippet
    with_more = snippet._replace(more=[SnippetPart(8, ["e"])])
    assert with_more.trimmed({6}).below == 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("set price_list 3\n", "file"),
        ("set price_list 3\n\n\n", "file"),
        ("\nset price_list 3\n", "chunk"),
    ],
)
def test_chunk_that_is_all_of_a_file_is_called_so(repo: Repo, text: str, kind: str) -> None:
    index_files(repo, {"prices.tcl": text})
    [hit] = find(repo, "price_list").hits
    assert hit.result.hit.node_type == "chunk"
    assert hit_kind(hit) == kind
