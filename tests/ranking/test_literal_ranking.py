"""A query that is one token of code finds the nodes that have it before those that resemble it."""

import pytest

from feeder.query.literals import defines_literal
from feeder.query.query_text import QueryText
from feeder.ranking import literal_lines
from feeder.ranking.literal_nodes import CONFIRMED_BATCH
from feeder.ranking.retrieval import MAX_BY_LITERAL
from search.run_query import find, index_files
from source.repos import Repo

FILES = {
    # names and words that resemble the tokens below
    "proxies.py": 'def num_proxies(request):\n    """Num proxies: numProxies."""\n    return 1\n',
    "lookback.go": "package a\n\n// LookbackDelta is the query lookback delta.\n"
    "func LookbackDelta(query int) int {\n\treturn query\n}\n",
    "numProxies.md": "# Num proxies\n\nThe num-proxies, num proxies.\n",
    # those that have them
    "settings.py": "DEFAULTS = {\n    'NUM_PROXIES': None,\n    'OTHER': 1,\n}\n",
    "throttle.py": "def ident(self):\n    return settings.NUM_PROXIES\n",
    "tests/test_throttle.py": "def test_it():\n    assert settings.NUM_PROXIES == 2\n",
    "main.go": 'package a\n\nfunc main() {\n\tFlag("query.lookback-delta", "How far back.")\n}\n',
    "docs/flags.md": "# Flags\n\n`--query.lookback-delta` is a duration.\n",
    "user.go": "package a\n\ntype User struct{}\n\nfunc (u *User) HasPermission(p int) bool {\n"
    "\treturn true\n}\n",
    "call.go": "package a\n\nfunc check(user *User) bool {\n\treturn user.HasPermission(3)\n}\n",
    "errors.py": "def missing(path):\n    return status == 404 or 'X-Forwarded-For' in path\n",
}


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    index_files(repo, FILES)
    return repo


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("NUM_PROXIES", {"settings.py", "throttle.py", "tests/test_throttle.py"}),
        ('"NUM_PROXIES"', {"settings.py", "throttle.py", "tests/test_throttle.py"}),
        ("where is NUM_PROXIES set", {"settings.py", "throttle.py", "tests/test_throttle.py"}),
        ("query.lookback-delta", {"main.go", "docs/flags.md"}),
        ("--query.lookback-delta", {"main.go", "docs/flags.md"}),
        ("404", {"errors.py"}),
        ("X-Forwarded-For", {"errors.py"}),
    ],
)
def test_nodes_with_the_token_come_first(indexed: Repo, query: str, expected: set[str]) -> None:
    page = find(indexed, query)
    first = page.hits[: len(expected)]
    assert {hit.result.hit.path for hit in first} == expected
    assert all(hit.literals for hit in first)
    assert not page.notes


def test_definition_of_a_called_method_comes_before_its_calls(indexed: Repo) -> None:
    paths = [hit.result.hit.path for hit in find(indexed, "user.HasPermission(").hits]
    assert paths[:2] == ["user.go", "call.go"]


def test_name_comes_first_and_other_case_last(indexed: Repo) -> None:
    paths = [hit.result.hit.path for hit in find(indexed, "num_proxies").hits]
    assert paths[0] == "proxies.py"
    paths = [hit.result.hit.path for hit in find(indexed, "NUM_PROXIES").hits]
    assert "proxies.py" in paths[3:]


