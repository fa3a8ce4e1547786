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
    """The tokens between [CLS] and [SEP], a space between two."""
    names = vocabulary.read_text(encoding="utf-8").split("\n")
    ids = WordPiece(vocabulary, max_tokens=max_tokens, lower=lower).encode(text)
    assert names[ids[0]] == "[CLS]"
    assert names[ids[-1]] == "[SEP]"
    return " ".join(names[number] for number in ids[1:-1])


def test_the_shipped_vocabulary_is_that_of_bert_base_uncased() -> None:
    """The vocabulary is the published file, byte for byte but for a checkout's line ends."""
    content = VOCABULARY_FILE.read_bytes().replace(b"\r\n", b"\n")
    assert (
        hashlib.sha256(content).hexdigest()
        == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    )


def test_an_id_is_the_number_of_its_line() -> None:
    """The ids are those of the published model: [CLS] 101, hello 7592, world 2088, [SEP] 102."""
    assert WordPiece(max_tokens=8).encode("Hello world") == [101, 7592, 2088, 102]


def test_a_vocabulary_with_windows_line_ends_is_the_same(tmp_path: Path) -> None:
    """A line's end is no part of its token."""
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
def test_words_become_the_longest_known_pieces(text: str, expected: str, small: Path) -> None:
    """A word is split by longest match from the left, and is unknown when a part of it is."""
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
def test_characters_without_a_shape_are_dropped(text: str, expected: str, small: Path) -> None:
    """Controls, zero-width characters, replacement characters and surrogates split no word."""
    assert tokens(text, small) == expected


def test_a_cased_model_keeps_capitals_and_accents(small: Path) -> None:
    """Without `lower`, `Low` and `l\u00f2w` are not `low`."""
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
def test_text_is_read_as_the_uncased_model_was_taught(text: str, expected: str) -> None:
    """Lower case, no accents, ASCII symbols and Unicode punctuation apart, ideographs apart.

    A capital sigma has one lower case wherever it stands, and a token's name in a text is text.
    """
    assert tokens(text, VOCABULARY_FILE) == expected


def test_a_word_of_more_than_100_characters_is_unknown(small: Path) -> None:
    """`want` and 32 times `ing` are 100 characters and still split; three more are too many."""
    assert tokens("want" + "ing" * 32, small).split() == ["want", *["##ing"] * 32]
    assert tokens("want" + "ing" * 33, small) == "[UNK]"


def test_a_long_text_is_cut_at_the_models_length(small: Path) -> None:
    """[CLS] and [SEP] are among the tokens that count; a word may be cut between its pieces."""
    assert WordPiece(small, max_tokens=5).encode("low unwanted low") == [1, 11, 7, 4, 2]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"want\n[CLS]\n", r"has no \[SEP\], \[UNK\]"), (b"\xff\xfe", "cannot be read")],
)
def test_another_kind_of_vocabulary_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    """A vocabulary that is not BERT's is named, with what it lacks."""
    path = tmp_path / "vocab.txt"
    path.write_bytes(content)
    with pytest.raises(UserError, match=said):
        WordPiece(path, max_tokens=8)


def test_a_missing_vocabulary_is_named(tmp_path: Path) -> None:
    """The sentence says which file was looked for."""
    with pytest.raises(UserError, match=r"absent\.txt cannot be read"):
        WordPiece(tmp_path / "absent.txt", max_tokens=8)
