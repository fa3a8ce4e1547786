"""Fixtures of the stand-in's own tests."""

from standin_fixtures import api, standin, standin_process

__all__ = ["api", "standin", "standin_process"]
