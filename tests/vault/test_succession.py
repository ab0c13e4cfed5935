"""Which record superseded which, whoever says so."""

import pytest

from total_recall.vault import graph, ladder, node
from total_recall.vault.node import Node


def note(path: str, text: str = "", *, front: str = "") -> Node:
    block = f"---\n{front}\n---\n" if front else ""
    return node.read(path, f"{block}{text}".encode())


OLD = note("decisions/0002-sessions.md", "# Sessions\n\n## Status\n\nAccepted\n", front="id: old")


def successors(*nodes: Node) -> dict[str, str]:
    marked = graph.with_successors(nodes, graph.Names(nodes))
    return {each.id: each.successor for each in marked if each.successor}


@pytest.mark.parametrize(
    ("front", "body"),
    [
        ("supersedes: old", ""),
        ("supersedes: '[[old]]'", ""),
        ("replaces: [old]", ""),
        ("", "## Status\n\nAccepted. \nSupersedes [the old one](0002-sessions.md)\n"),
        ("", "* Supersedes: ADR-0002\n"),
        ("", "Supersedes ADR 2\n"),
        ("", "| Supersedes: | 0002 |\n"),
        ("", "**Replaces** [[old|Sessions]]\n"),
    ],
)
def test_what_only_the_newer_record_says_marks_the_older(front: str, body: str) -> None:
    new = note("decisions/0008-jwt.md", body, front=f"id: new\n{front}".strip())

    assert successors(OLD, new) == {"old": "new"}


@pytest.mark.parametrize(
    ("front", "body"),
    [
        ("superseded_by: new", ""),
        ("superseded-by: '[[new]]'", ""),
        ("supersededBy: [new]", ""),
        ("status: 'superseded by [[new]]'", ""),
        ("", "## Status\n\nSuperceded by [JWT](0008-jwt.md)\n"),
        ("", "- **Status**: Superseded by ADR-8\n"),
        ("", "Replaced by [[0008-jwt]]\n"),
        ("", "## Status\n\nSuperseded (as never built) by [ADR 8](/adr/8)\n"),
        ("", "## Status\n\nImplemented. Superseded by [JWT](0008-jwt.md)\n"),
        ("", "Status: ~~Accepted~~ **Superseded** by ADR-8\n"),
    ],
)
def test_what_the_older_record_says_marks_it(front: str, body: str) -> None:
    older = note("decisions/0002-sessions.md", body, front=f"id: old\n{front}".strip())
    newer = note("decisions/0008-jwt.md", "# JWT", front="id: new")

    assert successors(older, newer) == {"old": "new"}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("Supersedes [[no such record]]\n", id="a link that resolves to nothing"),
        pytest.param("The new queue replaces [[old]] in one place.\n", id="a sentence's middle"),
        pytest.param("Supersedes [[new]]\n", id="itself"),
        pytest.param("Supersedes parts of [[old]]\n", id="a part"),
        pytest.param("Supersedes: (partially) [[old]]\n", id="in part"),
        pytest.param("Amends [[old]]\n", id="an amendment"),
        pytest.param("Parts of this were superseded by [[old]]\n", id="a part of itself"),
    ],
)
def test_what_is_no_succession_marks_nothing(body: str) -> None:
    assert successors(OLD, note("decisions/0008-jwt.md", body, front="id: new")) == {}


def test_a_record_that_is_a_folder_has_its_neighbours_beside_that() -> None:
    old = node.read("adr/003-jobs/index.md", b"Superseded by ADR 12\n", alone=True)
    new = note("adr/012-queue.md")

    assert successors(old, new) == {"003-jobs": "012-queue"}


def test_of_two_that_claim_each_other_the_older_gives_way() -> None:
    one = note("decisions/a.md", front="id: a\ndate: 2023-01-01\nsupersedes: b")
    two = note("decisions/b.md", front="id: b\ndate: 2024-01-01\nsupersedes: a")

    assert successors(one, two) == {"a": "b"}
    assert successors(two, one) == {"a": "b"}


def test_a_superseded_record_is_marked_so_and_stands_behind_its_successor() -> None:
    text = "# Sessions in the session store\n\nsession session"
    old = note("decisions/old.md", text, front="id: old\nstatus: accepted")
    new = note("decisions/new.md", "# Tokens\n\nno session", front="id: new\nsupersedes: old")
    nodes = graph.with_successors([old, new], graph.Names([old, new]))

    hits = ladder.climb("why session", nodes).hits

    assert [(hit.node.id, hit.node.status) for hit in hits] == [
        ("new", ""),
        ("old", "superseded"),
    ]
