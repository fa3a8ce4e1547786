"""Lists the word parts that the sources use often.

    python frequent_words.py SOURCES.tsv PAIRS COMMITS WORDS.pkl

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


def source_files(sources: str, folder: str) -> list[Path]:
    """Lists a folder's files for the repositories of SOURCES.tsv and for WordNet."""
    lines = Path(sources).read_text().splitlines()
    stems = {line.split("\t")[0].replace("/", "+") for line in lines} | {"wordnet"}
    return sorted(path for path in Path(folder).glob("*.pkl") if path.stem in stems)


def main() -> None:
    counts: Counter[str] = Counter()
    repos: Counter[str] = Counter()
    for folder in sys.argv[2:4]:
        for path in source_files(sys.argv[1], folder):
            if path.stem in VALIDATION:
                continue
            repo_counts: Counter[str] = Counter()
            for _, query, name, _ in pickle.loads(path.read_bytes()):
                for word in set(split_words(f"{query} {name}")):
                    repo_counts.update(split_tokens(word))
            counts += repo_counts
            repos.update(repo_counts.keys())
    frequent = [word for word, count in counts.most_common() if count >= 15 and repos[word] >= 3]
    Path(sys.argv[4]).write_bytes(pickle.dumps(frequent))
    print(len(frequent), "words")


if __name__ == "__main__":
    main()
