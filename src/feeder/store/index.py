"""One repository's part of the index: reads its state and writes files, nodes and vector states.

All writes are transactions that fail when a later run owns the index. For a batch of files, one
transaction replaces nodes and postings, marks the files as pending, and puts the ids of deleted
nodes into the outbox. After their vectors are sent, the next transaction marks the files as clean
and empties the outbox. The key `head` in `meta` changes last. So every vector's id is in `docs` or
`outbox` at any moment, and a run that dies is completed by the next one.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

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
from feeder.store.batch import Batch
from feeder.store.index_counts import (
    NodeChangeCounts,
    keep_counts_statement,
    known_counts,
    set_counts_statement,
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
from feeder.store.ownership import Ownership
from feeder.store.rows import (
    IndexedFile,
    batched,
    file_batches,
    file_rows,
    join_pages,
    json_pages,
    node_keys_json,
)
from feeder.store.scope import prefix_end

if TYPE_CHECKING:
    from feeder.store.integrity import Damage

PAGE_FILES = 20_000
"""Rows of `files` that one request reads."""
PAGE_PATHS = 2_000
"""Files whose nodes one request reads."""


class Index:
    """One repository's part of the index in a database.

    `start_statements` are part of a run's first write. `stores_source` and `stores_descriptions`
    say whether `write` stores those too; `has_descriptions` says whether the index has any, also if
    they are to be deleted.

    A run that writes calls `begin` first. From its first write on, every later one raises
    Superseded and writes nothing if another run has begun meanwhile.
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
        self._counts = NodeChangeCounts(None)
        self._merges_postings = False

    def meta_key(self, name: str) -> str:
        """Returns the key of a value of this repository in `meta`."""
        return f"{self.repo}:{name}"

    def read_state(self, expected: dict[str, str]) -> IndexState:
        """Reads the state of the index; one request, and one more for every 20,000 files.

        `expected` maps keys of `meta` to values. If it is not empty and all values are equal, only
        files with a reason are read, and the others counted.
        """
        expected_json = json.dumps(expected)
        batch = Batch()
        meta_read, outbox_read = batch.add_all(self._state_statements())
        count = batch.add(Statement(sql.COUNT_INDEXED_FILES, (self.repo, expected_json)))
        files = batch.add(Statement(sql.READ_FILES, (self.repo, expected_json, "", PAGE_FILES)))
        batch.run(self.database)
        meta, outbox = meta_from_rows(meta_read.rows), outbox_from_rows(outbox_read.rows)
        page = files.rows
        by_path = files_from_rows(page)
        while len(page) == PAGE_FILES:
            more = Statement(sql.READ_FILES, (self.repo, expected_json, page[-1][0], PAGE_FILES))
            [page] = self.database.run([more])
            by_path |= files_from_rows(page)
        if expected and expected.items() <= meta.items():
            return IndexState(meta, None, outbox, UnchangedFiles(count.number, by_path))
        return IndexState(meta, by_path, outbox)

    def read_state_of(self, paths: Iterable[str]) -> IndexState:
        """Reads the state with the files at `paths` only; one request."""
        batch = Batch()
        meta, outbox = batch.add_all(self._state_statements())
        pages = batch.add_all(
            Statement(sql.READ_FILES_AT, (self.repo, page)) for page in json_pages(paths)
        )
        batch.run(self.database)
        files = files_from_rows(row for page in pages for row in page.rows)
        return IndexState(meta_from_rows(meta.rows), files, outbox_from_rows(outbox.rows))

    def _state_statements(self) -> list[Statement]:
        meta = f"{sql.READ_META} UNION ALL SELECT * FROM ({sql.READ_ANY_RUN})"
        return [
            Statement(meta, (json.dumps([self.repo]),)),
            Statement(sql.READ_OUTBOX, (self.repo,)),
        ]

    def node_ids(self, paths: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
        """Yields each path that has nodes, with their ids; one request for every 2,000 paths."""
        for rows in self._node_key_rows(paths):
            ids: dict[str, set[str]] = {}
            for path, id_, _ in rows:
                ids.setdefault(str(path), set()).add(str(id_))
            yield from ids.items()

    def node_keys(self, paths: Iterable[str]) -> dict[str, str]:
        """Returns the key of each node, as `rows.node_keys` defines it, by id.

        One request for every 2,000 paths.
        """
        return {str(id_): str(key) for rows in self._node_key_rows(paths) for _, id_, key in rows}

    def _node_key_rows(self, paths: Iterable[str]) -> Iterator[list[Row]]:
        for batch in batched(paths, PAGE_PATHS):
            reads = [Statement(sql.READ_NODE_KEYS, (self.repo, page)) for page in json_pages(batch)]
            yield [row for rows in self.database.run(reads) for row in rows]

    def take_over(self, token: str, seen: IndexState, meta: Mapping[str, str]) -> None:
        """Ends the ownership of the run in `seen`, so that what is read afterwards stays true.

        One request; adds `meta` to the database's. Raises SupersededAtStart if another run has
        begun since.
        """
        # those that `begin` took from an earlier state, before another run came in between
        self._counts = NodeChangeCounts(None)
        meta = {**meta, self.meta_key("run"): token, self.meta_key("overtook"): token}
        statements = [self._end_runs_statement(token), Statement(sql.SET_META, (json.dumps(meta),))]
        self._begin_ownership(token, seen, statements)
        self._owner.write([])

    def record_noop(self, token: str, seen: IndexState, meta: Mapping[str, str]) -> None:
        """Records a run that had nothing to do, as begun and finished; one request.

        Adds `meta` to the database's. Raises SupersededAtStart if another run has begun since
        `seen`.
        """
        meta = {**meta, self.meta_key("run"): token, self.meta_key("done"): token}
        before = seen.meta.get(self.meta_key("run"), "")
        statements = [
            keep_counts_statement(self.repo, before, token),
            Statement(sql.SET_META, (json.dumps(meta),)),
        ]
        self._begin_ownership(token, seen, statements)
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
        """Prepares the run's first write, which takes ownership of the index.

        That write raises SupersededAtStart if another run has begun since `seen` was read. It adds
        `meta` to the database's and deletes the keys that say that the index equals a tree. With
        `recompute_vectors` it marks all files as pending.
        """
        outdated = map(self.meta_key, ("tree", MODEL_VECTORS_KEY, STATIC_VECTORS_KEY, "done"))
        branch = self.meta_key("branch")
        meta = {self.meta_key("run"): token, branch: self.branch, **meta}
        deleted = [*self._leftover_shards(seen, sharding), *outdated]
        dropped = []
        if sql.OBSOLETE_TABLE in seen.meta:
            deleted.append(sql.OBSOLETE_TABLE)
            dropped.append(Statement(sql.DROP_OBSOLETE_TABLE))
        statements = [
            *self.start_statements,
            *dropped,
            self._end_runs_statement(token, deleted),
            Statement(sql.SET_META, (json.dumps(meta),)),
        ]
        if seen.meta.get(branch, self.branch) != self.branch:
            statements.append(Statement(sql.SET_BRANCH, (self.branch, self.repo)))
        if recompute_vectors:
            statements += [Statement(sql.MARK_ALL_PENDING), Statement(sql.DELETE_ALL_VECTORS_KEYS)]
        is_alone = not sharding.own_key  # of several shards, none knows what the others change
        self._counts = NodeChangeCounts(known_counts(seen.meta, self.repo) if is_alone else None)
        is_first = not seen.files and self.meta_key("done") not in seen.meta
        self._merges_postings = is_alone and is_first and not self.database.access.bills_rows
        self._begin_ownership(token, seen, statements)

    def _begin_ownership(self, token: str, seen: IndexState, statements: list[Statement]) -> None:
        self._owner.begin(token, seen.meta.get(self.meta_key("run")), statements)

    def has_unfinished_run(self, seen: IndexState, token: str) -> bool:
        """Tells whether a run other than `token` has not finished, or may still send vectors."""
        last = seen.meta.get(self.meta_key("run"))
        if last not in {seen.meta.get(self.meta_key("done")), token}:
            return True
        writes, own = self.meta_key("write:"), self.meta_key(f"write:{token}:")
        return any(key.startswith(writes) and not key.startswith(own) for key in seen.meta)

    def _end_runs_statement(self, token: str, keys: Sequence[str] = ()) -> Statement:
        """Deletes the write numbers of all runs but `token` from `meta`, and these keys."""
        writes, own = self.meta_key("write:"), self.meta_key(f"write:{token}:")
        return Statement(
            sql.DELETE_META_OF_RUNS, (json.dumps(keys), writes, prefix_end(writes), own)
        )

    def has_superseded(self, seen: IndexState, token: str) -> bool:
        """Tells whether the run `token` began before another one ended, which may still write."""
        return seen.meta.get(self.meta_key("overtook")) == token

    def write(
        self,
        files: Sequence[IndexedFile],
        removed_paths: Sequence[str],
        sha_head: str,
        *,
        pending: bool,
    ) -> NodeChanges:
        """Writes the files and deletes those at `removed_paths`; returns the changed nodes.

        One request; a node whose id and key are unchanged costs nothing. With `pending`, the files
        are marked as waiting for vectors.
        """
        statements = [
            *self._removal_statements(files, removed_paths),
            *self._addition_statements(files, sha_head),
            *self._file_statements(files, removed_paths, sha_head, pending=pending),
        ]
        if self.stores_source:
            statements += stored_source.change_statements(self.repo, files, removed_paths)
        if self.stores_descriptions:
            statements += stored_descriptions.link_file_statements(self.repo, files)
        results = self._owner.write(statements)
        if results is None:
            self._counts.forget()
            return self._changes_after_lost_response(files, sha_head)
        returned: dict[str, set[str]] = {sql.ADD_NODES: set(), sql.DELETE_NODES: set()}
        last_node = 0
        for statement, rows in zip(statements, results, strict=True):
            if statement.sql == sql.LAST_NODE:
                last_node = int(str(rows[0][0]))
            elif statement.sql == sql.ADD_NODES:
                new = list(_new_rows(rows, last_node))
                returned[sql.ADD_NODES].update(_ids(new))
                self._counts.add((row[2:] for row in new), 1)
            elif statement.sql == sql.DELETE_NODES:
                returned[sql.DELETE_NODES].update(_ids(rows))
                self._counts.add((row[1:] for row in rows), -1)
        added = returned[sql.ADD_NODES]
        return NodeChanges(added, returned[sql.DELETE_NODES] - added)

    def write_static_vectors(self, files: Sequence[IndexedFile]) -> None:
        """Writes only the static vectors of the files' nodes, which the index has; one request."""
        paths: dict[str, list[str]] = {}
        for file in files:
            paths.setdefault(file.parser, []).append(file.path)
        self._owner.write(
            [
                *static_vectors.add_vector_statements(files),
                *(
                    Statement(sql.SET_PARSER, (self.repo, parser, page))
                    for parser, of_parser in paths.items()
                    for page in json_pages(of_parser)
                ),
            ]
        )

    def write_statements(
        self, statements: list[Statement], *, is_last: bool = False
    ) -> list[list[Row]] | None:
        """Runs statements as one guarded write; None if the response was lost.

        `is_last` ends the numbering of the run's writes.
        """
        last = [self._owner.delete_write_number_statement()] if is_last else []
        return self._owner.write([*last, *statements])

    def remove_damage(self, damage: "Damage") -> None:
        """Deletes what a validation found wrong; the next sync writes it again."""
        from feeder.store.integrity import remove_damage

        self._counts.forget()
        remove_damage(damage, self.repo, self.branch, self._owner.write)

    def invalidate_files(self, paths: Iterable[str]) -> None:
        """Makes the next run process the files at `paths` again."""
        self._owner.write(
            [Statement(sql.INVALIDATE_FILES, (self.repo, page)) for page in json_pages(paths)]
        )

    def take_ownership(self) -> None:
        """Sends the first write of a run, if it has to come before all others."""
        self._owner.write([])

    def record_vectors(self, progress: VectorProgress) -> None:
        """Records which vectors were written and deleted."""
        self._owner.write(progress_statements(self.repo, progress))

    def finish(
        self,
        progress: VectorProgress,
        meta: Mapping[str, str],
        sharding: Sharding = UNSHARDED,
        *,
        is_last: bool = True,
    ) -> None:
        """Writes vector progress, what the index now equals, and that the run is done.

        A run that goes on to its side tables sets `is_last` to False: its write number stays in
        `meta`, and says to others that it may still send vectors.
        Of several shards, the last one to end records it for all. The key of `meta` for complete
        vectors is set only if no file is pending.
        """
        own = {key: sharding.all_keys[key] for key in sharding.all_keys if key == sharding.own_key}
        final_meta = json.dumps({**meta, self.meta_key("done"): self._owner.token})
        required = json.dumps(dict(sharding.all_keys))
        working = self.meta_key("working")
        outdated = [working] if self.meta_key("tree") in meta and working not in meta else []
        obsolete = json.dumps([self.meta_key("overtook"), *outdated, *sharding.all_keys])
        self._owner.write(
            [
                *progress_statements(self.repo, progress),
                Statement(sql.SET_META, (json.dumps(own),)),
                Statement(
                    sql.SET_META_IF_COMPLETE,
                    (final_meta, self.meta_key(MODEL_VECTORS_KEY), self.repo, required),
                ),
                Statement(sql.DELETE_META_IF, (obsolete, self.meta_key("done"), self._owner.token)),
                set_counts_statement(
                    self.repo, self._owner.token, self._counts, self.meta_key("done")
                ),
                *([Statement(sql.MERGE_POSTINGS)] if self._merges_postings else []),
                *([self._owner.delete_write_number_statement()] if is_last else []),
            ]
        )

    @property
    def fencing_token(self) -> FencingToken:
        """The run's right to write, for services that have no guard of their own."""
        return FencingToken(self._owner.verify, self._owner.guard_statement())

    def finish_incomplete_shard(self, progress: VectorProgress) -> None:
        """The last write of a shard that has not completed its part."""
        self._owner.write(
            [*progress_statements(self.repo, progress), self._owner.delete_write_number_statement()]
        )

    def _leftover_shards(self, seen: IndexState, sharding: Sharding) -> Iterator[str]:
        """Yields the keys of `meta` that the shards of other syncs have left."""
        shards = {pair for pair in seen.meta.items() if pair[0].startswith(self.meta_key("shard:"))}
        yield from sorted(key for key, _ in shards.difference(sharding.all_keys.items()))

    def _changes_after_lost_response(
        self, files: Sequence[IndexedFile], sha_head: str
    ) -> NodeChanges:
        """Reads what a write changed whose response was lost; one request.

        The result is never too small: it may include changes of an unfinished run, or of earlier
        writes at this commit.
        """
        written = [
            Statement(sql.READ_NODES_WRITTEN, (self.repo, sha_head, page))
            for page in json_pages(file.path for file in files)
        ]
        outbox, *pages = self._owner.read([Statement(sql.READ_OUTBOX, (self.repo,)), *written])
        return NodeChanges(set(_ids(row for page in pages for row in page)), set(_ids(outbox)))

    def _removal_statements(
        self, files: Sequence[IndexedFile], removed_paths: Sequence[str]
    ) -> Iterator[Statement]:
        from feeder.store.integrity import node_removal_statements  # only a write needs it

        for batch in file_batches(files):
            keys = node_keys_json(batch)
            paths = json.dumps([file.path for file in batch])
            yield from node_removal_statements(self.repo, paths, keys)
            yield Statement(sql.RESTORE_FROM_OUTBOX, (keys,))
        for page in json_pages(removed_paths):
            yield from node_removal_statements(self.repo, page)

    def _addition_statements(
        self, files: Sequence[IndexedFile], sha_head: str
    ) -> Iterator[Statement]:
        yield Statement(sql.LAST_NODE)
        for page in join_pages(text for file in files for text in file.rows.docs):
            yield Statement(sql.ADD_NODES, (self.repo, self.branch, sha_head, page))
        for page in join_pages(text for file in files for text in file.rows.postings):
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


def _new_rows(rows: Iterable[Row], last_node: int) -> Iterator[Row]:
    """Yields the rows of nodes that were added; of the others, single columns were updated."""
    return (row for row in rows if int(str(row[1])) > last_node)
