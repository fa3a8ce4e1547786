"""The WordPiece tokenizer of BERT models."""

import hashlib
from pathlib import Path

import pytest

from feeder.embedding.wordpiece import VOCABULARY_FILE, WordPiece
from feeder.errors import UserError

# The vocabulary and the first cases are those of the tests that BERT was published with.
SPECIAL = ["[UNK]", "[CLS]", "[SEP]"]
TOKENS = [*SPECIAL, "want", "##want", "##ed", "wa", "un", "runn", "##ing", ",", "low", "lowest"]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
    return path


def tokens(text: str, vocabulary: Path, *, max_tokens: int = 64, lower: bool = True) -> str:
    """Returns the tokens between [CLS] and [SEP], joined by spaces."""
    names = vocabulary.read_text(encoding="utf-8").split("\n")
    ids = WordPiece(vocabulary, max_tokens=max_tokens, lower=lower).encode(text)
    assert names[ids[0]] == "[CLS]"
    assert names[ids[-1]] == "[SEP]"
    return " ".join(names[number] for number in ids[1:-1])


def test_shipped_vocabulary_is_that_of_bert_base_uncased() -> None:
    """Byte for byte, except for line ends of a checkout."""
    content = VOCABULARY_FILE.read_bytes().replace(b"\r\n", b"\n")
    assert (
        hashlib.sha256(content).hexdigest()
        == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    )


def test_id_is_the_line_number_of_the_token() -> None:
    """As published: [CLS] 101, hello 7592, world 2088, [SEP] 102."""
    assert WordPiece(max_tokens=8).encode("Hello world") == [101, 7592, 2088, 102]


def test_vocabulary_with_crlf_line_ends_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes("\r\n".join(TOKENS).encode())
    assert WordPiece(path, max_tokens=8).encode("lowest") == [1, 12, 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("UNwant\u00e9d,running", "un ##want ##ed , runn ##ing"),
        ("unwanted running", "un ##want ##ed runn ##ing"),
        ("unwantedX running", "[UNK] runn ##ing"),
        ("lowest low", "lowest low"),
        ("", ""),
        (" \t\r\n\u00a0\u2003", ""),
    ],
)
def test_words_are_split_by_longest_match(text: str, expected: str, small: Path) -> None:
    """From the left; a word with an unknown rest is unknown."""
    assert tokens(text, small) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wa\x00n\ufffdt", "want"),
        ("wa\u200bnt\x1c", "want"),
        ("wa\ud800nt", "want"),
        ("low\u2028low", "low low"),
    ],
)
def test_invisible_characters_are_dropped(text: str, expected: str, small: Path) -> None:
    """Control characters, zero-width characters, U+FFFD and surrogates split no word."""
    assert tokens(text, small) == expected


def test_cased_model_keeps_capitals_and_accents(small: Path) -> None:
    """Without `lower`, `Low` and `lòw` are not `low`."""
    assert tokens("low Low l\u00f2w", small, lower=False) == "low [UNK] [UNK]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def get_file(path):", "def get _ file ( path ) :"),
        ("a<=b$c`d~e", "a < = b $ c ` d ~ e"),
        ("x\u2014y", "x \u2014 y"),
        ("Na\u00efve CAFE\u0301", "naive cafe"),
        ("ab\u4e2d\u56fdcd", "ab \u4e2d \u56fd cd"),
        ("\u039b\u03a3", "\u03bb ##\u03c3"),
        ("[SEP]", "[ sep ]"),
    ],
)
def test_text_is_normalized_like_in_the_uncased_model(text: str, expected: str) -> None:
    """Lower case, no accents; ASCII symbols, Unicode punctuation and ideographs are separate
    tokens.

    A capital sigma has one lower case form everywhere, and a token's name in a text is plain text.
    """
    assert tokens(text, VOCABULARY_FILE) == expected


def test_word_of_more_than_100_characters_is_unknown(small: Path) -> None:
    """`want` and 32 times `ing` are 100 characters and are split; one `ing` more is too long."""
    assert tokens("want" + "ing" * 32, small).split() == ["want", *["##ing"] * 32]
    assert tokens("want" + "ing" * 33, small) == "[UNK]"


def test_long_text_is_cut_at_the_models_length(small: Path) -> None:
    """[CLS] and [SEP] count; a word may be cut between its pieces."""
    assert WordPiece(small, max_tokens=5).encode("low unwanted low") == [1, 11, 7, 4, 2]


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"want\n[CLS]\n", r"has no \[SEP\], \[UNK\]"), (b"\xff\xfe", "cannot be read")],
)
def test_vocabulary_of_another_kind_is_refused(
    content: bytes, expected: str, tmp_path: Path
) -> None:
    """The error names the missing tokens."""
    path = tmp_path / "vocab.txt"
    path.write_bytes(content)
    with pytest.raises(UserError, match=expected):
        WordPiece(path, max_tokens=8)


def test_missing_vocabulary_is_an_error(tmp_path: Path) -> None:
    """It names the file."""
    with pytest.raises(UserError, match=r"absent\.txt cannot be read"):
        WordPiece(tmp_path / "absent.txt", max_tokens=8)
