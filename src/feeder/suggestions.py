"""Suggests the nearest known names for a name that does not exist."""

from collections.abc import Iterable, Mapping, Sequence

from feeder.errors import UserError

MAX_SUGGESTIONS = 3
"""Names that are told where one is none."""
MIN_SIMILARITY = 0.65
"""How like it the last part of a name is at least, by difflib."""
MAX_COMPARED = 500
"""Names that are compared letter by letter, of those that share most groups of three letters."""
MAX_LISTED = 12
"""Of what there is, where nothing is near."""


def unknown_name_error(
    kind: str, name: str, existing: Sequence[str], aliases: Iterable[str] = ()
) -> UserError:
    """That the index has none of that name, and which are nearest of those it has."""
    from difflib import get_close_matches

    known = {one.lower(): one for one in (*aliases, *existing)}
    some = _most_shared_trigrams(name.lower(), {one: one for one in known})
    near = [known[one] for one in get_close_matches(name.lower(), some, MAX_SUGGESTIONS)]
    near = near or nearest_names(name, known.values(), "/")
    told = f"The nearest: {', '.join(near)}." if near else ""
    if not near and existing:
        more = f" and {len(existing) - MAX_LISTED} more" if len(existing) > MAX_LISTED else ""
        told = f"There are: {', '.join(existing[:MAX_LISTED])}{more}."
    return UserError(f"The index has no {kind} {name}. {told}".strip())


def nearest_names(target: str, known: Iterable[str], separator: str) -> list[str]:
    """The names whose last parts, behind the last `sign`, are most like its own."""
    from difflib import get_close_matches

    asked = _last_part(target, separator)
    lasts = {name: _last_part(name, separator) for name in known}
    some = _most_shared_trigrams(asked, lasts)
    parts = dict.fromkeys(lasts[name] for name in some)
    close = get_close_matches(asked, parts, MAX_SUGGESTIONS, MIN_SIMILARITY)
    return [name for last in close for name in some if lasts[name] == last][:MAX_SUGGESTIONS]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Asks whether the one most like it was meant; empty where none is like it."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    return f"Did you mean `{near[0]}`?" if near else ""


def _most_shared_trigrams(target: str, texts: Mapping[str, str]) -> list[str]:
    """The names whose texts share most groups of letters with what is asked."""
    groups = _trigrams(target)
    shared = ((len(groups & _trigrams(text)), name) for name, text in texts.items())
    return [
        name for _, name in sorted((one for one in shared if one[0]), reverse=True)[:MAX_COMPARED]
    ]


def _last_part(name: str, separator: str) -> str:
    return name.rpartition(separator)[2].casefold()


def _trigrams(name: str) -> set[str]:
    """Its groups of three letters, and two at each end."""
    framed = f" {name} "
    return {framed[at : at + 3] for at in range(len(framed) - 2)}
