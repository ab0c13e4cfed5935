"""Names resolved to records, and links turned round."""

import pytest

from total_recall.vault import graph, node
from total_recall.vault.graph import Names
from total_recall.vault.node import Node


def note(path: str, text: str = "") -> Node:
    return node.read(path, text.encode())


def depending(path: str, on: str) -> Node:
    return note(path, f"---\ndepends_on: {on}\n---\n")


JWT = note("decisions/auth-jwt.md", "---\nid: ADR-7\naliases: [tokens, Bearer]\n---\n# JWT\n")
SOURCE = note("decisions/jobs.md")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("ADR-7", id="id"),
        pytest.param("adr-7", id="id in another case"),
        pytest.param("decision:ADR-7", id="id after a type"),
        pytest.param("auth-jwt", id="stem"),
        pytest.param("Auth-JWT", id="stem in another case"),
        pytest.param("tokens", id="alias"),
        pytest.param("bearer", id="alias in another case"),
        pytest.param("decisions/auth-jwt", id="path"),
        pytest.param("./auth-jwt", id="path from here"),
        pytest.param("../decisions/auth-jwt", id="path through the parent"),
        pytest.param("vault/decisions/auth-jwt", id="path from further up"),
    ],
)
def test_a_link_finds_its_record_by(name: str) -> None:
    assert Names([SOURCE, JWT]).resolve(name, SOURCE) == JWT


@pytest.mark.parametrize("name", ["nothing", "../../x", "", "/", "jwt", "auth"])
def test_a_link_to_nothing_finds_nothing(name: str) -> None:
    assert Names([SOURCE, JWT]).resolve(name, SOURCE) is None


def test_of_several_records_of_one_name_the_nearest_is_meant() -> None:
    far, near, beside = note("a/plan.md"), note("b/c/plan.md"), note("b/d/plan.md")
    names = Names([far, near, beside])

    found = [names.resolve("plan", note(f"{folder}/x.md")) for folder in ("a", "b/c", "b/d/e")]

    assert found == [far, near, beside]


def test_a_relative_path_starts_at_the_sources_folder() -> None:
    here, there = note("a/x/one.md"), note("b/x/one.md")

    found = Names([here, there]).resolve("x/one", note("b/source.md"))

    assert found == there


def test_dependencies_are_one_step_deep_without_repeats() -> None:
    a, b, c = depending("a.md", "[b, b.md]"), depending("b.md", "[[c]]"), note("c.md")

    found = graph.dependencies([a], Names([a, b, c]))

    assert found == ([b], [])


def test_dependencies_that_go_in_a_circle_end() -> None:
    a, b, itself = depending("a.md", "b"), depending("b.md", "a"), depending("c.md", "c")
    names = Names([a, b, itself])

    assert graph.dependencies([a], names) == ([b], [])
    assert graph.dependencies([a, b, itself], names) == ([], [])


def test_dead_links_are_named_once() -> None:
    a, b = depending("a.md", "[gone, c]"), depending("b.md", "[gone, lost]")
    c = note("c.md")

    found = graph.dependencies([a, b], Names([a, b, c]))

    assert found == ([c], ["gone", "lost"])


def test_outgoing_links_stand_under_their_relation_and_in_no_second() -> None:
    text = "---\ndependsOn: [a]\nrelated: '[[b]]'\nsuperseded-by: c\n---\n[[a]] [[d]] `[[code]]`\n"

    assert graph.outgoing(note("x.md", text)) == {
        "depends_on": ["a"],
        "related": ["b"],
        "superseded_by": ["c"],
        "links": ["d"],
    }


def test_incoming_links_come_from_any_relation_but_not_from_itself_or_an_overview() -> None:
    target = note("t.md", "[[t]]")
    by_key, by_text = depending("a.md", "t"), note("b.md", "see [t](t.md)")
    overview, other = note("index.md", "[[t]]"), note("c.md", "[[a]]")
    nodes = [target, by_key, by_text, overview, other]

    found = graph.incoming([target], nodes, Names(nodes))

    assert found == {"t.md": ["a", "b"]}


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("index", True),
        ("docs/README", True),
        ("work/plans/x/_meta", True),
        ("auth", False),
        ("readme-first", False),
    ],
)
def test_an_overview_is_known_by_its_name(name: str, is_one: bool) -> None:
    assert graph.is_overview(name) is is_one
