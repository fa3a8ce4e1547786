"""What is said of a hit beside its lines, on every face? What it stands for, what became of it."""

from feeder.parse.extract import NOT_INSTALLED
from feeder.search.answers import PageHit
from feeder.search.excerpts import Freshness
from feeder.search.outline import OutlineEntry
from feeder.search.results import Result
from feeder.store.word_search import Hit

UNAVAILABLE_REASONS = {
    Freshness.DELETED: "gone: the file is edited since, and has no such lines any more",
    Freshness.FILE_DELETED: "not in the working tree any more",
    Freshness.UNREADABLE: NOT_INSTALLED,
}
"""Why there are no lines to be shown."""


def hit_name(shown: PageHit) -> str:
    """The name of the node, and of what the question names in it."""
    hit, member = shown.result.hit, shown.member
    return ".".join(filter(None, [hit.symbol or hit.logical_path, member and member.name]))


def hit_status(shown: PageHit) -> str:
    """What else the hit stands for, and what has become of lines that were indexed otherwise."""
    excerpt = shown.excerpt
    said = freshness_text(excerpt.freshness, shown.result.hit, (excerpt.first, excerpt.last))
    said = (
        f"in {shown.result.hit.repo}" if excerpt.freshness is Freshness.OTHER_REPOSITORY else said
    )
    commit = f"as committed in {excerpt.commit[:10]}" if excerpt.commit else ""
    return ", ".join(filter(None, [_group_text(shown.result), said, commit]))


def entry_status(entry: OutlineEntry) -> str:
    """The same of a line of an outline."""
    lines = entry.start_line, entry.end_line
    return freshness_text(entry.freshness, entry.hit, lines) or UNAVAILABLE_REASONS.get(
        entry.freshness, ""
    )


def _group_text(one: Result) -> str:
    """What else this hit stands for: pieces of the node, and copies of it."""
    pieces = f"{one.part_match.matching} of {one.part_match.of} parts" if one.part_match else ""
    copies = f"and {len(one.duplicates)} more with the same text" if one.duplicates else ""
    return ", ".join(filter(None, [pieces, copies]))


def freshness_text(state: Freshness, hit: Hit, lines: tuple[int, int]) -> str:
    was = f"{hit.start_line}-{hit.end_line}"
    moved = f", was {was}" if lines != (hit.start_line, hit.end_line) else ""
    return {
        Freshness.MOVED: f"moved from {was}",
        Freshness.CHANGED: f"edited since{moved}",
        Freshness.UNCERTAIN: f"the file is edited since: these may be other lines{moved}",
    }.get(state, "")
