"""The index in the words of the field.

Order of writes: a file's rows, its postings and the ids that must leave the vectors are one
transaction; vectors follow; then the file is clean. So every vector's id is in `docs` or `outbox`,
and every node without a vector belongs to a pending file, whenever a run dies.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from feeder.store import Database, Permit, Row, Statement, descriptions, meanings, sql, texts
from feeder.store.forgetting import Damage, forget, node_removal
from feeder.store.ownership import Ownership
from feeder.store.rows import (
    IndexedFile,
    doc_rows,
    file_rows,
    groups,
    keys,
    pages,
    pieces,
    postings,
)
from feeder.store.settling import LINED, VECTORS, Settled, settling
from feeder.store.state import ALONE, Changes, Kept, Share, State, manifest, meta_of, outbox_of

PAGE_FILES = 20_000
"""Rows of the manifest read at once."""
PAGE_PATHS = 2_000
"""Files whose nodes are read at once."""


class Index:
    """One repository's part of the index in a database; `opening` is what its runs begin with.

    Where a run says so it `keeps_texts` of its files, and where it `keeps_lines` what is described;
    with `has_lines` there are some, be it that they have to go.

    A run that writes calls `begin` first. From its first write on, every later one carries a guard
    that raises Overtaken, and so writes nothing, when another run has begun meanwhile.
    """

    def __init__(
        self,
        database: Database,
        repo: str,
        branch: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.database = database
        self.repo = repo
        self.branch = branch
        self.opening: Sequence[Statement] = ()
        self.keeps_texts = self.keeps_lines = self.has_lines = False
        self._owner = Ownership(lambda: self.database, self.key, clock)

    def key(self, name: str) -> str:
        """The key under which `meta` keeps something of this repository."""
        return f"{self.repo}:{name}"

    def state(self, expected: dict[str, str]) -> State:
        """What the index holds; one request, and one more for every 20,000 files.

        `expected` maps keys of `meta` to values; when it is not empty and all met, only the files
        with a reason are told, and the others counted.
        """
        unless = json.dumps(expected)
        count = Statement(sql.KEPT, (self.repo, unless))
        files = Statement(sql.FILES, (self.repo, unless, "", PAGE_FILES))
        meta, outbox, [[kept]], page = self.database.run([*self._itself(), count, files])
        known = meta_of(meta)
        held = manifest(page)
        while len(page) == PAGE_FILES:
            more = Statement(sql.FILES, (self.repo, unless, str(page[-1][0]), PAGE_FILES))
            [page] = self.database.run([more])
            held |= manifest(page)
        met = bool(expected) and expected.items() <= known.items()
        if met:
            return State(known, None, outbox_of(outbox), Kept(int(str(kept)), held))
        return State(known, held, outbox_of(outbox))

    def state_of(self, paths: Iterable[str]) -> State:
        """The same for the files at `paths`."""
        named = [Statement(sql.NAMED_FILES, (self.repo, page)) for page in pages(paths)]
        meta, outbox, *found = self.database.run([*self._itself(), *named])
        files = manifest(row for page in found for row in page)
        return State(meta_of(meta), files, outbox_of(outbox))

    def _itself(self) -> list[Statement]:
        return [Statement(sql.META), Statement(sql.OUTBOX, (self.repo,))]

    def node_ids(self, paths: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
        """Each path that has nodes, with their ids; a request for every 2,000 paths."""
        for rows in self._nodes(paths):
            ids: dict[str, set[str]] = {}
            for path, id_, _ in rows:
                ids.setdefault(str(path), set()).add(str(id_))
            yield from ids.items()

    def node_keys(self, paths: Iterable[str]) -> dict[str, str]:
        """By id what `keys_of` tells of each node; a request for every 2,000 paths."""
        return {str(id_): str(key) for rows in self._nodes(paths) for _, id_, key in rows}

    def _nodes(self, paths: Iterable[str]) -> Iterator[list[Row]]:
        for some in pieces(paths, PAGE_PATHS):
            named = [Statement(sql.NODE_KEYS, (self.repo, page)) for page in pages(some)]
            yield [row for rows in self.database.run(named) for row in rows]

    def take_over(self, token: str, seen: State, meta: Mapping[str, str]) -> None:
        """Ends the right of the run in `seen` to write; what is read after it stays true.

        One request; puts `meta` into the database's. Raises Moved when another run has begun since.
        """
        meta = {**meta, self.key("run"): token, self.key("overtook"): token}
        self._open(token, seen, [Statement(sql.SET_META, (json.dumps(meta),))])
        self._owner.write([])

    def pass_by(self, token: str, seen: State, meta: Mapping[str, str]) -> None:
        """Notes a run that had nothing to do, as begun and ended; one request.

        Puts `meta` into the database's. Raises Moved when another run has begun since `seen`.
        """
        meta = {**meta, self.key("run"): token, self.key("done"): token}
        self._open(token, seen, [Statement(sql.SET_META, (json.dumps(meta),))])
        self._owner.write([self._owner.unmark()])

    def begin(
        self,
        token: str,
        seen: State,
        meta: Mapping[str, str],
        *,
        remake: bool,
        share: Share = ALONE,
    ) -> None:
        """Names the run: its first write makes the index its own, and no longer equal to a tree.

        That write raises Moved when another run has begun since `seen` was read. It puts `meta`
        into the database's; with `remake` all files wait for new vectors.
        """
        claims = [self.key("tree"), self.key(VECTORS), self.key(LINED), self.key("done")]
        branch = self.key("branch")
        meta = {self.key("run"): token, branch: self.branch, **meta}
        left = [*self._left(token, seen, share), *claims]
        opening = [
            *self.opening,
            Statement(sql.DROP_META, (json.dumps(left),)),
            Statement(sql.SET_META, (json.dumps(meta),)),
        ]
        if seen.meta.get(branch, self.branch) != self.branch:
            opening.append(Statement(sql.SET_BRANCH, (self.branch, self.repo)))
        if remake:
            opening += [Statement(sql.REMAKE_VECTORS), Statement(sql.NONE_COMPLETE)]
        self._open(token, seen, opening)

    def _open(self, token: str, seen: State, statements: list[Statement]) -> None:
        self._owner.open(token, seen.meta.get(self.key("run")), statements)

    def is_unfinished(self, seen: State, token: str) -> bool:
        """Whether the last run has not come to its end, and is another one than `token`."""
        return seen.meta.get(self.key("run")) not in {seen.meta.get(self.key("done")), token}

    def has_overtaken(self, seen: State, token: str) -> bool:
        """Whether the run `token` began before the end of another one, which may still write."""
        return seen.meta.get(self.key("overtook")) == token

    def write(
        self, files: Sequence[IndexedFile], gone: Sequence[str], sha_head: str, *, pending: bool
    ) -> Changes:
        """Makes the index hold `files` as given and those at the paths `gone` not at all.

        One request; a node whose id and text are there already costs nothing. With `pending`, the
        files wait for their vectors.
        """
        statements = [
            *self._removals(files, gone),
            *self._additions(files, sha_head),
            *self._files(files, gone, sha_head, pending=pending),
            *(texts.changes(self.repo, files, gone) if self.keeps_texts else ()),
            *(descriptions.links(self.repo, files) if self.keeps_lines else ()),
        ]
        answer = self._owner.write(statements)
        if answer is None:
            return self._done(files, sha_head)
        returned: dict[str, set[str]] = {sql.ADD_NODES: set(), sql.DROP_NODES: set()}
        for statement, rows in zip(statements, answer, strict=True):
            if statement.sql in returned:
                returned[statement.sql].update(_ids(rows))
        new = returned[sql.ADD_NODES]
        return Changes(new, returned[sql.DROP_NODES] - new)

    def bring_in(self, some: list[Statement], *, last: bool = False) -> list[list[Row]] | None:
        """Writes what is no file's, be it the last of a run, behind its guard; one request."""
        return self._owner.write([*([self._owner.unmark()] if last else []), *some])

    def forget(self, damage: Damage) -> None:
        """Takes out what a validation found wrong, piece by piece; the next sync makes it anew."""
        forget(damage, self.repo, self.branch, self._owner.write)

    def doubt(self, paths: Iterable[str]) -> None:
        """The nodes of the files at `paths` may be wrong: the next run makes them anew."""
        self._owner.write([Statement(sql.DOUBT, (self.repo, page)) for page in pages(paths)])

    def claim(self) -> None:
        """The first write of a run that has begun, where it shall come before all others."""
        self._owner.write([])

    def settle(self, settled: Settled) -> None:
        """Notes what has become of vectors."""
        self._owner.write(settling(self.repo, settled))

    def finish(self, settled: Settled, meta: Mapping[str, str], share: Share = ALONE) -> None:
        """The run's last write: the same, what the index now equals, and that the run is over.

        Of several runs that share the work, the last to end says so for all. Of `meta`, that the
        vectors are complete holds only when no file is pending.
        """
        own = {key: share.whole[key] for key in share.whole if key == share.own}
        facts = json.dumps({**meta, self.key("done"): self._owner.token})
        whole = json.dumps(dict(share.whole))
        working = self.key("working")
        of_others = [working] if self.key("tree") in meta and working not in meta else []
        passing = json.dumps([self.key("overtook"), *of_others, *share.whole])
        self._owner.write(
            [
                *settling(self.repo, settled),
                Statement(sql.SET_META, (json.dumps(own),)),
                Statement(sql.REACH, (facts, self.key(VECTORS), self.repo, whole)),
                Statement(sql.DROP_META_WHEN, (passing, self.key("done"), self._owner.token)),
                self._owner.unmark(),
            ]
        )

    @property
    def permit(self) -> Permit:
        """The run's right to write what has no guard of its own."""
        return Permit(self._owner.confirm, self._owner.guard())

    def leave(self, settled: Settled) -> None:
        """The last write of one of several runs, whose part of the work is not done."""
        self._owner.write([*settling(self.repo, settled), self._owner.unmark()])

    def _left(self, token: str, seen: State, share: Share) -> Iterator[str]:
        """What runs that have not come to their end left in `meta`."""
        marks, own = self.key("write:"), self.key(f"write:{token}:")
        yield from (key for key in seen.meta if key.startswith(marks) and not key.startswith(own))
        shares = {pair for pair in seen.meta.items() if pair[0].startswith(self.key("shard:"))}
        yield from sorted(key for key, _ in shares.difference(share.whole.items()))

    def _done(self, files: Sequence[IndexedFile], sha_head: str) -> Changes:
        """What a write has changed whose answer was lost; one request.

        Never too little: what an unfinished run left to remove or wrote at this commit may be in.
        """
        written = [
            Statement(sql.WRITTEN_NODES, (self.repo, sha_head, page))
            for page in pages(file.path for file in files)
        ]
        outbox, *found = self._owner.ask([Statement(sql.OUTBOX, (self.repo,)), *written])
        return Changes(set(_ids(row for page in found for row in page)), set(_ids(outbox)))

    def _removals(self, files: Sequence[IndexedFile], gone: Sequence[str]) -> Iterator[Statement]:
        for group in groups(files):
            wanted = keys(group)
            paths = json.dumps([file.path for file in group])
            yield from node_removal(self.repo, paths, wanted)
            yield Statement(sql.OUT_OF_OUTBOX, (wanted,))
        for page in pages(gone):
            yield from node_removal(self.repo, page)

    def _additions(self, files: Sequence[IndexedFile], sha_head: str) -> Iterator[Statement]:
        for page in pages(doc_rows(files)):
            yield Statement(sql.ADD_NODES, (self.repo, self.branch, sha_head, page))
        for page in pages(postings(files)):
            yield Statement(sql.ADD_POSTINGS, (page,))
        yield from meanings.additions(files)

    def _files(
        self, files: Sequence[IndexedFile], gone: Sequence[str], sha_head: str, *, pending: bool
    ) -> Iterator[Statement]:
        for page in pages(file_rows(files, pending=pending)):
            yield Statement(sql.SET_FILES, (self.repo, sha_head, page))
        for page in pages(gone):
            yield Statement(sql.DROP_FILES, (self.repo, page))


def _ids(rows: Iterable[Row]) -> list[str]:
    return [str(row[0]) for row in rows]
