import re
import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall import words
from total_recall.matching import (
    _SIGNS,
    MOST_TERMS,
    Matcher,
    Occurrence,
    Term,
    are_neighbours,
    query_terms,
)

LIMITING = Term("rate-limiting", "ratelimit", ("rate", "limit"))

# What texts and queries are made of: parts that may meet, with and without something between.
BITS = """
    rate limit limits limiting Limiter RATE session refresh refreshes getUser Name user names auth
    author OAuth JWT v2 utf8 policies policy dying die skies café Café naïve Straße STRASSE ＡＰＩ
    ﬁle İd 数据库 数据 库 認証 が ガ ｶﾞ ไทย ฐานข้อมูล 한국어 한국 데이터 don't it’s C++ node.js
    the why a\u0301 \u0301 ½ … ﹣ ſ
""".split()
GLUE = ["", " ", "-", "_", ".", "--", "-_", "'", "’", "\n", "\n\n", "/", "\u0301", "\0", "．", "－"]

mixed = st.lists(
    st.one_of(st.sampled_from(BITS), st.sampled_from(GLUE), st.text(max_size=3)), max_size=12
).map("".join)


def numbers(found: Iterable[Occurrence]) -> set[int]:
    return {each.term for each in found}


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        pytest.param("", (), id="blank"),
        pytest.param("?!", (), id="no words"),
        pytest.param("why JWT?", (Term("jwt", "jwt"),), id="stop words are dropped"),
        pytest.param(
            "Why, what?", (Term("why", "why"), Term("what", "what")), id="unless nothing else is"
        ),
        pytest.param(
            "limits on limiting a limit", (Term("limits", "limit"),), id="one term a stem"
        ),
        pytest.param("rate-limiting", (LIMITING,), id="a compound and its parts"),
        pytest.param(
            "rateLimiter",
            (Term("ratelimiter", "ratelimit", ("rate", "limit")),),
            id="camel case",
        ),
        pytest.param("Café", (Term("cafe", "cafe"),), id="folded"),
        pytest.param("数据库", (Term("数据", "数据"), Term("据库", "据库")), id="pairs"),
        pytest.param("한국어", (Term("한국", "한국"), Term("국어", "국어")), id="Korean pairs"),
    ],
)
def test_a_query_becomes_terms(query: str, terms: tuple[Term, ...]) -> None:
    assert query_terms(query) == terms


def test_the_caller_says_which_words_are_dropped() -> None:
    terms = query_terms("why was redis rejected", dropped={"why", "was", "rejected"})

    assert terms == (Term("redis", "redi"),)


def test_a_pasted_page_is_asked_for_by_its_first_terms() -> None:
    names = [f"w{number}" for number in range(1000)]

    terms = query_terms(" ".join(names))

    assert [term.word for term in terms] == names[:MOST_TERMS]


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        pytest.param("rate-limiting", "the rate limits", ["rate limits"], id="two words"),
        pytest.param("rate-limiting", "a rateLimiter", ["rateLimiter"], id="camel case"),
        pytest.param("rate-limiting", "RATE_LIMIT=5", ["RATE_LIMIT"], id="a constant"),
        pytest.param("rate-limiting", "ratelimits", ["ratelimits"], id="joined"),
        pytest.param("rate-limiting", "limit the rate", [], id="the other way round"),
        pytest.param("rate-limiting", "rate. No limits", [], id="not side by side"),
        pytest.param("rate-limiting", "the rate\n\nLimits", [], id="not over paragraphs"),
        pytest.param("rateLimit", "a rate-limiting.md", ["rate-limiting.md"], id="in a longer one"),
        pytest.param("rateLimit", "limit-my-rate.md", [], id="in another order"),
        pytest.param("serverSentEvents", "server-sent events", ["server-sent events"], id="both"),
        pytest.param("ratelimiter", "rate-limiting", ["rate-limiting"], id="typed as one word"),
        pytest.param("rateLimiter", "rate-limiting", ["rate-limiting"], id="typed in camel case"),
        pytest.param("limits", "rate-limiting", ["rate-limiting"], id="a part of a compound"),
        pytest.param("auth", "author, authors, authored, authority", [], id="auth, not author"),
        pytest.param("auth", "OAuth and auth-jwt", ["OAuth", "auth-jwt"], id="auth as a part"),
        pytest.param("oauth", "OAuth o-auth oauth", ["OAuth", "o-auth", "oauth"], id="joined too"),
        pytest.param("policy", "Policies", ["Policies"], id="stems"),
        pytest.param("die", "dying", ["dying"], id="a stem that changes"),
        pytest.param("cafe", "CAFÉ", ["CAFE"], id="accents"),
        pytest.param("strasse", "Straße", ["Strasse"], id="sharp s"),
        pytest.param("数据库", "用数据库存", ["用数据库存"] * 2, id="in a run without blanks"),
        pytest.param("库", "数据库", ["数据库"], id="one character"),
        pytest.param("데이터", "빅데이터를", ["빅데이터를"] * 2, id="Korean"),
        pytest.param("ガイド", "ｶﾞｲﾄﾞ", ["ガイド"] * 2, id="halfwidth kana"),
        pytest.param("jwt", "a\n\u0301\nJWT", ["JWT"], id="a lone accent between line ends"),
    ],
)
def test_a_term_is_found_where_it_is_meant(query: str, text: str, found: list[str]) -> None:
    cased = words.unaccented(text)

    occurrences = Matcher(query_terms(query)).occurrences(text)

    assert [cased[each.start : each.end] for each in occurrences] == found


