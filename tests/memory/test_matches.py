"""How the words of a query are found in a memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.memory import matches
from total_recall.memory.entry import Memory
from total_recall.memory.matches import Finder, Query, Text, other_names, phrase, query_of

NAMES = other_names({"auth": ["authentication", "authorization"], "deps": ["dependencies"]})
BITS = """
    auth Auth author authentication authorization OAuth dep deps dependency rate limit limits
    rateLimit RATE_LIMIT ratelimits café CAFÉ Straße 数据库 数据 ไทย ฐานข้อมูล data base databases
    bases policies policy die dying v2 C++ node.js a\u0301 \u0301 \ud800 the
""".split()
GLUE = ["", " ", "-", "_", ".", "/", "\n", "\n\n", "\u0301"]

mixed = st.lists(
    st.one_of(st.sampled_from(BITS), st.sampled_from(GLUE), st.text(max_size=3)), max_size=10
).map("".join)


def ways(query: str, text: str) -> dict[str, tuple[str, str]]:
    """Give how a value holds each word of a query."""
    found = query_of(query, frozenset(), NAMES).found_in(Text(Memory(("k",), text)))
    return {word.term.word: (each.match.word, each.match.how) for word, each in found.items()}


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        pytest.param("stack", "The STACK.", {"stack": ("stack", "equal")}, id="case"),
        pytest.param("cafe", "Café", {"cafe": ("cafe", "equal")}, id="accents"),
        pytest.param("ＡＰＩ", "api", {"api": ("api", "equal")}, id="full width"),
        pytest.param("strasse", "Straße", {"strasse": ("strasse", "equal")}, id="sharp s"),
        pytest.param("policy", "policies", {"policy": ("policies", "stem")}, id="a stem"),
        pytest.param("flow", "auth-flow", {"flow": ("flow", "equal")}, id="part of a compound"),
        pytest.param(
            "rate-limit",
            "rate limits",
            {"rate-limit": ("ratelimits", "stem")},
            id="a compound apart",
        ),
        pytest.param(
            "rate-limit", "rateLimit", {"rate-limit": ("ratelimit", "equal")}, id="joined otherwise"
        ),
        pytest.param("auth", "authorization", {"auth": ("authorization", "alias")}, id="alias"),
        pytest.param("authentication", "auth", {"authentication": ("auth", "alias")}, id="back"),
        pytest.param("dependency", "deps", {"dependency": ("deps", "alias")}, id="one of many"),
        pytest.param("dep", "dependencies", {"dep": ("dependencies", "alias")}, id="and back"),
        pytest.param("auth", "author", {"auth": ("author", "beginning")}, id="auth in author"),
        pytest.param("authentication", "an author", {}, id="no author by authorization"),
        pytest.param("au", "auth", {}, id="two letters begin too much"),
        pytest.param("thor", "author", {}, id="no middle of a word"),
        pytest.param("get", "getUser", {"get": ("get", "equal")}, id="a hump"),
        pytest.param("数据库", "用数据库存", {"数据库": ("数据库", "equal")}, id="Chinese"),
        pytest.param("数据库", "数据", {}, id="not by less of it"),
        pytest.param("ข้อมูล", "ฐานข้อมูล", {"ข้อมูล": ("ข้อมูล", "equal")}, id="Thai"),
        pytest.param(
            "auth author",
            "author",
            {"auth": ("author", "beginning"), "author": ("author", "equal")},
            id="each word for itself",
        ),
    ],
)
def test_a_word_is_found_in_the_nearest_way(
    query: str, text: str, found: dict[str, tuple[str, str]]
) -> None:
    assert ways(query, text) == found


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        pytest.param("What does the user need?", ["user", "need"], id="stop words"),
        pytest.param("please tell me", ["tell"], id="those of the synonyms"),
        pytest.param("the why", ["the", "why"], id="if nothing else is left"),
        pytest.param("limits, limit", ["limits"], id="one word a stem"),
        pytest.param("用数据库 now", ["用数据库", "now"], id="a run is one word"),
        pytest.param("?!", [], id="no word"),
    ],
)
def test_the_words_of_a_query(query: str, asked: list[str]) -> None:
    found = query_of(query, frozenset({"please"}), {})

    assert [word.term.word for word in found.words] == asked


def test_where_a_word_stands_is_told() -> None:
    asked = query_of("bun npm never", frozenset(), {})

    found = asked.found_in(Text(Memory(("prefers-bun", "ß-\u0301b"), "Bun, never npm.")))

    assert [(each.in_key, each.in_value) for each in found.values()] == [
        (True, True),
        (False, True),
        (False, True),
    ]


def test_a_phrase_of_two_scripts_is_not_looked_for() -> None:
    assert phrase("用 redis") == []


@given(mixed, mixed)
def test_the_quick_test_before_loses_nothing(query: str, value: str) -> None:
    text = Text(Memory(("some-key",), value))
    asked = query_of(query, frozenset(), NAMES)

    slow = Query(asked.words)
    slow._needles = [b""]

    assert asked.found_in(text) == slow.found_in(text)


@given(mixed, mixed)
def test_the_quick_test_before_a_phrase_loses_nothing(query: str, value: str) -> None:
    text = Text(Memory(("some-key",), value))

    for term in matches._phrase_terms(query):
        quick, slow = Finder(term), Finder(term)
        slow._needles = [b""]
        assert matches.spans([quick], text) == slow.spans(text)


@given(mixed)
def test_a_value_holds_every_word_of_its_own(value: str) -> None:
    asked = query_of(value, frozenset(), NAMES)

    found = asked.found_in(Text(Memory(("k",), value)))

    assert set(found) == set(asked.words)
    assert all(each.is_whole and each.in_value for each in found.values())
