"""Has each method and class its line? Kept as the index was told; asked for only where it is said.

They come last: when a run begins to ask, the index equals the tree already.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from feeder.describe import LINE_TOKENS, Describer
from feeder.describe.prompt import prompt, version
from feeder.describe.subjects import Subject, subjects
from feeder.embed.dealing import tokens
from feeder.errors import StoppedEarly
from feeder.nodes import node_ids
from feeder.run import lined
from feeder.run.asking import Asking
from feeder.run.feed import Describing, Feed, Work, parsed_files
from feeder.run.kept import FILLING, LEAVING, OFF, ON, standing
from feeder.run.sharing import is_own
from feeder.run.verdict import Check
from feeder.store import Statement, descriptions
from feeder.store.descriptions import DescriptionSource
from feeder.store.forgetting import Damage
from feeder.store.proof import ParityReport
from feeder.store.rows import IndexedFile, batched
from feeder.store.state import IndexState
from feeder.tree import Entry

KEY, MODEL = "describe", "describer"
"""In `meta`, of a repository: `on` says that no line lacks; and who was asked last."""
SUBJECTS = 200
"""Whose lines are looked for at once."""
WAIT = (
    "Methods and classes of the index wait for descriptions by {}: feeder sync --describe, with "
    "the model. --describe off takes all out."
)


def are_wanted(feed: Feed, meta: Mapping[str, str]) -> bool:
    """Whether the index is to have lines."""
    if feed.describing:
        return feed.describing.describer is not None
    return standing(feed, meta, KEY) in {ON, FILLING}


def may_be(feed: Feed, meta: Mapping[str, str]) -> bool:
    """Whether there are any in the run, be it that they have to go."""
    return are_wanted(feed, meta) or standing(feed, meta, KEY) != OFF


def are_settled(feed: Feed, meta: Mapping[str, str]) -> bool:
    """Whether nothing is to be done for them; without a model to ask, nothing can be."""
    said = standing(feed, meta, KEY)
    if not are_wanted(feed, meta):
        return said == OFF
    if not lined.are_settled(feed, meta):
        return False
    if feed.describing is None:
        return True
    return said == ON and not feed.describing.again


def begun(feed: Feed, meta: Mapping[str, str]) -> dict[str, str]:
    """What `meta` says from a run's first write on: a node that it writes may lack a line."""
    key = feed.index.meta_key
    if not are_wanted(feed, meta):
        return {key(KEY): LEAVING} if standing(feed, meta, KEY) != OFF else {}
    describer = _describer(feed)
    return {key(KEY): FILLING, **({key(MODEL): describer.model} if describer else {})}


def note(feed: Feed, meta: Mapping[str, str]) -> None:
    """Says that some lack where nobody is asked this time."""
    if feed.describing is None and standing(feed, meta, KEY) == FILLING:
        feed.report.notes.append(WAIT.format(meta.get(feed.index.meta_key(MODEL), "a model")))


def bring_on(feed: Feed, meta: Mapping[str, str], *, completes: bool) -> None:
    """Asks for what lacks once the index equals the tree; raises what the asking has ended with.

    Vectors follow the lines; a run that `completes` them notes it. Raises Stopped where a budget
    ends it, Overtaken where a later run has begun.
    """
    if not may_be(feed, meta):
        return
    feed.report.finished = False
    asking = None
    if not are_wanted(feed, meta):
        _clear(feed)
    elif feed.describing and feed.describing.describer:
        asking = _ask(feed, feed.describing, feed.describing.describer)
    settled = lined.bring_on(feed)
    _end(feed, [*settled, *lined.saying(feed, completes=completes)], keeps=are_wanted(feed, meta))
    if asking and asking.error:
        raise asking.error
    if asking and asking.limit:
        feed.budget.stop(asking.limit)
    if feed.budget.stopped:
        raise StoppedEarly(feed.budget.stopped)
    feed.report.finished = True


def _end(feed: Feed, last: Sequence[Statement], *, keeps: bool) -> None:
    """The last write, of a run that `keeps` lines or one that has taken all out."""
    if not keeps:
        feed.index.write_statements([*last], is_last=True)
        return
    settling = descriptions.finish_statements(
        feed.index.repo, feed.index.meta_key(KEY), ON, FILLING
    )
    count = descriptions.undescribed_count_statement(feed.index.repo, None)
    if rows := feed.index.write_statements([*settling, *last, count], is_last=True):
        feed.report.descriptions_waiting = int(str(rows[-1][0][0]))


def _clear(feed: Feed) -> None:
    """Takes all out, as far as the budget goes."""
    keys = [feed.index.meta_key(name) for name in (KEY, MODEL)]
    before = _with_line(feed)
    while feed.budget.allows(1):
        rows = feed.index.write_statements(
            descriptions.unlink_statements(feed.index.repo, keys), is_last=True
        )
        if rows is not None and not rows[-1]:
            feed.report.descriptions_gone = before
            return
    feed.report.descriptions_gone = before - _with_line(feed)
    raise StoppedEarly(feed.budget.stopped)


def _ask(feed: Feed, how: Describing, describer: Describer) -> Asking:
    by = DescriptionSource(describer.model, version()) if how.again else None
    due = descriptions.undescribed_paths(feed.index.database, feed.index.repo, by)
    entries = [entry for entry in feed.tree.entries() if _is_due(feed, entry, due)]
    asking = Asking(feed, how, describer)
    with feed.talk.step("descriptions", len(entries)) as step:
        done: set[str] = set()
        for some in batched(_subjects(feed, entries, done), SUBJECTS):
            asking.ask(some, _unknown(feed, some, by))
            step(len(done))
            done.clear()
            if asking.is_over:
                break
    return asking


