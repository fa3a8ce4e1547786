"""The files that are excluded, and the reasons."""

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
    """Returns the skip reasons by path after a commit of these files, without the rule files."""
    repo.commit(files)
    entries = Commit(repo.path, sizes=sizes).entries()
    return {entry.path: entry.skip for entry in entries if entry.skip}


def ignored(repo: Repo, files: dict[str, Text | None]) -> set[str]:
    found = skips(repo, files)
    assert set(found.values()) <= {"excluded by .feederignore"}
    return set(found)


def test_file_size_limit_is_inclusive(repo: Repo) -> None:
    files: dict[str, Text | None] = {"at.txt": "x" * 100, "above.txt": "x" * 101}
    assert skips(repo, files, sizes=Sizes(100)) == {"above.txt": "larger than the limit"}


def test_default_size_limit_is_1_mb(repo: Repo) -> None:
    found = skips(repo, {"at.txt": "x" * 1_000_000, "above.txt": "x" * 1_000_001})
    assert found == {"above.txt": "larger than the limit"}


def test_last_matching_rule_counts(repo: Repo) -> None:
    """As in .gitignore; `!` includes again."""
    rules = "*.txt\n!keep.txt\n# a comment\n\n/only-root\nbuild/\n\\#hash\n"
    names = ["a.txt", "keep.txt", "sub/keep.txt", "only-root", "sub/only-root", "#hash"]
    names += ["sub/build/x", "build"]
    found = ignored(repo, {".feederignore": rules, **dict.fromkeys(names, "x")})
    assert found == {"a.txt", "only-root", "sub/build/x", "#hash"}


def test_excluded_folder_cannot_be_included_in_part(repo: Repo) -> None:
    """As in .gitignore."""
    names = ["out/keep.txt", "dist/keep.txt", "dist/lose.txt"]
    rules = "out/\n!out/keep.txt\ndist/*\n!dist/keep.txt\n"
    found = ignored(repo, {".feederignore": rules, **dict.fromkeys(names, "x")})
    assert found == {"out/keep.txt", "dist/lose.txt"}


def test_including_a_folder_includes_no_excluded_subfolder(repo: Repo) -> None:
    """`!src/` applies to src only."""
    names = ["src/a.py", "src/build/b.py"]
    found = ignored(repo, {".feederignore": "build/\n!src/\n", **dict.fromkeys(names, "x")})
    assert found == {"src/build/b.py"}


def test_rules_of_a_subfolder_override_those_above(repo: Repo) -> None:
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


def test_rules_match_any_file_name(repo: Repo) -> None:
    """Including line ends and bytes that are not UTF-8."""
    names = [b"a\nb/x.log", b"\xff.log", b"caf\xe9", b"cafe", b"git~1/x.log"]
    files = {b".feederignore": ("100644", b"*.log\ncaf\xe9\n")}
    raw_commit(repo.path, files | dict.fromkeys(names, ("100644", b"")))
    repo.git("symbolic-ref", "HEAD", "refs/heads/raw")
    found = {entry.path for entry in Commit(repo.path).entries() if entry.skip}
    assert found == {"a\nb/x.log", r"\xff.log", r"caf\xe9", "git~1/x.log"}


def test_invalid_rules_are_ignored(repo: Repo) -> None:
    found = ignored(repo, {".feederignore": "[a\nfoo\\\n/\nb\n", "a": "x", "foo": "x", "b": "x"})
    assert found == {"b"}


def test_gitignore_does_not_exclude_committed_files(repo: Repo) -> None:
    assert ignored(repo, {".gitignore": "*\n", "a.txt": "x"}) == set()


def test_folder_with_noindex_is_excluded(repo: Repo) -> None:
    """With everything below it."""
    names = ["a/.noindex", "a/x.py", "a/deep/x.py", "ab/x.py", "x.py", "b/a.noindex"]
    reason = "in a folder with .noindex"
    assert skips(repo, dict.fromkeys(names, "")) == dict.fromkeys(names[:3], reason)


def test_noindex_at_the_root_excludes_everything(repo: Repo) -> None:
    everything = [".noindex", "x.py", "a/x.py"]
    assert set(skips(repo, dict.fromkeys(everything, ""))) == set(everything)


def test_generated_and_vendored_files_are_excluded(repo: Repo) -> None:
    """By GitHub's linguist attributes."""
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


def test_attributes_of_a_subfolder_override_those_above(repo: Repo) -> None:
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
def test_attributes_may_include_generated_files(repo: Repo, value: str) -> None:
    """But not secrets."""
    names = ["app.min.js", "yarn.lock", "a_pb2.py", ".env", "logo.png"]
    found = skips(repo, {".gitattributes": f"* {value}\n", **dict.fromkeys(names, "x")})
    assert found == {".env": "a name that suggests secrets", "logo.png": "binary, by its name"}


def test_local_git_settings_do_not_change_exclusions(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("attributes").write_text("* linguist-vendored\n")
    settings = {"core.attributesFile": str(tmp_path / "attributes"), "core.ignoreCase": "true"}
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    for number, (key, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    files: dict[str, Text | None] = {".gitattributes": "b.py linguist-generated\n", "a.py": "x"}
    assert skips(repo, files | {".feederignore": "A.PY\n"}) == {}


def test_rule_file_that_is_a_link_is_ignored(repo: Repo) -> None:
    """As git does with .gitignore."""
    repo.write({"rules": "*\n"})
    repo.path.joinpath(".feederignore").symlink_to("rules")
    assert skips(repo, {"a.py": "x"}) == {".feederignore": "a symbolic link"}


def test_folder_named_like_a_rule_file(repo: Repo) -> None:
    """Rule files in it apply."""
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


def test_index_folder_is_excluded(repo: Repo) -> None:
    """Even if it was committed by mistake."""
    found = skips(repo, {".feeder/index.db": "x", "sub/.feeder/cache.txt": "x", "a.feeder": "x"})
    assert set(found) == {".feeder/index.db", "sub/.feeder/cache.txt"}
    assert set(found.values()) == {"feeder's own file"}


def test_first_reason_counts(repo: Repo) -> None:
    """A secret in an ignored folder is reported as a secret."""
    files: dict[str, Text | None] = {".feederignore": "a/\n", "a/.env": "x", "a/yarn.lock": "x"}
    assert skips(repo, files) == {
        "a/.env": "a name that suggests secrets",
        "a/yarn.lock": "excluded by .feederignore",
    }


def test_rules_have_a_digest(repo: Repo) -> None:
    """It changes only with a rule file or the size limit."""
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


@settings(max_examples=25)
@given(
    names=st.sets(st.lists(COMPONENT, min_size=1, max_size=4).map("/".join), max_size=8),
    rules=st.dictionaries(st.sampled_from(["", "a/", "b/a/"]), st.lists(LINE, max_size=5)),
)
def test_feederignore_works_like_gitignore(
    tmp_path_factory: pytest.TempPathFactory, names: set[str], rules: dict[str, list[str]]
) -> None:
    """For any rules and names."""
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
