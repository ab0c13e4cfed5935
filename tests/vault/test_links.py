"""Links between notes, in every spelling that people use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.vault import links
from total_recall.vault.frontmatter import Value, parse


@pytest.mark.parametrize(
    ("written", "targets"),
    [
        pytest.param("depends_on: a", ["a"], id="a plain id"),
        pytest.param("depends_on: a, b,c", ["a", "b", "c"], id="comma text"),
        pytest.param("depends_on: a.md", ["a"], id="a file"),
        pytest.param("depends_on: [a, b]", ["a", "b"], id="an inline list"),
        pytest.param("depends_on:\n  - a\n  - b", ["a", "b"], id="a list"),
        pytest.param("depends_on: [[a]]", ["a"], id="a wikilink"),
        pytest.param('depends_on: "[[a]]"', ["a"], id="a quoted wikilink"),
        pytest.param("depends_on: [[[a]], [[b]]]", ["a", "b"], id="a list of wikilinks"),
        pytest.param('depends_on: ["[[a]]", "[[b]]"]', ["a", "b"], id="a list of quoted ones"),
        pytest.param("depends_on:\n  - [[a]]\n  - [[b]]", ["a", "b"], id="wikilinks as items"),
        pytest.param("depends_on: [[a]], [[b]]", ["a", "b"], id="wikilinks with commas"),
        pytest.param("depends_on: [[a]] [[b]]", ["a", "b"], id="wikilinks with blanks"),
        pytest.param("depends_on: [[a|the b]]", ["a"], id="an alias"),
        pytest.param("depends_on: '[[a#why]]'", ["a"], id="a heading"),
        pytest.param('depends_on: "[[dir/a#why|b]]"', ["dir/a"], id="a path, heading, alias"),
        pytest.param('depends_on: "[a](../a.md)"', ["../a"], id="a Markdown link"),
        pytest.param("depends_on: [a, a, '[[a]]']", ["a"], id="each once"),
        pytest.param("depends_on:", [], id="nothing"),
        pytest.param("depends_on: []", [], id="an empty list"),
    ],
)
def test_depends_on_is_read_in_every_spelling(written: str, targets: list[str]) -> None:
    assert links.in_value(parse(written).values.get("depends_on")) == targets


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        pytest.param("see [[a]] and [[b|c]], [[a]]", ["a", "b"], id="wikilinks, each once"),
        pytest.param("an embed ![[a]]", ["a"], id="an embed"),
        pytest.param("[x](a.md), [y](./b.md#top)", ["a", "./b"], id="Markdown links"),
        pytest.param("[x](<a.md>) [y](b.md 'title')", ["a", "b"], id="marks around a link"),
        pytest.param("[x](a%20b.md)", ["a b"], id="an escaped blank"),
        pytest.param("[x](https://x.y/a.md) [y](mailto:a.md)", [], id="the web"),
        pytest.param("![x](a.md) [y](a.png)", [], id="pictures and other files"),
        pytest.param("[[]] [[a\nb]] [a]", [], id="no links"),
        pytest.param("[x](b.md) [[a]]", ["b", "a"], id="in the order of the text"),
    ],
)
def test_links_in_a_text_are_found(text: str, targets: list[str]) -> None:
    assert links.in_text(text) == targets


@pytest.mark.parametrize(
    ("name", "known"),
    [
        pytest.param("A", ["a"], id="folded"),
        pytest.param("dir/A", ["dir/a", "a"], id="a path"),
        pytest.param("./a", ["a"], id="from here"),
        pytest.param("decision:adr-7", ["decision:adr-7", "adr-7"], id="a type before the id"),
        pytest.param("work:plans/x", ["work:plans/x", "plans/x", "x"], id="a type and a path"),
    ],
)
def test_a_name_is_known_whole_first(name: str, known: list[str]) -> None:
    assert links.keys(name) == known


values: st.SearchStrategy[Value] = st.recursive(
    st.text(st.sampled_from("[]|#(), .mda/\n")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(values)
def test_any_value_gives_distinct_targets_without_brackets(value: Value) -> None:
    found = links.in_value(value)

    assert len(found) == len(set(found))
    assert all(name and "[[" not in name for name in found)
