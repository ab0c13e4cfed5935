"""The chunks of a text, its summary, and what it is found by beside its words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from total_recall.sessions.chunks import LONGEST, MAX_SUMMARY, beside, chunks, summary_length


@given(st.text(st.sampled_from("a. \n!中é\u2028"), max_size=4000))
def test_the_chunks_together_are_the_text(text: str) -> None:
    found = chunks(text)

    assert "".join(text[start:end] for start, end in found) == text
    assert all(end - start <= LONGEST for start, end in found)
    assert found[0][0] == 0


def test_a_chunk_ends_at_a_paragraph_rather_than_a_sentence_rather_than_a_word() -> None:
    paragraph = "A sentence. Another one. " * 13
    text = f"{paragraph}\n\n{paragraph}\n\n{paragraph}"

    first, *_ = chunks(text)

    assert text[: first[1]].endswith("\n\n")


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        pytest.param("We use JWT. It is small.", "We use JWT.", id="a sentence"),
        pytest.param("First line\nsecond", "First line\n", id="a line"),
        pytest.param("用户登录。然后", "用户登录。", id="a Chinese sentence"),
        pytest.param("v1.2 is out now", "v1.2 is out now", id="a point inside a word"),
        pytest.param("a" * 500, "a" * MAX_SUMMARY, id="no end in sight"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_summary_is_the_first_sentence_word_for_word(text: str, summary: str) -> None:
    assert text[: summary_length(text)] == summary


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("plain words", "", id="nothing"),
        pytest.param("getHTTPResponse", "get HTTP Response", id="camel case"),
        pytest.param("数据库", "数据 据库 库", id="pairs, and the last one alone"),
        pytest.param("用Postgres", "用", id="one character"),
    ],
)
def test_names_and_runs_are_found_by_their_parts(text: str, found: str) -> None:
    assert beside(text, []) == found


@pytest.mark.parametrize("unit", ["a", "aB", "中", "A", ". ", "\n", "AaA_"])
def test_a_long_text_is_cut_at_the_cost_of_its_length(unit: str) -> None:
    def cut(text: str) -> None:
        beside(text, [])
        summary_length(text)
        chunks(text)

    assert_linear(cut, lambda size: (unit * size)[:size], 1 << 18)
