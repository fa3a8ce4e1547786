"""Side table of descriptions: one sentence by a language model for each method and class.

Runs last, when the index already equals the tree.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from feeder.descriptions import DESCRIPTION_TOKENS, Describer
from feeder.descriptions.prompt import Subject, prompt, prompt_version, subjects
from feeder.embedding.batching import estimate_tokens
from feeder.errors import StoppedEarly
from feeder.nodes import node_ids
from feeder.source import Entry
from feeder.store import Statement, stored_descriptions
from feeder.store.index_state import IndexState
from feeder.store.integrity import Damage, ParityReport
from feeder.store.rows import IndexedFile, batched
from feeder.store.stored_descriptions import DescriptionSource
from feeder.sync import vector_refresh
from feeder.sync.concurrency import is_in_shard
from feeder.sync.context import DescriptionOptions, SyncContext
from feeder.sync.description_requests import DescriptionRequests
from feeder.sync.diff import Diff
from feeder.sync.report import Check
from feeder.sync.side_tables import CLEARING, FILLING, OFF, ON, table_status
from feeder.sync.write import parsed_files

DESCRIPTIONS_KEY, DESCRIBER_KEY = "describe", "describer"
"""In `meta`, of a repository: `on` says that no line lacks; and who was asked last."""
SUBJECTS_PER_BATCH = 200
"""Whose lines are looked for at once."""
WAITING_NOTE = (
    "Methods and classes of the index wait for descriptions by {}: feeder sync --describe, with "
    "the model. --describe off takes all out."
)


def is_wanted(run: SyncContext, meta: Mapping[str, str]) -> bool:
    """Whether the index is to have lines."""
    if run.description_options:
        return run.description_options.describer is not None
    return table_status(run, meta, DESCRIPTIONS_KEY) in {ON, FILLING}


def may_exist(run: SyncContext, meta: Mapping[str, str]) -> bool:
    """Whether there are any in the run, be it that they have to go."""
    return is_wanted(run, meta) or table_status(run, meta, DESCRIPTIONS_KEY) != OFF


def is_settled(run: SyncContext, meta: Mapping[str, str]) -> bool:
    """Whether nothing is to be done for them; without a model to ask, nothing can be."""
    said = table_status(run, meta, DESCRIPTIONS_KEY)
    if not is_wanted(run, meta):
        return said == OFF
    if not vector_refresh.static_vectors_settled(run, meta):
        return False
    if run.description_options is None:
        return True
    return said == ON and not run.description_options.redescribe


def start_meta(run: SyncContext, meta: Mapping[str, str]) -> dict[str, str]:
    """What `meta` says from a run's first write on: a node that it writes may lack a line."""
    key = run.index.meta_key
    if not is_wanted(run, meta):
        return (
            {key(DESCRIPTIONS_KEY): CLEARING}
            if table_status(run, meta, DESCRIPTIONS_KEY) != OFF
            else {}
        )
    describer = _language_model(run)
    return {
        key(DESCRIPTIONS_KEY): FILLING,
        **({key(DESCRIBER_KEY): describer.model} if describer else {}),
    }


def add_notes(run: SyncContext, meta: Mapping[str, str]) -> None:
    """Says that some lack where nobody is asked this time."""
    if run.description_options is None and table_status(run, meta, DESCRIPTIONS_KEY) == FILLING:
        run.report.notes.append(
            WAITING_NOTE.format(meta.get(run.index.meta_key(DESCRIBER_KEY), "a model"))
        )


def finish(run: SyncContext, meta: Mapping[str, str], *, completes_vectors: bool) -> None:
    """Asks for what lacks once the index equals the tree; raises what the asking has ended with.

    Vectors follow the lines; a run that `completes` them notes it. Raises Stopped where a budget
    ends it, Overtaken where a later run has begun.
    """
    if not may_exist(run, meta):
        return
    run.report.finished = False
    asking = None
    if not is_wanted(run, meta):
        _delete_all(run)
    elif run.description_options and run.description_options.describer:
        asking = _request_missing(run, run.description_options, run.description_options.describer)
    settled = vector_refresh.refresh_all(run)
    _last_write(
        run,
        [*settled, *vector_refresh.settled_statements(run, completes_vectors=completes_vectors)],
        keeps_descriptions=is_wanted(run, meta),
    )
    if asking and asking.error:
        raise asking.error
    if asking and asking.limit:
        run.budget.stop(asking.limit)
    if run.budget.stop_reason:
        raise StoppedEarly(run.budget.stop_reason)
    run.report.finished = True


