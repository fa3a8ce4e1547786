"""Is the repository such that a run can read it? git, HEAD, and the files that set things."""

from collections.abc import Iterator

from feeder.cloudflare import wrangler
from feeder.config import Settings
from feeder.doctor import Finding
from feeder.search.vocabulary import REPOSITORY_FILE, repository_categories
from feeder.session.session import current_workspace
from feeder.source import git
from feeder.source.git_command import run_git


def check_git(settings: Settings) -> Iterator[Finding]:
    """Which git is found."""
    said = run_git(settings.directory, "--version").stdout.decode("utf-8", "replace").strip()
    yield Finding("git", said.removeprefix("git version "))


def check_repository(settings: Settings) -> Iterator[Finding]:
    """Which repository it is, and what its HEAD is."""
    repository = git.find_root(settings.directory.resolve())
    if repository is None:
        says = f"{settings.directory.resolve()} is in none"
        remedy = "Go into one, or index files as they lie: feeder process --path ."
        yield Finding("repository", says, remedy)
        return
    place = current_workspace(settings)
    tip = git.head_commit_or_none(repository)
    kind = "bare, " if git.is_bare(repository) else ""
    kind += "shallow, " if git.is_shallow(repository) else ""
    at = f"HEAD {tip[:7]}" if tip else "no commit yet"
    remedy = "" if tip else "Commit first, or index the files as they are: sync --working-tree."
    yield Finding("repository", f"{place.repo} in {repository}, {kind}{at}", remedy)


def check_settings_files(settings: Settings) -> Iterator[Finding]:
    """Whether the files that set things can be read."""
    base = current_workspace(settings).base
    if own := repository_categories(base):
        yield Finding(REPOSITORY_FILE, f"categories: {', '.join(own)}")
    if file := wrangler.find_file(settings.directory):
        wrangler.read_bindings(file)
        yield Finding(file.name, f"read from {file}")
