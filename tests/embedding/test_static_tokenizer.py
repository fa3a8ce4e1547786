"""Tokens of the static model: golden cases, in Python and in the Worker's JavaScript."""

import json
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from feeder.embedding import static_tokenizer
from feeder.embedding.static_tokenizer import fnv1a, ngrams, split_tokens, split_words

_CASES = json.loads(Path(__file__).with_name("static_tokenizer_cases.json").read_text("utf-8"))
_SCRIPT = Path(static_tokenizer.__file__).with_suffix(".mjs")
_RUN = """
import { readFileSync } from "node:fs";
const { splitWords, splitTokens, ngrams, fnv1a } = await import(process.argv[1]);
const texts = JSON.parse(readFileSync(0, "utf8"));
const found = texts.map((text) => splitWords(text).flatMap(splitTokens));
const runs = found.map((some) => some.map((part) => ngrams(part).map((run) => [run, fnv1a(run)])));
process.stdout.write(JSON.stringify([found, runs]));
"""


def tokens_of(text: str) -> list[str]:
    return [part for word in split_words(text) for part in split_tokens(word)]


def by_node(texts: list[str]) -> Any:
    """Returns tokens and n-grams of each text, computed by the JavaScript."""
    command = ["node", "--input-type=module", "--eval", _RUN, str(_SCRIPT)]
    request = json.dumps(texts).encode()
    return json.loads(
        subprocess.run(command, input=request, capture_output=True, check=True).stdout
    )


@pytest.mark.parametrize("case", _CASES["tokens"], ids=lambda case: case["about"])
def test_text_has_the_expected_tokens(case: dict[str, Any]) -> None:
    assert tokens_of(case["text"]) == case["parts"]


@pytest.mark.parametrize("case", _CASES["grams"], ids=lambda case: case["part"])
def test_token_has_the_expected_ngrams(case: dict[str, Any]) -> None:
    assert ngrams(case["part"]) == case["grams"]


@pytest.mark.parametrize("case", _CASES["fnv1a"], ids=lambda case: repr(case["text"]))
def test_hash_has_its_published_values(case: dict[str, Any]) -> None:
    assert fnv1a(case["text"]) == case["digest"]


def test_javascript_finds_the_same_tokens() -> None:
    found, _ = by_node([case["text"] for case in _CASES["tokens"]])
    assert found == [case["parts"] for case in _CASES["tokens"]]


def test_javascript_finds_the_same_ngrams_and_hashes() -> None:
    texts = [case["text"] for case in _CASES["tokens"]]
    _, runs = by_node(texts)
    assert runs == [
        [[[run, fnv1a(run)] for run in ngrams(part)] for part in tokens_of(text)] for text in texts
    ]


@pytest.mark.slow
def test_javascript_agrees_on_every_character_of_unicode_3_2() -> None:
    """Newer characters may be known to only one of the two."""
    known = [
        chr(point) for point in range(0x30000)
        if unicodedata.ucd_3_2_0.category(chr(point)) not in ("Cn", "Cs")
        and point not in (0x0295, 0x02E4)  # ʕ was a small letter, and is one without case since 16
    ]  # fmt: skip
    texts = ["".join(known[at : at + 40]) for at in range(0, len(known), 40)]
    texts += [f"a{sign}B{sign}1" for sign in known]
    found, _ = by_node(texts)
    assert [text for text, some in zip(texts, found, strict=True) if some != tokens_of(text)] == []


def test_lone_surrogate_separates_words() -> None:
    assert tokens_of("ab\ud800cd") == ["ab", "cd"]
