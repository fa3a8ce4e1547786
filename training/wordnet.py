"""Extracts WordNet's synonyms, and pairs from its glosses.

    python wordnet.py DICTIONARY_FOLDER PAIRS.pkl SYNONYMS.pkl WORDS.pkl

The folder is `usr/share/wordnet` of Debian's package wordnet-base (WordNet 3.0, under a permissive
licence of its own); WORDS.pkl a list of the words that sources use, by `frequent_words.py`.
"""

import pickle
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pairs import Pair

_PARTS_OF_SPEECH = ("verb", "noun", "adj", "adv")


class Sense(NamedTuple):
    words: list[str]
    gloss: str
    hypernyms: list[tuple[str, str]]


def _letter(kind: str) -> str:
    return {"adj": "a", "adv": "r", "s": "a"}.get(kind, kind[0])


def _lines(path: Path) -> Iterator[str]:
    return (line for line in path.read_text("latin1").splitlines() if not line.startswith("  "))


def senses(folder: Path) -> dict[tuple[str, str], Sense]:
    """Reads the senses by kind and offset."""
    all_senses = {}
    for kind in _PARTS_OF_SPEECH:
        for line in _lines(folder / f"data.{kind}"):
            header, gloss = line.split(" | ", 1)
            field = header.split()
            count = int(field[3], 16)
            words = [field[4 + 2 * at].lower().split("(")[0] for at in range(count)]
            links = field[4 + 2 * count :]
            hypernyms = [
                (_letter(links[at + 2]), links[at + 1])
                for at in range(1, len(links) - 3, 4)
                if links[at] == "@"
            ]
            all_senses[_letter(kind), field[0]] = Sense(words, gloss, hypernyms)
    return all_senses


def by_word(folder: Path) -> dict[str, list[tuple[int, str, str]]]:
    """Returns each word's senses as (rank, kind, offset)."""
    word_senses = defaultdict(list)
    for kind in _PARTS_OF_SPEECH:
        for line in _lines(folder / f"index.{kind}"):
            field = line.split()
            for rank, offset in enumerate(field[-int(field[2]) :]):
                word_senses[field[0]].append((rank, _letter(kind), offset))
    return word_senses


def main() -> None:
    folder, words_file = Path(sys.argv[1]), Path(sys.argv[4])
    source_words = set(pickle.loads(words_file.read_bytes()))
    draw, all_senses = random.Random(3), senses(folder)
    synonyms: dict[str, list[str]] = {}
    pairs = []
    seen_glosses = set()
    for word, ranked_senses in by_word(folder).items():
        if word not in source_words:
            continue
        others_of_word: list[str] = []
        for rank, kind, offset in sorted(ranked_senses):
            sense = all_senses.get((kind, offset))
            if sense is None or rank > 2:
                continue
            others = [other for other in sense.words if other != word and other in source_words]
            hypernyms = [
                other for key in sense.hypernyms if key in all_senses
                for other in all_senses[key].words if other in source_words
            ]  # fmt: skip
            if rank <= 1:
                others_of_word += others + (hypernyms[:2] if kind == "v" else [])
            definition = re.sub(r"\"[^\"]*\"|\([^)]*\)", "", sense.gloss).strip(" ;\n")
            examples = " ".join(re.findall(r"\"([^\"]*)\"", sense.gloss))
            if len(definition.split()) < 2:
                continue
            if (kind, offset) not in seen_glosses:
                seen_glosses.add((kind, offset))
                sense_words = " ".join([*sense.words, *hypernyms[:2]])
                pairs.append(Pair("wordnet", definition, "", f"{sense_words} {examples}"))
            extra_word = f" {draw.choice(others)}" if others and draw.random() < 0.3 else ""
            pairs.append(Pair("wordnet", word + extra_word, "", f"{definition} {' '.join(others)}"))
        if others_of_word:
            synonyms[word] = list(dict.fromkeys(others_of_word))
    pairs = [pair for pair in pairs if len(pair.body.split()) >= 2]
    Path(sys.argv[2]).write_bytes(pickle.dumps([tuple(pair) for pair in pairs]))
    Path(sys.argv[3]).write_bytes(pickle.dumps(synonyms))
    print(len(pairs), "pairs", len(synonyms), "words with synonyms")


if __name__ == "__main__":
    main()
