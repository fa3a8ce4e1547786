"""What of a run's work is its own, where several share it?"""

import hashlib
import json

from feeder.errors import UserError
from feeder.shards import all_shards
from feeder.store.index_state import UNSHARDED, IndexState, Sharding
from feeder.sync.context import SyncContext


def is_in_shard(run: SyncContext, path: str) -> bool:
    """Whether a file falls to this run: all do, where nobody shares the work."""
    return run.shard is None or run.shard.contains(path)


def shard_state(run: SyncContext, state: IndexState) -> IndexState:
    """What the index holds of this run's files; how many are as expected, it cannot tell."""
    files = state.files
    if files is not None:
        files = {path: row for path, row in files.items() if is_in_shard(run, path)}
    outbox = {id_: path for id_, path in state.outbox.items() if is_in_shard(run, path)}
    reasons = {path: row for path, row in state.unchanged.reasons.items() if is_in_shard(run, path)}
    return state._replace(
        files=files, outbox=outbox, unchanged=state.unchanged._replace(reasons=reasons)
    )


def shard_share(run: SyncContext, target_meta: dict[str, str]) -> Sharding:
    """What the shards of this very work write down as they end."""
    if not run.shard:
        return UNSHARDED
    work = hashlib.sha1(json.dumps(target_meta, sort_keys=True).encode()).hexdigest()
    keys = [run.index.meta_key(f"shard:{shard}") for shard in all_shards(run.shard.total)]
    return Sharding(keys[run.shard.number - 1], dict.fromkeys(keys, work))


def refuse_shard_for_new_model(run: SyncContext) -> None:
    """Raises UserError for a shard that would replace the vectors of all."""
    if run.shard:
        raise UserError(
            "The index has vectors of another model, and shards cannot replace them: others would "
            "lose theirs. Begin with: feeder sync --max-embeddings 1"
        )
