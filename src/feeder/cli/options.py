"""Click options that several commands share, each with its environment variable."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from feeder.cli import console
from feeder.cli.option_types import (
    EXISTING_FOLDER,
    FILE_PATH,
    ON_OR_OFF,
    Command,
    FileOrFolder,
    NamedPath,
    WholeNumber,
    add_options,
    env_option,
    max_bytes_option,
)
from feeder.config import Settings
from feeder.shards import MAX_SHARDS, Shard, parse_shard

_DESCRIPTION_OPTIONS = (
    env_option(
        "--describe",
        "Describe each method and class with a language model: URL#name or a text model of Workers "
        "AI; `off` removes all descriptions. Default: no new descriptions.",
        metavar="MODEL",
    ),
    env_option(
        "--redescribe",
        "Also replace descriptions that another model or prompt produced, and retry refused ones.",
        is_flag=True,
    ),
    env_option(
        "--max-descriptions",
        "Stop before describing more methods and classes than this; the next run continues.",
        type=WholeNumber(1),
    ),
    env_option(
        "--max-description-tokens",
        "Stop after using this many tokens for descriptions; the next run continues.",
        type=WholeNumber(1),
    ),
)


def _validate_folder(_: click.Context, __: click.Parameter, value: str | None) -> str:
    from feeder.source.deltas import checked_folder

    return checked_folder(value or "")


def _parse_shard(_: click.Context, __: click.Parameter, value: str | None) -> Shard | None:
    return parse_shard(value) if value else None


_REPO_OPTION = env_option(
    "--repo",
    "Repository name in the index. Default: owner/name of the git remote, else the folder.",
)

_LOCATION_OPTIONS = (
    click.option(
        "-C",
        "--directory",
        type=EXISTING_FOLDER,
        default=Path(),
        envvar="FEEDER_DIRECTORY",
        show_envvar=True,
        callback=console.remember_place,
        help="Run as if started in this folder.",
    ),
    _REPO_OPTION,
    env_option("--branch", "Branch name in the index. Default: the branch that is checked out."),
    env_option(
        "--db",
        "Index file. Default: .feeder/index.db under the root.",
        type=FILE_PATH,
        callback=console.remember_place,
    ),
)

_CLOUDFLARE_OPTIONS = (
    env_option(
        "--store",
        "Where the index is. Default: cloudflare if wrangler.toml or an option below names the "
        "index and a token is set, else local. `feeder init` needs only a token and an account.",
        type=click.Choice(["cloudflare", "local"]),
        callback=console.remember_place,
    ),
    env_option(
        "--account-id",
        "Cloudflare account id. Default: CLOUDFLARE_ACCOUNT_ID, else account_id in wrangler.toml.",
    ),
    env_option("--database-id", "D1 database id. Default: the one in wrangler.toml."),
    env_option(
        "--index-name",
        "Vectorize index. Default: the one in wrangler.toml, else <owner>_<repo>_code.",
    ),
)

_CACHE_OPTION = env_option(
    "--cache",
    "Embedding cache file. Default: feeder/embeddings.db in XDG_CACHE_HOME.",
    type=FILE_PATH,
)

_EMBEDDING_OPTIONS = (
    env_option(
        "--vectors/--no-vectors",
        "Use an embedding model as well as words, to search by meaning.",
        default=True,
    ),
    env_option(
        "--model",
        "Embedding model: `words` (none), `static`, `minilm`, a model of Workers AI, URL#name, or "
        "a folder with an ONNX model. Default: the model of the index; for a new index, the "
        "default model of the store.",
    ),
    env_option(
        "--dimensions",
        "Vector dimensions, for models that can shorten vectors. Default: the model's own.",
        type=WholeNumber(1, 8192),
    ),
    _CACHE_OPTION,
)

_INDEX_OPTIONS = (*_LOCATION_OPTIONS, *_CLOUDFLARE_OPTIONS, *_EMBEDDING_OPTIONS)

max_document_bytes_option = max_bytes_option(
    "document", "documents (PDF, DOCX, XLSX…)", Settings.max_document_bytes
)

_PARSING_OPTIONS = (
    env_option(
        "--grammar",
        "Folder of languages, or grammar_queries.json, that extends or overrides the shipped ones.",
        type=NamedPath(path_type=Path),
    ),
    max_bytes_option("file", "files", Settings.max_file_bytes),
    max_document_bytes_option,
    env_option(
        "--mask-secrets/--no-mask-secrets",
        "Mask tokens, private keys and generated passwords before indexing and embedding.",
        default=Settings.mask_secrets,
    ),
    env_option(
        "--texts/--no-texts",
        "Store the source lines in the index, for a Worker to show. Default: as in the last run.",
        default=None,
    ),
    env_option(
        "--jobs", "Number of parser processes. Default: one per core.", type=WholeNumber(1, 64)
    ),
    *_DESCRIPTION_OPTIONS,
)

_BUDGET_OPTIONS = (
    env_option(
        "--max-embeddings",
        "Stop before embedding more texts than this; the next run continues.",
        type=WholeNumber(1),
    ),
    env_option(
        "--max-requests",
        "Stop before sending more requests than this; the next run continues.",
        type=WholeNumber(1),
    ),
)

_FOLDER_OPTION = env_option(
    "--path",
    "Use only this folder, relative to the root. Default: the whole repository.",
    callback=_validate_folder,
    metavar="FOLDER",
)

_FORCE_OPTION = env_option(
    "--force",
    "Continue even if a newer workflow run has updated the index, or if files of other folders "
    "would be removed from it.",
    is_flag=True,
)

_FORWARD_OPTION = click.option(
    "--forward-only",
    is_flag=True,
    hidden=True,
    help="Refuse a commit that is older than the index's; for `feeder action`.",
)

_ORDER_OPTIONS = (_FORCE_OPTION, _FORWARD_OPTION)

_SHARD_OPTIONS = (
    env_option(
        "--shard",
        "Process one part of the files: 3/16 is the third of 16 parallel runs.",
        callback=_parse_shard,
    ),
    env_option("--run", "Name that all shards of one sync use. Default: set by GitHub Actions."),
)

_OUTPUT_OPTIONS = (
    click.option("--json", is_flag=True, help="Print the result as JSON."),
    click.option("-q", "--quiet", is_flag=True, help="Hide notes, progress and reports."),
)

_PARSED_INDEX_OPTIONS = (*_INDEX_OPTIONS, *_PARSING_OPTIONS, *_OUTPUT_OPTIONS)

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Print what would be done and change nothing."
)


def output_options(command: Command) -> Command:
    """Adds the options of a command that needs no repository."""
    return add_options(command, *_OUTPUT_OPTIONS)


def git_options(command: Command) -> Command:
    """Adds the options of a command that reads only git."""
    return add_options(command, _LOCATION_OPTIONS[0], *_OUTPUT_OPTIONS)


def place_options(command: Command) -> Command:
    """Adds the options that say where a repository and its index are."""
    return add_options(command, _CLOUDFLARE_OPTIONS[0], *_LOCATION_OPTIONS)


def plan_options(command: Command) -> Command:
    """Adds the options of `plan`."""
    shards = env_option(
        "--shards",
        "Number of shards; at most one per file.",
        type=WholeNumber(1, MAX_SHARDS),
        required=True,
    )
    return add_options(command, shards, _FOLDER_OPTION)


def paths_option(help_text: str) -> Callable[[Command], Command]:
    """A required option that names files and folders."""
    return click.option(
        "--path", "paths", multiple=True, required=True, type=FileOrFolder(), help=help_text
    )


def read_options(command: Command) -> Command:
    """Adds the options of a command that reads the index."""
    return add_options(command, *_INDEX_OPTIONS, *_OUTPUT_OPTIONS)


def fresh_read_options(command: Command) -> Command:
    """Adds the options of a command that brings the index up to date before it reads it."""
    return add_options(command, refresh_option("--refresh/--no-refresh"), read_options)


def wordless_options(command: Command) -> Command:
    """As `fresh_read_options` for a command that uses no embedding model.

    It takes the model's options, which matter only where it makes the index, and does not list
    them.
    """
    decorated = fresh_read_options(command)
    names = _names(*_EMBEDDING_OPTIONS)
    for option in _options_of(decorated):
        option.hidden |= option.name in names
    return decorated


def refresh_option(*names: str, hidden: bool = False) -> Callable[[Command], Command]:
    """The option that turns the update before an answer off."""
    return click.option(
        *names,
        type=ON_OR_OFF,
        default=True,
        envvar="FEEDER_REFRESH",
        show_envvar=True,
        hidden=hidden,
        help="Update the index from the files first.",
    )


def doctor_options(command: Command) -> Command:
    """Adds the options of `doctor`."""
    return add_options(command, *_PARSED_INDEX_OPTIONS)


def override_options(command: Command) -> Command:
    """Adds the options that choose an index and a model."""
    return add_options(command, *_INDEX_OPTIONS)


def write_options(command: Command) -> Command:
    """Adds the options of a command that writes the index."""
    return add_options(
        command,
        *_INDEX_OPTIONS,
        *_PARSING_OPTIONS,
        *_BUDGET_OPTIONS,
        dry_run_option,
        *_OUTPUT_OPTIONS,
    )


def sync_options(command: Command) -> Command:
    """Adds the options of `sync`; it prepares the update of the commands that read the index."""
    refresh = refresh_option("--refresh/--no-refresh", hidden=True)
    own = (_FOLDER_OPTION, *_SHARD_OPTIONS, *_ORDER_OPTIONS)
    return add_options(write_options(command), *own, refresh)


def apply_options(command: Command) -> Command:
    """Adds the options of `apply`."""
    return add_options(write_options(command), _FOLDER_OPTION, *_ORDER_OPTIONS)


def init_options(command: Command) -> Command:
    """Adds the options of a command that creates resources of an index."""
    return add_options(command, *_INDEX_OPTIONS, dry_run_option, *_OUTPUT_OPTIONS)


def worker_options(command: Command) -> Command:
    """Adds the options of `worker`, which can serve several repositories."""
    repos = env_option(
        "--repo",
        "Repository name in the index; repeat it for one Worker that serves several repositories. "
        "Default: owner/name of the git remote, else the folder.",
        multiple=True,
    )
    folders = click.option(
        "--from",
        "folders",
        multiple=True,
        type=EXISTING_FOLDER,
        help="Serve the index named in the wrangler file of this clone; repeatable.",
    )
    own = [option for option in _LOCATION_OPTIONS if option is not _REPO_OPTION]
    return add_options(
        command,
        own[0],
        repos,
        folders,
        *own[1:],
        *_CLOUDFLARE_OPTIONS,
        *_EMBEDDING_OPTIONS,
        dry_run_option,
        *_OUTPUT_OPTIONS,
    )


def cache_options(command: Command) -> Command:
    """Adds the options of `cache`."""
    return add_options(command, _CACHE_OPTION, *_OUTPUT_OPTIONS)


def validate_options(command: Command) -> Command:
    """Adds the options of `validate`."""
    content = env_option(
        "--content/--no-content",
        "Parse every file again and compare each node with the index.",
        default=True,
    )
    folder = env_option(
        "--path",
        "The folder that the index covers, relative to the root, if it was built with --path.",
        callback=_validate_folder,
        metavar="FOLDER",
    )
    return add_options(command, content, folder, _FORWARD_OPTION, *_PARSED_INDEX_OPTIONS)


def share_options(command: Command) -> Command:
    """Adds the options of `publish` and `pull`, which are about an index on this machine."""
    return add_options(command, *_LOCATION_OPTIONS, *_OUTPUT_OPTIONS)


def queries_options(command: Command) -> Command:
    """Adds the options of `queries`."""
    return add_options(command, _LOCATION_OPTIONS[0], _LOCATION_OPTIONS[-1], *_OUTPUT_OPTIONS)


def _names(*options: Callable[[Any], Any]) -> frozenset[str]:
    """The names of the parameters that options make."""

    def command() -> None:
        """Takes the options."""

    return frozenset(str(option.name) for option in _options_of(add_options(command, *options)))


def _options_of(command: Callable[..., Any]) -> list[click.Option]:
    """The options that decorators have added to a function."""
    options: list[click.Option] = vars(command)["__click_params__"]
    return options


_SECTIONS = {
    "Where the index is": _names(*_LOCATION_OPTIONS, *_CLOUDFLARE_OPTIONS),
    "Embedding model": _names(*_EMBEDDING_OPTIONS),
    "Parsing": _names(*_PARSING_OPTIONS),
    "Limits and shards": _names(*_BUDGET_OPTIONS, *_SHARD_OPTIONS),
    "Output": _names(*_OUTPUT_OPTIONS) | {"color", "query_log"},
}
"""The options that commands share, by the section of `--help-all` that lists them."""


def option_section(option: click.Option) -> str:
    """Returns the section of a shared option; empty for a command's own."""
    return next((title for title, names in _SECTIONS.items() if option.name in names), "")