@given(mixed, mixed)
def test_what_is_found_is_what_every_word_is_asked_for(query: str, text: str) -> None:
    """The quick way round the words finds the same as the slow way through them."""
    terms = query_terms(query)
    single = {
        term.stem: number
        for number, term in enumerate(terms)
        if not (term.parts or words.is_unspaced(term.stem))
    }

    slow = [
        single[stem]
        for compound in words.compounds(text)
        for stem in dict.fromkeys(map(words.stem, words.pieces(compound)))
        if stem in single
    ]

    found = Matcher(terms).occurrences(text)
    assert sorted(each.term for each in found if each.term in single.values()) == sorted(slow)


@pytest.mark.parametrize(
    ("text", "so"),
    [
        pytest.param("rate limits", True, id="a blank between"),
        pytest.param("rate*, (limits", True, id="signs between"),
        pytest.param("rate\nlimits", True, id="a line end between"),
        pytest.param("rate of limits", False, id="a word between"),
        pytest.param("rate\n\nlimits", False, id="a blank line between"),
    ],
)
def test_neighbours_have_no_word_between_them(text: str, so: bool) -> None:
    assert are_neighbours(text, 4, text.index("limits")) == so


@given(mixed, mixed)
def test_a_term_that_is_found_was_possible(query: str, text: str) -> None:
    matcher = Matcher(query_terms(query))

    found = numbers(matcher.occurrences(text))

    assert found <= matcher.possible(text.encode("utf-8", "replace"))


@given(mixed, mixed)
def test_a_text_holds_what_is_found_in_it(query: str, text: str) -> None:
    matcher = Matcher(query_terms(query))

    every = matcher.held(text, frozenset(range(len(matcher.terms))))

    assert every == numbers(matcher.occurrences(text))


@given(mixed, mixed, st.data())
def test_a_text_is_asked_for_some_terms_only(query: str, text: str, data: st.DataObject) -> None:
    matcher = Matcher(query_terms(query))
    every = numbers(matcher.occurrences(text))
    among = data.draw(st.frozensets(st.integers(0, max(0, len(matcher.terms) - 1))))

    assert matcher.held(text, among & set(range(len(matcher.terms)))) == every & among


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        pytest.param("auth ratelimit", "authors of a rate-limit", {1}, id="one only joined"),
        pytest.param("auth rate-limiting", "authored: rate limits", {1}, id="one only apart"),
        pytest.param("auth user", "author, getUserName", {1}, id="a hump of a camel"),
        pytest.param("auth strasse", "Straße, author", {1}, id="sharp s"),
    ],
)
def test_a_word_that_only_begins_so_is_not_held(query: str, text: str, found: set[int]) -> None:
    assert Matcher(query_terms(query)).held(text, frozenset({0, 1})) == found


@given(mixed)
def test_a_text_holds_every_term_of_its_own(text: str) -> None:
    matcher = Matcher(query_terms(text))

    assert numbers(matcher.occurrences(text)) == set(range(len(matcher.terms)))


@given(mixed, mixed)
def test_what_was_found_before_does_not_matter(query: str, text: str) -> None:
    used = Matcher(query_terms(query))
    used.occurrences(f"{query} {text}")

    assert used.occurrences(text) == Matcher(query_terms(query)).occurrences(text)


def test_a_sign_that_is_passed_over_is_no_letter_and_no_joint() -> None:
    signs = [chr(code) for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000]
    passed = [sign for sign in signs if not _SIGNS.sub(b"", sign.encode())]

    assert len(passed) > 1000
    assert [sign for sign in passed if re.search(r"[\w.-]", words.fold(sign))] == []


def test_bytes_that_are_no_text_hold_what_can_be_read() -> None:
    matcher = Matcher(query_terms("jwt redis"))

    assert matcher.possible(b"\xff\xfe JWT \xc3") == {0}


@given(st.text())
def test_any_text_is_a_valid_query(query: str) -> None:
    matcher = Matcher(query_terms(query))

    matcher.possible(b"why JWT")
    matcher.occurrences("why JWT, café, 数据库")


SIZE = 64 * 1024
PAGE = "We chose a rate-limiter over w17-z17 for the 数据库 of café_users.\n\n" * 1000


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("\0" * SIZE, id="NUL"),
        pytest.param("\ud800 " * (SIZE // 2), id="surrogates"),
        pytest.param("a" * SIZE, id="one word"),
        pytest.param("a-" * (SIZE // 2), id="one compound"),
        pytest.param("aB" * (SIZE // 2), id="one camel"),
        pytest.param("-._" * (SIZE // 3), id="joints"),
        pytest.param("数据库" * (SIZE // 9), id="one run"),
        pytest.param("\u0301" * (SIZE // 2), id="accents"),
        pytest.param("".join(map(chr, range(0x4E00, 0x4E00 + SIZE // 4))), id="many pairs"),
        pytest.param(" ".join(f"w{n}-z{n}" for n in range(5500)), id="many compounds"),
        pytest.param(" ".join(f"word{n:x}ing" for n in range(5500)), id="many words"),
    ],
)
def test_64_kilobytes_are_answered_within_two_seconds(query: str) -> None:
    start = time.perf_counter()

    matcher = Matcher(query_terms(query))
    for text in (PAGE, query):
        matcher.possible(text.encode("utf-8", "replace"))
        matcher.occurrences(text)

    assert time.perf_counter() - start < 2
