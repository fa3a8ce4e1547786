"""Keeps a code search index of a repository equal to its HEAD."""

__version__ = "0.1.0"
