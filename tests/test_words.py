import re
import tarfile
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import SHARED_DATA
from total_recall import words

RECORDS = SHARED_DATA / "adr-corpora.tar.gz"

# Words that Snowball does not only cut: it changes their letters or has a list for them.
SPECIAL = """
    dying lying tying vying hying dies lies ties dyed skis skies sky idly gently ugly early only
    singly news inning innings outing outings canning cannings herring herrings earring earrings
    proceed proceeds proceeded exceed exceeding succeed succeeds evening cosmos bias andes atlas
    howe generously communication arsenal university past pastes policies policy happily cries
    cried flies agreed feed hopping hoping hoped falling hissing fizzed failing filing relational
    conditional rational valency hesitancy digitizer conformably radically differently vilely
    analogously vietnamization predication operator feudalism decisiveness hopefulness
    callousness formality sensitivity sensibility triplicate formative formalize electricity
    electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable
    defensible irritant replacement adjustment dependent adoption homologous effective bowdlerize
    probate rate cease controller rolls authorization authored authentication auth author
    caching cached caches indexes indices yielding saying says yes youth boyish toyed using used
""".split()
SUFFIXES = """
    s es ies ied ing ings ed eed eedly edly ingly ly y ational tional enci anci abli entli izer
    ization ation ator alism aliti alli fulness ousli ousness iveness iviti biliti logi logist
    fulli lessli icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment
    ent sion tion ism ate iti ity ous ive ize e l ll at bl iz ying yed ability ably ality ogy
""".split()

letters = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9)
english = st.one_of(
    st.sampled_from(SPECIAL),
    st.builds(
        lambda start, ends: start + "".join(ends),
        letters,
        st.lists(st.sampled_from(SUFFIXES), max_size=3),
    ),
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        pytest.param("JWT", "jwt", id="case"),
        pytest.param("Café Zoë", "cafe zoe", id="accents"),
        pytest.param("Cafe\u0301", "cafe", id="an accent that stands by itself"),
        pytest.param("Straße", "strasse", id="sharp s"),
        pytest.param("STRAẞE", "strasse", id="capital sharp s"),
        pytest.param("ＡＰＩ", "api", id="fullwidth"),
        pytest.param("ﬁle", "file", id="ligature"),
        pytest.param("İstanbul", "istanbul", id="dotted capital i"),
        pytest.param("ΣΊΣΥΦΟΣ", "σισυφοσ", id="Greek, final sigma"),
        pytest.param("Ёлка", "елка", id="Cyrillic"),
        pytest.param("데이터", "데이터", id="Korean syllables stay whole"),
        pytest.param("ｶﾞｲﾄﾞ", "ガイド", id="halfwidth kana"),
    ],
)
def test_case_accents_and_forms_are_levelled(text: str, folded: str) -> None:
    assert words.fold(text) == folded


@given(st.text())
def test_folding_changes_nothing_the_second_time(text: str) -> None:
    once = words.fold(text)

    assert words.fold(once) == once


@pytest.mark.parametrize(
    ("text", "compounds"),
    [
        ("", []),
        ("-- ... __ !?", []),
        ("rate-limiting", ["rate-limiting"]),
        ("a--b a-_.b", ["a--b", "a-_.b"]),
        ("-flag- end.", ["flag", "end"]),
        ("node.js v1.2 snake_case", ["node.js", "v1.2", "snake_case"]),
        ("don't it’s", ["don", "t", "it", "s"]),
        ("C++ C#", ["C", "C"]),
        ("naïve café", ["naive", "cafe"]),
        ("JWT认证v2", ["JWT", "认证", "v2"]),
        ("使用 数据库。", ["使用", "数据库"]),
        ("ใช้ฐานข้อมูล db", ["ใช้ฐานข้อมูล", "db"]),
        ("한국어-검색", ["한국어", "검색"]),
        ("a\0b\ud800c", ["a", "b", "c"]),
    ],
)
def test_a_text_is_split_into_compounds(text: str, compounds: list[str]) -> None:
    assert words.compounds(text) == compounds


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_splits_as_the_long_one(text: str) -> None:
    assert words.compounds(text) == words.compounds(f"{text} é")[:-1]


