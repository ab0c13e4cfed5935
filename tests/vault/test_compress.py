import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.vault.compress import brief, terse

DROPPED = """
    the The a A an An please Please kindly basically essentially actually really simply very quite
    Note note that of Of course course, in In order
""".split()
# What must stay, however it is mixed with what may go.
KEPT = """
    must never only not no cannot don't without unless at-least 5 ms 1.5 GB 99.9% `the_a` ADR-007
    `a b` ``the ` a`` https://example.org/the/a/ /usr/the/path [[the-a]] [[a|the]] [the](a.md) #the
    #a/an "The A" “a the” <the> a-b the-a plan_a A/B x=a option MUST NEVER queue is and to und
""".replace("`a b`", "`a_b`").split()
PROSE = st.lists(st.one_of(st.sampled_from(DROPPED), st.sampled_from(KEPT)), max_size=20)


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        pytest.param("We use the queue for a job.", "We use queue for job.", id="articles"),
        pytest.param("The queue is an outbox.", "queue is outbox.", id="at the start"),
        pytest.param("It is basically very slow.", "It is slow.", id="fillers"),
        pytest.param("Please use it.", "use it.", id="pleasantries"),
        pytest.param("Use it in order to log.", "Use it to log.", id="in order to"),
        pytest.param("It is not very fast.", "It is not very fast.", id="a degree that is denied"),
        pytest.param("It isn't really used.", "It isn't really used.", id="denied by n't"),
        pytest.param("It cannot simply go.", "It cannot simply go.", id="denied by cannot"),
        pytest.param("Not now; it is very slow.", "Not now; it is slow.", id="denied elsewhere"),
        pytest.param("It must only be read.", "It must only be read.", id="modals"),
        pytest.param("Plan A is in use.", "Plan A is in use.", id="a name"),
        pytest.param("A queue is used.", "queue is used.", id="no name"),
        pytest.param("It is a 5 ms delay.", "It is a 5 ms delay.", id="before a number"),
        pytest.param("Use `the a` of it", "Use `the a` of it", id="code"),
        pytest.param("Is in “The Rule”.", "Is in “The Rule”.", id="a quoted name"),
        pytest.param("| the | a |\n| is | the x |", "| the | a |\n| is | the x |", id="a table"),
        pytest.param("```\nthe a\n```\nUse the job", "```\nthe a\n```\nUse job", id="a fence"),
        pytest.param("Wir hängen an der Queue", "Wir hängen an der Queue", id="German"),
        pytest.param("Il a une clé", "Il a une clé", id="French"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_prose_loses_articles_and_fillers_only(text: str, shorter: str) -> None:
    assert terse(text) == shorter


@given(PROSE)
def test_only_words_that_say_nothing_are_dropped(words: list[str]) -> None:
    shorter = terse(" ".join(words)).split(" ")

    left = list(words)
    for word in shorter:
        while left and left[0] != word:
            assert left.pop(0) in DROPPED
        assert not word or left.pop(0) == word
    assert all(word in DROPPED for word in left)


@given(PROSE, st.sampled_from([" ", "\n", "; ", ", "]))
def test_what_means_something_survives_byte_for_byte(words: list[str], joint: str) -> None:
    shorter = terse(joint.join(words))

    at = 0
    for word in (word for word in words if word in KEPT):
        at = shorter.index(word, at) + len(word)


@given(st.text())
def test_any_text_can_be_shortened(text: str) -> None:
    assert len(terse(text)) <= len(text)
    assert re.findall(r"\d+", terse(text)) == re.findall(r"\d+", text)


def test_hostile_prose_costs_no_more_than_its_length() -> None:
    for text in ("`" * 50_000, "[[" * 50_000, "very not " * 20_000, "the " * 50_000, '"' * 50_001):
        terse(f"it is {text}")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("one\n\ntwo", "one; two", id="paragraphs"),
        pytest.param("- one\n- two.\n- three", "one; two. three", id="items"),
        pytest.param("a\n```\ncode\n```\nb", "a; b", id="code is left out"),
        pytest.param("| A | B |\n|---|---|\n| 1 | 2 |", "| A | B |; | 1 | 2 |", id="table rows"),
    ],
)
def test_a_section_is_told_on_one_line(text: str, line: str) -> None:
    assert brief(text) == line


def test_a_cut_is_marked() -> None:
    assert brief("one two three four", 2) == "one two …"
