"""Which store is meant, and what does the program know to reach the one at Cloudflare?"""

import hashlib
import os
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from feeder.cloudflare import wrangler
from feeder.config import Settings
from feeder.errors import UserError

TOKEN, ACCOUNT, ADDRESS = "CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_BASE_URL"
NAME_CHARS = 64
"""Of an index of Vectorize."""


@dataclass(frozen=True)
class Known:
    """What has been said: by flags, else the environment, else wrangler.toml; empty if by none."""

    token: str = field(repr=False)
    account_id: str
    base_url: str
    database_id: str
    index_name: str

    def missing(self) -> dict[str, str]:
        """What a call of the API cannot do without, with how it is said."""
        said = {
            "the API token": (self.token, f"{TOKEN} in the environment"),
            "the account's id": (self.account_id, f"--account-id or {ACCOUNT}"),
        }
        return {what: how for what, (value, how) in said.items() if not value}


class Choice(NamedTuple):
    """One of the two stores, and why."""

    is_cloud: bool
    why: str


def known(settings: Settings, repo: str) -> Known:
    """All that is said of Cloudflare; an index has a name in any case."""
    from feeder.cloudflare.api import BASE_URL

    said = wrangler.read(wrangler.find(settings.directory))
    return Known(
        os.environ.get(TOKEN, "").strip(),
        settings.account_id or said.account_id or "",
        os.environ.get(ADDRESS, "").strip() or BASE_URL,
        settings.database_id or said.database_id or "",
        settings.index_name or said.index_name or names_of(repo)[1],
    )


def has_token() -> bool:
    """Whether anything at Cloudflare can be asked."""
    return bool(os.environ.get(TOKEN, "").strip())


def trimmed_token() -> str:
    """The token that is sent, where it is not what was said: GitHub masks only that; else empty."""
    said = os.environ.get(TOKEN, "")
    return said.strip() if said != said.strip() else ""


def choice(settings: Settings) -> Choice:
    """The store that the settings ask for; Cloudflare where a token and an account are there."""
    if settings.store:
        return Choice(settings.store == "cloudflare", f"--store {settings.store}")
    if settings.db:
        return Choice(False, "--db names a file")
    if not has_token():
        return Choice(False, f"no {TOKEN}")
    if settings.account_id or wrangler.read(wrangler.find(settings.directory)).account_id:
        return Choice(True, "token and account are set")
    return Choice(False, f"no {ACCOUNT}")


def require(cloud: Known, *, database: bool) -> None:
    """Raises UserError, one sentence, for what is missing to reach the account, or the database."""
    missing = cloud.missing()
    if database and not cloud.database_id:
        missing["the database's id"] = "--database-id or FEEDER_DATABASE_ID"
    if missing:
        init = " feeder init makes the database." if "the database's id" in missing else ""
        raise UserError(
            f"For Cloudflare, {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} "
            f"missing: set {', '.join(missing.values())}, or take --store local.{init}"
        )


def names_of(repo: str) -> tuple[str, str]:
    """What the database and the index of a repository are called, if nobody says otherwise.

    Small letters, digits, `_` and `-`, a letter first; too long a name ends in a hash instead.
    """
    stem = re.sub(r"[^a-z0-9_-]", "_", repo.lower()).strip("_-") or "repo"
    stem = stem if stem[0].isalpha() else f"r{stem}"
    longest = NAME_CHARS - len("_code")
    if len(stem) > longest:
        stem = f"{stem[: longest - 9]}_{hashlib.sha1(repo.encode()).hexdigest()[:8]}"
    return stem, f"{stem}_code"
