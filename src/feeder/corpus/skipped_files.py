"""Reports that a target is a file which the index skipped, with the reason and what to do."""

from collections.abc import Sequence
from types import MappingProxyType

from feeder.corpus.corpus import Corpus
from feeder.errors import UserError
from feeder.notes import Note, NoteKind
from feeder.parse.extract import NOT_INSTALLED
from feeder.source import SkipReason
from feeder.source.paths import path_candidates
from feeder.store import Database
from feeder.store.inventory import indexed_repositories, skipped_files
from feeder.store.scope import Scope

_FOLLOWED = " An index at Cloudflare also needs a commit and feeder sync."
"""A local index follows the working tree."""

_CHANGE_ATTRIBUTES = f"To include it, change .gitattributes.{_FOLLOWED}"

_UNSET_GENERATED = (
    f"To include it, add a line with its path and -linguist-generated to .gitattributes.{_FOLLOWED}"
)

SKIP_REMEDIES = MappingProxyType(
    {
        SkipReason.SUBMODULE.value: "It has an index of its own: run feeder sync in that folder.",
        SkipReason.NOINDEX.value: f"To include it, delete that .noindex.{_FOLLOWED}",
        SkipReason.SECRET.value: "Files with such names are never indexed. If it contains no "
        "secrets, rename it.",
        SkipReason.IGNORED.value: f"To include it, change .feederignore.{_FOLLOWED}",
        SkipReason.VENDORED.value: _CHANGE_ATTRIBUTES,
        SkipReason.MARKED_GENERATED.value: _CHANGE_ATTRIBUTES,
        SkipReason.LOCK.value: _UNSET_GENERATED,
        SkipReason.MINIFIED.value: _UNSET_GENERATED,
        SkipReason.GENERATED.value: _UNSET_GENERATED,
        SkipReason.TOO_LARGE.value: "To include it, run feeder sync with a larger "
        "--max-file-bytes, or --max-document-bytes for a document.",
        SkipReason.UNREADABLE.value: "Correct its permissions and run feeder sync.",
        SkipReason.FILTER_FAILED.value: "Correct the filter in git's configuration and run "
        "feeder sync.",
        SkipReason.NOT_FETCHED.value: "Fetch its contents with git and run feeder sync.",
        NOT_INSTALLED: "Install it where the index is made, and run feeder sync.",
    }
)
"""The remedy for a skipped file, by the reason that the index has."""

MAX_PATH_NOTES = 3
"""Skipped files named in the answer to a search that found nothing."""

MAX_PATH_CHARS = 200
"""A longer query is no path."""

DEFAULT_REMEDY = "Open the file itself."
"""For reasons without a remedy, such as binary files and damaged documents."""


def check_not_skipped(corpus: Corpus, text: str, directory: str, *, anywhere: bool) -> None:
    """Raises UserError if a path, from the root or from `directory`, is that of a skipped file or
    inside a skipped submodule.

    With `anywhere` also if it is the end of such a file's path: this reads all rows of files.
    """
    places, endings = _places_and_endings(path_candidates(text, directory))
    reasons = skipped_files(corpus.database, corpus.repo, places, endings if anywhere else [])
    path = next((path for path in [*places, *sorted(reasons)] if path in reasons), None)
    if path is not None:
        raise UserError(*_problem_and_remedy(path, reasons[path]))


def check_scope_not_skipped(database: Database, scope: Scope, paths: Sequence[str]) -> None:
    """Raises UserError if the paths that a filter may mean are inside a skipped submodule."""
    repos = indexed_repositories(database) if scope.repos is None else scope.repos
    places, endings = _places_and_endings(paths)
    for repo in repos:
        for path, reason in skipped_files(database, repo, places, endings).items():
            raise UserError(*_problem_and_remedy(path, reason))


def _skip_note(path: str, reason: str) -> Note:
    """Says that a file was skipped, why, and what to do."""
    return Note(NoteKind.SKIPPED_FILE, *_problem_and_remedy(path, reason))


def _problem_and_remedy(path: str, reason: str) -> tuple[str, str]:
    problem = f"{path} is not in the index: it was skipped ({reason})."
    return problem, SKIP_REMEDIES.get(reason, DEFAULT_REMEDY)


def _places_and_endings(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Paths from the root with the folders that they are in, and endings of paths."""
    exact = [path for path in paths if not path.startswith("*/")]
    places = dict.fromkeys(place for path in exact for place in _path_and_folders(path))
    return list(places), [path[1:] for path in paths if path.startswith("*/")]


def _path_and_folders(path: str) -> list[str]:
    """A path and the folders that it is in, the innermost first: one may be a submodule."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def typed_path_notes(corpus: Corpus, text: str, directory: str) -> list[Note]:
    """Says that a query is the path of a skipped file: its hits only mention it."""
    if "." not in text or len(text) > MAX_PATH_CHARS or len(text.split()) != 1:
        return []
    places = [place for place in path_candidates(text, directory) if not place.startswith("*/")]
    reasons = skipped_files(corpus.database, corpus.repo, places, [])
    return [_skip_note(path, reason) for path, reason in reasons.items()]


def skipped_path_notes(database: Database, repos: Sequence[str], scope: Scope) -> list[Note]:
    """Says which of a scope's paths are skipped files, for a search that found nothing there."""
    if not scope.paths:
        return []
    places, endings = _places_and_endings(scope.paths)
    skipped = [skipped_files(database, repo, places, endings) for repo in repos]
    notes = [_skip_note(path, reason) for reasons in skipped for path, reason in reasons.items()]
    return notes[:MAX_PATH_NOTES]