def _last_write(
    run: SyncContext, statements: Sequence[Statement], *, keeps_descriptions: bool
) -> None:
    """The last write, of a run that `keeps` lines or one that has taken all out."""
    if not keeps_descriptions:
        run.index.write_statements([*statements], is_last=True)
        return
    settling = stored_descriptions.finish_statements(
        run.index.repo, run.index.meta_key(DESCRIPTIONS_KEY), ON, FILLING
    )
    count = stored_descriptions.undescribed_count_statement(run.index.repo, None)
    if rows := run.index.write_statements([*settling, *statements, count], is_last=True):
        run.report.descriptions_waiting = int(str(rows[-1][0][0]))


def _delete_all(run: SyncContext) -> None:
    """Takes all out, as far as the budget goes."""
    keys = [run.index.meta_key(name) for name in (DESCRIPTIONS_KEY, DESCRIBER_KEY)]
    before = _count_described(run)
    while run.budget.allows(1):
        rows = run.index.write_statements(
            stored_descriptions.unlink_statements(run.index.repo, keys), is_last=True
        )
        if rows is not None and not rows[-1]:
            run.report.descriptions_gone = before
            return
    run.report.descriptions_gone = before - _count_described(run)
    raise StoppedEarly(run.budget.stop_reason)


def _request_missing(
    run: SyncContext, options: DescriptionOptions, describer: Describer
) -> DescriptionRequests:
    by = DescriptionSource(describer.model, prompt_version()) if options.redescribe else None
    due = stored_descriptions.undescribed_paths(run.index.database, run.index.repo, by)
    entries = [entry for entry in run.tree.entries() if _is_unchanged_since(run, entry, due)]
    asking = DescriptionRequests(run, options, describer)
    with run.progress.step("descriptions", len(entries)) as step:
        done: set[str] = set()
        for some in batched(_parsed_subjects(run, entries, done), SUBJECTS_PER_BATCH):
            asking.request(some, _undescribed(run, some, by))
            step(len(done))
            done.clear()
            if asking.is_stopped:
                break
    return asking


def _is_unchanged_since(run: SyncContext, entry: Entry, missing_paths: Mapping[str, str]) -> bool:
    """One that has changed since it was indexed is another run's."""
    return (
        not entry.skip
        and missing_paths.get(entry.path) == entry.blob
        and is_in_shard(run, entry.path)
    )


def _parsed_subjects(
    run: SyncContext, entries: Sequence[Entry], finished_paths: set[str]
) -> Iterator[Subject]:
    """The methods and classes of files that are parsed once more, each with its place."""
    for entry, parsed in parsed_files(run, entries):
        ids = node_ids(run.index.repo, entry.path, parsed.nodes)
        yield from subjects(parsed.nodes, ids)
        finished_paths.add(entry.path)


def _undescribed(
    run: SyncContext, batch: Iterable[Subject], model_version: DescriptionSource | None
) -> set[str]:
    return stored_descriptions.missing_keys(
        run.index.database, (one.sha for one in batch), model_version
    )


def _count_described(run: SyncContext) -> int:
    return stored_descriptions.described_count(run.index.database, run.index.repo)


def estimate(run: SyncContext, diff: Diff) -> None:
    """Counts what would be asked and what it takes; only reads."""
    describer = _language_model(run)
    if run.description_options and not describer:
        run.report.descriptions_gone = _count_described(run)
    if not describer or not run.description_options:
        return
    by = (
        DescriptionSource(describer.model, prompt_version())
        if run.description_options.redescribe
        else None
    )
    due = stored_descriptions.undescribed_paths(run.index.database, run.index.repo, by)
    entries = [entry for entry in diff.to_index if not entry.skip]
    entries += [one for one in (*diff.unchanged, *diff.pending) if not one.skip and one.path in due]
    asked: dict[str, int] = {}
    for some in batched(_parsed_subjects(run, entries, set()), SUBJECTS_PER_BATCH):
        unknown = _undescribed(run, some, by)
        asked |= {
            one.sha: estimate_tokens(prompt() + one.text) for one in some if one.sha in unknown
        }
    sizes = list(asked.values())[: run.description_options.max_descriptions]
    run.report.descriptions_made = len(sizes)
    run.report.descriptions_price = _price_text(
        describer, sum(sizes), DESCRIPTION_TOKENS * len(sizes)
    )


