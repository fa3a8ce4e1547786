"""Grep: every line of the indexed files that matches, in the order of paths.

Entry point: `exact_search.search_lines`. This package never ranks.
"""
