"""The program's version, with the commit when it runs from a clone."""

from pathlib import Path

import click

import feeder

_PROJECT_NAME = b'name = "headfeed"'


def version() -> str:
    """Returns `0.1.0`, or in a clone `0.1.0 (2457e5e, clone)`, with the commit."""
    root = Path(feeder.__file__).resolve().parents[2]
    return (
        f"{feeder.__version__} ({_short_commit(root)}clone)"
        if _is_clone(root)
        else feeder.__version__
    )


def _is_clone(root: Path) -> bool:
    """Tells a clone of this project from a project that has it installed below its folder."""
    project = root / "pyproject.toml"
    return (root / ".git").exists() and project.is_file() and _PROJECT_NAME in project.read_bytes()


def _short_commit(root: Path) -> str:
    from feeder.errors import UserError
    from feeder.source import git

    try:
        commit = git.commit_id(root, "HEAD") if git.find_root(root) == root else None
    except UserError:  # git is missing or may not read this folder
        commit = None
    return f"{commit[:7]}, " if commit else ""


def _print_version(context: click.Context, _: click.Parameter, is_requested: bool) -> None:
    if is_requested and not context.resilient_parsing:
        click.echo(f"feeder {version()}")
        context.exit()


version_option = click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
