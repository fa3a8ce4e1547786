"""What has a run taken? The index keeps it of the last run of each kind, for whoever asks later."""

import json
import time
from collections.abc import Mapping
from typing import Any

from feeder.run.feed import Feed

KEY = "cost:"
"""What the keys of `meta` begin with, before the kind."""
_COUNTED = (
    "files_processed",
    "files_deleted",
    "nodes_new",
    "nodes_deleted",
    "texts_embedded",
    "texts_cached",
)


def cost(feed: Feed) -> dict[str, str]:
    """What `meta` says of a run that ends with its next write, which is one of its requests."""
    report, budget = feed.report, feed.budget
    facts = {name: getattr(report, name) for name in _COUNTED}
    facts["requests"] = budget.requests() + budget.a_write
    facts |= {"seconds": report.took_s, "ended_s": round(time.time())}
    return {feed.index.meta_key(KEY + kind(feed)): json.dumps(facts)}


def costs(meta: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """By kind what the `meta` of one repository, without its name in the keys, has of that."""
    kept = {key.removeprefix(KEY): value for key, value in meta.items() if key.startswith(KEY)}
    return {kind: json.loads(value) for kind, value in kept.items()}


def kind(feed: Feed) -> str:
    """Whether it was about a commit, the working tree, some files, or vectors alone."""
    report = feed.report
    has_vectors = bool(report.texts_embedded + report.texts_cached)
    if has_vectors and not (report.files_processed or report.files_deleted):
        return "vectors"
    if not feed.tree.root_tree_id:
        return "files"
    return "working" if feed.tree.working_tree_id else "sync"
