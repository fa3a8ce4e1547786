"""What is kept out, and why."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.source import DEFAULT_SIZES, Sizes
from feeder.source.git_trees import Commit
from source.repos import Repo, Text, raw_commit


def skips(
    repo: Repo, files: dict[str, Text | None], sizes: Sizes = DEFAULT_SIZES
) -> dict[str, str]:
    """The reasons by path, once these files are committed; rule files themselves left out."""
    repo.commit(files)
    entries = Commit(repo.path, sizes=sizes).entries()
    return {entry.path: entry.skip for entry in entries if entry.skip}


def ignored(repo: Repo, files: dict[str, Text | None]) -> set[str]:
    found = skips(repo, files)
    assert set(found.values()) <= {"excluded by .feederignore"}
    return set(found)


def test_size_is_limited(repo: Repo) -> None:
    """A file of the limit's size is read, a byte more is too much."""
    files: dict[str, Text | None] = {"at.txt": "x" * 100, "above.txt": "x" * 101}
    assert skips(repo, files, sizes=Sizes(100)) == {"above.txt": "larger than the limit"}


def test_the_limit_is_a_megabyte(repo: Repo) -> None:
    """Unless the user says otherwise, a million bytes are read."""
    found = skips(repo, {"at.txt": "x" * 1_000_000, "above.txt": "x" * 1_000_001})
    assert found == {"above.txt": "larger than the limit"}


def test_the_last_match_counts(repo: Repo) -> None:
    """As in .gitignore, a later line overrides an earlier one, and `!` takes back."""
    rules = "*.txt\n!keep.txt\n# a comment\n\n/only-root\nbuild/\n\\#hash\n"
    names = ["a.txt", "keep.txt", "sub/keep.txt", "only-root", "sub/only-root", "#hash"]
    names += ["sub/build/x", "build"]
    found = ignored(repo, {".feederignore": rules, **dict.fromkeys(names, "x")})
    assert found == {"a.txt", "only-root", "sub/build/x", "#hash"}


def test_nothing_comes_back_out_of_an_excluded_folder(repo: Repo) -> None:
    """As in .gitignore, `!` has no say below a folder that is itself excluded."""
    names = ["out/keep.txt", "dist/keep.txt", "dist/lose.txt"]
    rules = "out/\n!out/keep.txt\ndist/*\n!dist/keep.txt\n"
    found = ignored(repo, {".feederignore": rules, **dict.fromkeys(names, "x")})
    assert found == {"out/keep.txt", "dist/lose.txt"}


def test_taking_a_folder_back_takes_back_no_folder_in_it(repo: Repo) -> None:
    """`!src/` is about src alone: what excludes a folder below still does."""
    names = ["src/a.py", "src/build/b.py"]
    found = ignored(repo, {".feederignore": "build/\n!src/\n", **dict.fromkeys(names, "x")})
    assert found == {"src/build/b.py"}


def test_a_folder_has_its_own_rules(repo: Repo) -> None:
    """A .feederignore in a folder is about that folder, and overrides the one above."""
    files: dict[str, Text | None] = {
        ".feederignore": "*.log\n",
        "sub/.feederignore": "!keep.log\n/data\n",
        "sub/keep.log": "x",
        "sub/lose.log": "x",
        "keep.log": "x",
        "sub/data": "x",
        "data": "x",
        "sub/deep/data": "x",
    }
    assert ignored(repo, files) == {"sub/lose.log", "keep.log", "sub/data"}


def test_rules_match_any_name(repo: Repo) -> None:
    """Patterns work on names with line ends and with bytes that are not UTF-8."""
    names = [b"a\nb/x.log", b"\xff.log", b"caf\xe9", b"cafe", b"git~1/x.log"]
    files = {b".feederignore": ("100644", b"*.log\ncaf\xe9\n")}
    raw_commit(repo.path, files | dict.fromkeys(names, ("100644", b"")))
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    found = {entry.path for entry in Commit(repo.path).entries() if entry.skip}
    assert found == {"a\nb/x.log", r"\xff.log", r"caf\xe9", "git~1/x.log"}


def test_broken_rules_exclude_nothing(repo: Repo) -> None:
    """A pattern that git cannot use is passed over, the others hold."""
    found = ignored(repo, {".feederignore": "[a\nfoo\\\n/\nb\n", "a": "x", "foo": "x", "b": "x"})
    assert found == {"b"}


def test_gitignore_has_no_say_about_committed_files(repo: Repo) -> None:
    """What is committed is in the tree, whatever .gitignore says of new files."""
    assert ignored(repo, {".gitignore": "*\n", "a.txt": "x"}) == set()


def test_folders_with_noindex(repo: Repo) -> None:
    """A folder that holds a file named .noindex is kept out with all that is below."""
    names = ["a/.noindex", "a/x.py", "a/deep/x.py", "ab/x.py", "x.py", "b/a.noindex"]
    reason = "in a folder with .noindex"
    assert skips(repo, dict.fromkeys(names, "")) == dict.fromkeys(names[:3], reason)


def test_noindex_at_the_root(repo: Repo) -> None:
    """A .noindex at the root keeps everything out."""
    everything = [".noindex", "x.py", "a/x.py"]
    assert set(skips(repo, dict.fromkeys(everything, ""))) == set(everything)


def test_attributes_keep_out(repo: Repo) -> None:
    """Generated and vendored files are kept out, by the attributes that GitHub knows."""
    files: dict[str, Text | None] = {
        ".gitattributes": "gen/** linguist-generated\n*.inc linguist-vendored=true\n* text=auto\n",
        "gen/deep/a.py": "x",
        "b.inc": "x",
        "c.py": "x",
    }
    assert skips(repo, files) == {
        "gen/deep/a.py": "marked linguist-generated",
        "b.inc": "marked linguist-vendored",
    }


