"""What is said of a hit beside its lines, on every face? What it stands for, what became of it."""

from feeder.parse.extract import NOT_INSTALLED
from feeder.search.answers import Shown
from feeder.search.found import Found
from feeder.search.outline import Entry
from feeder.search.sources import State
from feeder.store.reading import Hit

GONE = {
    State.GONE: "gone: the file is edited since, and has no such lines any more",
    State.NO_FILE: "not in the working tree any more",
    State.UNREAD: NOT_INSTALLED,
}
"""Why there are no lines to be shown."""


def name_of(shown: Shown) -> str:
    """The name of the node, and of what the question names in it."""
    hit, member = shown.one.hit, shown.member
    return ".".join(filter(None, [hit.symbol or hit.logical_path, member and member.name]))


def state_of(shown: Shown) -> str:
    """What else the hit stands for, and what has become of lines that were indexed otherwise."""
    excerpt = shown.excerpt
    said = _became(excerpt.state, shown.one.hit, (excerpt.first, excerpt.last))
    said = f"in {shown.one.hit.repo}" if excerpt.state is State.ELSEWHERE else said
    commit = f"as committed in {excerpt.commit[:10]}" if excerpt.commit else ""
    return ", ".join(filter(None, [_group(shown.one), said, commit]))


def state_of_entry(entry: Entry) -> str:
    """The same of a line of an outline."""
    lines = entry.start_line, entry.end_line
    return _became(entry.state, entry.hit, lines) or GONE.get(entry.state, "")


def _group(one: Found) -> str:
    """What else this hit stands for: pieces of the node, and copies of it."""
    pieces = f"{one.piece.matching} of {one.piece.of} parts" if one.piece else ""
    copies = f"and {len(one.copies)} more with the same text" if one.copies else ""
    return ", ".join(filter(None, [pieces, copies]))


def _became(state: State, hit: Hit, lines: tuple[int, int]) -> str:
    was = f"{hit.start_line}-{hit.end_line}"
    moved = f", was {was}" if lines != (hit.start_line, hit.end_line) else ""
    return {
        State.MOVED: f"moved from {was}",
        State.EDITED: f"edited since{moved}",
        State.UNSURE: f"the file is edited since: these may be other lines{moved}",
    }.get(state, "")