def _is_due(feed: Feed, entry: Entry, due: Mapping[str, str]) -> bool:
    """One that has changed since it was indexed is another run's."""
    return not entry.skip and due.get(entry.path) == entry.blob and is_own(feed, entry.path)


def _subjects(feed: Feed, entries: Sequence[Entry], done: set[str]) -> Iterator[Subject]:
    """The methods and classes of files that are parsed once more, each with its place."""
    for entry, parsed in parsed_files(feed, entries):
        ids = node_ids(feed.index.repo, entry.path, parsed.nodes)
        yield from subjects(parsed.nodes, ids)
        done.add(entry.path)


def _unknown(feed: Feed, some: Iterable[Subject], by: DescriptionSource | None) -> set[str]:
    return descriptions.missing_keys(feed.index.database, (one.sha for one in some), by)


def _with_line(feed: Feed) -> int:
    return descriptions.described_count(feed.index.database, feed.index.repo)


def foresee(feed: Feed, work: Work) -> None:
    """Counts what would be asked and what it takes; only reads."""
    describer = _describer(feed)
    if feed.describing and not describer:
        feed.report.descriptions_gone = _with_line(feed)
    if not describer or not feed.describing:
        return
    by = DescriptionSource(describer.model, version()) if feed.describing.again else None
    due = descriptions.undescribed_paths(feed.index.database, feed.index.repo, by)
    entries = [entry for entry in work.process if not entry.skip]
    entries += [one for one in (*work.unchanged, *work.waiting) if not one.skip and one.path in due]
    asked: dict[str, int] = {}
    for some in batched(_subjects(feed, entries, set()), SUBJECTS):
        unknown = _unknown(feed, some, by)
        asked |= {one.sha: tokens(prompt() + one.text) for one in some if one.sha in unknown}
    sizes = list(asked.values())[: feed.describing.most]
    feed.report.descriptions_made = len(sizes)
    feed.report.descriptions_price = _price(describer, sum(sizes), LINE_TOKENS * len(sizes))


def _price(describer: Describer, tokens_in: int, tokens_out: int) -> str:
    """What so many tokens cost, in words."""
    neurons = describer.neurons(tokens_in, tokens_out)
    price = "the price is unknown" if neurons is None else f"{neurons:,.0f} neurons of Workers AI"
    return f"about {tokens_in + tokens_out:,} tokens by {describer.model}, {price}"


def _describer(feed: Feed) -> Describer | None:
    return feed.describing.describer if feed.describing else None


def are_kept(feed: Feed, meta: Mapping[str, str]) -> bool:
    """Whether the index has lines, all or some."""
    return standing(feed, meta, KEY) in {ON, FILLING}


def mended(feed: Feed, meta: Mapping[str, str], damage: Damage) -> dict[str, str]:
    """What `meta` says while a repair is under way that has found some lacking."""
    return {feed.index.meta_key(KEY): FILLING} if damage.lacks_descriptions else {}


def checked(feed: Feed, state: IndexState, found: ParityReport, damage: Damage) -> Iterator[Check]:
    """Whether the words of all lines are there, and the lines that the index says it has.

    An index whose lines have not come yet is right without them.
    """
    said = standing(feed, state.meta, KEY)
    [(nodes, asked, without, linked)] = found.description_counts
    if (
        said == OFF
        and not linked
        and not (found.description_posting_mismatches or found.orphan_description_postings)
    ):
        return
    damage.has_wrong_description_postings |= bool(
        found.description_posting_mismatches or found.orphan_description_postings
    )
    yield Check(
        "every description is found by its words, and no other",
        {},
        [
            *(
                f"not by its words, or without any: {line!r}"
                for (line,) in found.description_posting_mismatches
            ),
            *(f"words of no description: {row}" for (row,) in found.orphan_description_postings),
        ],
    )
    lacking = found.undescribed_files if said == ON else []
    damage.lacks_descriptions |= bool(lacking)
    waiting = int(str(nodes)) - int(str(asked))
    yield Check(
        "every method and class has been described, where the index says so",
        {"methods and classes": int(str(nodes)), "waiting": waiting, "without": int(str(without))},
        [f"{path}: {count} without" for path, count in lacking],
    )


class HeldLinks:
    """What the nodes of files say to describe, for files asked for in the order of their paths."""

    def __init__(self, feed: Feed) -> None:
        index = feed.index
        keeps = index.stores_descriptions
        self._rest = descriptions.stored_links(index.database, index.repo) if keeps else iter(())
        self._at: tuple[str, dict[str, str]] = ("", {})

    def are_of(self, file: IndexedFile) -> bool:
        """Whether they are its texts' of now; what nobody has asked for yet is told elsewhere."""
        while self._at[0] < file.path and (following := next(self._rest, None)):
            self._at = following
        path, held = self._at
        due = dict(zip(file.ids, file.description_keys, strict=False))
        return path != file.path or all(due.get(id_) == sha for id_, sha in held.items())


def noted(state: IndexState, feed: Feed, found: ParityReport) -> Iterator[str]:
    """How many wait, where some do."""
    [(nodes, asked, *_)] = found.description_counts
    waiting = int(str(nodes)) - int(str(asked))
    if standing(feed, state.meta, KEY) == FILLING and waiting:
        yield f"{waiting:,} of {nodes:,} methods and classes wait for a description."