def test_similar_names_are_shown_where_no_line_has_the_token(indexed: Repo) -> None:
    page = find(indexed, "LookbackDelt")
    assert page.hits[0].result.hit.symbol == "a.LookbackDelta"
    assert str(page.notes[0]).startswith("No symbol is named LookbackDelt.")


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ("NUM_PROXIES", ["NUM_PROXIES"]),
        ("`--log.level`", ["log.level"]),
        ("Cart.add()", ["Cart.add"]),
        ("user.HasPermission(", ["user.HasPermission("]),
        ("=>", []),
        ("cart emptied", []),
        # several words may be a message
        ("how is the cart emptied", ["how is the cart emptied"]),
        ("read-only node.js", []),
        ("VITE_APP_URL missing", ["VITE_APP_URL"]),
        # an issue mentions more than it asks for
        ("VITE_APP_URL missing\n\nSince X-Forwarded-For is read, --log.level fails", []),
        ("VITE_APP_URL\n", ["VITE_APP_URL"]),
        ("where is VITE_APP_URL set?", ["VITE_APP_URL", "where is VITE_APP_URL set?"]),
        (
            "what sets query.max-samples, X-Forwarded-For",
            [
                "query.max-samples",
                "X-Forwarded-For",
                "what sets query.max-samples, X-Forwarded-For",
            ],
        ),
    ],
)
def test_tokens_of_code_are_recognized(query: str, tokens: list[str]) -> None:
    assert QueryText(query).code_tokens == tokens


@pytest.mark.parametrize(
    "line",
    [
        "    'KEY': None,",
        '  "KEY" : 1',
        "KEY=1",
        "KEY = 1",
        "  KEY: 1",
        "- KEY: 1",
        "{ KEY: 1 }",
        "export KEY=1",
        "ENV KEY=1",
        "  KEY?: number;",
        'a.Flag("KEY", "text").Int()',
        'flags.StringVar(&cfg.key, "KEY", "", "text")',
        'parser.add_argument("-k", "--KEY", type=int)',
        '  .option("-k, --KEY <n>", "text")',
        'define("KEY", 1);',
        'Arg::new("KEY")',
        "DEFINE_string('KEY', 'x')",
        '{ .name = "KEY",',
        '  "name": "KEY",',
        'names = ["--KEY", "-k"],',
        '#[serde(rename = "KEY")]',
        '@click.option(envvar="KEY")',
        'EnvVars: []string{"KEY"},',
        'const val OF_FLAG: String = "--KEY"',
        "OF_FLAG = 'KEY'.freeze",
        'public static final String Other = "KEY";',
        '#define OTHER "KEY"',
    ],
)
def test_line_defines_a_key_a_flag_or_a_setting(line: str) -> None:
    start = line.index("KEY")
    assert defines_literal(f"x\n{line}\ny", start + 2, start + 5)


@pytest.mark.parametrize(
    "line",
    [
        "    KEY=KEY,",
        "x = settings.KEY",
        "if KEY == 1:",
        'value = getArgument("KEY")',
        'delay = options_get_number(all, "KEY");',
        'delay = optionsGet("KEY");',
        'if name == "KEY" {',
        'if (name != "KEY")',
        'other = "KEY"',
        'self.OTHER = "KEY"',
        'const other = find("KEY")',
        'OTHER = "KEY and more"',
        'os.environ.get("KEY")',
        'String x = props.getString("KEY");',
        'print("KEY", value)',
        "use(KEY)",
        "KEY.add(1)",
        "# KEY",
        "KEY::new",
    ],
)
def test_line_that_uses_a_key_does_not_define_it(line: str) -> None:
    start = line.index("KEY")
    assert not defines_literal(line, start, start + 3)


DEFINED = {
    "use.py": 'def use(args):\n    """The max.retry-count, max.retry-count."""\n'
    '    return args["max.retry-count"] or read("max.retry-count")\n',
    "main.go": "package a\n\nfunc main() {\n\tcount := 1\n\n"
    '\tFlag("max.retry-count", "How often something that failed is tried again.")\n}\n',
    "tests/test_use.py": 'CASES = {\n    "max.retry-count": 3,\n}\n',
    "other.py": 'def fail():\n    raise Error("--max.retry-count must be positive, not %s")\n',
}


