"""Fixtures of the tests of `feeder doctor`."""

from cli.conftest import environment, feeder

__all__ = ["environment", "feeder"]
