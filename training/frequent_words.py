"""Lists the word parts that the sources use often.

    python frequent_words.py SOURCES.tsv PAIRS COMMITS KNOWN.pkl

A part is listed if it occurs in 15 queries or names and in at least three repositories. Validation
repositories are left out.
"""

import pickle
import sys
from collections import Counter
from pathlib import Path

from feeder.embedding.static_tokenizer import split_tokens, split_words

VALIDATION = frozenset(
    [
        "App-vNext+Polly",
        "apache+commons-collections",
        "apple+swift-argument-parser",
        "caddyserver+caddy",
        "composer+composer",
        "denoland+std",
        "hyperium+hyper",
        "jekyll+jekyll",
        "square+okio",
        "tornadoweb+tornado",
    ]
)


def of_sources(sources: str, folder: str) -> list[Path]:
    """Lists a folder's files for the repositories of SOURCES.tsv and for WordNet."""
    lines = Path(sources).read_text().splitlines()
    wanted = {line.split("\t")[0].replace("/", "+") for line in lines} | {"wordnet"}
    return sorted(path for path in Path(folder).glob("*.pkl") if path.stem in wanted)


def main() -> None:
    counts: Counter[str] = Counter()
    repos: Counter[str] = Counter()
    for folder in sys.argv[2:4]:
        for path in of_sources(sys.argv[1], folder):
            if path.stem in VALIDATION:
                continue
            own: Counter[str] = Counter()
            for _, question, name, _ in pickle.loads(path.read_bytes()):
                for word in set(split_words(f"{question} {name}")):
                    own.update(split_tokens(word))
            counts += own
            repos.update(own.keys())
    known = [word for word, count in counts.most_common() if count >= 15 and repos[word] >= 3]
    Path(sys.argv[4]).write_bytes(pickle.dumps(known))
    print(len(known), "words")


if __name__ == "__main__":
    main()
