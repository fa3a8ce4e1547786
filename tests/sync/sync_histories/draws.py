"""What do histories draw by chance, and what was an index told?"""

from hypothesis import strategies as st

from fake_describer import FakeDescriber
from fault_injection import FaultInjector
from feeder.store import Database, Statement
from feeder.sync.context import DescriptionOptions
from index_helpers import REPO

calls = st.integers(1, 16)
early_calls = st.integers(2, 7)
"""Those that most runs come to."""
told = st.sampled_from([True, True, None, False])
"""Whether the texts of files are kept; None says nothing of it."""
asking = st.sampled_from(["", "", "lines", "lines", "off"])
"""What `--describe` says: nothing, a model, or that lines go."""


def is_kept(database: Database, key: str) -> bool:
    """Whether the index was told to keep its files' texts, or lines."""
    said = Statement("SELECT value FROM meta WHERE key = ? || ':' || ?", (REPO, key))
    return database.run([said])[0] in ([("on",)], [("filling",)])


def describing(
    said: str, fuse: FaultInjector | None = None, most: int | None = None
) -> DescriptionOptions | None:
    """Lines by a model on this machine."""
    return (
        DescriptionOptions(
            FakeDescriber(faults=fuse) if said == "lines" else None, max_descriptions=most
        )
        if said
        else None
    )
