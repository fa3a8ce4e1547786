"""Hypothesis strategies for histories, and readers of an index's settings."""

from hypothesis import strategies as st

from fake_describer import FakeDescriber
from fault_injection import FaultInjector
from feeder.store import Database, Statement
from feeder.sync.context import DescriptionOptions
from index_helpers import REPO

calls = st.integers(1, 16)
early_calls = st.integers(2, 7)
"""Those that most runs come to."""
store_source_choices = st.sampled_from([True, True, None, False])
"""Whether the texts of files are kept; None says nothing of it."""
describe_choices = st.sampled_from(["", "", "lines", "lines", "off"])
"""What `--describe` says: nothing, a model, or that lines go."""


def is_enabled(database: Database, key: str) -> bool:
    """True if the setting is on in the index: stored source (`texts`) or descriptions."""
    said = Statement("SELECT value FROM meta WHERE key = ? || ':' || ?", (REPO, key))
    return database.run([said])[0] in ([("on",)], [("filling",)])


def new_description_options(
    said: str, fuse: FaultInjector | None = None, most: int | None = None
) -> DescriptionOptions | None:
    """Returns description options for the drawn choice; None if it is empty."""
    return (
        DescriptionOptions(
            FakeDescriber(faults=fuse) if said == "lines" else None, max_descriptions=most
        )
        if said
        else None
    )
