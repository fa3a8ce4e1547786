"""Search: turns a request into a page of hits.

Entry point: `engine.search(index, request) -> Page`; read `engine` first, then the packages that it
combines: `query` (the plan), `ranking` (candidates and their order) and `snippets` (their lines).
This package never writes to the index; the only file it writes besides caches is the query log.
"""
