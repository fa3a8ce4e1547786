"""What is a model told to do? A file beside this one, known by its hash."""

from functools import cache
from pathlib import Path

from feeder.nodes import text_sha

PROMPT_VERSION_DIGITS = 12


@cache
def prompt() -> str:
    """Its text."""
    return Path(__file__).with_name("prompt.txt").read_text("utf-8")


@cache
def prompt_version() -> str:
    """Tells one text of it from another."""
    return text_sha(prompt())[:PROMPT_VERSION_DIGITS]
