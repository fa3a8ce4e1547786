"""How is an option made that has a twin in the environment?"""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def env_option(name: str, help_text: str, *twins: str, **more: Any) -> Callable[[Command], Command]:
    """Called after it, beside `twins` of other programs."""
    twin = "FEEDER_" + name.partition("/")[0].lstrip("-").replace("-", "_").upper()
    return click.option(name, help=help_text, envvar=[twin, *twins], show_envvar=True, **more)


def max_bytes_option(name: str, files: str, default: int) -> Callable[[Command], Command]:
    """The option that says up to how many bytes something is taken."""
    text = f"Larger {files} are kept out."
    most = click.IntRange(1)
    return env_option(f"--max-{name}-bytes", text, default=default, type=most, show_default=True)
