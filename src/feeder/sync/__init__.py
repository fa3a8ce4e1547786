"""Makes the index equal to the source tree.

Entry point: `sync.sync(run)` takes a `SyncContext` and returns when the index equals the tree;
read `sync.py` first, then `write.py`. `sync` never formats output for a client and never runs
git itself.
"""
