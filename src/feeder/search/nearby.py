"""Which names are nearest to one that is none?"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from feeder.errors import UserError

NEAREST = 3
"""Names that are told where one is none."""
SHOWN = 12
"""Of what there is, where nothing is near."""


def nothing(kind: str, name: str, there: Sequence[str], others: Iterable[str] = ()) -> UserError:
    """That the index has none of that name, and which are nearest of those it has."""
    known = {one.lower(): one for one in (*others, *there)}
    near = [known[one] for one in get_close_matches(name.lower(), known, NEAREST)]
    if not near:
        ends = {one.rpartition("/")[2]: whole for one, whole in known.items()}
        near = [ends[one] for one in get_close_matches(name.lower(), ends, NEAREST)]
    told = f"The nearest: {', '.join(near)}." if near else ""
    if not near and there:
        more = f" and {len(there) - SHOWN} more" if len(there) > SHOWN else ""
        told = f"There are: {', '.join(there[:SHOWN])}{more}."
    return UserError(f"The index has no {kind} {name}. {told}".strip())
