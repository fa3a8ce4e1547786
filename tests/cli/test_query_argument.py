"""All words on the command line are one query."""

import click
import pytest
from click.testing import CliRunner

from feeder.cli.search import QueryCommand, query_argument


@click.command(cls=QueryCommand)
@query_argument
@click.option("-n", "--limit", default=10)
@click.option("--path", multiple=True)
@click.option("-q", "--quiet", is_flag=True)
def parsed_query(query: str, limit: int, path: tuple[str, ...], quiet: bool) -> None:
    click.echo(repr((query, limit, path, quiet)))


def parse_arguments(*arguments: str) -> object:
    return eval(CliRunner().invoke(parsed_query, arguments).output)


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        (["one", "two"], "one two"),
        (["one two"], "one two"),
        (["cart", "-test"], "cart -test"),
        (["cart", "-quiet"], "cart -quiet"),
        (["cart", "-new", "lang:go"], "cart -new lang:go"),
        (["cart", '-"unit test"'], 'cart -"unit test"'),
        (["cart", "-path:src"], "cart -path:src"),
        (["-1"], "-1"),
        (["-std=c++17"], "-std=c++17"),
        (["->"], "->"),
        (["-"], "-"),
        (["--no-verify is skipped"], "--no-verify is skipped"),
        (["--", "--no-verify", "-q"], "--no-verify -q"),
        ([""], ""),
    ],
)
def test_arguments_are_joined_to_one_query(arguments: list[str], question: str) -> None:
    """A word that begins with one dash is part of it, unless it is a single letter."""
    assert parse_arguments(*arguments) == (question, 10, (), False)


def test_options_may_be_anywhere() -> None:
    """With their values, whatever these begin with."""
    assert parse_arguments("a", "-n", "3", "b", "-q", "--path", "-x-y", "--path=my dir") == (
        "a b",
        3,
        ("-x-y", "my dir"),
        True,
    )
    assert parse_arguments("a", "-n3")[1] == 3  # type: ignore[index]  # a tuple


def test_unknown_option_is_an_error() -> None:
    """After `--` it is a word of the query."""
    answer = CliRunner().invoke(parsed_query, ["a", "--pahts", "b"])
    assert answer.exit_code == 2
    assert "No such option" in answer.output


def test_missing_query_is_an_error() -> None:
    """An empty one is valid."""
    assert CliRunner().invoke(parsed_query, []).exit_code == 2
