"""What hosts put into a text: replaced where it is an element of theirs, and only there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from total_recall.sessions.injected import MARKER, without

TAGS = ("system-reminder", "ide_selection")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("plain", "plain", id="nothing"),
        pytest.param("<system-reminder>x</system-reminder>", "", id="only that"),
        pytest.param("<system-reminder>x</system-reminder>go", f"{MARKER}\ngo", id="before"),
        pytest.param("go<system-reminder>x</system-reminder>", f"go\n{MARKER}", id="behind"),
        pytest.param(
            "a <system-reminder>x</system-reminder> b", f"a\n{MARKER}\nb", id="in between"
        ),
        pytest.param(
            "<system-reminder>x</system-reminder>\n<ide_selection>y</ide_selection>go",
            f"{MARKER}\ngo", id="two as one mark",
        ),
        pytest.param(
            "<system-reminder>a<system-reminder>b</system-reminder>c</system-reminder>go",
            f"{MARKER}\ngo", id="one in another",
        ),
        pytest.param('<ide_selection a="b">x</ide_selection>go', f"{MARKER}\ngo", id="attributes"),
        pytest.param("<system-reminder>open", "<system-reminder>open", id="never closed"),
        pytest.param("x</system-reminder>", "x</system-reminder>", id="never opened"),
        pytest.param("<other>x</other>", "<other>x</other>", id="another tag"),
        pytest.param(
            "```\n<system-reminder>x</system-reminder>\n```",
            "```\n<system-reminder>x</system-reminder>\n```", id="in a fence",
        ),
        pytest.param(
            "`<system-reminder>x</system-reminder>` why",
            "`<system-reminder>x</system-reminder>` why", id="in code",
        ),
    ],
)  # fmt: skip
def test_elements_of_hosts_are_replaced_by_a_mark(text: str, left: str) -> None:
    assert without(text, TAGS) == left


@given(st.text(st.sampled_from("ab \n`~<>/"), max_size=60))
def test_a_text_without_such_elements_is_the_same(text: str) -> None:
    assert without(text, TAGS) == text


@pytest.mark.parametrize(
    "unit",
    ["<system-reminder>", "</system-reminder>", "<system-reminder></system-reminder>", "`", "```\n",
     "<system-reminder ", "~~~", "`a", "[… host reminder …] "],
)  # fmt: skip
def test_a_hostile_text_costs_what_its_length_does(unit: str) -> None:
    def strip(text: str) -> None:
        without(f"{text}</system-reminder>", TAGS)

    assert_linear(strip, lambda size: (unit * size)[:size], 1 << 17)
