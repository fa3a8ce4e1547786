"""Fixtures of the tests of relations, most of which run the command."""

from cli.conftest import environment, feeder

__all__ = ["environment", "feeder"]