def _price_text(describer: Describer, tokens_in: int, tokens_out: int) -> str:
    """What so many tokens cost, in words."""
    neurons = describer.neurons(tokens_in, tokens_out)
    price = "the price is unknown" if neurons is None else f"{neurons:,.0f} neurons of Workers AI"
    return f"about {tokens_in + tokens_out:,} tokens by {describer.model}, {price}"


def _language_model(run: SyncContext) -> Describer | None:
    return run.description_options.describer if run.description_options else None


def is_stored(run: SyncContext, meta: Mapping[str, str]) -> bool:
    """Whether the index has lines, all or some."""
    return table_status(run, meta, DESCRIPTIONS_KEY) in {ON, FILLING}


def repair_meta(run: SyncContext, meta: Mapping[str, str], damage: Damage) -> dict[str, str]:
    """What `meta` says while a repair is under way that has found some lacking."""
    return {run.index.meta_key(DESCRIPTIONS_KEY): FILLING} if damage.lacks_descriptions else {}


def check(
    run: SyncContext, state: IndexState, parity: ParityReport, damage: Damage
) -> Iterator[Check]:
    """Whether the words of all lines are there, and the lines that the index says it has.

    An index whose lines have not come yet is right without them.
    """
    said = table_status(run, state.meta, DESCRIPTIONS_KEY)
    [(nodes, asked, without, linked)] = parity.description_counts
    if (
        said == OFF
        and not linked
        and not (parity.description_posting_mismatches or parity.orphan_description_postings)
    ):
        return
    damage.has_wrong_description_postings |= bool(
        parity.description_posting_mismatches or parity.orphan_description_postings
    )
    yield Check(
        "every description is found by its words, and no other",
        {},
        [
            *(
                f"not by its words, or without any: {line!r}"
                for (line,) in parity.description_posting_mismatches
            ),
            *(f"words of no description: {row}" for (row,) in parity.orphan_description_postings),
        ],
    )
    lacking = parity.undescribed_files if said == ON else []
    damage.lacks_descriptions |= bool(lacking)
    waiting = int(str(nodes)) - int(str(asked))
    yield Check(
        "every method and class has been described, where the index says so",
        {"methods and classes": int(str(nodes)), "waiting": waiting, "without": int(str(without))},
        [f"{path}: {count} without" for path, count in lacking],
    )


class StoredLinksReader:
    """What the nodes of files say to describe, for files asked for in the order of their paths."""

    def __init__(self, run: SyncContext) -> None:
        index = run.index
        keeps = index.stores_descriptions
        self._remaining = (
            stored_descriptions.stored_links(index.database, index.repo) if keeps else iter(())
        )
        self._current: tuple[str, dict[str, str]] = ("", {})

    def matches(self, file: IndexedFile) -> bool:
        """Whether they are its texts' of now; what nobody has asked for yet is told elsewhere."""
        while self._current[0] < file.path and (following := next(self._remaining, None)):
            self._current = following
        path, held = self._current
        due = dict(zip(file.ids, file.description_keys, strict=False))
        return path != file.path or all(due.get(id_) == sha for id_, sha in held.items())


def remaining_notes(state: IndexState, run: SyncContext, parity: ParityReport) -> Iterator[str]:
    """How many wait, where some do."""
    [(nodes, asked, *_)] = parity.description_counts
    waiting = int(str(nodes)) - int(str(asked))
    if table_status(run, state.meta, DESCRIPTIONS_KEY) == FILLING and waiting:
        yield f"{waiting:,} of {nodes:,} methods and classes wait for a description."
