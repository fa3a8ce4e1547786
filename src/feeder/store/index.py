"""One repository's part of the index: reads its state and writes files, nodes and vector states
in guarded transactions. (Keep the paragraph on the order of writes.)
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from feeder.store import (
    Database,
    FencingToken,
    Row,
    Statement,
    sql,
    static_vectors,
    stored_descriptions,
    stored_source,
)
from feeder.store.index_state import (
    MODEL_VECTORS_KEY,
    STATIC_VECTORS_KEY,
    UNSHARDED,
    IndexState,
    NodeChanges,
    Sharding,
    UnchangedFiles,
    VectorProgress,
    files_from_rows,
    meta_from_rows,
    outbox_from_rows,
    progress_statements,
)
from feeder.store.integrity import Damage, node_removal_statements, remove_damage
from feeder.store.ownership import Ownership
from feeder.store.rows import (
    IndexedFile,
    batched,
    doc_rows,
    file_batches,
    file_rows,
    json_pages,
    node_keys_json,
    posting_rows,
)

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
        self.start_statements: Sequence[Statement] = ()
        self.stores_source = self.stores_descriptions = self.has_descriptions = False
        self._owner = Ownership(lambda: self.database, self.meta_key, clock)

    def meta_key(self, name: str) -> str:
        """The key under which `meta` keeps something of this repository."""
        return f"{self.repo}:{name}"

    def read_state(self, expected: dict[str, str]) -> IndexState:
        """What the index holds; one request, and one more for every 20,000 files.

        `expected` maps keys of `meta` to values; when it is not empty and all met, only the files
        with a reason are told, and the others counted.
        """
        unless = json.dumps(expected)
        count = Statement(sql.COUNT_INDEXED_FILES, (self.repo, unless))
        files = Statement(sql.READ_FILES, (self.repo, unless, "", PAGE_FILES))
        meta, outbox, [[kept]], page = self.database.run([*self._state_statements(), count, files])
        known = meta_from_rows(meta)
        held = files_from_rows(page)
        while len(page) == PAGE_FILES:
            more = Statement(sql.READ_FILES, (self.repo, unless, str(page[-1][0]), PAGE_FILES))
            [page] = self.database.run([more])
            held |= files_from_rows(page)
        met = bool(expected) and expected.items() <= known.items()
        if met:
            return IndexState(
                known, None, outbox_from_rows(outbox), UnchangedFiles(int(str(kept)), held)
            )
        return IndexState(known, held, outbox_from_rows(outbox))

    def read_state_of(self, paths: Iterable[str]) -> IndexState:
        """The same for the files at `paths`."""
        named = [Statement(sql.READ_FILES_AT, (self.repo, page)) for page in json_pages(paths)]
        meta, outbox, *found = self.database.run([*self._state_statements(), *named])
        files = files_from_rows(row for page in found for row in page)
        return IndexState(meta_from_rows(meta), files, outbox_from_rows(outbox))

    def _state_statements(self) -> list[Statement]:
        return [Statement(sql.READ_META), Statement(sql.READ_OUTBOX, (self.repo,))]

    def node_ids(self, paths: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
        """Each path that has nodes, with their ids; a request for every 2,000 paths."""
        for rows in self._node_key_rows(paths):
            ids: dict[str, set[str]] = {}
            for path, id_, _ in rows:
                ids.setdefault(str(path), set()).add(str(id_))
            yield from ids.items()

    def node_keys(self, paths: Iterable[str]) -> dict[str, str]:
        """By id what `keys_of` tells of each node; a request for every 2,000 paths."""
        return {str(id_): str(key) for rows in self._node_key_rows(paths) for _, id_, key in rows}

    def _node_key_rows(self, paths: Iterable[str]) -> Iterator[list[Row]]:
        for some in batched(paths, PAGE_PATHS):
            named = [Statement(sql.READ_NODE_KEYS, (self.repo, page)) for page in json_pages(some)]
            yield [row for rows in self.database.run(named) for row in rows]

    def take_over(self, token: str, seen: IndexState, meta: Mapping[str, str]) -> None:
        """Ends the right of the run in `seen` to write; what is read after it stays true.

        One request; puts `meta` into the database's. Raises Moved when another run has begun since.
        """
        meta = {**meta, self.meta_key("run"): token, self.meta_key("overtook"): token}
        self._begin_ownership(token, seen, [Statement(sql.SET_META, (json.dumps(meta),))])
        self._owner.write([])

    def record_noop(self, token: str, seen: IndexState, meta: Mapping[str, str]) -> None:
        """Notes a run that had nothing to do, as begun and ended; one request.

        Puts `meta` into the database's. Raises Moved when another run has begun since `seen`.
        """
        meta = {**meta, self.meta_key("run"): token, self.meta_key("done"): token}
        self._begin_ownership(token, seen, [Statement(sql.SET_META, (json.dumps(meta),))])
        self._owner.write([self._owner.delete_write_number_statement()])

    def begin(
        self,
        token: str,
        seen: IndexState,
        meta: Mapping[str, str],
        *,
        recompute_vectors: bool,
        sharding: Sharding = UNSHARDED,
    ) -> None:
        """Names the run: its first write makes the index its own, and no longer equal to a tree.

        That write raises Moved when another run has begun since `seen` was read. It puts `meta`
        into the database's; with `remake` all files wait for new vectors.
        """
        claims = [
            self.meta_key("tree"),
            self.meta_key(MODEL_VECTORS_KEY),
            self.meta_key(STATIC_VECTORS_KEY),
            self.meta_key("done"),
        ]
        branch = self.meta_key("branch")
        meta = {self.meta_key("run"): token, branch: self.branch, **meta}
        left = [*self._leftover_meta_keys(token, seen, sharding), *claims]
        opening = [
            *self.start_statements,
            Statement(sql.DELETE_META, (json.dumps(left),)),
            Statement(sql.SET_META, (json.dumps(meta),)),
        ]
        if seen.meta.get(branch, self.branch) != self.branch:
            opening.append(Statement(sql.SET_BRANCH, (self.branch, self.repo)))
        if recompute_vectors:
            opening += [Statement(sql.MARK_ALL_PENDING), Statement(sql.DELETE_ALL_VECTORS_KEYS)]
        self._begin_ownership(token, seen, opening)

    def _begin_ownership(self, token: str, seen: IndexState, statements: list[Statement]) -> None:
        self._owner.begin(token, seen.meta.get(self.meta_key("run")), statements)

    def has_unfinished_run(self, seen: IndexState, token: str) -> bool:
        """Whether the last run has not come to its end, and is another one than `token`."""
        return seen.meta.get(self.meta_key("run")) not in {
            seen.meta.get(self.meta_key("done")),
            token,
        }

    def has_superseded(self, seen: IndexState, token: str) -> bool:
        """Whether the run `token` began before the end of another one, which may still write."""
        return seen.meta.get(self.meta_key("overtook")) == token

    def write(
        self,
        files: Sequence[IndexedFile],
        removed_paths: Sequence[str],
        sha_head: str,
        *,
        pending: bool,
    ) -> NodeChanges:
        """Makes the index hold `files` as given and those at the paths `gone` not at all.

        One request; a node whose id and text are there already costs nothing. With `pending`, the
        files wait for their vectors.
        """
        statements = [
            *self._removal_statements(files, removed_paths),
            *self._addition_statements(files, sha_head),
            *self._file_statements(files, removed_paths, sha_head, pending=pending),
            *(
                stored_source.change_statements(self.repo, files, removed_paths)
                if self.stores_source
                else ()
            ),
            *(
                stored_descriptions.link_file_statements(self.repo, files)
                if self.stores_descriptions
                else ()
            ),
        ]
        answer = self._owner.write(statements)
        if answer is None:
            return self._changes_after_lost_answer(files, sha_head)
        returned: dict[str, set[str]] = {sql.ADD_NODES: set(), sql.DELETE_NODES: set()}
        for statement, rows in zip(statements, answer, strict=True):
            if statement.sql in returned:
                returned[statement.sql].update(_ids(rows))
        new = returned[sql.ADD_NODES]
        return NodeChanges(new, returned[sql.DELETE_NODES] - new)

    def write_statements(
        self, statements: list[Statement], *, is_last: bool = False
    ) -> list[list[Row]] | None:
        """Writes what is no file's, be it the last of a run, behind its guard; one request."""
        return self._owner.write(
            [*([self._owner.delete_write_number_statement()] if is_last else []), *statements]
        )

    def remove_damage(self, damage: Damage) -> None:
        """Takes out what a validation found wrong, piece by piece; the next sync makes it anew."""
        remove_damage(damage, self.repo, self.branch, self._owner.write)

    def invalidate_files(self, paths: Iterable[str]) -> None:
        """The nodes of the files at `paths` may be wrong: the next run makes them anew."""
        self._owner.write(
            [Statement(sql.INVALIDATE_FILES, (self.repo, page)) for page in json_pages(paths)]
        )

    def take_ownership(self) -> None:
        """The first write of a run that has begun, where it shall come before all others."""
        self._owner.write([])

    def record_vectors(self, progress: VectorProgress) -> None:
        """Notes what has become of vectors."""
        self._owner.write(progress_statements(self.repo, progress))

    def finish(
        self, progress: VectorProgress, meta: Mapping[str, str], sharding: Sharding = UNSHARDED
    ) -> None:
        """The run's last write: the same, what the index now equals, and that the run is over.

        Of several runs that share the work, the last to end says so for all. Of `meta`, that the
        vectors are complete holds only when no file is pending.
        """
        own = {key: sharding.all_keys[key] for key in sharding.all_keys if key == sharding.own_key}
        facts = json.dumps({**meta, self.meta_key("done"): self._owner.token})
        whole = json.dumps(dict(sharding.all_keys))
        working = self.meta_key("working")
        of_others = [working] if self.meta_key("tree") in meta and working not in meta else []
        passing = json.dumps([self.meta_key("overtook"), *of_others, *sharding.all_keys])
        self._owner.write(
            [
                *progress_statements(self.repo, progress),
                Statement(sql.SET_META, (json.dumps(own),)),
                Statement(
                    sql.SET_META_IF_COMPLETE,
                    (facts, self.meta_key(MODEL_VECTORS_KEY), self.repo, whole),
                ),
                Statement(sql.DELETE_META_IF, (passing, self.meta_key("done"), self._owner.token)),
                self._owner.delete_write_number_statement(),
            ]
        )

    @property
    def fencing_token(self) -> FencingToken:
        """The run's right to write what has no guard of its own."""
        return FencingToken(self._owner.verify, self._owner.guard_statement())

    def finish_incomplete_shard(self, progress: VectorProgress) -> None:
        """The last write of one of several runs, whose part of the work is not done."""
        self._owner.write(
            [*progress_statements(self.repo, progress), self._owner.delete_write_number_statement()]
        )

    def _leftover_meta_keys(
        self, token: str, seen: IndexState, sharding: Sharding
    ) -> Iterator[str]:
        """What runs that have not come to their end left in `meta`."""
        marks, own = self.meta_key("write:"), self.meta_key(f"write:{token}:")
        yield from (key for key in seen.meta if key.startswith(marks) and not key.startswith(own))
        shares = {pair for pair in seen.meta.items() if pair[0].startswith(self.meta_key("shard:"))}
        yield from sorted(key for key, _ in shares.difference(sharding.all_keys.items()))

    def _changes_after_lost_answer(
        self, files: Sequence[IndexedFile], sha_head: str
    ) -> NodeChanges:
        """What a write has changed whose answer was lost; one request.

        Never too little: what an unfinished run left to remove or wrote at this commit may be in.
        """
        written = [
            Statement(sql.READ_NODES_WRITTEN, (self.repo, sha_head, page))
            for page in json_pages(file.path for file in files)
        ]
        outbox, *found = self._owner.read([Statement(sql.READ_OUTBOX, (self.repo,)), *written])
        return NodeChanges(set(_ids(row for page in found for row in page)), set(_ids(outbox)))

    def _removal_statements(
        self, files: Sequence[IndexedFile], removed_paths: Sequence[str]
    ) -> Iterator[Statement]:
        for group in file_batches(files):
            wanted = node_keys_json(group)
            paths = json.dumps([file.path for file in group])
            yield from node_removal_statements(self.repo, paths, wanted)
            yield Statement(sql.RESTORE_FROM_OUTBOX, (wanted,))
        for page in json_pages(removed_paths):
            yield from node_removal_statements(self.repo, page)

    def _addition_statements(
        self, files: Sequence[IndexedFile], sha_head: str
    ) -> Iterator[Statement]:
        for page in json_pages(doc_rows(files)):
            yield Statement(sql.ADD_NODES, (self.repo, self.branch, sha_head, page))
        for page in json_pages(posting_rows(files)):
            yield Statement(sql.ADD_POSTINGS, (page,))
        yield from static_vectors.add_vector_statements(files)

    def _file_statements(
        self,
        files: Sequence[IndexedFile],
        removed_paths: Sequence[str],
        sha_head: str,
        *,
        pending: bool,
    ) -> Iterator[Statement]:
        for page in json_pages(file_rows(files, pending=pending)):
            yield Statement(sql.UPSERT_FILES, (self.repo, sha_head, page))
        for page in json_pages(removed_paths):
            yield Statement(sql.DELETE_FILES, (self.repo, page))


def _ids(rows: Iterable[Row]) -> list[str]:
    return [str(row[0]) for row in rows]
