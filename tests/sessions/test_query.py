"""The query: any text becomes terms, and terms a question that SQLite takes."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from total_recall.sessions.query import MOST_TERMS, Term, fts_query, terms


def typed(text: str) -> list[str]:
    return [term.typed for term in terms(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("why did we drop the queue", ["drop", "queue"], id="stop words go"),
        pytest.param("What is it?", ["What", "is", "it"], id="only stop words stay"),
        pytest.param("don't", ["don't"], id="a contraction alone"),
        pytest.param("Caroline's pets'", ["Caroline", "pets"], id="possessives"),
        pytest.param("refreshToken", ["refreshToken", "refresh", "Token"], id="camel case"),
        pytest.param("load_orders", ["load_orders", "load", "orders"], id="snake case"),
        pytest.param("api/server.py", ["api/server.py", "api", "server"], id="a path"),
        pytest.param("token token TOKEN", ["token"], id="each once"),
        pytest.param('"refresh token" expiry', ["refresh token", "expiry"], id="a phrase"),
        pytest.param('"" “” "!"', [], id="empty phrases"),
        pytest.param("数据库 lock", ["数据库", "lock"], id="a run without blanks"),
        pytest.param("用Postgres好", ["用", "Postgres", "好"], id="runs around a word"),
        pytest.param("*** --- \x00 \ud800", [], id="no letters"),
    ],
)
def test_a_query_is_the_words_that_are_looked_for(text: str, found: list[str]) -> None:
    assert typed(text) == found


def test_no_more_than_64_terms_are_looked_for() -> None:
    assert len(terms(" ".join(f"word{n}" for n in range(500)))) == MOST_TERMS


def test_only_a_phrase_is_required() -> None:
    found = terms('retry "rate limit"')

    assert found == [
        Term("rate limit", '"rate limit"', required=True),
        Term("retry", '"retry"'),
    ]
    assert fts_query(found) == '("rate limit") AND ("rate limit" OR "retry")'


QUESTIONS = [
    "what did we decide about the refresh token rotation and why was it rejected",
    "When did Melanie go to the pottery workshop?",
    "How long do sessions live, and who may end them before that?",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_full_sentence_never_asks_for_all_of_its_words(question: str) -> None:
    assert " AND " not in fts_query(terms(question))
    assert " OR " in fts_query(terms(question))


def takes(text: str) -> None:
    found = terms(text)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'porter unicode61')")
        db.execute("INSERT INTO t VALUES ('any text')")
        if found:
            db.execute("SELECT * FROM t WHERE t MATCH ?", (fts_query(found),)).fetchall()


LISTED = """
    don't|C++|why JWT?|NEAR(|NEAR(a b, 3)|*|a*|"|""|'|col:x|-x|^x|x AND|OR|NOT x|(|)|{a b}:c|a+b
    |text : x|\\|%|_|;|--|'; DROP TABLE turns;|🙂|👩‍👩‍👧|é|e\u0301|İ|ß|\u202e|中|中文检索|ไทย|हिन्दी
    |"unclosed phrase|a "b" c "d|“curly”|a\x00b|\x00|𝔘𝔫𝔦|１２３|/etc/passwd|C:\\x\\y|a.b.c|v1.2.3
""".strip().split("|")


@pytest.mark.parametrize("text", LISTED)
def test_every_listed_text_is_a_query(text: str) -> None:
    takes(text)


@given(st.text(max_size=60))
def test_any_text_is_a_query(text: str) -> None:
    takes(text)


@pytest.mark.fault
def test_twenty_thousand_texts_are_queries() -> None:
    import random

    marks = "ab \"'*():^-+{}[]\x00\ud83d中文ไéß\u202e.,;_%\\/ANDORNOTNEAR"
    source = random.Random(7)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'porter unicode61')")
        for _ in range(20_000):
            found = terms("".join(source.choices(marks, k=source.randint(0, 30))))
            if found:
                db.execute("SELECT * FROM t WHERE t MATCH ?", (fts_query(found),)).fetchall()


@pytest.mark.parametrize(
    "unit", ["a", "a ", "-", "a" + "-" * 99, "'", '"', "a-", "aB", "中", "'s ", "“", "x_", "\ud800"]
)
def test_a_long_text_costs_what_its_length_does(unit: str) -> None:
    assert_linear(terms, lambda size: (unit * size)[:size], 64 * 1024)