def test_definition_that_is_no_symbol_comes_first(repo: Repo) -> None:
    """A test's is no definition."""
    index_files(repo, DEFINED)
    hits = find(repo, "max.retry-count").hits
    assert hits[0].result.hit.path == "main.go"
    assert {hit.result.hit.path for hit in hits} == {*DEFINED}


def test_message_with_a_flag_is_found_as_a_message(repo: Repo) -> None:
    """Then the nodes that have the flag."""
    index_files(repo, DEFINED)
    hits = find(repo, "--max.retry-count must be positive").hits
    assert [hit.result.hit.path for hit in hits[:1]] == ["other.py"]
    assert {hit.result.hit.path for hit in hits[:4]} == {*DEFINED}


FLAG_FILES = {
    # a symbol and a module of that name, and many words
    "src/health.rs": "pub fn health() {\n    health(health);\n}\n",
    "src/checks.md": "# Health\n\nThe health of health checks.\n",
    # the flag
    "src/args.rs": "fn parse(arg: &str) {\n    match arg {\n"
    '        "--health" => true,\n    }\n}\n',
    "docs/cli.md": "# Usage\n\nRun it with `--health`.\n",
    "cli.rb": "op.on('--dry-run', 'Changes nothing') {|b|\n  opts[:dry_run] = b\n}\n",
    "CHANGELOG.md": "# Changes\n\nFix dry-run mode, dry run, dry run.\n",
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("--health", ["src/args.rs", "docs/cli.md"]),
        ("--dry-run", ["cli.rb", "CHANGELOG.md"]),
    ],
)
def test_flag_comes_before_what_is_called_like_it(
    repo: Repo, query: str, expected: list[str]
) -> None:
    index_files(repo, FLAG_FILES)
    paths = [hit.result.hit.path for hit in find(repo, query).hits]
    assert paths[: len(expected)] == expected


def test_token_without_dashes_may_be_a_symbol(repo: Repo) -> None:
    index_files(repo, FLAG_FILES)
    assert find(repo, "health").hits[0].result.hit.symbol == "health"


def test_git_finds_a_token_whose_words_are_everywhere(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(literal_lines, "TIMEOUT_S", 60.0)  # also on a busy machine
    others = {
        f"lib/plugin/part{number}.rb": "module Acme\n  module Plugin\n"
        + "".join(f"    # acme/plugin, Acme::Plugin {number} {line}\n" for line in range(5))
        + f"    class Part{number}\n    end\n  end\nend\n"
        for number in range(MAX_BY_LITERAL + 20)
    }
    env = "".join(f"# a line without it, number {line}\n" for line in range(20))
    index_files(repo, {**others, "lib/env.rb": f"{env}FOLDER = ENV['ACME_PLUGIN'] || '/etc'\n"})
    page = find(repo, "ACME_PLUGIN")
    assert page.hits[0].result.hit.path == "lib/env.rb"
    assert page.hits[0].literals
    assert not page.hits[1].literals


def test_first_part_of_a_file_name_is_no_module(repo: Repo) -> None:
    index_files(
        repo,
        {
            "acme.base-conventions.gradle.kts": "val platform = 1\n",
            "rule.kt": 'class Rule {\n  val name = properties("acme.platform")\n}\n',
        },
    )
    assert find(repo, "acme.platform").hits[0].result.hit.path == "rule.kt"


def test_definition_comes_before_many_documents_with_the_token(repo: Repo) -> None:
    """Although each of them has it more often than the definition's long lines."""
    documents = {
        f"docs/page{number}.md": f"# Page {number}\n\n`ignore-marked`, ignore-marked {number}.\n"
        for number in range(CONFIRMED_BATCH + 20)
    }
    rules = "".join(f"    rule_{number} = {number} * len(str(rules))\n" for number in range(60))
    settings = f"class Rules:\n{rules}    {{ .name = 'ignore-marked' }}\n"
    index_files(repo, {**documents, "rules.txt2": settings})
    assert find(repo, "ignore-marked").hits[0].result.hit.path == "rules.txt2"
