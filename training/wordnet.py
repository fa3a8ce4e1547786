"""Extracts WordNet's synonyms, and pairs from its glosses.

    python wordnet.py DICTIONARY_FOLDER PAIRS.pkl SYNONYMS.pkl KNOWN.pkl

The folder is `usr/share/wordnet` of Debian's package wordnet-base (WordNet 3.0, under a permissive
licence of its own); KNOWN.pkl a list of the words that sources use, by `frequent_words.py`.
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

_KINDS = ("verb", "noun", "adj", "adv")


class Sense(NamedTuple):
    words: list[str]
    gloss: str
    above: list[tuple[str, str]]


def _letter(kind: str) -> str:
    return {"adj": "a", "adv": "r", "s": "a"}.get(kind, kind[0])


def _lines(path: Path) -> Iterator[str]:
    return (line for line in path.read_text("latin1").splitlines() if not line.startswith("  "))


def senses(folder: Path) -> dict[tuple[str, str], Sense]:
    """Reads the senses by kind and offset."""
    found = {}
    for kind in _KINDS:
        for line in _lines(folder / f"data.{kind}"):
            about, gloss = line.split(" | ", 1)
            field = about.split()
            count = int(field[3], 16)
            words = [field[4 + 2 * at].lower().split("(")[0] for at in range(count)]
            links = field[4 + 2 * count :]
            above = [
                (_letter(links[at + 2]), links[at + 1])
                for at in range(1, len(links) - 3, 4)
                if links[at] == "@"
            ]
            found[_letter(kind), field[0]] = Sense(words, gloss, above)
    return found


def by_word(folder: Path) -> dict[str, list[tuple[int, str, str]]]:
    """Returns each word's senses as (rank, kind, offset)."""
    found = defaultdict(list)
    for kind in _KINDS:
        for line in _lines(folder / f"index.{kind}"):
            field = line.split()
            for place, offset in enumerate(field[-int(field[2]) :]):
                found[field[0]].append((place, _letter(kind), offset))
    return found


def main() -> None:
    folder, known_at = Path(sys.argv[1]), Path(sys.argv[4])
    known = set(pickle.loads(known_at.read_bytes()))
    draw, all_senses = random.Random(3), senses(folder)
    synonyms: dict[str, list[str]] = {}
    pairs = []
    told = set()
    for word, places in by_word(folder).items():
        if word not in known:
            continue
        others_of_word: list[str] = []
        for place, kind, offset in sorted(places):
            sense = all_senses.get((kind, offset))
            if sense is None or place > 2:
                continue
            others = [one for one in sense.words if one != word and one in known]
            above = [
                one for key in sense.above if key in all_senses
                for one in all_senses[key].words if one in known
            ]  # fmt: skip
            if place <= 1:
                others_of_word += others + (above[:2] if kind == "v" else [])
            plain = re.sub(r"\"[^\"]*\"|\([^)]*\)", "", sense.gloss).strip(" ;\n")
            shown = " ".join(re.findall(r"\"([^\"]*)\"", sense.gloss))
            if len(plain.split()) < 2:
                continue
            if (kind, offset) not in told:
                told.add((kind, offset))
                named = " ".join([*sense.words, *above[:2]])
                pairs.append(Pair("wordnet", plain, "", f"{named} {shown}"))
            more = f" {draw.choice(others)}" if others and draw.random() < 0.3 else ""
            pairs.append(Pair("wordnet", word + more, "", f"{plain} {' '.join(others)}"))
        if others_of_word:
            synonyms[word] = list(dict.fromkeys(others_of_word))
    pairs = [pair for pair in pairs if len(pair.body.split()) >= 2]
    Path(sys.argv[2]).write_bytes(pickle.dumps([tuple(pair) for pair in pairs]))
    Path(sys.argv[3]).write_bytes(pickle.dumps(synonyms))
    print(len(pairs), "pairs", len(synonyms), "words with synonyms")


if __name__ == "__main__":
    main()
