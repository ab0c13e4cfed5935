"""YAML that anyone may have written, with each of the two loaders that a machine may have."""

from collections.abc import Iterator

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import NOISE_SECONDS, cost
from total_recall.safeyaml import MAX_CHARACTERS, MAX_EVENTS, FaultyYamlError, composed, events

YAML_MARKS = "ab:-[]{}#'\"\n\n  \t|>&*!?,%@`~\\\x07\ud800"


@pytest.fixture(autouse=True, params=["C", "pure Python"])
def _loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        if request.param == "pure Python":
            patch.delattr(yaml, "CBaseLoader", raising=False)
        yield


# As many values as are read, so the most that an honest text can cost.
FULL = "a: [" + "x," * (MAX_EVENTS - 10) + "]"


def test_every_scalar_is_text() -> None:
    text = "a: 0012\nb: [yes, 2024-01-01, null, 'it']\n"

    scalars = [event.value for event in events(text) if isinstance(event, yaml.ScalarEvent)]

    assert scalars == ["a", "0012", "b", "yes", "2024-01-01", "null", "it"]


def test_a_node_knows_its_line() -> None:
    node = composed("# a comment\na:\n  - b\n")

    assert isinstance(node, yaml.MappingNode)
    key, value = node.value[0]
    assert (key.value, key.start_mark.line, value.value[0].start_mark.line) == ("a", 1, 2)


@pytest.mark.parametrize("text", ["", "\n", "# nothing here\n"])
def test_a_text_that_says_nothing_has_no_node(text: str) -> None:
    assert composed(text) is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("a: b\nc: d: e", "line 2: mapping values are not allowed", id="a colon"),
        pytest.param("a: b\nc: 'd' e", "line 2: ", id="more after a quote"),
        pytest.param("a: b\nc: \x07", "line 2: ", id="a control character"),
        pytest.param("é: b\nc: \ud800", "line 2: ", id="a lone surrogate"),
        pytest.param("a: b\nc: *d", "line 2: aliases are not followed", id="an alias"),
        pytest.param("a: &a [*a]", "line 1: aliases are not followed", id="an alias of itself"),
        pytest.param("a:\n " + "[" * 60_000, "line 2: ", id="brackets"),
        pytest.param("a: " + "{" * 60_000, "line 1: ", id="braces"),
        pytest.param("[" * 17 + "]" * 17, "line 1: nested over 16 deep", id="bracket pairs"),
        pytest.param("- " * 30_000 + "x", "line 1: nested over 16 deep", id="dashes"),
        pytest.param("a: [" + "x," * 30_000 + "]", "line 1: over 10,000 values", id="values"),
        pytest.param(
            "a\n" * MAX_CHARACTERS, f"line {MAX_CHARACTERS // 2 + 1}: over 64 KB", id="size"
        ),
        pytest.param("a: b\n---\nc: d", "line 2: but found another document", id="two documents"),
    ],
)
def test_a_fault_has_its_line_and_costs_no_more_than_a_full_text(text: str, fault: str) -> None:
    raised: list[FaultyYamlError] = []

    def read(text: str) -> None:
        with pytest.raises(FaultyYamlError) as fault:
            composed(text)
        raised.append(fault.value)

    took = cost(read, text)

    assert took <= 10 * max(cost(composed, FULL), NOISE_SECONDS)
    assert str(raised[0]).startswith(fault)
    assert "\n" not in str(raised[0])


@given(st.text(st.one_of(st.characters(), st.sampled_from(YAML_MARKS)), max_size=200))
def test_any_text_has_nodes_or_one_fault(text: str) -> None:
    line = 1
    try:
        composed(text)
    except FaultyYamlError as fault:
        line = fault.line

    assert 1 <= line <= len(text.splitlines()) + 1
