"""Keeps a code search index of a repository equal to its HEAD.

Entry point: `cli.main.main`. docs/explanation/architecture.md says what each package does. This
module never imports another one.
"""

__version__ = "0.1.0"
