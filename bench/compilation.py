"""Measures how long tree-sitter takes to compile the queries of each language.

    python -m bench compile [LANGUAGE…] [--grammar PATH]

Every process that parses files compiles the grammar and queries of a language once, before the
first file of that language. Times are processor time, the least of `RUNS`.
"""

import argparse
import sys
import time
from pathlib import Path

from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammars import Grammars

RUNS = 5


def main() -> int:
    """Prints a table, the slowest language first; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help="default: all")
    parser.add_argument("--grammar", type=Path, help="a folder of languages, or a JSON file")
    options = parser.parse_args(sys.argv[2:])
    languages = options.languages or load_grammars(options.grammar).languages
    load_grammars(options.grammar).compile_all()  # loads the grammars
    times = [(compile_ms(options.grammar, language), language) for language in languages]
    print("| language | ms |\n|---|---|")
    for milliseconds, language in sorted(times, reverse=True):
        print(f"| {language} | {milliseconds:.1f} |")
    return 0


def compile_ms(grammar_file: Path | None, language: str) -> float:
    """The processor time to compile a language's queries, in milliseconds."""
    return 1000 * min(_seconds(load_grammars(grammar_file), language) for _ in range(RUNS))


def _seconds(grammars: Grammars, language: str) -> float:
    start = time.process_time()
    grammars.grammar(language)
    return time.process_time() - start
