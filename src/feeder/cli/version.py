"""The program's version, with the commit when it runs from a clone."""

from pathlib import Path

import click

import feeder

_PROJECT_NAME = b'name = "headfeed"'


def version() -> str:
    """As in `0.1.0`; of a clone also the commit that is checked out: `0.1.0 (2457e5e, clone)`."""
    root = Path(feeder.__file__).resolve().parents[2]
    return (
        f"{feeder.__version__} ({_short_commit(root)}clone)"
        if _is_clone(root)
        else feeder.__version__
    )


def _is_clone(root: Path) -> bool:
    """Whether the folder is this project's own, and not one that has it installed somewhere."""
    said = root / "pyproject.toml"
    return (root / ".git").exists() and said.is_file() and _PROJECT_NAME in said.read_bytes()


def _short_commit(root: Path) -> str:
    from feeder.errors import UserError
    from feeder.source import git

    try:
        commit = git.commit_id(root, "HEAD") if git.find_root(root) == root else None
    except UserError:  # no git, or none that reads this folder
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