def test_a_folders_attributes_override(repo: Repo) -> None:
    """A .gitattributes in a folder is about that folder and wins over the one above."""
    files: dict[str, Text | None] = {
        ".gitattributes": "[attr]made linguist-generated\n*.py made\n",
        "sub/.gitattributes": "*.py -linguist-generated\nx.py linguist-generated=true\n",
        "sub/a.py": "x",
        "sub/x.py": "x",
        "a.py": "x",
    }
    assert skips(repo, files) == {
        "sub/x.py": "marked linguist-generated",
        "a.py": "marked linguist-generated",
    }


@pytest.mark.parametrize("value", ["-linguist-generated", "linguist-generated=false"])
def test_attributes_let_in(repo: Repo, value: str) -> None:
    """Who says that a file is not generated is believed, but secrets stay out."""
    names = ["app.min.js", "yarn.lock", "a_pb2.py", ".env", "logo.png"]
    found = skips(repo, {".gitattributes": f"* {value}\n", **dict.fromkeys(names, "x")})
    assert found == {".env": "a name that may hold secrets", "logo.png": "binary, by its name"}


def test_a_machines_settings_do_not_decide(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same tree is kept out in the same way wherever it is read."""
    tmp_path.joinpath("attributes").write_text("* linguist-vendored\n")
    settings = {"core.attributesFile": str(tmp_path / "attributes"), "core.ignoreCase": "true"}
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    for number, (key, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    files: dict[str, Text | None] = {".gitattributes": "b.py linguist-generated\n", "a.py": "x"}
    assert skips(repo, files | {".feederignore": "A.PY\n"}) == {}


def test_a_rule_file_that_is_a_link_is_none(repo: Repo) -> None:
    """As git does with .gitignore, a rule file behind a symbolic link is not followed."""
    repo.write({"rules": "*\n"})
    repo.path.joinpath(".feederignore").symlink_to("rules")
    assert skips(repo, {"a.py": "x"}) == {".feederignore": "a symbolic link"}


def test_a_folder_named_like_a_rule_file(repo: Repo) -> None:
    """A folder may be named as oddly as it likes; the rules in it are rules."""
    names = [".feederignore/a", ".feederignore/b", ".gitattributes/c", ".noindex/d"]
    files: dict[str, Text | None] = {
        ".feederignore/.feederignore": "a\n",
        ".gitattributes/.gitattributes": "c linguist-vendored\n",
        **dict.fromkeys(names, "x"),
    }
    assert skips(repo, files) == {
        ".feederignore/a": "excluded by .feederignore",
        ".gitattributes/c": "marked linguist-vendored",
    }


def test_own_files_are_kept_out(repo: Repo) -> None:
    """An index that was committed by mistake is not fed into the next."""
    found = skips(repo, {".feeder/index.db": "x", "sub/.feeder/cache.txt": "x", "a.feeder": "x"})
    assert set(found) == {".feeder/index.db", "sub/.feeder/cache.txt"}
    assert set(found.values()) == {"feeder's own file"}


def test_the_first_reason_counts(repo: Repo) -> None:
    """One reason is given: a secret in an ignored folder is reported as a secret."""
    files: dict[str, Text | None] = {".feederignore": "a/\n", "a/.env": "x", "a/yarn.lock": "x"}
    assert skips(repo, files) == {
        "a/.env": "a name that may hold secrets",
        "a/yarn.lock": "excluded by .feederignore",
    }


def test_rules_are_told_by_a_digest(repo: Repo) -> None:
    """The digest changes with a rule file or the limit, and with nothing else."""
    digests = []
    for change in [{"a.py": "x"}, {"a.py": "y"}, {".feederignore": "b"}, {"sub/.noindex": ""}]:
        repo.commit(change)
        digests.append(Commit(repo.path).rules_digest)
    digests.append(Commit(repo.path, sizes=Sizes(5)).rules_digest)
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


COMPONENT = st.sampled_from(["a", "b", "ab", "c.d", "[x]"])
PATTERN = st.lists(st.sampled_from(["a", "b", "*", "?b", "**", "c.d", "[ab]", "[!a]*"]), min_size=1)
LINE = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "!"]),
    st.sampled_from(["", "/"]),
    PATTERN.map("/".join),
    st.sampled_from(["", "/"]),
)


@settings(max_examples=25, deadline=None)
@given(
    names=st.sets(st.lists(COMPONENT, min_size=1, max_size=4).map("/".join), max_size=8),
    rules=st.dictionaries(st.sampled_from(["", "a/", "b/a/"]), st.lists(LINE, max_size=5)),
)
def test_feederignore_excludes_what_gitignore_would(
    tmp_path_factory: pytest.TempPathFactory, names: set[str], rules: dict[str, list[str]]
) -> None:
    """For any rules and names, it is what git would not add by a .gitignore of the same text."""
    files = {f"{folder}.feederignore": "\n".join(lines) for folder, lines in rules.items()}
    names = {name for name in names if not any(f.startswith(name + "/") for f in {*names, *files})}
    repo = Repo(tmp_path_factory.mktemp("rules"))
    everything = files | dict.fromkeys(names, "x")
    raw_commit(repo.path, {n.encode(): ("100644", text.encode()) for n, text in everything.items()})
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    repo.write(dict.fromkeys(names, "x"))
    repo.write({name.replace(".feeder", ".git"): text for name, text in files.items()})
    addable = repo.git("ls-files", "-z", "--others", "--exclude-standard").split("\0")
    found = {entry.path for entry in Commit(repo.path).entries() if entry.skip}
    assert found & names == names.difference(addable)
