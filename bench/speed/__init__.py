"""Measures the program's speed beside lower bounds: tree-sitter alone and SQLite's FTS5 alone."""
