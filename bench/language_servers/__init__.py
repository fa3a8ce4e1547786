"""Measures references against the languages' own tools; start with `command`."""
