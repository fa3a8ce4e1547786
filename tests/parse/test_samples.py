"""Does each sample become the nodes that its `.nodes` file lists, worked out by hand?"""

import pytest

from parse.outlines import GRAMMARS, SAMPLES, expected_listing, listing, sample

LISTED = sorted(path.stem for path in SAMPLES.glob("*.nodes"))


@pytest.mark.parametrize("name", LISTED)
def test_a_sample_has_the_nodes_that_are_listed(name: str) -> None:
    assert listing(sample(name)) == expected_listing(name)


def test_every_language_has_a_sample_with_its_nodes() -> None:
    """What the grammar file tells how to read, a sample shows."""
    shown = {GRAMMARS.detect_language(name, (SAMPLES / name).read_bytes())[0] for name in LISTED}
    assert sorted(set(GRAMMARS.languages) - shown) == []
