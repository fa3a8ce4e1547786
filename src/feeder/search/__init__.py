"""Search: turns a request into a page of hits.

Entry point: `engine.search(index, request) -> Page`; read `engine` first, then `query_plan`,
`retrieval` and `ranking`. This package never writes to the index; the only file it writes
besides caches is the query log.
"""
