"""Suggests the nearest known names for a name that does not exist."""

from collections.abc import Iterable, Mapping, Sequence

from feeder.errors import NotInIndexError
from feeder.text import common_prefix_length, trigrams

MAX_SUGGESTIONS = 3
"""Nearest names that a message lists."""
MIN_SIMILARITY = 0.65
"""Lowest difflib ratio between the last parts of two names."""
SHORT_NAME = 4
"""Letters of a name up to which one edit is the most that a suggestion differs by."""
MAX_COMPARED = 500
"""Names that difflib compares: those that share most trigrams."""
MAX_LISTED = 12
"""Existing names that a message lists where none is near."""


class UnknownNameError(NotInIndexError):
    """A name that the index does not have; `nearest` are the names that were perhaps meant, or if
    none is similar the first ones that exist.
    """

    def __init__(self, problem: str, remedy: str, name: str, nearest: Sequence[str]) -> None:
        super().__init__(problem, remedy)
        self.name = name
        self.nearest = nearest


def unknown_name_error(
    kind: str, name: str, existing: Sequence[str], aliases: Iterable[str] = ()
) -> UnknownNameError:
    """Returns the error for a name that the index does not have, with the nearest existing names.

    `aliases` are compared too, but not listed.
    """
    from difflib import get_close_matches

    by_lowercase = {alias.lower(): alias for alias in (*aliases, *existing)}
    candidates = _most_shared_trigrams(name.lower(), {folded: folded for folded in by_lowercase})
    close = get_close_matches(name.lower(), candidates, MAX_SUGGESTIONS)
    near = [by_lowercase[folded] for folded in close] or nearest_names(
        name, by_lowercase.values(), "/"
    )
    remedy = f"The nearest: {', '.join(near)}." if near else ""
    if not near and existing:
        more = f" and {len(existing) - MAX_LISTED} more" if len(existing) > MAX_LISTED else ""
        remedy = f"It has: {', '.join(existing[:MAX_LISTED])}{more}."
    known = near or existing[:MAX_LISTED]
    return UnknownNameError(f"The index has no {kind} '{name}'.", remedy, name, known)


def nearest_names(target: str, names: Iterable[str], separator: str) -> list[str]:
    """Returns the names whose parts after the last `separator` are most similar to the target's."""
    from difflib import get_close_matches

    target_part = _last_part(target, separator)
    parts = {name: _last_part(name, separator) for name in names}
    candidates = _most_shared_trigrams(target_part, parts)
    distinct = dict.fromkeys(parts[name] for name in candidates)
    close = get_close_matches(target_part, distinct, MAX_SUGGESTIONS, MIN_SIMILARITY)
    if len(target_part) <= SHORT_NAME:  # `nope` and `Open` have three letters in common
        close = [part for part in close if is_within_one_edit(target_part, part)]
    return [name for part in close for name in candidates if parts[name] == part][:MAX_SUGGESTIONS]


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Returns "Did you mean …?" with the most similar name; empty if none is similar."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(names), 1)
    return f"Did you mean `{near[0]}`?" if near else ""


def is_within_one_edit(one: str, other: str) -> bool:
    """Returns True for equal words, and if a letter is left out, added, replaced or swapped with
    the next one; with two such edits, `creation` became `creator`.
    """
    start = common_prefix_length(one, other)
    rest, others = one[start:][::-1], other[start:][::-1]
    end = common_prefix_length(rest, others)
    rest, others = rest[end:], others[end:]
    is_swapped = len(rest) == len(others) == 2 and rest == others[::-1]
    return is_swapped or max(len(rest), len(others)) <= 1


def _most_shared_trigrams(target: str, texts: Mapping[str, str]) -> list[str]:
    """Returns the keys of the texts that share most trigrams with the target, the best first."""
    target_trigrams = set(trigrams(f" {target} "))
    counts = (
        (len(target_trigrams.intersection(trigrams(f" {text} "))), name)
        for name, text in texts.items()
    )
    ranked = sorted((count for count in counts if count[0]), reverse=True)
    return [name for _, name in ranked[:MAX_COMPARED]]


def _last_part(name: str, separator: str) -> str:
    return name.rpartition(separator)[2].casefold()
