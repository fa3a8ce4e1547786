"""Finds the token, account, database and index name in flags, environment and wrangler file,
and chooses between the local and the Cloudflare store.
"""

import hashlib
import os
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from feeder.cloudflare import wrangler
from feeder.config import Settings
from feeder.errors import UserError

TOKEN_VARIABLE, ACCOUNT_VARIABLE, BASE_URL_VARIABLE = (
    "CLOUDFLARE_API_TOKEN",
    "CLOUDFLARE_ACCOUNT_ID",
    "CLOUDFLARE_BASE_URL",
)
MAX_INDEX_NAME_CHARS = 64
"""Of an index of Vectorize."""


@dataclass(frozen=True)
class CloudSettings:
    """What has been said: by flags, else the environment, else wrangler.toml; empty if by none."""

    token: str = field(repr=False)
    account_id: str
    base_url: str
    database_id: str
    index_name: str

    def missing(self) -> dict[str, str]:
        """What a call of the API cannot do without, with how it is said."""
        said = {
            "the API token": (self.token, f"{TOKEN_VARIABLE} in the environment"),
            "the account's id": (self.account_id, f"--account-id or {ACCOUNT_VARIABLE}"),
        }
        return {what: how for what, (value, how) in said.items() if not value}


class StoreChoice(NamedTuple):
    """One of the two stores, and why."""

    is_cloud: bool
    reason: str


def cloud_settings(settings: Settings, repo: str) -> CloudSettings:
    """All that is said of Cloudflare; an index has a name in any case."""
    from feeder.cloudflare.api import BASE_URL

    said = wrangler.read_bindings(wrangler.find_file(settings.directory))
    return CloudSettings(
        os.environ.get(TOKEN_VARIABLE, "").strip(),
        settings.account_id or said.account_id or "",
        os.environ.get(BASE_URL_VARIABLE, "").strip() or BASE_URL,
        settings.database_id or said.database_id or "",
        settings.index_name or said.index_name or default_names(repo)[1],
    )


def has_token() -> bool:
    """Whether anything at Cloudflare can be asked."""
    return bool(os.environ.get(TOKEN_VARIABLE, "").strip())


def token_to_mask() -> str:
    """The token that is sent, where it is not what was said: GitHub masks only that; else empty."""
    said = os.environ.get(TOKEN_VARIABLE, "")
    return said.strip() if said != said.strip() else ""


def choose_store(settings: Settings) -> StoreChoice:
    """The store that the settings ask for; Cloudflare where a token and an account are there."""
    if settings.store:
        return StoreChoice(settings.store == "cloudflare", f"--store {settings.store}")
    if settings.db:
        return StoreChoice(False, "--db names a file")
    if not has_token():
        return StoreChoice(False, f"no {TOKEN_VARIABLE}")
    if (
        settings.account_id
        or wrangler.read_bindings(wrangler.find_file(settings.directory)).account_id
    ):
        return StoreChoice(True, "token and account are set")
    return StoreChoice(False, f"no {ACCOUNT_VARIABLE}")


def require_settings(settings: CloudSettings, *, database: bool) -> None:
    """Raises UserError, one sentence, for what is missing to reach the account, or the database."""
    missing = settings.missing()
    if database and not settings.database_id:
        missing["the database's id"] = "--database-id or FEEDER_DATABASE_ID"
    if missing:
        init = " feeder init makes the database." if "the database's id" in missing else ""
        raise UserError(
            f"For Cloudflare, {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} "
            f"missing: set {', '.join(missing.values())}, or take --store local.{init}"
        )


def default_names(repo: str) -> tuple[str, str]:
    """What the database and the index of a repository are called, if nobody says otherwise.

    Small letters, digits, `_` and `-`, a letter first; too long a name ends in a hash instead.
    """
    stem = re.sub(r"[^a-z0-9_-]", "_", repo.lower()).strip("_-") or "repo"
    stem = stem if stem[0].isalpha() else f"r{stem}"
    longest = MAX_INDEX_NAME_CHARS - len("_code")
    if len(stem) > longest:
        stem = f"{stem[: longest - 9]}_{hashlib.sha1(repo.encode()).hexdigest()[:8]}"
    return stem, f"{stem}_code"
