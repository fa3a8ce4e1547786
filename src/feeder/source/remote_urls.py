"""Reads the address of a remote repository: its name, and its page for a commit."""

import re
from urllib.parse import urlsplit

_SCP_URL = re.compile(r"(?:[^/@]+@)?(?P<host>\[[^]/]+\]|[^/:\[]{2,}):(?P<path>.+)", re.DOTALL)


def slug_from_url(url: str) -> str | None:
    """`owner/name` from a remote's URL, without any credentials; None for a local path."""
    scheme, separator, _ = url.partition("://")
    if separator:
        path = "" if scheme == "file" else _url_path(url)
    else:
        match = _SCP_URL.fullmatch(url)
        path = match["path"] if match else ""
    return path.strip("/").removesuffix(".git").strip("/") or None


def github_slug_from_url(url: str) -> str | None:
    """`owner/name` of a remote at GitHub, over HTTPS or SSH; None for any other."""
    host = _url_host(url) if "://" in url else _scp_host(url)
    return slug_from_url(url) if host == "github.com" else None


def web_address(url: str, commit: str) -> str | None:
    """The address of a commit's files at GitHub or GitLab; None for a remote elsewhere.

    A host counts as GitLab if its name has a part `gitlab`.
    """
    host, slug = _url_host(url) if "://" in url else _scp_host(url), slug_from_url(url)
    if host == "github.com" and slug:
        return f"https://github.com/{slug}/blob/{commit}"
    if host and "gitlab" in host.split(".") and slug:
        return f"https://{host}/{slug}/-/blob/{commit}"
    return None


def _url_host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _scp_host(url: str) -> str | None:
    match = _SCP_URL.fullmatch(url)
    return match["host"].lower() if match else None


def _url_path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""
