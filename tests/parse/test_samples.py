"""Each sample has the nodes and the relations that the files beside it list, written by hand."""

from pathlib import Path

import pytest

from feeder.cli.languages import relation_sites
from parse.outlines import GRAMMARS, SAMPLE_FILES, expected_lines, listing, nodes

LISTED = [path for path in SAMPLE_FILES if path.with_suffix(".nodes").exists()]
RELATED = [path for path in SAMPLE_FILES if path.with_suffix(".relations").exists()]


@pytest.mark.parametrize("path", LISTED, ids=lambda path: path.name)
def test_sample_has_the_listed_nodes(path: Path) -> None:
    assert listing(nodes(path.name, path.read_bytes())) == expected_lines(
        path.with_suffix(".nodes")
    )


def test_samples_have_names_of_their_own() -> None:
    assert len({path.name for path in SAMPLE_FILES}) == len(SAMPLE_FILES)
    assert len({path.with_suffix(".nodes") for path in LISTED}) == len(LISTED)


def test_every_language_has_a_sample() -> None:
    """For every language of the grammar file."""
    detected = {GRAMMARS.detect_language(path.name, path.read_bytes())[0] for path in LISTED}
    assert sorted(set(GRAMMARS.languages) - detected) == []


@pytest.mark.parametrize("path", RELATED, ids=lambda path: path.name)
def test_sample_has_the_listed_relations(path: Path) -> None:
    """All but the visibility of its declarations."""
    sites = relation_sites(nodes(path.name, path.read_bytes()))
    found = {f"{site.line} {site}" for site in sites if site.kind != "visibility"}
    assert sorted(found) == sorted(expected_lines(path.with_suffix(".relations")))
