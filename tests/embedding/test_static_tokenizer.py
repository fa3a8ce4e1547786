"""The parts of texts: the golden cases, in Python and in the JavaScript that a Worker runs."""

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


def parted(text: str) -> list[str]:
    return [part for word in split_words(text) for part in split_tokens(word)]


def by_node(texts: list[str]) -> Any:
    """The parts of each text and the runs of each part, by the JavaScript."""
    command = ["node", "--input-type=module", "--eval", _RUN, str(_SCRIPT)]
    request = json.dumps(texts).encode()
    return json.loads(
        subprocess.run(command, input=request, capture_output=True, check=True).stdout
    )


@pytest.mark.parametrize("case", _CASES["tokens"], ids=lambda case: case["about"])
def test_a_text_has_these_parts(case: dict[str, Any]) -> None:
    assert parted(case["text"]) == case["parts"]


@pytest.mark.parametrize("case", _CASES["grams"], ids=lambda case: case["part"])
def test_a_part_has_these_runs(case: dict[str, Any]) -> None:
    assert ngrams(case["part"]) == case["grams"]


@pytest.mark.parametrize("case", _CASES["fnv1a"], ids=lambda case: repr(case["text"]))
def test_the_digest_is_the_published_one(case: dict[str, Any]) -> None:
    assert fnv1a(case["text"]) == case["digest"]


def test_javascript_finds_the_same_parts_in_the_golden_cases() -> None:
    found, _ = by_node([case["text"] for case in _CASES["tokens"]])
    assert found == [case["parts"] for case in _CASES["tokens"]]


def test_javascript_finds_the_same_runs_and_digests() -> None:
    texts = [case["text"] for case in _CASES["tokens"]]
    _, runs = by_node(texts)
    assert runs == [
        [[[run, fnv1a(run)] for run in ngrams(part)] for part in parted(text)] for text in texts
    ]


def test_javascript_agrees_on_every_sign_that_both_unicodes_know() -> None:
    """Signs newer than Unicode 3.2 may be known to one of the two alone."""
    known = [
        chr(point) for point in range(0x30000)
        if unicodedata.ucd_3_2_0.category(chr(point)) not in ("Cn", "Cs")
        and point not in (0x0295, 0x02E4)  # ʕ was a small letter, and is one without case since 16
    ]  # fmt: skip
    texts = ["".join(known[at : at + 40]) for at in range(0, len(known), 40)]
    texts += [f"a{sign}B{sign}1" for sign in known]
    found, _ = by_node(texts)
    assert [text for text, some in zip(texts, found, strict=True) if some != parted(text)] == []


def test_a_lone_surrogate_parts_words() -> None:
    assert parted("ab\ud800cd") == ["ab", "cd"]
