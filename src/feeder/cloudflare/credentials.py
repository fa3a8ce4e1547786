"""Finds the token, account, database and index name in flags, environment and wrangler file,
and chooses between the local and the Cloudflare store.
"""

import hashlib
import os
import re
from dataclasses import dataclass, field
from enum import StrEnum
from shlex import quote
from typing import NamedTuple

from feeder.cloudflare import wrangler
from feeder.config import Settings
from feeder.errors import MissingSettingsError, UserError

TOKEN_VARIABLE, ACCOUNT_VARIABLE, BASE_URL_VARIABLE = (
    "CLOUDFLARE_API_TOKEN",
    "CLOUDFLARE_ACCOUNT_ID",
    "CLOUDFLARE_BASE_URL",
)
MAX_INDEX_NAME_CHARS = 64
"""Vectorize's limit."""


class CloudSetting(StrEnum):
    """A setting that requests to Cloudflare need, as messages name it."""

    TOKEN = "the API token"
    ACCOUNT_ID = "the account id"
    DATABASE_ID = "the database id"


@dataclass(frozen=True)
class CloudSettings:
    """Settings from flags, else the environment, else the wrangler file; "" where none has one."""

    token: str = field(repr=False)
    account_id: str
    base_url: str
    database_id: str
    index_name: str

    def missing(self) -> dict[CloudSetting, str]:
        """Returns the missing settings that every API call needs, with how to set each."""
        required = {
            CloudSetting.TOKEN: (self.token, TOKEN_VARIABLE),
            CloudSetting.ACCOUNT_ID: (self.account_id, f"{ACCOUNT_VARIABLE} (or --account-id)"),
        }
        return {name: how for name, (value, how) in required.items() if not value}


class StoreChoice(NamedTuple):
    """The chosen store, and the reason for the choice; empty for the default, with nothing set."""

    is_cloud: bool
    reason: str


def cloud_settings(settings: Settings, repo: str) -> CloudSettings:
    """Collects all settings of Cloudflare; the index name defaults to `default_names`."""
    from feeder.cloudflare.api import BASE_URL

    bindings = wrangler.read_bindings(wrangler.find_file(settings.directory))
    return CloudSettings(
        os.environ.get(TOKEN_VARIABLE, "").strip(),
        _account_id(settings, bindings),
        os.environ.get(BASE_URL_VARIABLE, "").strip() or BASE_URL,
        settings.database_id or bindings.database_id or "",
        settings.index_name or bindings.index_name or default_names(repo)[1],
    )


def has_token() -> bool:
    """Returns whether the environment has an API token."""
    return bool(os.environ.get(TOKEN_VARIABLE, "").strip())


def token_to_mask() -> str:
    """Returns the token without surrounding blanks, if the variable has some; else "".

    GitHub masks only the exact value of the variable.
    """
    value = os.environ.get(TOKEN_VARIABLE, "")
    return value.strip() if value != value.strip() else ""


def choose_store(settings: Settings) -> StoreChoice:
    """Chooses by --store, else --db, else Cloudflare if the repository is configured for it.

    A token and an account alone do not configure it, since every user of wrangler has them.
    """
    if settings.store:
        return StoreChoice(settings.store == "cloudflare", f"--store {settings.store}")
    if settings.db:
        return StoreChoice(False, "--db names a file")
    if missing := _missing_credential(settings):
        try:
            return StoreChoice(False, f"no {missing}" if _configuration(settings) else "")
        except UserError:  # the wrangler file is read when Cloudflare is chosen
            return StoreChoice(False, "")
    configuration = _configuration(settings)
    return StoreChoice(bool(configuration), configuration)


def choose_new_store(settings: Settings) -> StoreChoice:
    """Chooses where `init` creates an index: as `choose_store`, but a token and an account are
    enough for Cloudflare, which only `init` has to prepare.
    """
    if settings.store or settings.db:
        return choose_store(settings)
    missing = _missing_credential(settings)
    return StoreChoice(not missing, f"no {missing}" if missing else "token and account are set")


def _missing_credential(settings: Settings) -> str:
    """Returns the variable of the token or the account, if none is set; else ""."""
    if not has_token():
        return TOKEN_VARIABLE
    return "" if _account_id(settings) else ACCOUNT_VARIABLE


def _account_id(settings: Settings, bindings: wrangler.Bindings | None = None) -> str:
    """Returns the account of the settings, else of the environment, else of the wrangler file."""
    named = settings.account_id or os.environ.get(ACCOUNT_VARIABLE, "").strip()
    if named:
        return named
    bindings = bindings or wrangler.read_bindings(wrangler.find_file(settings.directory))
    return bindings.account_id or ""


def _configuration(settings: Settings) -> str:
    """Says what configures the repository for Cloudflare; "" if nothing does.

    That is a setting of feeder's own, or a wrangler file with its bindings and a database id.
    """
    named = {
        "the account": settings.account_id,
        "the database": settings.database_id,
        "the Vectorize index": settings.index_name,
    }
    if name := next((name for name, value in named.items() if value), ""):
        return f"{name} is set"
    file = wrangler.find_file(settings.directory)
    if file and wrangler.has_index_bindings(file):
        return f"{file.name} names the index"
    return ""


def require_settings(settings: CloudSettings, *, database: bool) -> None:
    """Raises UserError that names all missing settings; with `database`, its id is required too."""
    missing = settings.missing()
    if database and not settings.database_id:
        missing[CloudSetting.DATABASE_ID] = "FEEDER_DATABASE_ID (or --database-id)"
    if missing:
        init = " To create the database: feeder init" if CloudSetting.DATABASE_ID in missing else ""
        raise MissingSettingsError(
            "The store cloudflare is selected, but these settings are missing: "
            f"{', '.join(missing)}.",
            f"Set {', '.join(missing.values())}, or use --store local.{init}",
            tuple(missing),
        )


def missing_database_remedy(settings: Settings, repo: str) -> str:
    """Returns the remedy for a database that does not exist, wherever its id comes from."""
    name = wrangler.read_bindings(wrangler.find_file(settings.directory)).database_name
    command = f"feeder init --database-name {quote(name or default_names(repo)[0])}"
    if not settings.database_id:
        return f"Correct the account id; or if the database was deleted, make another: {command}"
    return (
        "Correct the account id, or --database-id or FEEDER_DATABASE_ID. If the database was "
        f"deleted, remove that setting and make another: {command}"
    )


def default_names(repo: str) -> tuple[str, str]:
    """Returns the default names of a repository's database and Vectorize index.

    They have lowercase letters, digits, `_` and `-`, and begin with a letter. A name that is too
    long is cut and ends in a hash.
    """
    stem = re.sub(r"[^a-z0-9_-]", "_", repo.lower()).strip("_-") or "repo"
    stem = stem if stem[0].isalpha() else f"r{stem}"
    longest = MAX_INDEX_NAME_CHARS - len("_code")
    if len(stem) > longest:
        stem = f"{stem[: longest - 9]}_{hashlib.sha1(repo.encode()).hexdigest()[:8]}"
    return stem, f"{stem}_code"