@pytest.mark.parametrize(
    ("compound", "pieces", "parts"),
    [
        ("jwt", ["jwt"], ["jwt"]),
        ("session-refresh", ["sessionrefresh", "session", "refresh"], ["session", "refresh"]),
        ("node.js", ["nodejs", "node", "js"], ["node", "js"]),
        ("getUserName", ["getusername", "get", "user", "name"], ["get", "user", "name"]),
        (
            "getUser-name",
            ["getusername", "getuser", "name", "get", "user"],
            ["get", "user", "name"],
        ),
        ("HTTPServer", ["httpserver", "http", "server"], ["http", "server"]),
        ("v2Api", ["v2api", "v2", "api"], ["v2", "api"]),
        ("API", ["api"], ["api"]),
        ("数据库", ["数据", "据库"], ["数据库"]),
        ("库", ["库"], ["库"]),
        ("哈哈哈", ["哈哈"], ["哈哈哈"]),
        ("한국어", ["한국", "국어"], ["한국어"]),
    ],
)
def test_a_compound_stands_for_its_pieces(
    compound: str, pieces: list[str], parts: list[str]
) -> None:
    assert (words.pieces(compound), words.parts(compound)) == (pieces, parts)


@pytest.mark.parametrize(
    ("compound", "unspaced"),
    [("数据", True), ("ไทย", True), ("かな", True), ("한국", True), ("api", False), ("été", False)],
)
def test_scripts_without_blanks_are_known(compound: str, unspaced: bool) -> None:
    assert words.is_unspaced(compound) is unspaced


def test_stop_words_say_how_and_not_what() -> None:
    topics = {"auth", "decision", "rejected", "user", "new", "go", "java", "rate", "limit"}

    assert {"why", "the", "what", "did", "we"} <= words.STOP_WORDS
    assert words.STOP_WORDS.isdisjoint(topics)
    assert {words.fold(word) for word in words.STOP_WORDS} == words.STOP_WORDS


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("limits", "limiting"),
        ("policies", "policy"),
        ("websockets", "websocket"),
        ("cached", "caching"),
        ("dying", "die"),
        ("skies", "sky"),
    ],
)
def test_forms_of_a_word_have_one_stem(word: str, other: str) -> None:
    assert words.stem(word) == words.stem(other)


@pytest.mark.parametrize("other", ["author", "authors", "authored", "authority", "authentic"])
def test_auth_is_never_author(other: str) -> None:
    assert words.stem("auth") != words.stem(other)


@pytest.mark.parametrize(
    "word", ["js", "db", "ids", "ing", "utf8s", "v2", "s3s", "认证", "", "ъезды"]
)
def test_short_words_and_words_with_digits_stay(word: str) -> None:
    assert words.stem(word) == word


@pytest.mark.parametrize("word", SPECIAL)
def test_a_special_word_begins_with_the_root_of_its_stem(word: str) -> None:
    assert word.startswith(words.root(words.stem(word)))


@given(english)
def test_every_word_begins_with_the_root_of_its_stem(word: str) -> None:
    assert word.startswith(words.root(words.stem(word)))


@given(st.text())
def test_every_piece_of_any_text_begins_with_the_root_of_its_stem(text: str) -> None:
    pieces = [piece for compound in words.compounds(text) for piece in words.pieces(compound)]

    assert [piece for piece in pieces if not piece.startswith(words.root(words.stem(piece)))] == []


@pytest.mark.skipif(not RECORDS.exists(), reason=f"{RECORDS} is not on this machine")
def test_every_word_of_real_records_begins_with_the_root_of_its_stem() -> None:
    vocabulary = set(_words_of_records())

    strays = [word for word in vocabulary if not word.startswith(words.root(words.stem(word)))]

    assert len(vocabulary) > 10_000
    assert strays == []


def _words_of_records() -> Iterator[str]:
    with tarfile.open(RECORDS) as archive:
        for member in archive:
            if member.name.endswith(".md") and (file := archive.extractfile(member)):
                yield from re.findall("[a-z]+", words.fold(file.read().decode("utf-8", "replace")))
