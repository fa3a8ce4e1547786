"""Fixtures of the tests of published indexes."""

from cli.conftest import feeder  # noqa: F401 - a fixture
