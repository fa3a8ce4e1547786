"""All words on the command line are one question."""

import click
import pytest
from click.testing import CliRunner

from feeder.cli.search import QueryCommand, query_argument


@click.command(cls=QueryCommand)
@query_argument
@click.option("-n", "--limit", default=10)
@click.option("--path", multiple=True)
@click.option("-q", "--quiet", is_flag=True)
def asked(query: str, limit: int, path: tuple[str, ...], quiet: bool) -> None:
    click.echo(repr((query, limit, path, quiet)))


def said(*arguments: str) -> object:
    return eval(CliRunner().invoke(asked, arguments).output)


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
def test_words_are_one_question(arguments: list[str], question: str) -> None:
    """What begins with one dash is a word, unless it is a single letter."""
    assert said(*arguments) == (question, 10, (), False)


def test_options_stand_anywhere_between_them() -> None:
    """With their values, whatever these begin with."""
    assert said("a", "-n", "3", "b", "-q", "--path", "-x-y", "--path=my dir") == (
        "a b",
        3,
        ("-x-y", "my dir"),
        True,
    )
    assert said("a", "-n3")[1] == 3  # type: ignore[index]  # a tuple


def test_an_option_that_is_none_is_told() -> None:
    """A word that begins so stands behind --."""
    answer = CliRunner().invoke(asked, ["a", "--pahts", "b"])
    assert answer.exit_code == 2
    assert "No such option" in answer.output


def test_no_word_is_no_question() -> None:
    """An empty one is."""
    assert CliRunner().invoke(asked, []).exit_code == 2
