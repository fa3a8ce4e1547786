"""Each sample has the nodes that its `.nodes` file lists, which was written by hand."""

import pytest

from parse.outlines import GRAMMARS, SAMPLES, expected_listing, listing, sample

LISTED = sorted(path.stem for path in SAMPLES.glob("*.nodes"))


@pytest.mark.parametrize("name", LISTED)
def test_sample_has_the_listed_nodes(name: str) -> None:
    assert listing(sample(name)) == expected_listing(name)


def test_every_language_has_a_sample() -> None:
    """For every language of the grammar file."""
    shown = {GRAMMARS.detect_language(name, (SAMPLES / name).read_bytes())[0] for name in LISTED}
    assert sorted(set(GRAMMARS.languages) - shown) == []
