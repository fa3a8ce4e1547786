"""Which names are nearest to one that is none?"""

from collections.abc import Iterable, Mapping, Sequence

from feeder.errors import UserError

NEAREST = 3
"""Names that are told where one is none."""
LIKE = 0.65
"""How like it the last part of a name is at least, by difflib."""
COMPARED = 500
"""Names that are compared letter by letter, of those that share most groups of three letters."""
SHOWN = 12
"""Of what there is, where nothing is near."""


def nothing(kind: str, name: str, there: Sequence[str], others: Iterable[str] = ()) -> UserError:
    """That the index has none of that name, and which are nearest of those it has."""
    from difflib import get_close_matches

    known = {one.lower(): one for one in (*others, *there)}
    some = _alike(name.lower(), {one: one for one in known})
    near = [known[one] for one in get_close_matches(name.lower(), some, NEAREST)]
    near = near or nearest(name, known.values(), "/")
    told = f"The nearest: {', '.join(near)}." if near else ""
    if not near and there:
        more = f" and {len(there) - SHOWN} more" if len(there) > SHOWN else ""
        told = f"There are: {', '.join(there[:SHOWN])}{more}."
    return UserError(f"The index has no {kind} {name}. {told}".strip())


def nearest(text: str, known: Iterable[str], sign: str) -> list[str]:
    """The names whose last parts, behind the last `sign`, are most like its own."""
    from difflib import get_close_matches

    asked = _last(text, sign)
    lasts = {name: _last(name, sign) for name in known}
    some = _alike(asked, lasts)
    parts = dict.fromkeys(lasts[name] for name in some)
    close = get_close_matches(asked, parts, NEAREST, LIKE)
    return [name for last in close for name in some if lasts[name] == last][:NEAREST]


def meant(name: str, known: Iterable[str]) -> str:
    """Asks whether the one most like it was meant; empty where none is like it."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    return f"Did you mean `{near[0]}`?" if near else ""


def _alike(asked: str, texts: Mapping[str, str]) -> list[str]:
    """The names whose texts share most groups of letters with what is asked."""
    groups = _groups(asked)
    shared = ((len(groups & _groups(text)), name) for name, text in texts.items())
    return [name for _, name in sorted((one for one in shared if one[0]), reverse=True)[:COMPARED]]


def _last(name: str, sign: str) -> str:
    return name.rpartition(sign)[2].casefold()


def _groups(name: str) -> set[str]:
    """Its groups of three letters, and two at each end."""
    framed = f" {name} "
    return {framed[at : at + 3] for at in range(len(framed) - 2)}
