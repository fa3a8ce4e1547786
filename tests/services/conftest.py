"""Fixtures of the stand-in's own tests."""

from standin_fixtures import api

__all__ = ["api"]
