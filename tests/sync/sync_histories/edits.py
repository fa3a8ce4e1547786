"""Edits of a commit's files, as hypothesis strategies."""

import os
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from hypothesis import strategies as st

from feeder.source.git_trees import Commit
from sync.sync_histories.sample_documents import PAPERS

PATHS = (
    "a.py",
    "src/a.py",
    "src/b.py",
    "src/deep/c.py",
    "notes.md",
    "c.json",
    "yarn.lock",
    "src/.noindex",
    ".feederignore",
    ".gitattributes",
    os.fsdecode(b"caf\xe9.py"),
    "manual.docx",
    "src/manual.pdf",
    "prices.xlsx",
    "guide.rst",
)
PARTS = (
    "def total(cart):\n    return sum(cart)\n\n\n",
    "class Cart:\n    def add(self):\n        pass\n\n\n",
    "class Cart:\n    def add(self):\n        return 1\n\n\n",
    "# Install\n\nUse a package.\n",
    '{"server": {"port": 1}}\n',
    "*.json\n",
    "*.py linguist-generated\n",
    "\n",
    "\0",
)


class File(NamedTuple):
    """A file in a git tree; the content of a submodule is its commit."""

    mode: str
    content: bytes


Files = dict[str, File]


class Pushed(NamedTuple):
    """A commit that was pushed, with its files."""

    tree: Commit
    files: Files


class Edit(NamedTuple):
    """A change of a commit's files, with the drawn values that it needs.

    It does nothing if no file fits.
    """

    make: "Callable[[Edit, Files, Sequence[Pushed]], Files]"
    at: int
    path: str
    content: bytes

    def one(self, files: Files) -> tuple[str, File]:
        path = sorted(files)[self.at % len(files)]
        return path, files[path]

    def former(self, past: Sequence[Pushed]) -> Pushed:
        return past[self.at % len(past)]


def with_file(files: Files, path: str, file: File) -> Files:
    """Adds a file and removes those that cannot exist beside it in a tree."""
    place = PurePosixPath(path)
    apart = {
        name: other
        for name, other in files.items()
        if not place.is_relative_to(name) and not PurePosixPath(name).is_relative_to(path)
    }
    return {**apart, path: file}


def without(files: Files, path: str) -> Files:
    return {name: file for name, file in files.items() if name != path}


def written(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    return with_file(files, edit.path, File("100644", edit.content))


def drawn_up(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    """Adds a document, valid or damaged."""
    path, content = PAPERS[edit.at % len(PAPERS)]
    return with_file(files, path, File("100644", content))


def retyped(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    """Replaces a document by text under the same name, or text by a document."""
    path, file = edit.one(files)
    if file.mode == "160000":
        return files
    documents = [content for _, content in PAPERS]
    is_one = file.content in documents
    content = edit.content if is_one else documents[edit.at % len(documents)]
    return {**files, path: file._replace(content=content)}


def damaged(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    """Truncates a document to its first half."""
    path, file = edit.one(files)
    if file.mode == "160000":
        return files
    return {**files, path: file._replace(content=file.content[: len(file.content) // 2])}


def shifted(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    """Inserts a line at the beginning of a file."""
    path, file = edit.one(files)
    if file.mode == "160000":
        return files
    return {**files, path: file._replace(content=b"\n" + file.content)}


def deleted(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    return without(files, edit.one(files)[0])


def renamed(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    return with_file(without(files, path), edit.path, file)


def copied(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    return with_file(files, edit.path, edit.one(files)[1])


def recased(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    stem, dot, ending = path.rpartition(".")
    return with_file(without(files, path), f"{stem.swapcase()}{dot}{ending}", file)


def made_a_folder(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    return with_file(files, f"{path}/{PurePosixPath(path).name}", file)


def made_a_file(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    folder = path.rpartition("/")[0]
    return with_file(files, folder, file) if folder else files


def made_executable(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    path, file = edit.one(files)
    return {**files, path: file._replace(mode="100755")} if file.mode == "100644" else files


def made_a_link(edit: Edit, files: Files, _: Sequence[Pushed]) -> Files:
    """Replaces a file by a symbolic link to its content, or a link by a file."""
    path, file = edit.one(files)
    if file.mode == "160000":
        return files
    mode = "100644" if file.mode == "120000" else "120000"
    return {**files, path: file._replace(mode=mode)}


def made_a_submodule(edit: Edit, files: Files, past: Sequence[Pushed]) -> Files:
    commit = edit.former(past).tree.commit.encode()
    return with_file(files, edit.path, File("160000", commit))


def merged(edit: Edit, files: Files, past: Sequence[Pushed]) -> Files:
    """Merges the files of another commit; its files win where both cannot exist."""
    for path, file in edit.former(past).files.items():
        files = with_file(files, path, file)
    return files


def reverted(edit: Edit, files: Files, past: Sequence[Pushed]) -> Files:
    return edit.former(past).files


EDITS = (
    *(written, drawn_up, drawn_up, retyped, damaged),
    *(shifted, deleted, renamed, copied, recased, made_a_folder, made_a_file),
    *(made_executable, made_a_link, made_a_submodule, merged, reverted),
)

paths = st.sampled_from(PATHS)
contents = st.lists(st.sampled_from(PARTS), max_size=4).map(lambda parts: "".join(parts).encode())
positions = st.integers(0, 99)
papers = st.lists(st.sampled_from(PAPERS), min_size=1, max_size=4).map(dict)
_edit = st.builds(Edit, st.sampled_from(EDITS), positions, paths, contents)
edits = st.lists(_edit, max_size=4)
some_edits = st.lists(_edit, min_size=1, max_size=4)
