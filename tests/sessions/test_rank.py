"""The ranking: a turn's own score, its neighbours', its session's; then phase and recency."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from total_recall.sessions.rank import BUCKET, Candidate, ranked


def candidate(
    turn: int,
    score: float,
    *,
    session: int = 1,
    seq: int | None = None,
    is_user: bool = False,
    terms: str = "",
    age: float = 0.0,
    in_phase: bool = False,
    superseded: bool = False,
) -> Candidate:
    place = turn * 10 if seq is None else seq
    return Candidate(
        turn, session, place, is_user, score, frozenset(terms.split()), age, in_phase, superseded
    )


def order(*candidates: Candidate, sessions: int = 10) -> list[int]:
    lengths = {one.session: 10 for one in candidates}
    return [one.candidate.turn for one in ranked(candidates, lengths, sessions)]


def test_the_higher_score_comes_first() -> None:
    assert order(candidate(1, 2.0), candidate(2, 5.0), candidate(3, 3.0)) == [2, 3, 1]


def test_a_turn_between_two_matches_gains_from_both() -> None:
    alone = candidate(1, 4.0, session=1, seq=50)
    between = [candidate(n, 3.0, session=2, seq=n) for n in (10, 11, 12)]

    assert order(alone, *between)[0] == 11


def test_neighbours_of_another_session_give_nothing() -> None:
    one = candidate(1, 3.0, session=1, seq=5)
    other = candidate(2, 2.9, session=2, seq=4)

    assert order(one, other) == [1, 2]


def test_a_persons_words_weigh_more_than_an_agents() -> None:
    assert order(candidate(1, 2.0), candidate(2, 1.8, is_user=True)) == [2, 1]


def test_a_session_that_holds_more_of_the_terms_comes_first() -> None:
    one = candidate(1, 2.0, session=1, terms="token")
    other = candidate(2, 1.9, session=2, terms="token")
    more = candidate(3, 1.0, session=2, seq=500, terms="refresh rotate")

    assert order(one, other, more)[0] == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({"in_phase": True, "age": 300.0}, {"age": 0.0}, id="phase before recency"),
        pytest.param({"age": 1.0}, {"age": 90.0}, id="recency among equals"),
        pytest.param({}, {"superseded": True}, id="what its source still holds"),
        pytest.param({"age": 5.0}, {"age": 5.0}, id="then the earlier key"),
    ],
)
def test_near_equals_are_parted_by_phase_then_recency(
    first: dict[str, float], second: dict[str, float]
) -> None:
    one = candidate(1, 10.0, session=1, **first)  # type: ignore[arg-type]
    other = candidate(2, 10.0 + 10.0 * BUCKET / 3, session=2, **second)  # type: ignore[arg-type]

    assert order(one, other) == [1, 2]


def test_neither_phase_nor_recency_hides_a_clearly_better_turn() -> None:
    better = candidate(1, 10.0, session=1, age=2000.0)
    newer = candidate(2, 9.0, session=2, age=0.0, in_phase=True)

    assert order(better, newer) == [1, 2]


def test_the_three_numbers_are_told() -> None:
    (one,) = ranked([candidate(1, 2.0, age=30.0, in_phase=True)], {1: 10}, 10)

    assert (one.lexical, one.recency, one.phase) == (2.0, 0.5, 1.0)


def test_a_time_in_the_future_is_as_recent_as_now() -> None:
    (one,) = ranked([candidate(1, 2.0, age=-900.0)], {1: 10}, 10)

    assert one.recency == 1.0


@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.integers(0, 30), st.floats(0, 50), st.floats(0, 900)),
        max_size=30,
        unique_by=lambda facts: facts[:2],
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_does_not_depend_on_that_of_the_candidates(
    facts: list[tuple[int, int, float, float]], source: object
) -> None:
    candidates = [
        candidate(number, score, session=session, seq=seq, age=age)
        for number, (session, seq, score, age) in enumerate(facts)
    ]
    shuffled = list(candidates)
    source.shuffle(shuffled)  # type: ignore[attr-defined]

    assert order(*shuffled) == order(*candidates)
