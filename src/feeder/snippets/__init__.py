"""Snippets: the lines of a node that are shown, and the outline of files.

Entry points: `excerpts.ExcerptReader` (a node's lines, found again in a changed file),
`snippets.make_snippet` (the best of them) and `outline.build_outline`. This package never decides
which nodes are hits.
"""
