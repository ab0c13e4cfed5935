"""Which rung answers, and with which records."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.vault import ladder, node
from total_recall.vault.node import Node


def note(path: str, text: str = "", *, front: str = "") -> Node:
    block = f"---\n{front}\n---\n" if front else ""
    return node.read(path, f"{block}{text}".encode())


VAULT = (
    note("decisions/auth-jwt.md", "# JWT for login", front="id: adr-008-auth-jwt\ntags: [auth]"),
    note("decisions/ADR-007-rates.md", "# Rate limiting\n\nLimits by account.", front="tags: edge"),
    note("decisions/auth.md", "# A file called auth", front="tags: [other]"),
    note("discoveries/skew.md", "# Clock skew\n\nBreaks JWT expiry.", front="tags: [auth/jwt]"),
    note("discoveries/editors.md", "# Each author writes alone", front="tags: [authors]"),
    note("sessions/2025-03-11-session-refresh.md", "# Work\n\nToken refresh in the session."),
    note("work/plans/auth-refactor/plan.md", "# Steps\n\nMove sessions to zeppelins."),
)


def answered(query: str) -> tuple[str, list[str]]:
    answer = ladder.climb(query, VAULT)
    return answer.rung, [hit.node.id for hit in answer.hits]


@pytest.mark.parametrize(
    ("query", "rung", "ids"),
    [
        pytest.param("adr-008-auth-jwt", "id", ["adr-008-auth-jwt"], id="an id"),
        pytest.param("ADR-008-AUTH-JWT", "id", ["adr-008-auth-jwt"], id="an id in other case"),
        pytest.param("[[adr-008-auth-jwt|JWT]]", "id", ["adr-008-auth-jwt"], id="a link"),
        pytest.param("decision:auth-jwt", "id", ["adr-008-auth-jwt"], id="a type and a stem"),
        pytest.param("decisions/auth-jwt", "id", ["adr-008-auth-jwt"], id="a path"),
        pytest.param("7", "id", ["ADR-007-rates"], id="a number"),
        pytest.param("007", "id", ["ADR-007-rates"], id="a padded number"),
        pytest.param("ADR-7", "id", ["ADR-007-rates"], id="a number with its prefix"),
        pytest.param("work:plans/auth-refactor", "id", ["plan"], id="a plan folder"),
        pytest.param("auth", "tag", ["adr-008-auth-jwt", "skew"], id="a tag before a file name"),
        pytest.param("#auth", "tag", ["adr-008-auth-jwt", "skew"], id="a tag with its sign"),
        pytest.param("@AUTH", "tag", ["adr-008-auth-jwt", "skew"], id="a tag in other case"),
        pytest.param("auth/jwt", "tag", ["skew"], id="a nested tag"),
        pytest.param("discoveries", "tag", ["editors", "skew"], id="a folder's word"),
        pytest.param("rates", "file", ["ADR-007-rates"], id="a word of a file name"),
        pytest.param("session_refresh", "file", ["2025-03-11-session-refresh"], id="folded joints"),
        pytest.param("auth-refactor", "file", ["plan"], id="a plan's folder"),
        pytest.param("sessi", "file", ["2025-03-11-session-refresh"], id="a part of a name"),
        pytest.param("#expiry", "search", ["skew"], id="an unused tag falls to the words"),
        pytest.param("zeppelin", "search", ["plan"], id="work only when nothing else answers"),
        pytest.param("edi", "", [], id="three letters are no part of a name"),
        pytest.param("nowhere", "", [], id="nothing"),
    ],
)
def test_the_first_rung_with_a_hit_answers(query: str, rung: str, ids: list[str]) -> None:
    assert answered(query) == (rung, ids)


def test_auth_is_not_author() -> None:
    only_authors = tuple(each for each in VAULT if each.id == "editors")

    assert ladder.climb("auth", only_authors).hits == ()
    assert [hit.node.id for hit in ladder.climb("authors", only_authors).hits] == ["editors"]


def test_two_records_of_one_number_are_nobodys_id() -> None:
    twins = (note("decisions/0007-a.md", "# A"), note("decisions/0007-b.md", "# B"))

    assert ladder.by_id("7", twins) == []


def test_two_records_of_one_id_both_answer() -> None:
    twins = (note("decisions/a.md", front="id: x"), note("decisions/b.md", front="id: x"))

    assert [hit.node.path for hit in ladder.climb("x", twins).hits] == [
        "decisions/a.md",
        "decisions/b.md",
    ]


def test_a_list_puts_decisions_first_then_what_holds_then_the_newest() -> None:
    nodes = (
        note("discoveries/d.md", front="tags: t\ndate: 2025-01-01"),
        note("decisions/past.md", front="tags: t\nstatus: deprecated\ndate: 2025-01-01"),
        note("decisions/old.md", front="tags: t\ndate: 2023-01-01"),
        note("decisions/new.md", front="tags: t\ndate: 2024-01-01"),
    )

    ids = [hit.node.id for hit in ladder.climb("#t", nodes).hits]

    assert ids == ["new", "old", "past", "d"]


def test_a_question_is_never_a_name() -> None:
    assert answered("why rates")[0] == "search"


def test_a_search_gives_twenty_and_says_how_many_there_are() -> None:
    nodes = [note(f"decisions/{n}.md", f"# Kafka {n}") for n in range(63)]

    answer = ladder.climb("why kafka", nodes)

    assert (len(answer.hits), answer.total) == (20, 63)


def test_more_of_the_words_come_before_more_of_one_word() -> None:
    nodes = (
        note("decisions/one.md", "# Kafka\n\n" + "kafka " * 50),
        note("decisions/both.md", "# Queues\n\nkafka for events"),
    )

    hits = ladder.climb("why kafka events", nodes).hits

    assert [hit.node.id for hit in hits] == ["both", "one"]
    assert hits[0].reasons == ("body~kafka", "body~events")


def test_a_title_weighs_more_than_a_mention() -> None:
    nodes = (note("decisions/a.md", "# A\n\nkafka"), note("decisions/b.md", "# Kafka\n\ntext"))

    assert [hit.node.id for hit in ladder.climb("why kafka", nodes).hits] == ["b", "a"]


def test_what_no_longer_holds_comes_behind_what_does() -> None:
    text = "# Kafka\n\n## Status\n\n{}\n"
    nodes = (
        note("decisions/a.md", text.format("Superseded by b")),
        note("decisions/b.md", text.format("Accepted")),
    )

    assert [hit.node.id for hit in ladder.climb("why kafka", nodes).hits] == ["b", "a"]


def test_equals_go_by_date_then_by_id() -> None:
    nodes = [
        note(f"decisions/{name}.md", "# Kafka", front=f"date: {day}")
        for name, day in (("c", "2024-01-01"), ("b", "2025-01-01"), ("a", "2024-01-01"))
    ]

    hits = ladder.climb("why kafka", nodes).hits

    assert [hit.node.id for hit in hits] == ["b", "a", "c"]
    assert hits[0].node.day == datetime.date(2025, 1, 1)


def test_of_very_many_equals_those_with_the_word_in_their_name_are_weighed() -> None:
    crowd = [note(f"decisions/n{n}.md", f"# Note {n}\n\nOf kafka.") for n in range(300)]
    named = note("decisions/z.md", "# Kafka for events\n\nWe take it.")

    answer = ladder.climb("why kafka", [*crowd, named])

    assert (answer.hits[0].node.id, len(answer.hits), answer.total) == ("z", 20, 301)


def test_near_names_are_suggested() -> None:
    assert ladder.suggestions("skev", VAULT) == []
    assert ladder.suggestions("limitng", VAULT) == ["limiting"]


@given(st.text(max_size=300))
def test_any_text_is_a_valid_query(query: str) -> None:
    answer = ladder.climb(query, VAULT)

    assert len(answer.hits) <= answer.total
    assert ladder.climb(query, VAULT) == answer
