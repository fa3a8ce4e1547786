"""Click options that several commands share, each with its environment variable."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from feeder.config import Settings
from feeder.shards import MAX_SHARDS, Shard, parse_shard

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


_DESCRIPTION_OPTIONS = (
    env_option(
        "--describe",
        "Ask a language model for a line on each method and class: URL#name, a text model of "
        "Workers AI, or `off` to take the lines out; else none is asked.",
        metavar="MODEL",
    ),
    env_option(
        "--redescribe",
        "Ask again for lines that another model or prompt has made, or that were refused.",
        is_flag=True,
    ),
    env_option(
        "--max-descriptions",
        "Stop before more methods and classes than that are asked about; the next run goes on.",
        type=click.IntRange(1),
    ),
    env_option(
        "--max-description-tokens",
        "Stop when descriptions have taken so many tokens; the next run goes on.",
        type=click.IntRange(1),
    ),
)


_EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

_FILE_PATH = click.Path(dir_okay=False, path_type=Path)


def _validate_folder(_: click.Context, __: click.Parameter, value: str | None) -> str:
    from feeder.source.deltas import checked_folder

    return checked_folder(value or "")


def _parse_shard(_: click.Context, __: click.Parameter, value: str | None) -> Shard | None:
    return parse_shard(value) if value else None


_LOCATION_OPTIONS = (
    click.option(
        "-C",
        "--directory",
        type=_EXISTING_FOLDER,
        default=Path(),
        envvar="FEEDER_DIRECTORY",
        show_envvar=True,
        help="Run as if started there.",
    ),
    env_option("--repo", "owner/name in the index; else the remote's, else the folder's name."),
    env_option("--branch", "The branch's name in the index; else the one checked out."),
    env_option("--db", "The index file; else .feeder/index.db under the root.", type=_FILE_PATH),
)

_CLOUDFLARE_OPTIONS = (
    env_option(
        "--store",
        "Where the index is; else Cloudflare where the environment has CLOUDFLARE_API_TOKEN and "
        "an account.",
        type=click.Choice(["cloudflare", "local"]),
    ),
    env_option(
        "--account-id", "Cloudflare's account; else wrangler.toml's.", "CLOUDFLARE_ACCOUNT_ID"
    ),
    env_option("--database-id", "The D1 database; else wrangler.toml's."),
    env_option(
        "--index-name",
        "The Vectorize index; else wrangler.toml's, else <owner>_<repo>_code.",
    ),
)

_CACHE_OPTION = env_option(
    "--cache",
    "The file of embeddings made before; else the user's, feeder/embeddings.db in XDG_CACHE_HOME.",
    type=_FILE_PATH,
)

_EMBEDDING_OPTIONS = (
    env_option(
        "--vectors/--no-vectors", "Search by meaning too, where there is a model.", default=True
    ),
    env_option(
        "--model",
        "`words`, `static` or `minilm`; a model of Workers AI, one at an address as URL#name, or a "
        "folder with an ONNX one; else the store's own.",
    ),
    env_option(
        "--dimensions",
        "Numbers in a vector, where the model can shorten them; else as many as it has.",
        type=click.IntRange(1, 8192),
    ),
    _CACHE_OPTION,
)

max_document_bytes_option = max_bytes_option(
    "document", "documents (PDF, DOCX, XLSX…)", Settings.max_document_bytes
)

_PARSING_OPTIONS = (
    env_option(
        "--grammar", "Your grammar_queries.json, merged over the shipped one.", type=_FILE_PATH
    ),
    max_bytes_option("file", "files", Settings.max_file_bytes),
    max_document_bytes_option,
    env_option(
        "--mask-secrets/--no-mask-secrets",
        "Keep tokens, private keys and generated passwords out of what is indexed and embedded.",
        default=Settings.mask_secrets,
    ),
    env_option(
        "--texts/--no-texts",
        "Keep the files' lines in the index too, for a Worker to show; else as the index was told.",
        default=None,
    ),
    env_option("--jobs", "Parser processes; else as many as cores.", type=click.IntRange(1, 64)),
    *_DESCRIPTION_OPTIONS,
)

_BUDGET_OPTIONS = (
    env_option(
        "--max-embeddings",
        "Stop before more texts than that are embedded; the next run goes on.",
        type=click.IntRange(1),
    ),
    env_option(
        "--max-requests",
        "Stop before more requests than that are sent; the next run goes on.",
        type=click.IntRange(1),
    ),
)

_FOLDER_OPTION = env_option(
    "--path",
    "The index is of this folder alone, from the root; else of all.",
    callback=_validate_folder,
)

_FORCE_OPTION = env_option(
    "--force",
    "Go on although the index goes back to an older event, or loses other folders' files.",
    is_flag=True,
)

_SHARD_OPTIONS = (
    env_option(
        "--shard",
        "Such as 3/16: one of 16 runs at once that share the files.",
        callback=_parse_shard,
    ),
    env_option("--run", "The name that shards share; in GitHub Actions they have one."),
)

_OUTPUT_OPTIONS = (
    click.option("--json", is_flag=True, help="The result as JSON on stdout."),
    click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
)


dry_run_option = click.option("--dry-run", is_flag=True, help="Only say what would be done.")


def git_options(command: Command) -> Command:
    """The options of a command that only asks git, and whose result is JSON in any case."""
    return _add_options(command, _LOCATION_OPTIONS[0], *_OUTPUT_OPTIONS)


def action_options(command: Command) -> Command:
    """What action.yml says to the command that it runs."""
    return _add_options(
        command,
        env_option(
            "--command",
            "What to do; deltas make a sync an apply.",
            type=click.Choice(["sync", "apply", "validate", "plan"]),
            default="sync",
            show_default=True,
        ),
        env_option("--deltas", "The changes as a JSON array, or a file with it; else all of HEAD."),
        env_option("--validate", "Prove the index afterwards.", type=bool, default=False),
        env_option("--repair", "Mend what a validation finds.", type=bool, default=False),
        env_option("--dry-run", "Only say what would be done.", type=bool, default=False),
        _CLOUDFLARE_OPTIONS[0],
        *_LOCATION_OPTIONS,
    )


def plan_options(command: Command) -> Command:
    """How many shards there are to be."""
    shards = env_option(
        "--shards",
        "How many parts; no more are made than there are files.",
        type=click.IntRange(1, MAX_SHARDS),
        required=True,
    )
    return _add_options(command, shards, _FOLDER_OPTION)


def paths_option(help_text: str) -> Callable[[Command], Command]:
    """The option that names files and folders."""
    return click.option(
        "--path", "paths", multiple=True, required=True, type=_PathType(), help=help_text
    )


class _PathType(click.ParamType[Path]):
    """A file or a folder; an empty name, as a variable that is not set leaves, is not `.`."""

    name = "path"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return Path(value) if value else self.fail("it is empty; write . for all", param, ctx)


def read_options(command: Command) -> Command:
    """The options of a command that reads the index."""
    return _add_options(
        command, *_LOCATION_OPTIONS, *_CLOUDFLARE_OPTIONS, *_EMBEDDING_OPTIONS, *_OUTPUT_OPTIONS
    )


def doctor_options(command: Command) -> Command:
    """The options of a command that looks at what a run would need."""
    return _add_options(
        command,
        *_LOCATION_OPTIONS,
        *_CLOUDFLARE_OPTIONS,
        *_EMBEDDING_OPTIONS,
        *_PARSING_OPTIONS,
        *_OUTPUT_OPTIONS,
    )


def override_options(command: Command) -> Command:
    """The options that say another index, or another way to ask it."""
    return _add_options(command, *_LOCATION_OPTIONS, *_CLOUDFLARE_OPTIONS, *_EMBEDDING_OPTIONS)


def write_options(command: Command) -> Command:
    """The options of a command that brings the index on."""
    return _add_options(
        command,
        *_LOCATION_OPTIONS,
        *_CLOUDFLARE_OPTIONS,
        *_EMBEDDING_OPTIONS,
        *_PARSING_OPTIONS,
        *_BUDGET_OPTIONS,
        dry_run_option,
        *_OUTPUT_OPTIONS,
    )


def sync_options(command: Command) -> Command:
    """The options of the command that brings all of the index on."""
    return _add_options(write_options(command), _FOLDER_OPTION, *_SHARD_OPTIONS, _FORCE_OPTION)


def apply_options(command: Command) -> Command:
    """The options of the command that follows deltas."""
    return _add_options(write_options(command), _FOLDER_OPTION, _FORCE_OPTION)


def init_options(command: Command) -> Command:
    """The options of a command that makes what an index is kept in."""
    return _add_options(
        command,
        *_LOCATION_OPTIONS,
        *_CLOUDFLARE_OPTIONS,
        *_EMBEDDING_OPTIONS,
        dry_run_option,
        *_OUTPUT_OPTIONS,
    )


def cache_options(command: Command) -> Command:
    """The options of the command that is about the embeddings made before."""
    return _add_options(command, _CACHE_OPTION, *_OUTPUT_OPTIONS)


def validate_options(command: Command) -> Command:
    """The options of a command that reads the index and may mend it."""
    content = env_option(
        "--content/--no-content",
        "Parse every file of HEAD once more, and compare each node with what the index has of it.",
        default=True,
    )
    return _add_options(
        command,
        content,
        *_LOCATION_OPTIONS,
        _FOLDER_OPTION,
        *_CLOUDFLARE_OPTIONS,
        *_EMBEDDING_OPTIONS,
        *_PARSING_OPTIONS,
        *_OUTPUT_OPTIONS,
    )


def _repeatable_option(*names: str, help: str) -> Callable[[Command], Command]:
    """An option that may be given more than once."""
    return click.option(*names, names[0].lstrip("-").replace("-", "_"), multiple=True, help=help)


def filter_options(command: Command) -> Command:
    """The options that say where a search looks."""
    return _add_options(
        command,
        _repeatable_option(
            "--path", help="Only this file, folder or glob, from the root or from here."
        ),
        _repeatable_option("--language", help="Only this language, such as python or c++."),
        _repeatable_option("--node-type", "--type", help="Only this type of node, such as class."),
        _repeatable_option(
            "--category", help="Only `code`, `docs`, `config`, `tests` or one of your own."
        ),
        click.option("--tests", type=click.Choice(["yes", "no", "only"]), help="Whether tests."),
        click.option("--all-repos", is_flag=True, help="In every repository of the index."),
        _repeatable_option("--prefer", help="Raises a folder, lang:X, repo:X or category:X."),
    )


def query_log_option(command: Command) -> Command:
    """Whether questions are noted."""
    text = "Note questions in .feeder/queries.db, for `feeder queries`; off says not to."
    log = env_option("--query-log/--no-query-log", text, default=Settings.query_log)
    return _add_options(command, log)


def queries_options(command: Command) -> Command:
    """The options of the command that is about the questions asked before."""
    return _add_options(command, _LOCATION_OPTIONS[0], _LOCATION_OPTIONS[-1], *_OUTPUT_OPTIONS)


def display_options(command: Command) -> Command:
    """The options that say how an answer is shown."""
    return _add_options(
        command,
        click.option(
            "--lines", type=click.IntRange(0), default=6, show_default=True, help="Of each hit."
        ),
        click.option("--full", is_flag=True, help="All lines of each hit."),
        click.option(
            "--offset", type=click.IntRange(0), default=0, help="Leave out so many of the first."
        ),
        click.option(
            "--format",
            "form",
            type=click.Choice(["text", "vimgrep"]),
            default="text",
            help="`vimgrep` is path:line:column:text, for editors.",
        ),
        click.option("-l", "--files", is_flag=True, help="Only the files' paths."),
        click.option("--explain", is_flag=True, help="Say why each hit is there."),
        color_option,
    )


color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="`auto`: on a terminal, unless NO_COLOR is set.",
)


def _add_options(command: Command, *options: Callable[[Command], Command]) -> Command:
    return reduce(lambda made, option: option(made), reversed(options), command)
