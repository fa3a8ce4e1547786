"""The options that commands share; what sets an index up has an environment twin."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path

import click

from feeder.cli.describing import DESCRIBING
from feeder.cli.twins import Command, largest, option
from feeder.config import Settings
from feeder.shards import MAX_SHARDS, Shard, parse_shard

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(dir_okay=False, path_type=Path)


def _folder(_: click.Context, __: click.Parameter, value: str | None) -> str:
    from feeder.tree.deltas import checked_folder

    return checked_folder(value or "")


def _shard(_: click.Context, __: click.Parameter, value: str | None) -> Shard | None:
    return parse_shard(value) if value else None


_WHERE = (
    click.option(
        "-C",
        "--directory",
        type=_FOLDER,
        default=Path(),
        envvar="FEEDER_DIRECTORY",
        show_envvar=True,
        help="Run as if started there.",
    ),
    option("--repo", "owner/name in the index; else the remote's, else the folder's name."),
    option("--branch", "The branch's name in the index; else the one checked out."),
    option("--db", "The index file; else .feeder/index.db under the root.", type=_FILE),
)
_CLOUD = (
    option(
        "--store",
        "Where the index is; else Cloudflare where the environment has CLOUDFLARE_API_TOKEN and "
        "an account.",
        type=click.Choice(["cloudflare", "local"]),
    ),
    option("--account-id", "Cloudflare's account; else wrangler.toml's.", "CLOUDFLARE_ACCOUNT_ID"),
    option("--database-id", "The D1 database; else wrangler.toml's."),
    option(
        "--index-name",
        "The Vectorize index; else wrangler.toml's, else <owner>_<repo>_code.",
    ),
)
_CACHE = option(
    "--cache",
    "The file of embeddings made before; else the user's, feeder/embeddings.db in XDG_CACHE_HOME.",
    type=_FILE,
)
_MEANING = (
    option(
        "--vectors/--no-vectors", "Search by meaning too, where there is a model.", default=True
    ),
    option(
        "--model",
        "`words`, `static` or `minilm`; a model of Workers AI, one at an address as URL#name, or a "
        "folder with an ONNX one; else the store's own.",
    ),
    option(
        "--dimensions",
        "Numbers in a vector, where the model can shorten them; else as many as it has.",
        type=click.IntRange(1, 8192),
    ),
    _CACHE,
)
largest_document = largest("document", "documents (PDF, DOCX, XLSX…)", Settings.max_document_bytes)
_PARSING = (
    option("--grammar", "Your grammar_queries.json, merged over the shipped one.", type=_FILE),
    largest("file", "files", Settings.max_file_bytes),
    largest_document,
    option(
        "--mask-secrets/--no-mask-secrets",
        "Keep tokens, private keys and generated passwords out of what is indexed and embedded.",
        default=Settings.mask_secrets,
    ),
    option(
        "--texts/--no-texts",
        "Keep the files' lines in the index too, for a Worker to show; else as the index was told.",
        default=None,
    ),
    option("--jobs", "Parser processes; else as many as cores.", type=click.IntRange(1, 64)),
    *DESCRIBING,
)
_LIMITS = (
    option(
        "--max-embeddings",
        "Stop before more texts than that are embedded; the next run goes on.",
        type=click.IntRange(1),
    ),
    option(
        "--max-requests",
        "Stop before more requests than that are sent; the next run goes on.",
        type=click.IntRange(1),
    ),
)
_PART = option(
    "--path", "The index is of this folder alone, from the root; else of all.", callback=_folder
)
_FORCE = option(
    "--force",
    "Go on although the index goes back to an older event, or loses other folders' files.",
    is_flag=True,
)
_SHARES = (
    option(
        "--shard", "Such as 3/16: one of 16 runs at once that share the files.", callback=_shard
    ),
    option("--run", "The name that shards share; in GitHub Actions they have one."),
)
_OUTPUT = (
    click.option("--json", is_flag=True, help="The result as JSON on stdout."),
    click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors."),
)


dry_run = click.option("--dry-run", is_flag=True, help="Only say what would be done.")


def asking(command: Command) -> Command:
    """The options of a command that only asks git, and whose result is JSON in any case."""
    return _with(command, _WHERE[0], *_OUTPUT)


def acting(command: Command) -> Command:
    """What action.yml says to the command that it runs."""
    return _with(
        command,
        option(
            "--command",
            "What to do; deltas make a sync an apply.",
            type=click.Choice(["sync", "apply", "validate", "plan"]),
            default="sync",
            show_default=True,
        ),
        option("--deltas", "The changes as a JSON array, or a file with it; else all of HEAD."),
        option("--validate", "Prove the index afterwards.", type=bool, default=False),
        option("--repair", "Mend what a validation finds.", type=bool, default=False),
        option("--dry-run", "Only say what would be done.", type=bool, default=False),
        _CLOUD[0],
        *_WHERE,
    )


def counting(command: Command) -> Command:
    """How many shards there are to be."""
    shards = option(
        "--shards",
        "How many parts; no more are made than there are files.",
        type=click.IntRange(1, MAX_SHARDS),
        required=True,
    )
    return _with(command, shards, _PART)


def paths(text: str) -> Callable[[Command], Command]:
    """The option that names files and folders."""
    return click.option("--path", "paths", multiple=True, required=True, type=_Place(), help=text)


class _Place(click.ParamType[Path]):
    """A file or a folder; an empty name, as a variable that is not set leaves, is not `.`."""

    name = "path"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return Path(value) if value else self.fail("it is empty; write . for all", param, ctx)


def reading(command: Command) -> Command:
    """The options of a command that reads the index."""
    return _with(command, *_WHERE, *_CLOUD, *_MEANING, *_OUTPUT)


def examining(command: Command) -> Command:
    """The options of a command that looks at what a run would need."""
    return _with(command, *_WHERE, *_CLOUD, *_MEANING, *_PARSING, *_OUTPUT)


def instead(command: Command) -> Command:
    """The options that say another index, or another way to ask it."""
    return _with(command, *_WHERE, *_CLOUD, *_MEANING)


def writing(command: Command) -> Command:
    """The options of a command that brings the index on."""
    return _with(command, *_WHERE, *_CLOUD, *_MEANING, *_PARSING, *_LIMITS, dry_run, *_OUTPUT)


def syncing(command: Command) -> Command:
    """The options of the command that brings all of the index on."""
    return _with(writing(command), _PART, *_SHARES, _FORCE)


def applying(command: Command) -> Command:
    """The options of the command that follows deltas."""
    return _with(writing(command), _PART, _FORCE)


def making(command: Command) -> Command:
    """The options of a command that makes what an index is kept in."""
    return _with(command, *_WHERE, *_CLOUD, *_MEANING, dry_run, *_OUTPUT)


def caching(command: Command) -> Command:
    """The options of the command that is about the embeddings made before."""
    return _with(command, _CACHE, *_OUTPUT)


def proving(command: Command) -> Command:
    """The options of a command that reads the index and may mend it."""
    content = option(
        "--content/--no-content",
        "Parse every file of HEAD once more, and compare each node with what the index has of it.",
        default=True,
    )
    return _with(command, content, *_WHERE, _PART, *_CLOUD, *_MEANING, *_PARSING, *_OUTPUT)


def _several(*names: str, help: str) -> Callable[[Command], Command]:
    """An option that may be given more than once."""
    return click.option(*names, names[0].lstrip("-").replace("-", "_"), multiple=True, help=help)


def narrowing(command: Command) -> Command:
    """The options that say where a search looks."""
    return _with(
        command,
        _several("--path", help="Only this file, folder or glob, from the root or from here."),
        _several("--language", help="Only this language, such as python or c++."),
        _several("--node-type", "--type", help="Only this type of node, such as class."),
        _several("--category", help="Only `code`, `docs`, `config`, `tests` or one of your own."),
        click.option("--tests", type=click.Choice(["yes", "no", "only"]), help="Whether tests."),
        click.option("--all-repos", is_flag=True, help="In every repository of the index."),
        _several("--prefer", help="Raises a folder, lang:X, repo:X or category:X."),
    )


def noting(command: Command) -> Command:
    """Whether questions are noted."""
    text = "Note questions in .feeder/queries.db, for `feeder queries`; off says not to."
    log = option("--query-log/--no-query-log", text, default=Settings.query_log)
    return _with(command, log)


def remembering(command: Command) -> Command:
    """The options of the command that is about the questions asked before."""
    return _with(command, _WHERE[0], _WHERE[-1], *_OUTPUT)


def showing(command: Command) -> Command:
    """The options that say how an answer is shown."""
    return _with(
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
        coloring,
    )


coloring = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="`auto`: on a terminal, unless NO_COLOR is set.",
)


def _with(command: Command, *options: Callable[[Command], Command]) -> Command:
    return reduce(lambda made, option: option(made), reversed(options), command)
