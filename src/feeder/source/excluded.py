"""Why does a folder that is named have no file to index?"""

import os
from pathlib import Path

from feeder.source import git
from feeder.source.git_command import git_output
from feeder.source.paths import escape_name

_LIST_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--")
# it takes names as they are, but refuses to be told so
_CHECK_IGNORE = ("--no-literal-pathspecs", "check-ignore", "-v", "-z", "--stdin")


def exclusion_cause(base: Path, folder: Path) -> str:
    """The rule of git that excludes what lies there, the first of several; a clause."""
    if git.find_root(base) is None:
        return "no file lies there that .gitignore does not exclude"
    below = os.fsencode(folder.resolve().relative_to(base.resolve()))
    first, _, _ = git_output(base, *_LIST_IGNORED, below).partition(b"\0")
    if not first:
        return "no file lies there"
    rule = git_output(base, *_CHECK_IGNORE, stdin=b"./%b\0" % first)
    source, line, pattern, _ = rule.split(b"\0", 3)
    return (
        f"line {line.decode()} of {escape_name(source)} excludes what lies there "
        f"({escape_name(pattern)})"
    )
