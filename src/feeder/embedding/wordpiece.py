"""BERT's WordPiece tokenizer (Devlin et al. 2018) with its uncased vocabulary."""

import unicodedata
from functools import lru_cache
from pathlib import Path

from feeder.errors import UserError, os_reason

VOCABULARY_FILE = Path(__file__).with_name("vocabulary.txt")

_MAX_WORD_CHARS = 100
_CACHED_WORDS = 65_536
_CJK_BLOCKS = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2CEB0),
    range(0x2F800, 0x2FA20),
)


class WordPiece:
    """Turns texts into token ids: `[CLS]`, at most `max_tokens - 2` pieces, `[SEP]`.

    `lower` also strips accents, as uncased models need it. A special token that occurs in a text
    (`[SEP]`) is read as plain text. Threads may share an instance.
    """

    def __init__(
        self, vocabulary: Path = VOCABULARY_FILE, *, max_tokens: int, lower: bool = True
    ) -> None:
        self._ids = _read_vocabulary(vocabulary)
        self._longest_piece = max(map(len, self._ids))
        self._max_pieces = max_tokens - 2
        self._lower = lower
        self._characters = _CharacterTable(lower)
        # code repeats its words: most are split only once in a run
        self._pieces = lru_cache(_CACHED_WORDS)(self._split)

    def encode(self, text: str) -> list[int]:
        """Returns the ids of the text, cut after `max_tokens`."""
        pieces: list[int] = []
        for word in self._words(text):
            pieces += self._pieces(word)
            if len(pieces) >= self._max_pieces:
                break
        return [self._ids["[CLS]"], *pieces[: self._max_pieces], self._ids["[SEP]"]]

    def _words(self, text: str) -> list[str]:
        if self._lower:
            text = unicodedata.normalize("NFD", text)
        return text.translate(self._characters).split()

    def _split(self, word: str) -> tuple[int, ...]:
        """Returns the word's ids by longest match from the left, or `[UNK]` if a part has none."""
        unknown = (self._ids["[UNK]"],)
        if len(word) > _MAX_WORD_CHARS:
            return unknown
        pieces, start = [], 0
        while start < len(word):
            end = self._longest_match(word, start)
            if end == start:
                return unknown
            pieces.append(self._ids[_subword(word, start, end)])
            start = end
        return tuple(pieces)

    def _longest_match(self, word: str, start: int) -> int:
        """Returns the end of the longest known piece from `start`; `start` when there is none."""
        furthest = min(len(word), start + self._longest_piece)
        return next(
            (end for end in range(furthest, start, -1) if _subword(word, start, end) in self._ids),
            start,
        )


def _subword(word: str, start: int, end: int) -> str:
    return word[start:end] if start == 0 else f"##{word[start:end]}"


def _read_vocabulary(path: Path) -> dict[str, int]:
    """Reads one token per line; the line number is its id."""
    try:
        tokens = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as exc:
        raise UserError(
            f"The vocabulary {path} cannot be read ({os_reason(exc)}).",
            "Choose a model folder with a vocab.txt.",
        ) from exc
    ids = {token: number for number, token in enumerate(tokens)}
    if missing := {"[UNK]", "[CLS]", "[SEP]"} - ids.keys():
        raise UserError(
            f"The vocabulary {path} is not a WordPiece vocabulary: it has no "
            f"{', '.join(sorted(missing))}.",
            "Choose a folder with a WordPiece model.",
        )
    return ids


class _CharacterTable(dict[int, str]):
    """Cache of each code point's replacement before words are split at spaces."""

    def __init__(self, lower: bool) -> None:
        super().__init__()
        self._lower = lower

    def __missing__(self, point: int) -> str:
        self[point] = replacement = self._replacement(chr(point))
        return replacement

    def _replacement(self, char: str) -> str:
        category = unicodedata.category(char)
        if char in "\t\n\r" or category[0] == "Z":
            return " "
        # control and format characters, surrogates, private use; U+FFFD replaces a broken one
        if category in {"Cc", "Cf", "Cs", "Co"} or char == "\ufffd":
            return ""
        if self._lower and category == "Mn":
            return ""
        if _is_punctuation(char, category) or any(ord(char) in block for block in _CJK_BLOCKS):
            return f" {char} "
        return char.lower() if self._lower else char


def _is_punctuation(char: str, category: str) -> bool:
    """Tests as BERT does: all ASCII other than letters, digits, spaces, controls counts too."""
    return category[0] == "P" or ("!" <= char <= "~" and not char.isalnum())
