"""What of a run's work is its own, where several share it?"""

import hashlib
import json

from feeder.errors import UserError
from feeder.run.feed import Feed
from feeder.shards import all_shards
from feeder.store.state import UNSHARDED, IndexState, Sharding


def is_own(feed: Feed, path: str) -> bool:
    """Whether a file falls to this run: all do, where nobody shares the work."""
    return feed.shard is None or feed.shard.contains(path)


def own_part(feed: Feed, state: IndexState) -> IndexState:
    """What the index holds of this run's files; how many are as expected, it cannot tell."""
    files = state.files
    if files is not None:
        files = {path: row for path, row in files.items() if is_own(feed, path)}
    outbox = {id_: path for id_, path in state.outbox.items() if is_own(feed, path)}
    reasons = {path: row for path, row in state.unchanged.reasons.items() if is_own(feed, path)}
    return state._replace(
        files=files, outbox=outbox, kept=state.unchanged._replace(reasons=reasons)
    )


def share_of(feed: Feed, equal: dict[str, str]) -> Sharding:
    """What the shards of this very work write down as they end."""
    if not feed.shard:
        return UNSHARDED
    work = hashlib.sha1(json.dumps(equal, sort_keys=True).encode()).hexdigest()
    keys = [feed.index.meta_key(f"shard:{shard}") for shard in all_shards(feed.shard.count)]
    return Sharding(keys[feed.shard.number - 1], dict.fromkeys(keys, work))


def refuse_shard(feed: Feed) -> None:
    """Raises UserError for a shard that would replace the vectors of all."""
    if feed.shard:
        raise UserError(
            "The index has vectors of another model, and shards cannot replace them: others would "
            "lose theirs. Begin with: feeder sync --max-embeddings 1"
        )
