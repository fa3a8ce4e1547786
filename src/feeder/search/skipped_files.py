"""Reports that a target is a file which the index skipped, with the reason and what to do."""

from types import MappingProxyType

from feeder.errors import UserError
from feeder.parse.extract import NOT_INSTALLED
from feeder.search.filters import path_candidates
from feeder.search.index_status import Corpus
from feeder.source import SkipReason
from feeder.store.inventory import skipped_files

_CHANGE_ATTRIBUTES = "To include it, change .gitattributes, commit that, and run feeder sync."

_UNSET_GENERATED = (
    "To include it, add a line with its path and -linguist-generated to .gitattributes, commit "
    "that, and run feeder sync."
)

SKIP_REMEDIES = MappingProxyType(
    {
        SkipReason.NOINDEX.value: "To include it, delete that .noindex, commit that, and run "
        "feeder sync.",
        SkipReason.SECRET.value: "Files with such names are never indexed. If it has no secrets, "
        "rename it.",
        SkipReason.IGNORED.value: "To include it, change .feederignore, commit that, and run "
        "feeder sync.",
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
        NOT_INSTALLED: "Install it and run feeder sync.",
    }
)
"""The remedy for a skipped file, by the reason that the index has."""

DEFAULT_REMEDY = "Open the file itself."
"""For reasons without a remedy, such as binary files and damaged documents."""


def check_not_skipped(corpus: Corpus, text: str, directory: str, *, anywhere: bool) -> None:
    """Raises UserError if a path, from the root or from `directory`, is that of a skipped file.

    With `anywhere` also if it is the end of such a file's path: this reads all rows of files.
    """
    candidates = path_candidates(text, directory)
    exact = [path for path in candidates if not path.startswith("*/")]
    endings = [path[1:] for path in candidates if path.startswith("*/") and anywhere]
    reasons = skipped_files(corpus.database, corpus.repo, exact, endings)
    path = next((path for path in [*exact, *sorted(reasons)] if path in reasons), None)
    if path is not None:
        remedy = SKIP_REMEDIES.get(reasons[path], DEFAULT_REMEDY)
        raise UserError(f"{path} is not in the index: it was skipped ({reasons[path]}). {remedy}")
