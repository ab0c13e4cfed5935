import pytest

from total_recall.matching import Term, query_terms
from total_recall.vault import ladder
from total_recall.vault.node import read
from total_recall.vault.respell import respelled

NODES = [
    read("a.md", b"# WebSockets\n\nRejected websockets for the live view. Redis stays."),
    read("b.md", b"# Live view\n\nServer-sent events instead of websockets and web-hooks."),
    read("c.md", "# Größe\n\nDatabases, tests, jest, a cafe and Straßenname.".encode()),
]


def meant(query: str) -> list[str]:
    return [term.word for term in respelled(query_terms(query), (), NODES)]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("websokets", ["websockets"], id="a letter left out"),
        pytest.param("wbesokets", ["websockets"], id="two slips in a long word"),
        pytest.param("redsi", ["redis"], id="two letters swapped"),
        pytest.param("rdsei", ["rdsei"], id="two slips in a short word"),
        pytest.param("jst", ["jst"], id="a short word is no guess"),
        pytest.param("tset", ["tset"], id="four letters are no guess"),
        pytest.param("kubernetes", ["kubernetes"], id="nothing is near"),
        pytest.param("redis9", ["redis9"], id="a number is another number"),
        pytest.param("web-sokets", ["web-sokets"], id="a compound stays"),
        pytest.param("strasenname", ["strassenname"], id="folded as everywhere"),
        pytest.param("数据库系统", ["数据", "据库", "库系", "系统"], id="no one word"),
        pytest.param("websokets websockts", ["websockets"], id="both the same word"),
    ],
)
def test_a_term_that_stands_nowhere_means_the_nearest_word(query: str, words: list[str]) -> None:
    assert meant(query) == words


def test_a_term_that_stands_somewhere_is_not_doubted() -> None:
    terms = query_terms("databose websockets")

    assert respelled(terms, (0, 1), NODES) == terms
    assert [term.word for term in respelled(terms, (1,), NODES)] == ["databases", "websockets"]


def test_of_equally_near_words_the_commoner_is_meant() -> None:
    nodes = [read("a.md", b"tokens"), read("b.md", b"token tokems"), read("c.md", b"tokens")]

    assert respelled(query_terms("tokehs"), (), nodes) == (Term("tokens", "token", typed="tokehs"),)


def test_a_respelled_term_answers_and_says_so() -> None:
    answer = ladder.climb("has anyone tried websokets", NODES)

    assert [(hit.node.path, hit.reasons[-1]) for hit in answer.hits] == [
        ("a.md", "~websokets -> websockets"),
        ("b.md", "~websokets -> websockets"),
    ]


def test_a_near_word_never_takes_the_place_of_one_that_is_there() -> None:
    answer = ladder.climb("redis cafes", NODES)

    assert all("->" not in reason for hit in answer.hits for reason in hit.reasons)
