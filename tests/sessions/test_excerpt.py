"""Excerpts: exact parts of a text, with what was left out said between them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall import tokens
from total_recall.sessions.excerpt import excerpt, match_spans

LEFT_OUT = re.compile(r"^\[… ([\d,]+) characters …\]$", re.MULTILINE)
FILLER = "Nothing of note was said in this sentence about anything. " * 40


def test_a_text_that_fits_is_whole() -> None:
    assert excerpt("short text", [], 100) == "short text"


def test_without_a_budget_every_text_is_whole() -> None:
    assert excerpt(FILLER, [], 0) == FILLER


def test_the_part_around_a_match_is_shown_and_the_rest_is_counted() -> None:
    text = f"{FILLER}The refresh token is rotated. {FILLER}"

    shown = excerpt(text, match_spans(text, ["refresh", "token"]), 60)

    assert "The refresh token is rotated." in shown
    before, after = LEFT_OUT.findall(shown)
    assert shown.startswith("[… ")
    assert shown.endswith(" characters …]")
    kept = LEFT_OUT.sub("", shown).strip("\n")
    assert int(before.replace(",", "")) + int(after.replace(",", "")) + len(kept) == len(text)


def test_without_a_match_it_is_the_beginning() -> None:
    shown = excerpt(f"The first words. {FILLER}", [], 40)

    assert shown.startswith("The first words.")


def test_the_densest_part_comes_before_a_lone_match() -> None:
    text = f"token {FILLER} refresh token rotation {FILLER} token"

    shown = excerpt(text, match_spans(text, ["refresh", "token", "rotation"]), 60)

    assert "refresh token rotation" in shown


@given(
    st.text(st.sampled_from("ab \n.token中é"), max_size=1500),
    st.integers(5, 200),
)
def test_every_shown_part_stands_in_the_text_in_order(text: str, budget: int) -> None:
    shown = excerpt(text, match_spans(text, ["token", "b"]), budget)

    at = 0
    for part in LEFT_OUT.split(shown)[::2]:
        kept = part.strip("\n")
        found = text.find(kept, at)
        assert found >= 0
        at = found + len(kept)


@pytest.mark.parametrize("budget", [30, 60, 120, 500])
def test_an_excerpt_keeps_to_its_budget(budget: int) -> None:
    text = f"{FILLER} token {FILLER} token {FILLER}"

    shown = excerpt(text, match_spans(text, ["token"]), budget)

    assert tokens.estimate(shown) <= budget


@pytest.mark.parametrize(
    ("text", "surfaces", "found"),
    [
        pytest.param("tokens token tokenize", ["token", "tokens"], ["tokens", "token"], id="words"),
        pytest.param("Refresh_Token", ["token"], ["Token"], id="parts of names"),
        pytest.param("我们用数据库吧", ["数据库"], ["数据库"], id="inside a run"),
        pytest.param("C++ (a|b)", ["c++", "a|b"], ["C++", "a|b"], id="signs of patterns"),
        pytest.param("nothing", [], [], id="no words"),
    ],
)
def test_matches_are_whole_words(text: str, surfaces: list[str], found: list[str]) -> None:
    assert [text[start:end] for start, end in match_spans(text, surfaces)] == found
