"""Of which parts does the static model take a text to be made? `static_tokens.mjs` says the same.

The rules, in both languages; `docs/explanation/models.md` tells them with their reasons:

1. Beyond ASCII: NFKD; marks (`M`) go; letters and numbers (`L`, `N`) become small, sign by sign;
   all the rest parts words, as does each sign of ASCII but A-Z, a-z and 0-9.
2. A word is parted at turns of case and digits; a letter beyond ASCII counts as a small one.
   Of a word the first 500 code points count.
3. A part is made small and cut at 24 code points. One with a letter without case (`Lo`: Han, kana,
   Hangul, Arabic, Hebrew, Thai …) becomes its pairs of neighbours, since no spaces part its words.
4. A part outside the vocabulary is its runs of 3 and of 5 in `<part>`, each in a bucket by FNV-1a.
"""

import re
import unicodedata

WORD_LIMIT, PART_LIMIT = 500, 24
"""Code points of a word and of a part that count: what is longer is no language."""

RUNS = (3, 5)
"""Code points of a run."""

_WORD = re.compile(r"[^\x00-/:-@\[-`{-\x7f]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_SIGNS = re.sub(rb"[^A-Za-z0-9\x80-\xff]", b" ", bytes(range(256)))
# what is no sign of ASCII but a-z: said of what is beyond, it takes 8 ms to compile
_SMALL = r"[^\x00-`{-\x7f]"
_PART = re.compile(rf"[A-Z]+(?!{_SMALL})|[A-Z]?{_SMALL}+|[0-9]+")


def words(text: str) -> list[str]:
    """The words of the text, folded beyond ASCII, not yet parted."""
    return _WORD.findall(_folded(text))


def raw_words(text: str) -> list[bytes]:
    """The same in UTF-8, which takes half the time."""
    return _folded(text).encode().translate(_SIGNS).split()


def parts(word: str) -> list[str]:
    """The parts of one of `words`."""
    found = [part.lower()[:PART_LIMIT] for part in _PART.findall(word[:WORD_LIMIT])]
    if word.isascii():
        return found
    return [piece for part in found for piece in _pieces(part)]


def grams(part: str) -> list[str]:
    """The runs of 3 and of 5 code points in `<part>`."""
    framed = f"<{part}>"
    return [framed[at : at + size] for size in RUNS for at in range(len(framed) - size + 1)]


def fnv1a(text: str) -> int:
    """FNV-1a, 32 bits, of the text in UTF-8."""
    digest = 0x811C9DC5
    for byte in text.encode():
        digest = (digest ^ byte) * 0x01000193 & 0xFFFFFFFF
    return digest


class _Folded(dict[str, str]):
    """What a sign becomes, remembered: a page of Greek has few."""

    def __missing__(self, sign: str) -> str:
        kept = []
        for one in unicodedata.normalize("NFKD", sign):
            kind = unicodedata.category(one)[0]
            if one.isascii():
                kept.append(one)
            elif kind in "LN":
                kept.append(one.lower())
            elif kind != "M":
                kept.append(" ")
        self[sign] = folded = "".join(kept)
        return folded


class _Caseless(dict[str, bool]):
    """Whether a sign is a letter without case, remembered."""

    def __missing__(self, sign: str) -> bool:
        self[sign] = found = unicodedata.category(sign) == "Lo"
        return found


_fold = _Folded().__getitem__
_is_caseless = _Caseless().__getitem__


def _folded(text: str) -> str:
    if text.isascii():
        return text
    return _BEYOND_ASCII.sub(lambda found: "".join(map(_fold, found[0])), text)


def _pieces(part: str) -> list[str]:
    if len(part) < 2 or not any(map(_is_caseless, part)):
        return [part]
    return [part[at : at + 2] for at in range(len(part) - 1)]
