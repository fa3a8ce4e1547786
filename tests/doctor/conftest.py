"""The fixtures of the doctor's tests."""

from cli.conftest import environment, feeder

__all__ = ["environment", "feeder"]
